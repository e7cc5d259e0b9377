import type { LearnSessionState } from '@apprentice/contracts/learn/session.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import type { Row } from '../db/row.ts'

/** Abilities with more checkpoint receipts than are kept one by one. */
export function listAbilitiesOverKept(reader: Reader, keep: number): string[] {
  return sql(
    reader,
    `SELECT ability_id FROM checkpoint_receipts WHERE ability_id IS NOT NULL
      GROUP BY ability_id HAVING count(*) > ? ORDER BY ability_id`,
  )
    .all(keep)
    .map((row) => String((row as Row)['ability_id']))
}

/**
 * Where an ability's receipts lie that may be folded: all but the newest `keep`, without those of sessions in a
 * `holding` state; oldest first.
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
  )
    .all({ ability_id: abilityId, keep, limit, holding: JSON.stringify(holding) })
    .map((row) => Number((row as Row)['position']))
}

/** Adds the receipts at these positions to what is counted of them. */
export function addToCheckpointAggregates(tx: Tx, positions: readonly number[]): void {
  sql(
    tx,
    `INSERT INTO checkpoint_aggregates
       (ability_id, checkpoint_id, reached, skipped, failed, first_at, last_at)
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
