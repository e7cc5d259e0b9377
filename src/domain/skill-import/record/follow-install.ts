import type { LearnPartialDeploymentState } from '@apprentice/contracts/learn/runtime.ts'
import type { SagaRow } from '../../../store/install/install-sagas.ts'
import { findProposal, type StoredProposal } from '../../../store/proposals/proposals.ts'
import { findImportOfProposal, type ImportRow } from '../../../store/skill-import/skill-imports.ts'
import type { CommandContext } from '../../command/context.ts'
import { recordEvent } from '../../command/ledger.ts'
import { moveProposal } from '../../proposals/moves.ts'
import { moveImport, recordImportReceipt, saveImport, subjectOf } from './import-record.ts'
import { throwAwayStaged, throwAwayUpload } from './throw-away.ts'
import { gone } from './uploads.ts'

/** The import that an installation is of; undefined for what was learned here, and for what is taken out. */
function importOf(ctx: CommandContext, { kind, proposal_id }: SagaRow): ImportRow | undefined {
  if (kind === 'rollback' || kind === 'uninstall' || proposal_id === undefined) return undefined
  return findImportOfProposal(ctx.tx, proposal_id)
}

/** It is installed, whichever way that was asked for. */
export function importInstalled(ctx: CommandContext, saga: SagaRow): void {
  const row = importOf(ctx, saga)
  if (row !== undefined) settle(ctx, row, { saga, partial: undefined })
}

/** The files are in place, but what comes after is still to be done: it counts as installed, in part. */
export function importDegraded(ctx: CommandContext, saga: SagaRow): void {
  const row = importOf(ctx, saga)
  if (row === undefined) return
  settle(ctx, row, {
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

function settle(
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
  throwAwayUpload(ctx, row)
  const done = { ...changes, ...gone(ctx) }
  const queued =
    isPrivate && stage_state === 'ready_for_review' ? moveImport(ctx, row, 'install_queued') : row
  const to = isPrivate || stage_state === 'install_queued' ? 'installed_private' : 'approved'
  const moved = moveImport(ctx, queued, to, { changes: done, reason: partial?.reason_code })
  recordEvent(ctx, subjectOf(row.import_id), 'skill.imported', {
    import_id: row.import_id,
    ability_id,
  })
  recordImportReceipt(ctx, moved, `skill_import.${to}`, {
    summary: `${ability_id} installed into ${install_lane}${partial === undefined ? '' : ', in part'}.`,
    reason: partial?.reason_code,
  })
}

/** Nothing of it is left in place; it can be tried again. */
export function importTakenBack(ctx: CommandContext, saga: SagaRow): void {
  const row = importOf(ctx, saga)
  if (row === undefined) return
  const code = saga.error_code ?? 'INTERNAL_ERROR'
  const proposal = row.proposal_id === undefined ? undefined : findProposal(ctx.tx, row.proposal_id)
  if (proposal?.proposal_state === 'quarantined') {
    moveProposal(ctx, proposal, ['draft', 'ready_for_review'], {
      reason: 'import can be tried again',
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
    summary: 'The bundle could not be installed; everything is as it was.',
    reason: code,
  })
}

/** Its proposal was turned down elsewhere. */
export function proposalRejected(
  ctx: CommandContext,
  { proposal_id }: StoredProposal,
  reason: string,
): void {
  const row = findImportOfProposal(ctx.tx, proposal_id)
  if (row?.stage_state === 'ready_for_review' || row?.stage_state === 'install_failed') {
    reject(ctx, row, reason)
  }
}

export function reject(ctx: CommandContext, row: ImportRow, reason: string): ImportRow {
  throwAwayUpload(ctx, row)
  throwAwayStaged(ctx, row)
  return moveImport(ctx, row, 'rejected', { changes: gone(ctx), reason })
}
