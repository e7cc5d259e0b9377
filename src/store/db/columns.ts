declare const valueType: unique symbol

/**
 * One column of a table. `T` is the type its values have in TypeScript.
 *
 * plain  bound and read as it is
 * flag   a boolean, stored as 0 or 1
 * json   any value, stored as JSON text
 */
export interface Column<T, Nullable extends boolean, Inserted extends boolean> {
  readonly [valueType]?: T
  readonly sqlType: 'TEXT' | 'INTEGER' | 'REAL' | 'BLOB'
  readonly kind: 'plain' | 'flag' | 'json'
  readonly nullable: Nullable
  readonly inserted: Inserted
  readonly mutable: boolean
  /** Allows NULL. In a row, NULL is an absent property. */
  optional(): Column<T, true, Inserted>
  /** Excludes the column from INSERT: SQLite, an SQL expression or a later UPDATE sets it. */
  notInserted(): Column<T, Nullable, false>
  /** Excludes the column from the derived UPDATE. */
  immutable(): Column<T, Nullable, Inserted>
}

export type AnyColumn = Column<unknown, boolean, boolean>
export type Columns = Readonly<Record<string, AnyColumn>>
type Required<T> = Column<T, false, true>

export const text = <T extends string = string>(): Required<T> => makeColumn<T>('TEXT', 'plain')
export const integer = (): Required<number> => makeColumn<number>('INTEGER', 'plain')
export const real = (): Required<number> => makeColumn<number>('REAL', 'plain')
export const blob = (): Required<Buffer> => makeColumn<Buffer>('BLOB', 'plain')
export const flag = (): Required<boolean> => makeColumn<boolean>('INTEGER', 'flag')
export const json = <T>(): Required<T> => makeColumn<T>('TEXT', 'json')
export const list = <T = string>(): Required<T[]> => makeColumn<T[]>('TEXT', 'json')

/** Several columns of the same kind: `...columns(text(), 'app', 'label')`. */
export const columns = <C extends AnyColumn, K extends string>(
  column: C,
  ...names: readonly K[]
): Readonly<Record<K, C>> => Object.fromEntries(names.map((name) => [name, column])) as Record<K, C>

export type Simplify<T> = { [K in keyof T]: T[K] }
type ValueOf<C> = C extends Column<infer T, boolean, boolean> ? T : never
type NullableKeys<C extends Columns> = {
  [K in keyof C]: C[K]['nullable'] extends true ? K : never
}[keyof C]
type InsertedKeys<C extends Columns> = {
  [K in keyof C]: C[K]['inserted'] extends true ? K : never
}[keyof C]

/** The columns as properties of a row. Those that allow NULL are optional. */
export type Fields<C extends Columns> = Simplify<
  { readonly [K in Exclude<keyof C, NullableKeys<C>>]: ValueOf<C[K]> } & {
    readonly [K in NullableKeys<C>]?: ValueOf<C[K]> | undefined
  }
>

/** The same without the columns that INSERT does not set. */
export type InsertFields<C extends Columns> = Fields<Pick<C, InsertedKeys<C>>>

/** The value to bind. An absent value is NULL. */
export function encodeValue(column: AnyColumn, value: unknown): unknown {
  if (value === undefined) return null
  if (column.kind === 'json') return JSON.stringify(value)
  return column.kind === 'flag' ? Number(value) : value
}

/** The value of a column as it was read. NULL must already be undefined. */
export function decodeValue(column: AnyColumn, value: unknown): unknown {
  if (value === undefined) return undefined
  if (column.kind === 'json') return JSON.parse(value as string)
  return column.kind === 'flag' ? value === 1 : value
}

function makeColumn<T>(sqlType: AnyColumn['sqlType'], kind: AnyColumn['kind']): Column<T, false, true> {
  return withModifiers<T, false, true>({
    sqlType,
    kind,
    nullable: false,
    inserted: true,
    mutable: true,
  })
}

type Facts<Nullable extends boolean, Inserted extends boolean> = Pick<
  Column<unknown, Nullable, Inserted>,
  'sqlType' | 'kind' | 'nullable' | 'inserted' | 'mutable'
>

function withModifiers<T, Nullable extends boolean, Inserted extends boolean>(
  facts: Facts<Nullable, Inserted>,
): Column<T, Nullable, Inserted> {
  return {
    ...facts,
    optional: () => withModifiers<T, true, Inserted>({ ...facts, nullable: true }),
    notInserted: () => withModifiers<T, Nullable, false>({ ...facts, inserted: false }),
    immutable: () => withModifiers<T, Nullable, Inserted>({ ...facts, mutable: false }),
  }
}
