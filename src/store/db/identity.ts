import { integer, text } from './columns.ts'
import type { Reader, Tx } from './db.ts'
import { defineTable, type RowOf } from './table.ts'

/** One row: which database this is. The home remembers the same, so that a lost or replaced database is noticed. */
export const databaseIdentity = defineTable(
  'database_identity',
  { only_row: integer(), database_id: text(), generation: integer(), commit_count: integer() },
  { key: ['only_row'] },
)

export type DatabaseIdentity = Omit<RowOf<typeof databaseIdentity>, 'only_row'>

/** Returns undefined before the first start of a daemon on this database. */
export function findIdentity(reader: Reader): DatabaseIdentity | undefined {
  return databaseIdentity.find(reader, 1)
}

export function upsertIdentity(tx: Tx, identity: DatabaseIdentity): void {
  databaseIdentity.upsert(tx, { only_row: 1, ...identity })
}
