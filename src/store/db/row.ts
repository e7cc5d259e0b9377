/** A row as SQLite gives it: snake_case columns, NULL for what is absent. */
export type Row = Record<string, unknown>

/** Drops NULL columns, so that an absent field is absent and not null. */
export function present(row: Row): Row {
  const out: Row = {}
  for (const key in row) if (row[key] !== null) out[key] = row[key]
  return out
}

/** Binds `undefined` as NULL and booleans as 0/1. */
export function bindable(values: Readonly<Record<string, unknown>>): Row {
  const out: Row = {}
  for (const key in values) {
    const value = values[key]
    out[key] = value === undefined ? null : typeof value === 'boolean' ? Number(value) : value
  }
  return out
}

/** All of these fields, without values. */
export const blankRow = (columns: readonly string[]): Row =>
  Object.fromEntries(columns.map((name) => [name, undefined]))

/** One value as it is bound: lists as JSON, flags as 0/1, what is absent as NULL. */
export function column(value: unknown): unknown {
  if (value === undefined) return null
  if (typeof value === 'boolean') return Number(value)
  return Array.isArray(value) ? JSON.stringify(value) : value
}

/** `INSERT INTO table (a, b) VALUES (?, ?)`: bound by place, which is much cheaper than by name. */
export const insertInOrder = (table: string, columns: readonly string[]): string =>
  `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`

/** `INSERT INTO table (a, b) VALUES (@a, @b)` for the given columns. */
export const insertInto = (table: string, columns: readonly string[]): string =>
  `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map((c) => `@${c}`).join(', ')})`
