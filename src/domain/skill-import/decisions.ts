import type { RetryKind } from '@apprentice/contracts/skills/import-record.ts'
import type { Failure } from '../../failure/failure.ts'
import { findProposal } from '../../store/proposals/proposals.ts'
import type { ImportRow } from '../../store/skill-import/skill-imports.ts'
import type { CommandContext } from '../command/context.ts'
import { rejectProposal } from '../review/verdicts.ts'
import { expireIfDue } from './expiry.ts'
import { moveToRejected } from './record/install-outcomes.ts'
import { beginImportInstall } from './import-install.ts'
import { assertImportMove, invalidState, RETRY_MOVES } from './record/import-machine.ts'
import { getOwnImport, moveImport, recordImportReceipt, saveImport } from './record/import-record.ts'
import { startImportScan } from './scans.ts'
import { startStage } from './staging.ts'
import { queueStagedRemoval, queueUploadRemoval } from './record/artifact-removal.ts'
import { uploadDeleted } from './record/uploads.ts'

export interface ImportDecision {
  readonly row: ImportRow
  readonly receipt_id: string
}

export function rejectImport(ctx: CommandContext, importId: string, reason: string): ImportDecision {
  const row = getOwnImport(ctx.tx, importId, ctx.actor.user_id)
  assertImportMove(row.stage_state, 'rejected')
  const rejected = moveToRejected(ctx, row, reason)
  rejectPendingProposal(ctx, row, reason)
  const receipt_id = recordImportReceipt(ctx, rejected, 'skill_import.rejected', {
    summary: `${row.skill_name} rejected.`,
    reason,
  })
  return { row: rejected, receipt_id }
}

/** Otherwise the proposal could still be installed without the import. */
function rejectPendingProposal(ctx: CommandContext, { proposal_id }: ImportRow, reason: string): void {
  const proposal = proposal_id === undefined ? undefined : findProposal(ctx.tx, proposal_id)
  if (proposal?.proposal_state === 'ready_for_review') {
    rejectProposal(ctx, proposal.proposal_id, reason)
  }
}

export function discardImport(ctx: CommandContext, importId: string, reason: string | undefined): ImportDecision {
  const row = getOwnImport(ctx.tx, importId, ctx.actor.user_id)
  const discarded = moveToDiscarded(ctx, row, reason)
  const receipt_id = recordImportReceipt(ctx, discarded, 'skill_import.discarded', {
    summary: `${row.skill_name} discarded.`,
    reason,
  })
  return { row: discarded, receipt_id }
}

export function moveToDiscarded(ctx: CommandContext, row: ImportRow, reason: string | undefined): ImportRow {
  assertImportMove(row.stage_state, 'discarded')
  queueUploadRemoval(ctx, row)
  if (row.proposal_id !== undefined || row.stage_state === 'staging') queueStagedRemoval(ctx, row)
  const discarded = moveImport(ctx, row, 'discarded', { changes: uploadDeleted(ctx), reason })
  rejectPendingProposal(ctx, row, reason ?? 'import discarded')
  return discarded
}

export interface ImportRetry {
  readonly row: ImportRow
  readonly saga_id?: string | undefined
  readonly saga_attempts?: number | undefined
  readonly receipt_id: string
}

/** Retries a failed scan, stage or install. There is no limit, only a warning after the third retry. */
export function retryImport(
  ctx: CommandContext,
  importId: string,
  { kind, privileged }: { kind: RetryKind; privileged: boolean },
): ImportRetry | Failure {
  const row = getOwnImport(ctx.tx, importId, ctx.actor.user_id)
  const refused = kind === 'install' ? undefined : expireIfDue(ctx, row)
  if (refused !== undefined) return refused
  const [from, to] = RETRY_MOVES[kind]
  if (row.stage_state !== from) throw invalidState(row.stage_state, to)
  const counted = saveImport(ctx, row, countRetry(row, kind))
  const receipt_id = recordImportReceipt(ctx, row, 'skill_import.retried', {
    summary: `The ${kind} is tried again.`,
  })
  if (kind === 'scan') return { row: startImportScan(ctx, counted, true), receipt_id }
  if (kind === 'stage') return { row: startStage(ctx, counted, true), receipt_id }
  const started = beginImportInstall(ctx, importId, { kind: 'install', privileged, retry: true })
  const { saga_id, attempts: saga_attempts } = started.saga
  return { row: started.row, saga_id, saga_attempts, receipt_id }
}

const countRetry = (row: ImportRow, kind: RetryKind): Partial<ImportRow> =>
  ({
    scan: { retry_scan: row.retry_scan + 1 },
    stage: { retry_stage: row.retry_stage + 1 },
    install: { retry_install: row.retry_install + 1 },
  })[kind]
