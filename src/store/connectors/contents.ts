import { columns, integer, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { listStrings, readNumber } from '../db/queries.ts'
import { defineTable, type RowOf } from '../db/table.ts'

export const connectorContents = defineTable(
  'connector_contents',
  {
    ...columns(text(), 'content_id', 'user_id', 'server_id', 'dispatch_id', 'sha256'),
    bytes: integer(),
    ...columns(text(), 'media_type', 'file_name', 'created_at'),
  },
  { key: ['content_id'] },
)

export type ContentRow = RowOf<typeof connectorContents>

export function insertContent(tx: Tx, row: ContentRow): void {
  connectorContents.insert(tx, row)
}

export function findContent(reader: Reader, id: string): ContentRow | undefined {
  return connectorContents.find(reader, id)
}

/** How many bytes of a user are kept. */
export function sumContentBytes(reader: Reader, userId: string): number {
  return readNumber(reader, 'SELECT coalesce(sum(bytes), 0) FROM connector_contents WHERE user_id = ?', userId)
}

/** The digests of all contents that are kept. */
export function listContentDigests(reader: Reader): string[] {
  return listStrings(reader, 'SELECT DISTINCT sha256 FROM connector_contents')
}

/** Deletes contents that were stored before a time. Returns how many. */
export function deleteContentsBefore(tx: Tx, before: string, limit: number): number {
  return sql(
    tx,
    `DELETE FROM connector_contents WHERE content_id IN (
       SELECT content_id FROM connector_contents WHERE created_at < ? LIMIT ?)`,
  ).run(before, limit).changes
}
