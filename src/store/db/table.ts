import {
  type AnyColumn,
  type Columns,
  decodeValue,
  encodeValue,
  type Fields,
  type InsertFields,
  type Simplify,
} from './columns.ts'
import { type Reader, sql, type Tx } from './db.ts'

type None = Record<never, never>
type Row<C extends Columns, X> = Simplify<Fields<C> & X>
type InsertRow<C extends Columns, X> = Simplify<InsertFields<C> & Partial<X>>

/** The row type of a table: `type JobRow = RowOf<typeof jobs>`. */
export type RowOf<T> = T extends Table<infer C, infer _K, infer X> ? Row<C, X> : never
/** The type of a row to insert: without the columns that INSERT does not set. */
export type InsertOf<T> = T extends Table<infer C, infer _K, infer X> ? InsertRow<C, X> : never

/** Refuses properties that `Shape` does not have, also in an object that is not a literal. */
type Exact<Shape, Given extends Shape> = Given & {
  readonly [K in Exclude<keyof Given, keyof Shape>]: never
}

/** Reads rows of a table, or some of their columns. `select` lists the columns for a SELECT. */
export interface Decoder<R> {
  readonly select: string
  readonly decode: (row: unknown) => R
  /** Undefined if there is no row. */
  readonly decodeOptional: (row: unknown) => R | undefined
}

interface Options<K extends string, X extends object> {
  /** The primary key. */
  readonly key: readonly K[]
  /** Properties of every row that are not stored. */
  readonly constants?: X
}

/**
 * Declares a table. The row type, the INSERT and UPDATE statements and the conversion of values are derived from the
 * declaration. `test/store/tables.test.ts` compares every declaration with the migrated schema.
 */
export function defineTable<C extends Columns, K extends keyof C & string, const X extends object = None>(
  name: string,
  columns: C,
  options: Options<K, X>,
): Table<C, K, X> {
  return new Table(name, columns, options)
}

/** Columns in order, and those among them whose values are converted. */
interface Fieldset {
  readonly names: readonly string[]
  readonly converted: readonly { at: number; name: string; column: AnyColumn }[]
}

interface Update {
  readonly text: string
  readonly fields: Fieldset
}

/** Bounds the statements that `updateColumns` keeps for one table. */
const UPDATE_LIMIT = 100

export class Table<C extends Columns, K extends keyof C & string, X extends object = None> implements Decoder<
  Row<C, X>
> {
  readonly name: string
  readonly columns: C
  readonly key: readonly K[]
  /** The columns that `update` and `upsert` change. */
  readonly mutableColumns: readonly (keyof C & string)[]
  readonly select: string
  readonly decode: (row: unknown) => Row<C, X>
  readonly decodeOptional: (row: unknown) => Row<C, X> | undefined
  readonly #constants: X | undefined
  /** A row with every property and without values. */
  readonly #blank: Readonly<Record<string, unknown>>
  readonly #fields: Fieldset
  readonly #inserted: Fieldset
  readonly #texts: Readonly<Record<'insert' | 'insertIfAbsent' | 'upsert' | 'find', string>>
  readonly #update: Update
  readonly #updates = new Map<string, Update>()

  constructor(name: string, columns: C, { key, constants }: Options<K, X>) {
    const names: readonly (keyof C & string)[] = Object.keys(columns)
    const keyNames: readonly string[] = key
    this.name = name
    this.columns = columns
    this.key = key
    this.mutableColumns = names.filter((column) => columns[column]?.mutable && !keyNames.includes(column))
    this.#constants = constants
    this.#blank = {
      ...Object.fromEntries(names.map((column) => [column, undefined])),
      ...constants,
    }
    this.#fields = makeFieldset(columns, names)
    this.#inserted = makeFieldset(
      columns,
      names.filter((column) => columns[column]?.inserted),
    )
    const insert = this.insertText({})
    const changes = this.mutableColumns.map((column) => `${column} = excluded.${column}`)
    this.#texts = {
      insert,
      insertIfAbsent: `${insert} ON CONFLICT DO NOTHING`,
      upsert: `${insert} ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${changes.join(', ')}`,
      find: `SELECT * FROM ${name} WHERE ${matchKey(key)}`,
    }
    this.#update = this.#buildUpdate(this.mutableColumns)
    const all = makeDecoder<Row<C, X>>(this.#fields, constants)
    this.select = all.select
    this.decode = all.decode
    this.decodeOptional = all.decodeOptional
  }

  insert<R extends InsertRow<C, X>>(tx: Tx, row: Exact<InsertRow<C, X>, R>): void {
    sql(tx, this.#texts.insert).run(...encode(this.#inserted, row))
  }

  /** Returns false, and changes nothing, if a row with the same key or unique value exists. */
  insertIfAbsent<R extends InsertRow<C, X>>(tx: Tx, row: Exact<InsertRow<C, X>, R>): boolean {
    return sql(tx, this.#texts.insertIfAbsent).run(...encode(this.#inserted, row)).changes === 1
  }

  /** Inserts the row, or writes every mutable column of the row with the same key. */
  upsert<R extends InsertRow<C, X>>(tx: Tx, row: Exact<InsertRow<C, X>, R>): void {
    sql(tx, this.#texts.upsert).run(...encode(this.#inserted, row))
  }

  /** Writes every mutable column. Returns false if there is no row with this key. */
  update<R extends Row<C, X>>(tx: Tx, row: Exact<Row<C, X>, R>): boolean {
    const { text, fields } = this.#update
    return sql(tx, text).run(...encode(fields, row)).changes === 1
  }

  /** Writes only the named columns. Returns false if there is no row with this key. */
  updateColumns<N extends keyof C & string>(
    tx: Tx,
    row: Pick<Row<C, X>, (N | K) & keyof Row<C, X>>,
    names: readonly N[],
  ): boolean {
    const known = names.join()
    let update = this.#updates.get(known)
    if (update === undefined) {
      if (this.#updates.size >= UPDATE_LIMIT) this.#updates.clear()
      this.#updates.set(known, (update = this.#buildUpdate(names)))
    }
    return sql(tx, update.text).run(...encode(update.fields, row)).changes === 1
  }

  find(reader: Reader, ...key: readonly (string | number)[]): Row<C, X> | undefined {
    return this.decodeOptional(sql(reader, this.#texts.find).get(...key))
  }

  /** An INSERT in which SQL expressions set some columns. Their parameters are bound before the values of `encode`. */
  insertText<N extends keyof C & string>(computed: Readonly<Record<N, string>>): string {
    const names = [...Object.keys(computed), ...this.#inserted.names]
    const values = [...Object.values(computed), ...this.#inserted.names.map(() => '?')]
    return `INSERT INTO ${this.name} (${names.join(', ')}) VALUES (${values.join(', ')})`
  }

  /** The values of the inserted columns, in order: binding by position is much cheaper than by name. */
  encode<R extends InsertRow<C, X>>(row: Exact<InsertRow<C, X>, R>): unknown[] {
    return encode(this.#inserted, row)
  }

  /**
   * Decodes a row that was read as an array of the columns of `select`. NULL is a property with the value undefined:
   * all rows then have one shape, and objects of one shape are copied much faster.
   */
  decodeArray(values: readonly unknown[]): Row<C, X> {
    const out: Record<string, unknown> = { ...this.#blank }
    const { names, converted } = this.#fields
    for (const [at, name] of names.entries()) out[name] = values[at] ?? undefined
    for (const { name, column } of converted) out[name] = decodeValue(column, out[name])
    return out as Row<C, X>
  }

  only<N extends keyof C & string>(...names: readonly N[]): Decoder<Pick<Row<C, X>, N & keyof Row<C, X>>> {
    return makeDecoder(makeFieldset(this.columns, names))
  }

  without<N extends keyof C & string>(...excluded: readonly N[]): Decoder<Omit<Row<C, X>, N>> {
    const names = this.#fields.names.filter((name) => !excluded.some((other) => other === name))
    return makeDecoder(makeFieldset(this.columns, names), this.#constants)
  }

  /** Returns a function that copies the named properties of a row. Its results have one shape, too. */
  picker<N extends keyof Row<C, X> & string>(names: readonly N[]): (row: Row<C, X>) => Pick<Row<C, X>, N> {
    const blank = Object.fromEntries(names.map((name) => [name, undefined]))
    return (row) => {
      const out: Record<string, unknown> = { ...blank }
      for (const name of names) out[name] = row[name]
      return out as Pick<Row<C, X>, N>
    }
  }

  #buildUpdate(names: readonly string[]): Update {
    return {
      text: `UPDATE ${this.name} SET ${names.map((name) => `${name} = ?`).join(', ')} WHERE ${matchKey(this.key)}`,
      fields: makeFieldset(this.columns, [...names, ...this.key]),
    }
  }
}

function matchKey(key: readonly string[]): string {
  return key.map((name) => `${name} = ?`).join(' AND ')
}

function encode({ names, converted }: Fieldset, row: object): unknown[] {
  const given = row as Readonly<Record<string, unknown>>
  const values: unknown[] = names.map((name) => given[name] ?? null)
  for (const { at, name, column } of converted) values[at] = encodeValue(column, given[name])
  return values
}

function makeFieldset(columns: Columns, names: readonly string[]): Fieldset {
  const converted = names.flatMap((name, at) => {
    const column = columns[name]
    return column === undefined || column.kind === 'plain' ? [] : [{ at, name, column }]
  })
  return { names, converted }
}

function makeDecoder<R>({ names, converted }: Fieldset, constants?: object): Decoder<R> {
  const decode = (row: unknown): R => {
    const values = row as Readonly<Record<string, unknown>>
    const out: Record<string, unknown> = {}
    for (const name of names) if (values[name] !== null) out[name] = values[name]
    for (const { name, column } of converted) {
      if (name in out) out[name] = decodeValue(column, out[name])
    }
    if (constants !== undefined) Object.assign(out, constants)
    return out as R
  }
  return {
    select: names.join(', '),
    decode,
    decodeOptional: (row) => (row === undefined ? undefined : decode(row)),
  }
}
