import { deleteOvertakenAssignmentLog } from '../../store/categories/category-log.ts'
import {
  addToCheckpointAggregates,
  deleteCheckpointReceipts,
  listAbilitiesOverKept,
  listFoldablePositions,
} from '../../store/abilities/checkpoint-aggregates.ts'
import { rollReceipts } from '../../store/capture/retention.ts'
import type { CommandContext } from '../command/context.ts'
import { recordEvent } from '../command/ledger.ts'
import { holdingStates } from './retention.ts'

/** Of each ability; older ones are only counted. */
const checkpointReceiptsKept = 100
const rollAfterMs = 90 * 24 * 3_600_000

/** As in retention: at most `limit` pieces of work, and how many were done. */
export function compactCheckpointReceipts(ctx: CommandContext, limit: number): number {
  let left = limit
  for (const ability_id of listAbilitiesOverKept(ctx.tx, checkpointReceiptsKept)) {
    const positions = listFoldablePositions(ctx.tx, ability_id, {
      keep: checkpointReceiptsKept,
      holding: holdingStates,
      limit: left,
    })
    if (positions.length === 0) continue
    addToCheckpointAggregates(ctx.tx, positions)
    deleteCheckpointReceipts(ctx.tx, positions)
    recordEvent(ctx, `ability/${ability_id}`, 'learn.checkpoints.compacted', {
      ability_id,
      folded: positions.length,
    })
    left -= positions.length
    if (left === 0) break
  }
  return limit - left
}

/** Old receipts move into the archive of their month. They stay where they can be asked for. */
export function rollOldReceipts(ctx: CommandContext, limit: number): number {
  const made_before = new Date(Date.parse(ctx.now) - rollAfterMs).toISOString()
  const rolled = rollReceipts(ctx.tx, { made_before, limit })
  for (const month of rolled) recordEvent(ctx, 'receipts', 'learn.receipts.rolled', month)
  return rolled.reduce((sum, { receipts }) => sum + receipts, 0)
}

/** The log of what came into categories keeps the lines that still stand. */
export function compactCategoryLog(ctx: CommandContext, limit: number): number {
  const removed = deleteOvertakenAssignmentLog(ctx.tx, limit)
  if (removed > 0) recordEvent(ctx, 'categories', 'category.assignments.compacted', { removed })
  return removed
}
