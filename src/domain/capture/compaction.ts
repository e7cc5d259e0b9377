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
export function compactCheckpointReceipts(act: CommandContext, limit: number): number {
  let left = limit
  for (const ability_id of listAbilitiesOverKept(act.tx, checkpointReceiptsKept)) {
    const positions = listFoldablePositions(act.tx, ability_id, {
      keep: checkpointReceiptsKept,
      holding: holdingStates,
      limit: left,
    })
    if (positions.length === 0) continue
    addToCheckpointAggregates(act.tx, positions)
    deleteCheckpointReceipts(act.tx, positions)
    recordEvent(act, `ability/${ability_id}`, 'learn.checkpoints.compacted', {
      ability_id,
      folded: positions.length,
    })
    left -= positions.length
    if (left === 0) break
  }
  return limit - left
}

/** Old receipts move into the archive of their month. They stay where they can be asked for. */
export function rollOldReceipts(act: CommandContext, limit: number): number {
  const made_before = new Date(Date.parse(act.now) - rollAfterMs).toISOString()
  const rolled = rollReceipts(act.tx, { made_before, limit })
  for (const month of rolled) recordEvent(act, 'receipts', 'learn.receipts.rolled', month)
  return rolled.reduce((sum, { receipts }) => sum + receipts, 0)
}

/** The log of what came into categories keeps the lines that still stand. */
export function compactCategoryLog(act: CommandContext, limit: number): number {
  const removed = deleteOvertakenAssignmentLog(act.tx, limit)
  if (removed > 0) recordEvent(act, 'categories', 'category.assignments.compacted', { removed })
  return removed
}
