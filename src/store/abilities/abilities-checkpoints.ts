import { type Reader, sql } from '../db/db.ts'

/**
 * Counts the results of the latest `limit` checkpoints of an ability, of each user at most `per_user`. Receipts for
 * checkpoints that the ability does not have are not counted.
 */
export function countLatestCheckpoints(
  reader: Reader,
  abilityId: string,
  { limit, per_user }: { readonly limit: number; readonly per_user: number },
): { total: number; reached: number; failed: number } {
  return sql(
    reader,
    `SELECT count(*) AS total, coalesce(sum(status = 'reached'), 0) AS reached,
            coalesce(sum(status = 'failed'), 0) AS failed
       FROM (SELECT status FROM (
               SELECT status, position, row_number() OVER (PARTITION BY owner_user_id ORDER BY position DESC) AS nth
                 FROM checkpoint_receipts WHERE ability_id = ? AND NOT unknown_checkpoint)
              WHERE nth <= ? ORDER BY position DESC LIMIT ?)`,
  ).get(abilityId, per_user, limit) as { total: number; reached: number; failed: number }
}
