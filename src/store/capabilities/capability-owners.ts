import { type Reader, sql } from '../db/db.ts'

/** The ability that was made from the proposal of this capability, the newest if several were. */
export function findAbilityIdOfCapability(
  reader: Reader,
  capabilityId: string,
): string | undefined {
  const row = sql(
    reader,
    `SELECT ability_id FROM proposals WHERE primary_capability_id = ? AND ability_id IS NOT NULL
      ORDER BY updated_at DESC, proposal_id DESC LIMIT 1`,
  ).get(capabilityId)
  return row === undefined ? undefined : (row as { ability_id: string }).ability_id
}
