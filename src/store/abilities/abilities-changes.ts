import { integer, text } from '../db/columns.ts'
import { type Reader, sql } from '../db/db.ts'
import { readNumber, type Span } from '../db/queries.ts'
import { defineTable } from '../db/table.ts'
import { abilities, type AbilityRow } from './abilities.ts'

/** The latest change of each ability. Triggers on `abilities` write it. */
export const abilityChanges = defineTable(
  'ability_changes',
  { revision: integer().notInserted(), ability_id: text() },
  { key: ['revision'] },
)

/** The latest change of an ability. `ability` is absent if the ability was deleted. */
export interface AbilityChange {
  readonly revision: number
  readonly ability_id: string
  readonly ability?: AbilityRow
}

export function getLastAbilityRevision(reader: Reader): number {
  return readNumber(reader, 'SELECT coalesce(max(revision), 0) FROM ability_changes')
}

/** Oldest first. */
export function listAbilityChanges(reader: Reader, { after, limit }: Span): AbilityChange[] {
  return sql(
    reader,
    `SELECT revision, changed.ability_id AS changed_id, abilities.*
       FROM ability_changes AS changed LEFT JOIN abilities USING (ability_id)
      WHERE revision > ? ORDER BY revision LIMIT ?`,
  )
    .all(after, limit)
    .map((row) => {
      const { revision, changed_id, title } = row as {
        revision: number
        changed_id: string
        title: string | null
      }
      const change = { revision, ability_id: changed_id }
      return title === null ? change : { ...change, ability: abilities.decode(row) }
    })
}
