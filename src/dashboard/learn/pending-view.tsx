import { useLocation } from 'preact-iso'
import { listProposals, type SkillBundleProposal } from '@apprentice/contracts/learn/proposal.ts'
import { listImports } from '@apprentice/contracts/skills/imports.ts'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { CategoryButton, readMenuPlace } from '../categories/category-button.tsx'
import type { MenuPlace } from '../categories/category-menu.tsx'
import { useItemMenu } from '../categories/item-menu.tsx'
import { Empty, ReadFailure, Skeleton, StateBadge, Time } from '../parts/basic.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Review } from '../review/review.tsx'
import { t } from '../text/text.ts'

const PAGE_SIZE = 100
/** A proposal in one of these states waits for nobody. */
const DECIDED_STATES = new Set(['installed_private', 'approved', 'rejected', 'cancelled', 'quarantined'])
const CLOSED_IMPORTS = new Set(['discarded', 'expired', 'rejected', 'installed_private', 'approved'])

/** Drafts that wait for a decision. A chosen one is reviewed in a drawer. */
export function PendingView({ proposalId }: { readonly proposalId: string | undefined }) {
  const { route } = useLocation()
  const query = { page_size: PAGE_SIZE }
  const proposals = useResource('proposals', () => call(listProposals, { query }), { changesWith: ['learn.'] })
  const imports = useResource('imports', () => call(listImports, { query }), { changesWith: ['skill.import'] })
  const proposalMenu = useItemMenu('proposal')
  const importMenu = useItemMenu('bundle')
  if (proposals.failure.value !== undefined) {
    return <ReadFailure message={proposals.failure.value} onRetry={() => void proposals.reload()} />
  }
  if (proposals.data.value === undefined) return <Skeleton />
  const pending = proposals.data.value.proposals.filter(({ proposal_state }) => !DECIDED_STATES.has(proposal_state))
  const known = new Set(pending.map(({ proposal_id }) => proposal_id))
  const waiting = (imports.data.value?.items ?? []).filter(
    ({ stage_state, proposal_id }) =>
      !CLOSED_IMPORTS.has(stage_state) && (proposal_id === undefined || !known.has(proposal_id)),
  )
  return (
    <>
      {pending.length + waiting.length === 0 && (
        <Empty icon="check" title={t.pending.none}>
          <a href="/learn/new">{t.session.startOne}</a>
        </Empty>
      )}
      <ul class="rows pending">
        {pending.map((proposal) => (
          <ProposalRow
            key={proposal.proposal_id}
            proposal={proposal}
            onMenu={(place) => proposalMenu.open(proposal.proposal_id, place)}
          />
        ))}
        {waiting.map(({ import_id, skill_name, stage_state }) => (
          <li key={import_id} class="panel" onContextMenu={(event) => importMenu.open(import_id, readMenuPlace(event))}>
            <a href={`/import/${import_id}`}>
              <strong>{skill_name}</strong>
            </a>
            <StateBadge state={stage_state} />
            <small>{t.pending.imported}</small>
            <span class="spacer" />
            <CategoryButton title={skill_name} onMenu={(place) => importMenu.open(import_id, place)} />
          </li>
        ))}
      </ul>
      {proposalMenu.menu}
      {importMenu.menu}
      {proposalId !== undefined && (
        <Dialog kind="drawer" title={t.review.title} onClose={() => route('/learn/pending')}>
          <Review key={proposalId} proposalId={proposalId} />
        </Dialog>
      )}
    </>
  )
}

interface ProposalRowProps {
  readonly proposal: SkillBundleProposal
  readonly onMenu: (place: MenuPlace) => void
}

const ProposalRow = ({ proposal, onMenu }: ProposalRowProps) => (
  <li class="panel" onContextMenu={(event) => onMenu(readMenuPlace(event))}>
    <a href={`/learn/pending/${proposal.proposal_id}`}>
      <strong>{proposal.title}</strong>
    </a>
    <StateBadge state={proposal.proposal_state} />
    <small>
      <Time at={proposal.updated_at} />
    </small>
    <span class="spacer" />
    <CategoryButton title={proposal.title} onMenu={onMenu} />
  </li>
)
