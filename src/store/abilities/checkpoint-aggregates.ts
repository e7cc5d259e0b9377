import type { LearnSessionState } from '@apprentice/contracts/learn/session.ts'
import { columns, integer, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { listStrings } from '../db/queries.ts'
import { defineTable } from '../db/table.ts'

/** Counts of the checkpoint receipts that were deleted. */
export const checkpointAggregates = defineTable(
  'checkpoint_aggregates',
  {
    ability_id: text(),
    checkpoint_id: text(),
    ...columns(integer(), 'reached', 'skipped', 'failed'),
    first_at: text(),
    last_at: text(),
  },
  { key: ['ability_id', 'checkpoint_id'] },
)

/** Abilities with more than `keep` checkpoint receipts. */
export function listAbilitiesOverReceiptLimit(reader: Reader, keep: number): string[] {
  return listStrings(
    reader,
    `SELECT ability_id FROM checkpoint_receipts WHERE ability_id IS NOT NULL
      GROUP BY ability_id HAVING count(*) > ? ORDER BY ability_id`,
    keep,
  )
}

/**
 * The positions of an ability's receipts that may be folded into the aggregates, oldest first: all but the newest
 * `keep`, and none of a session in a `holding` state.
 */
export function listFoldablePositions(
  reader: Reader,
  abilityId: string,
  { keep, holding, limit }: { keep: number; holding: readonly LearnSessionState[]; limit: number },
): number[] {
  return sql(
    reader,
    `SELECT position FROM checkpoint_receipts
      WHERE ability_id = @ability_id AND position < (
          SELECT position FROM checkpoint_receipts WHERE ability_id = @ability_id
           ORDER BY position DESC LIMIT 1 OFFSET @keep - 1)
        AND NOT EXISTS (
          SELECT 1 FROM learn_sessions AS holder
           WHERE holder.learn_session_id = checkpoint_receipts.learn_session_id
             AND holder.state IN (SELECT value FROM json_each(@holding)))
      ORDER BY position LIMIT @limit`,
    'values',
  ).all({ ability_id: abilityId, keep, limit, holding: JSON.stringify(holding) }) as number[]
}

/** Adds the receipts at these positions to the counts. */
export function addToCheckpointAggregates(tx: Tx, positions: readonly number[]): void {
  sql(
    tx,
    `INSERT INTO checkpoint_aggregates (${checkpointAggregates.select})
     SELECT ability_id, checkpoint_id, sum(status = 'reached'), sum(status = 'skipped'),
         sum(status = 'failed'), min(created_at), max(created_at)
       FROM checkpoint_receipts WHERE position IN (SELECT value FROM json_each(?))
      GROUP BY ability_id, checkpoint_id
     ON CONFLICT (ability_id, checkpoint_id) DO UPDATE SET
       reached = reached + excluded.reached,
       skipped = skipped + excluded.skipped,
       failed = failed + excluded.failed,
       first_at = min(first_at, excluded.first_at),
       last_at = max(last_at, excluded.last_at)`,
  ).run(JSON.stringify(positions))
}

export function deleteCheckpointReceipts(tx: Tx, positions: readonly number[]): void {
  sql(tx, 'DELETE FROM checkpoint_receipts WHERE position IN (SELECT value FROM json_each(?))').run(
    JSON.stringify(positions),
  )
}
