import type { PageQuery } from '@apprentice/contracts/base/page.ts'
import { type Reader, sql } from './db.ts'

interface OwnedRows {
  readonly table: string
  readonly order: string
  readonly owner: string
  /** Columns that must have these values; undefined ones do not matter. The names are ours, never a client's. */
  readonly filter: Readonly<Record<string, string | undefined>>
}

/** One page of a user's rows, and how many there are in all. */
export function listOwnedPage(
  reader: Reader,
  { table, order, owner, filter }: OwnedRows,
  { page, page_size }: PageQuery,
): { rows: unknown[]; total: number } {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined)
  const where = ['owner_user_id = @owner', ...given.map(([name]) => `${name} = @${name}`)].join(
    ' AND ',
  )
  const values = { owner, ...Object.fromEntries(given) }
  const rows = sql(
    reader,
    `SELECT * FROM ${table} WHERE ${where} ORDER BY ${order} LIMIT @limit OFFSET @offset`,
  ).all({ ...values, limit: page_size, offset: (page - 1) * page_size })
  const count = sql(reader, `SELECT count(*) AS total FROM ${table} WHERE ${where}`).get(values)
  return { rows, total: (count as { total: number }).total }
}
