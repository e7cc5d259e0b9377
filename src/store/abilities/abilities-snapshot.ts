import { flag, integer, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { defineTable } from '../db/table.ts'

/** One row: when the usability of abilities was last computed, and when that was last requested. */
export const abilitySnapshot = defineTable(
  'ability_snapshot',
  {
    only: integer(),
    snapshot_as_of: text(),
    /** When all abilities, and not only some, were last computed. */
    full_as_of: text(),
    latest_trigger_at: text(),
    stale: flag(),
  },
  { key: ['only'] },
)

const snapshot = abilitySnapshot.without('only')
export type AbilitySnapshot = ReturnType<typeof snapshot.decode>

export function getAbilitySnapshot(reader: Reader): AbilitySnapshot {
  return snapshot.decode(sql(reader, 'SELECT * FROM ability_snapshot').get())
}

export function updateAbilitySnapshot(tx: Tx, changed: AbilitySnapshot): void {
  abilitySnapshot.update(tx, { ...changed, only: 1 })
}
