import { findSaga, type SagaRow } from '../../store/install/install-sagas.ts'
import type { StoredProposal } from '../../store/proposals/proposals.ts'
import type { CommandContext } from '../command/context.ts'
import { recordReceipt } from '../command/ledger.ts'
import { getOwnProposal, moveProposal, saveProposal } from '../proposals/moves.ts'
import type { InstallPrivately } from '../validation/finish-run.ts'
import { assertLaneAllowed, type InstallRequest, preflight } from './preflight.ts'
import { installInProgress, toReceiptRefs, openSaga, resumeSaga, saveSaga, recordInstallEvent } from './saga-record.ts'
import { writeVersion } from './write-version.ts'

/** Checks that a proposal may be installed, writes the new version and starts the saga; resumes a degraded saga. */
export function startInstall(ctx: CommandContext, proposalId: string, request: InstallRequest): SagaRow {
  const proposal = getOwnProposal(ctx.tx, proposalId, ctx.actor.user_id)
  const open = proposal.saga_id === undefined ? undefined : findSaga(ctx.tx, proposal.saga_id)
  if (open?.status === 'running') throw installInProgress(open)
  if (open?.status === 'degraded') {
    if (proposal.proposal_state !== 'ready_for_review') return resumeInstall(ctx, open, request)
    // The proposal was revised since: its old draft is not installed any more.
    saveSaga(ctx, { ...open, status: 'compensated', error_reason: 'superseded' })
  }
  const ability_id = preflight(ctx, proposal, request)
  const version = writeVersion(ctx, proposal, { ability_id, lane: request.lane })
  const saga = openSaga(ctx, {
    kind: request.kind,
    owner_user_id: proposal.owner_user_id,
    proposal_id: proposal.proposal_id,
    learn_session_id: proposal.learn_session_id,
    ability_id,
    skill_slug: proposal.proposed_skill_slug,
    version,
    install_lane: request.lane,
  })
  recordReceipt(ctx, 'learn.install.started', {
    ...toReceiptRefs(saga),
    summary: `Installation into ${saga.install_lane} started.`,
  })
  moveToInstalling(ctx, proposal, saga)
  return saga
}

/** Only the same request resumes a degraded saga. */
function resumeInstall(ctx: CommandContext, saga: SagaRow, { kind, lane, privileged }: InstallRequest): SagaRow {
  if (saga.kind !== kind || saga.install_lane !== lane) throw installInProgress(saga)
  assertLaneAllowed({ lane, privileged })
  return resumeSaga(ctx, saga)
}

function moveToInstalling(ctx: CommandContext, proposal: StoredProposal, saga: SagaRow): void {
  const { saga_id, ability_id, kind, install_lane } = saga
  recordInstallEvent(ctx, saga, 'learn.install.started', { install_lane })
  const changes = { saga_id, ability_id, primary_capability_id: ability_id }
  if (proposal.proposal_state !== 'ready_for_review') {
    saveProposal(ctx, proposal, changes)
    return
  }
  const to = kind === 'approve' ? 'approved' : 'installing_private'
  moveProposal(ctx, proposal, to, { changes, session_changes: { ability_id } })
}

/** Installs a draft that passed its tests, for its owner alone. */
export const installPrivately: InstallPrivately = (ctx, { proposal_id }) => {
  startInstall(ctx, proposal_id, {
    kind: 'install',
    lane: 'experimental_private',
    privileged: false,
  })
}

/** Records an approval once, on the first attempt to install it. */
export function recordApproval(ctx: CommandContext, saga: SagaRow, note: string | undefined): void {
  if (saga.attempts > 1) return
  recordReceipt(ctx, 'learn.proposal.approved', {
    ...toReceiptRefs(saga),
    summary: `Approved for ${saga.install_lane}.`,
    details: note === undefined ? {} : { approval_note: note },
  })
}
