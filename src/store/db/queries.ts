import type { PageQuery } from '@apprentice/contracts/base/page.ts'
import { type Reader, sql } from './db.ts'
import type { Decoder } from './table.ts'

type Value = string | number | null

/** The first column of every row, a text column. */
export function listStrings(reader: Reader, text: string, ...parameters: readonly Value[]): string[] {
  return sql(reader, text, 'values').all(...parameters) as string[]
}

/** The first column of the first row, a text column. Undefined if there is no row. */
export function findString(reader: Reader, text: string, ...parameters: readonly Value[]): string | undefined {
  return sql(reader, text, 'values').get(...parameters) as string | undefined
}

/** The number that an aggregate query returns. */
export function readNumber(reader: Reader, text: string, ...parameters: readonly Value[]): number {
  return sql(reader, text, 'values').get(...parameters) as number
}

/** The rows after a position, at most `limit`. */
export interface Span {
  readonly after: number
  readonly limit: number
}

/** An entry of a log and its position in the table. */
export interface Positioned<T> {
  readonly position: number
  readonly entry: T
}

/** Decodes a row and keeps its position beside it. */
export function withPosition<T>({ decode }: Decoder<T>): (row: unknown) => Positioned<T> {
  return (row) => ({ position: (row as { position: number }).position, entry: decode(row) })
}

/** The rows of a log table after a position, in order. */
export function listSince<T>(
  reader: Reader,
  table: string,
  decoder: Decoder<T>,
  { after, limit }: Span,
): Positioned<T>[] {
  return sql(reader, `SELECT * FROM ${table} WHERE position > ? ORDER BY position LIMIT ?`)
    .all(after, limit)
    .map(withPosition(decoder))
}

interface Listing {
  /** What follows FROM: tables and conditions, with named parameters. */
  readonly from: string
  readonly order: string
  readonly select?: string
}

/** One page of the rows, and the number of all rows. */
export function listPage(
  reader: Reader,
  { from, order, select = '*' }: Listing,
  values: Readonly<Record<string, Value>>,
  { page, page_size }: PageQuery,
): { rows: unknown[]; total: number } {
  const rows = sql(reader, `SELECT ${select} FROM ${from} ORDER BY ${order} LIMIT @limit OFFSET @offset`).all({
    ...values,
    limit: page_size,
    offset: (page - 1) * page_size,
  })
  const total = sql(reader, `SELECT count(*) FROM ${from}`, 'values').get(values) as number
  return { rows, total }
}

interface OwnedRows {
  readonly table: string
  /** The columns. Default: all. */
  readonly select?: string
  readonly order: string
  readonly owner: string
  /** Columns and the values they must have. An undefined value is no condition. Column names never come from a client. */
  readonly filter: Readonly<Record<string, string | undefined>>
}

/** One page of a user's rows, and the number of all of them. */
export function listOwnedPage(
  reader: Reader,
  { table, order, owner, filter, ...chosen }: OwnedRows,
  query: PageQuery,
): { rows: unknown[]; total: number } {
  const values: Record<string, Value> = { owner }
  const conditions = ['owner_user_id = @owner']
  for (const [name, value] of Object.entries(filter)) {
    if (value === undefined) continue
    values[name] = value
    conditions.push(`${name} = @${name}`)
  }
  return listPage(reader, { from: `${table} WHERE ${conditions.join(' AND ')}`, order, ...chosen }, values, query)
}
