import { type Reader, sql } from '../db/db.ts'

/** Counts the results of the latest `limit` checkpoints of an ability. */
export function countLatestCheckpoints(
  reader: Reader,
  abilityId: string,
  limit: number,
): { total: number; reached: number; failed: number } {
  return sql(
    reader,
    `SELECT count(*) AS total, coalesce(sum(status = 'reached'), 0) AS reached,
            coalesce(sum(status = 'failed'), 0) AS failed
       FROM (SELECT status FROM checkpoint_receipts WHERE ability_id = ?
              ORDER BY position DESC LIMIT ?)`,
  ).get(abilityId, limit) as { total: number; reached: number; failed: number }
}
