import { useSignal } from '@preact/signals'
import { approveProposal, installProposal } from '@apprentice/contracts/abilities/installs.ts'
import {
  getProposalDetail,
  type ProposalAction,
  type ProposalDetail,
  rejectProposal,
} from '@apprentice/contracts/learn/proposal-review.ts'
import { cancelValidationRun, requestMoreTests, validateProposal } from '@apprentice/contracts/learn/validation.ts'
import { attempt } from '../app/notices.tsx'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { ReadFailure, Skeleton, StateBadge } from '../parts/basic.tsx'
import { t } from '../text/text.ts'
import { InstallProgress } from './install-progress.tsx'
import { RejectForm } from './reject-form.tsx'
import { ReviewParts } from './review-parts.tsx'
import { ReviseForm } from './revise-form.tsx'

const POLL_MS = 1500

/** A draft with everything a reviewer needs, and the bar with the decisions. */
export function Review({ proposalId }: { readonly proposalId: string }) {
  const params = { proposalId }
  const { data, failure, reload } = useResource(proposalId, () => call(getProposalDetail, { params }), {
    changesWith: ['learn.', 'ability.'],
    pollMs: POLL_MS,
  })
  if (failure.value !== undefined) return <ReadFailure message={failure.value} onRetry={() => void reload()} />
  const detail = data.value
  if (detail === undefined) return <Skeleton rows={8} />
  const { proposal_state, title, ability_id } = detail.proposal
  return (
    <article class="review" data-state={proposal_state}>
      <header>
        <h3>{title}</h3>
        <StateBadge state={proposal_state} />
      </header>
      {ability_id !== undefined && proposal_state !== 'rejected' && isInstalled(proposal_state) && (
        <p class="success" role="status">
          {t.review.installed} <a href={`/skills/${encodeURIComponent(ability_id)}`}>{t.review.openAbility}</a>
        </p>
      )}
      {proposal_state === 'quarantined' && (
        <p class="error" role="status">
          {t.teach.review.quarantined}
        </p>
      )}
      <InstallProgress proposalId={proposalId} isInstalling={proposal_state === 'installing_private'} />
      <ReviewParts detail={detail} reload={reload} />
      <Decisions detail={detail} reload={reload} />
    </article>
  )
}

const isInstalled = (state: string): boolean => state === 'installed_private' || state === 'approved'

interface DecisionsProps {
  readonly detail: ProposalDetail
  readonly reload: () => Promise<void>
}

type Panel = 'reject' | 'revise'

/** The actions that the daemon permits for the draft now. Rejecting stands apart. */
function Decisions({ detail, reload }: DecisionsProps) {
  const busy = useSignal(false)
  const panel = useSignal<Panel | undefined>(undefined)
  const { draft_hash, latest_validation, allowed_actions, proposal } = detail
  const params = { proposalId: proposal.proposal_id }
  const can = (action: ProposalAction): boolean => allowed_actions.includes(action)
  const run = async (work: () => Promise<unknown>): Promise<boolean> => {
    busy.value = true
    const isDone = await attempt(() => work(), reload)
    busy.value = false
    return isDone
  }
  const button = (action: ProposalAction, work: () => Promise<unknown>, style = '') =>
    can(action) && (
      <button type="button" class={style} disabled={busy.value} onClick={() => void run(work)}>
        {t.review.actions[action]}
      </button>
    )
  const open = (name: Panel, action: ProposalAction, style = '') =>
    can(action) && (
      <button type="button" class={style} disabled={busy.value} onClick={() => (panel.value = name)}>
        {t.review.actions[action]}
      </button>
    )
  const runId = latest_validation?.validation_run.validation_run_id ?? ''
  const decision = draft_hash === undefined ? {} : { draft_hash }
  if (allowed_actions.length === 0) return null
  return (
    <>
      <footer class="decisions">
        {open('reject', 'reject', 'danger quiet')}
        <span class="spacer" />
        {open('revise', 'revise')}
        {button('cancel_validation', () => call(cancelValidationRun, { params: { ...params, runId }, body: {} }))}
        {button('request_more_tests', () => call(requestMoreTests, { params, body: { wait_ms: 0 } }))}
        {button('validate', () => call(validateProposal, { params, body: { wait_ms: 0 } }), 'primary')}
        {button('approve', () => call(approveProposal, { params, body: decision }))}
        {button('install', () => call(installProposal, { params, body: decision }), 'primary')}
      </footer>
      {panel.value === 'reject' && (
        <RejectForm
          onReject={(reason) => run(() => call(rejectProposal, { params, body: { reason } }))}
          onClose={() => (panel.value = undefined)}
        />
      )}
      {panel.value === 'revise' && (
        <ReviseForm detail={detail} onRevised={reload} onClose={() => (panel.value = undefined)} />
      )}
    </>
  )
}
