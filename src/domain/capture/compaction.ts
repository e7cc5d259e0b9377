import { deleteObsoleteAssignmentLog } from '../../store/categories/category-log.ts'
import {
  addToCheckpointAggregates,
  deleteCheckpointReceipts,
  listAbilitiesOverReceiptLimit,
  listFoldablePositions,
} from '../../store/abilities/checkpoint-aggregates.ts'
import { archiveReceipts } from '../../store/capture/retention.ts'
import type { CommandContext } from '../command/context.ts'
import { recordEvent } from '../command/ledger.ts'
import { ACTIVE_STATES } from './retention.ts'

/** Per ability. Older receipts are only counted. */
const MAX_CHECKPOINT_RECEIPTS = 100
const ROLL_AFTER_MS = 90 * 24 * 3_600_000

/** As in retention.ts: does at most `limit` units of work and returns how many it did. */
export function compactCheckpointReceipts(ctx: CommandContext, limit: number): number {
  let remaining = limit
  for (const ability_id of listAbilitiesOverReceiptLimit(ctx.tx, MAX_CHECKPOINT_RECEIPTS)) {
    const positions = listFoldablePositions(ctx.tx, ability_id, {
      keep: MAX_CHECKPOINT_RECEIPTS,
      holding: ACTIVE_STATES,
      limit: remaining,
    })
    if (positions.length === 0) continue
    addToCheckpointAggregates(ctx.tx, positions)
    deleteCheckpointReceipts(ctx.tx, positions)
    recordEvent(ctx, `ability/${ability_id}`, 'learn.checkpoints.compacted', {
      ability_id,
      folded: positions.length,
    })
    remaining -= positions.length
    if (remaining === 0) break
  }
  return limit - remaining
}

/** Moves old receipts into the archive file of their month. They stay available through the API. */
export function rollOldReceipts(ctx: CommandContext, limit: number): number {
  const made_before = new Date(Date.parse(ctx.now) - ROLL_AFTER_MS).toISOString()
  const rolled = archiveReceipts(ctx.tx, { made_before, limit })
  for (const month of rolled) recordEvent(ctx, 'receipts', 'learn.receipts.rolled', month)
  return rolled.reduce((sum, { receipts }) => sum + receipts, 0)
}

/** Deletes entries of the assignment log that a later entry supersedes. */
export function compactCategoryLog(ctx: CommandContext, limit: number): number {
  const removed = deleteObsoleteAssignmentLog(ctx.tx, limit)
  if (removed > 0) recordEvent(ctx, 'categories', 'category.assignments.compacted', { removed })
  return removed
}
