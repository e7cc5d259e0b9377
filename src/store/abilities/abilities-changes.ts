import { type AbilityRow, toAbility } from './abilities.ts'
import { type Reader, sql } from '../db/db.ts'
import type { Row } from '../db/row.ts'

/** The latest change of an ability; without the ability when it is gone. */
export interface AbilityChange {
  readonly revision: number
  readonly ability_id: string
  readonly ability?: AbilityRow
}

export function lastAbilityRevision(reader: Reader): number {
  const row = sql(reader, 'SELECT coalesce(max(revision), 0) AS last FROM ability_changes').get()
  return (row as { last: number }).last
}

/** Oldest first. */
export function listAbilityChanges(
  reader: Reader,
  { after, limit }: { after: number; limit: number },
): AbilityChange[] {
  return sql(
    reader,
    `SELECT abilities.*, revision, ability_changes.ability_id AS changed
       FROM ability_changes LEFT JOIN abilities USING (ability_id)
      WHERE revision > ? ORDER BY revision LIMIT ?`,
  )
    .all(after, limit)
    .map((row) => {
      const { revision, changed, ...fields } = row as Row
      const change = { revision: Number(revision), ability_id: String(changed) }
      return fields['title'] === null ? change : { ...change, ability: toAbility(fields) }
    })
}
