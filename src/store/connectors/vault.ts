import { columns, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { defineTable, type RowOf } from '../db/table.ts'

export const vaultEntries = defineTable(
  'vault_entries',
  { ...columns(text(), 'entry_ref', 'key_id', 'sealed', 'created_at', 'updated_at') },
  { key: ['entry_ref'] },
)

export type VaultRow = RowOf<typeof vaultEntries>

export function findEntry(reader: Reader, ref: string): VaultRow | undefined {
  return vaultEntries.find(reader, ref)
}

/** Lists the entries whose reference begins with a text, in their order. */
export function listEntries(reader: Reader, prefix: string): VaultRow[] {
  return sql(reader, 'SELECT * FROM vault_entries WHERE substr(entry_ref, 1, ?) = ? ORDER BY entry_ref')
    .all(prefix.length, prefix)
    .map(vaultEntries.decode)
}

/** The references and lengths of entries under other keys, after a reference and in their order. */
export function listEntriesUnderOtherKeys(
  reader: Reader,
  keyId: string,
  { after, limit }: { readonly after: string; readonly limit: number },
): { readonly entry_ref: string; readonly characters: number }[] {
  return sql(
    reader,
    `SELECT entry_ref, length(sealed) AS characters FROM vault_entries
      WHERE entry_ref > ? AND key_id <> ? ORDER BY entry_ref LIMIT ?`,
  ).all(after, keyId, limit) as { entry_ref: string; characters: number }[]
}

export function upsertEntry(tx: Tx, row: VaultRow): void {
  vaultEntries.upsert(tx, row)
}

export function deleteEntry(tx: Tx, ref: string): boolean {
  return sql(tx, 'DELETE FROM vault_entries WHERE entry_ref = ?').run(ref).changes > 0
}
