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

export function rejectImport(act: CommandContext, importId: string, reason: string): Decided {
  const row = getOwnImport(act.tx, importId, act.actor.user_id)
  assertImportMove(row.stage_state, 'rejected')
  const rejected = reject(act, row, reason)
  turnDown(act, row, reason)
  const receipt_id = recordImportReceipt(act, rejected, 'skill_import.rejected', {
    summary: `${row.skill_name} rejected.`,
    reason,
  })
  return { row: rejected, receipt_id }
}

/** Its proposal must not stay behind to be installed by itself. */
function turnDown(act: CommandContext, { proposal_id }: ImportRow, reason: string): void {
  const proposal = proposal_id === undefined ? undefined : findProposal(act.tx, proposal_id)
  if (proposal?.proposal_state === 'ready_for_review') {
    rejectProposal(act, proposal.proposal_id, reason)
  }
}

export function discardImport(act: CommandContext, importId: string, reason: string | undefined): Decided {
  const row = getOwnImport(act.tx, importId, act.actor.user_id)
  const discarded = discard(act, row, reason)
  const receipt_id = recordImportReceipt(act, discarded, 'skill_import.discarded', {
    summary: `${row.skill_name} discarded.`,
    reason,
  })
  return { row: discarded, receipt_id }
}

export function discard(act: CommandContext, row: ImportRow, reason: string | undefined): ImportRow {
  assertImportMove(row.stage_state, 'discarded')
  throwAwayUpload(act, row)
  if (row.proposal_id !== undefined || row.stage_state === 'staging') throwAwayStaged(act, row)
  const discarded = moveImport(act, row, 'discarded', { changes: gone(act), reason })
  turnDown(act, row, reason ?? 'import discarded')
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
  act: CommandContext,
  importId: string,
  { kind, privileged }: { kind: RetryKind; privileged: boolean },
): Retried | Failure {
  const row = getOwnImport(act.tx, importId, act.actor.user_id)
  const refused = kind === 'install' ? undefined : expiredNow(act, row)
  if (refused !== undefined) return refused
  const [from, to] = retries[kind]
  if (row.stage_state !== from) throw invalidState(row.stage_state, to)
  const counted = saveImport(act, row, oneMore(row, kind))
  const receipt_id = recordImportReceipt(act, row, 'skill_import.retried', {
    summary: `Another try of the ${kind}.`,
  })
  if (kind === 'scan') return { row: startScan(act, counted, true), receipt_id }
  if (kind === 'stage') return { row: startStage(act, counted, true), receipt_id }
  const begun = beginImportInstall(act, importId, { kind: 'install', privileged, retry: true })
  const { saga_id, attempts: saga_attempts } = begun.saga
  return { row: begun.row, saga_id, saga_attempts, receipt_id }
}

const oneMore = (row: ImportRow, kind: RetryKind): Partial<ImportRow> =>
  ({
    scan: { retry_scan: row.retry_scan + 1 },
    stage: { retry_stage: row.retry_stage + 1 },
    install: { retry_install: row.retry_install + 1 },
  })[kind]
