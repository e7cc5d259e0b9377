import type { Reader } from '../db/db.ts'
import { findString } from '../db/queries.ts'

/** The ability that was made from the newest proposal of this capability. */
export function findAbilityIdByProposedCapability(reader: Reader, capabilityId: string): string | undefined {
  return findString(
    reader,
    `SELECT ability_id FROM proposals WHERE primary_capability_id = ? AND ability_id IS NOT NULL
      ORDER BY updated_at DESC, proposal_id DESC LIMIT 1`,
    capabilityId,
  )
}
