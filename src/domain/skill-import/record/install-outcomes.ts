import type { LearnPartialDeploymentState } from '@apprentice/contracts/learn/runtime.ts'
import type { SagaRow } from '../../../store/install/install-sagas.ts'
import { findProposal, type StoredProposal } from '../../../store/proposals/proposals.ts'
import { findImportByProposal, type ImportRow } from '../../../store/skill-import/skill-imports.ts'
import type { CommandContext } from '../../command/context.ts'
import { recordEvent } from '../../command/ledger.ts'
import { moveProposal } from '../../proposals/moves.ts'
import { moveImport, recordImportReceipt, saveImport, formatImportSubject } from './import-record.ts'
import { queueStagedRemoval, queueUploadRemoval } from './artifact-removal.ts'
import { uploadDeleted } from './uploads.ts'

/** Undefined for abilities that were not imported, and for rollbacks and uninstallations. */
function findImportOfSaga(ctx: CommandContext, { kind, proposal_id }: SagaRow): ImportRow | undefined {
  if (kind === 'rollback' || kind === 'uninstall' || proposal_id === undefined) return undefined
  return findImportByProposal(ctx.tx, proposal_id)
}

export function recordImportInstalled(ctx: CommandContext, saga: SagaRow): void {
  const row = findImportOfSaga(ctx, saga)
  if (row !== undefined) settleInstall(ctx, row, { saga, partial: undefined })
}

/** The files are in place, but a later step of the saga is pending: the import counts as partly installed. */
export function recordImportDegraded(ctx: CommandContext, saga: SagaRow): void {
  const row = findImportOfSaga(ctx, saga)
  if (row === undefined) return
  settleInstall(ctx, row, {
    saga,
    partial: {
      state: saga.step === 'bridge' ? 'bridge_pending' : 'availability_pending',
      blocking: true,
      ...(saga.error_code === undefined ? {} : { reason_code: saga.error_code }),
      updated_at: ctx.now,
      schema_version: 1,
    },
  })
}

function settleInstall(
  ctx: CommandContext,
  row: ImportRow,
  { saga, partial }: { saga: SagaRow; partial: LearnPartialDeploymentState | undefined },
): void {
  const { ability_id, saga_id, install_lane } = saga
  const changes = { ability_id, saga_id, partial_deployment: partial, last_error_code: undefined }
  const isPrivate = install_lane === 'experimental_private'
  const { stage_state } = row
  if (stage_state !== 'install_queued' && stage_state !== 'ready_for_review') {
    saveImport(ctx, row, changes)
    return
  }
  queueUploadRemoval(ctx, row)
  const done = { ...changes, ...uploadDeleted(ctx) }
  const queued = isPrivate && stage_state === 'ready_for_review' ? moveImport(ctx, row, 'install_queued') : row
  const to = isPrivate || stage_state === 'install_queued' ? 'installed_private' : 'approved'
  const moved = moveImport(ctx, queued, to, { changes: done, reason: partial?.reason_code })
  recordEvent(ctx, formatImportSubject(row.import_id), 'skill.imported', {
    import_id: row.import_id,
    ability_id,
  })
  recordImportReceipt(ctx, moved, `skill_import.${to}`, {
    summary: `${ability_id} installed into ${install_lane}${partial === undefined ? '' : ', partly'}.`,
    reason: partial?.reason_code,
  })
}

/** The saga was compensated: nothing of the import is installed, and the install can be retried. */
export function recordImportCompensated(ctx: CommandContext, saga: SagaRow): void {
  const row = findImportOfSaga(ctx, saga)
  if (row === undefined) return
  const code = saga.error_code ?? 'INTERNAL_ERROR'
  const proposal = row.proposal_id === undefined ? undefined : findProposal(ctx.tx, row.proposal_id)
  if (proposal?.proposal_state === 'quarantined') {
    moveProposal(ctx, proposal, ['draft', 'ready_for_review'], {
      reason: 'import can be retried',
      changes: { install_lane: 'pending', saga_id: undefined },
    })
  }
  const changes = { last_error_code: code }
  const moved =
    row.stage_state === 'install_queued'
      ? moveImport(ctx, row, 'install_failed', { changes, reason: code })
      : saveImport(ctx, row, changes)
  recordImportReceipt(ctx, moved, 'skill_import.install_failed', {
    status: 'failed',
    summary: 'The installation failed. All its changes were undone.',
    reason: code,
  })
}

/** Rejects the import of a proposal that was rejected in its own review. */
export function recordProposalRejected(ctx: CommandContext, { proposal_id }: StoredProposal, reason: string): void {
  const row = findImportByProposal(ctx.tx, proposal_id)
  if (row?.stage_state === 'ready_for_review' || row?.stage_state === 'install_failed') {
    moveToRejected(ctx, row, reason)
  }
}

export function moveToRejected(ctx: CommandContext, row: ImportRow, reason: string): ImportRow {
  queueUploadRemoval(ctx, row)
  queueStagedRemoval(ctx, row)
  return moveImport(ctx, row, 'rejected', { changes: uploadDeleted(ctx), reason })
}
