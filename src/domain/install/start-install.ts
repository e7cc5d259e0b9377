import { findSaga, type SagaRow } from '../../store/install/install-sagas.ts'
import type { StoredProposal } from '../../store/proposals/proposals.ts'
import type { CommandContext } from '../command/context.ts'
import { recordReceipt } from '../command/ledger.ts'
import { getOwnProposal, moveProposal, saveProposal } from '../proposals/moves.ts'
import { assertLane, type InstallRequest, preflight } from './preflight.ts'
import { inProgress, marksOf, openSaga, resumeSaga, saveSaga, tellInstall } from './saga-record.ts'
import { writeVersion } from './write-version.ts'

/** Checks that it may be installed and writes down that it will be; files and the rest are the saga's work. */
export function startInstall(
  ctx: CommandContext,
  proposalId: string,
  request: InstallRequest,
): SagaRow {
  const proposal = getOwnProposal(ctx.tx, proposalId, ctx.actor.user_id)
  const begun = proposal.saga_id === undefined ? undefined : findSaga(ctx.tx, proposal.saga_id)
  if (begun?.status === 'running') throw inProgress(begun)
  if (begun?.status === 'degraded') {
    if (proposal.proposal_state !== 'ready_for_review') return goOnWith(ctx, begun, request)
    // It was revised meanwhile: what was to be installed is no longer wanted.
    saveSaga(ctx, { ...begun, status: 'compensated', error_reason: 'superseded' })
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
    ...marksOf(saga),
    summary: `Installation into ${saga.install_lane} begun.`,
  })
  announce(ctx, proposal, saga)
  return saga
}

/** Who asks for the same again gets it finished; who asks for something else has to wait for that. */
function goOnWith(
  ctx: CommandContext,
  saga: SagaRow,
  { kind, lane, privileged }: InstallRequest,
): SagaRow {
  if (saga.kind !== kind || saga.install_lane !== lane) throw inProgress(saga)
  assertLane({ lane, privileged })
  return resumeSaga(ctx, saga)
}

/** From here on the proposal says that it is being installed, or that it is approved. */
function announce(ctx: CommandContext, proposal: StoredProposal, saga: SagaRow): void {
  const { saga_id, ability_id, kind, install_lane } = saga
  tellInstall(ctx, saga, 'learn.install.started', { install_lane })
  const changes = { saga_id, ability_id, primary_capability_id: ability_id }
  if (proposal.proposal_state !== 'ready_for_review') {
    saveProposal(ctx, proposal, changes)
    return
  }
  const to = kind === 'approve' ? 'approved' : 'installing_private'
  moveProposal(ctx, proposal, to, { changes, session_changes: { ability_id } })
}
