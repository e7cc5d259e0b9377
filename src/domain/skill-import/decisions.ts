import type { RetryKind } from '@apprentice/contracts/skills/import-record.ts'
import type { Failure } from '../../failure/failure.ts'
import { findProposal } from '../../store/proposals/proposals.ts'
import type { ImportRow } from '../../store/skill-import/skill-imports.ts'
import type { CommandContext } from '../command/context.ts'
import { rejectProposal } from '../review/verdicts.ts'
import { expiredNow } from './expiry.ts'
import { reject } from './record/follow-install.ts'
import { beginImportInstall } from './installing.ts'
import { assertImportMove, invalidState, retries } from './record/import-machine.ts'
import {
  getOwnImport,
  moveImport,
  recordImportReceipt,
  saveImport,
} from './record/import-record.ts'
import { startScan } from './scans.ts'
import { startStage } from './staging.ts'
import { throwAwayStaged, throwAwayUpload } from './record/throw-away.ts'
import { gone } from './record/uploads.ts'

export interface Decided {
  readonly row: ImportRow
  readonly receipt_id: string
}

export function rejectImport(ctx: CommandContext, importId: string, reason: string): Decided {
  const row = getOwnImport(ctx.tx, importId, ctx.actor.user_id)
  assertImportMove(row.stage_state, 'rejected')
  const rejected = reject(ctx, row, reason)
  turnDown(ctx, row, reason)
  const receipt_id = recordImportReceipt(ctx, rejected, 'skill_import.rejected', {
    summary: `${row.skill_name} rejected.`,
    reason,
  })
  return { row: rejected, receipt_id }
}

/** Its proposal must not stay behind to be installed by itself. */
function turnDown(ctx: CommandContext, { proposal_id }: ImportRow, reason: string): void {
  const proposal = proposal_id === undefined ? undefined : findProposal(ctx.tx, proposal_id)
  if (proposal?.proposal_state === 'ready_for_review') {
    rejectProposal(ctx, proposal.proposal_id, reason)
  }
}

export function discardImport(
  ctx: CommandContext,
  importId: string,
  reason: string | undefined,
): Decided {
  const row = getOwnImport(ctx.tx, importId, ctx.actor.user_id)
  const discarded = discard(ctx, row, reason)
  const receipt_id = recordImportReceipt(ctx, discarded, 'skill_import.discarded', {
    summary: `${row.skill_name} discarded.`,
    reason,
  })
  return { row: discarded, receipt_id }
}

export function discard(
  ctx: CommandContext,
  row: ImportRow,
  reason: string | undefined,
): ImportRow {
  assertImportMove(row.stage_state, 'discarded')
  throwAwayUpload(ctx, row)
  if (row.proposal_id !== undefined || row.stage_state === 'staging') throwAwayStaged(ctx, row)
  const discarded = moveImport(ctx, row, 'discarded', { changes: gone(ctx), reason })
  turnDown(ctx, row, reason ?? 'import discarded')
  return discarded
}

export interface Retried {
  readonly row: ImportRow
  readonly saga_id?: string | undefined
  readonly saga_attempts?: number | undefined
  readonly receipt_id: string
}

/** Tries again what failed. There is no limit, only a warning after the third time. */
export function retryImport(
  ctx: CommandContext,
  importId: string,
  { kind, privileged }: { kind: RetryKind; privileged: boolean },
): Retried | Failure {
  const row = getOwnImport(ctx.tx, importId, ctx.actor.user_id)
  const refused = kind === 'install' ? undefined : expiredNow(ctx, row)
  if (refused !== undefined) return refused
  const [from, to] = retries[kind]
  if (row.stage_state !== from) throw invalidState(row.stage_state, to)
  const counted = saveImport(ctx, row, oneMore(row, kind))
  const receipt_id = recordImportReceipt(ctx, row, 'skill_import.retried', {
    summary: `Another try of the ${kind}.`,
  })
  if (kind === 'scan') return { row: startScan(ctx, counted, true), receipt_id }
  if (kind === 'stage') return { row: startStage(ctx, counted, true), receipt_id }
  const begun = beginImportInstall(ctx, importId, { kind: 'install', privileged, retry: true })
  const { saga_id, attempts: saga_attempts } = begun.saga
  return { row: begun.row, saga_id, saga_attempts, receipt_id }
}

const oneMore = (row: ImportRow, kind: RetryKind): Partial<ImportRow> =>
  ({
    scan: { retry_scan: row.retry_scan + 1 },
    stage: { retry_stage: row.retry_stage + 1 },
    install: { retry_install: row.retry_install + 1 },
  })[kind]
