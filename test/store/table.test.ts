import Database from 'better-sqlite3'
import fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import { blob, flag, integer, json, list, real, text } from '../../src/store/db/columns.ts'
import { sql, type Tx } from '../../src/store/db/db.ts'
import { defineTable, type InsertOf, type RowOf } from '../../src/store/db/table.ts'

const notes = defineTable(
  'notes',
  {
    position: integer().notInserted(),
    note_id: text(),
    state: text<'open' | 'closed'>(),
    author: text().immutable(),
    size: integer().optional(),
    share: real().optional(),
    secret: flag(),
    hidden: flag().optional(),
    tags: list(),
    body: json<unknown>(),
    extra: json<{ readonly a: number }>().optional(),
    picture: blob().optional(),
    closed_at: text().optional().notInserted(),
  },
  { key: ['note_id'], constants: { schema_version: 1 } },
)

type Note = RowOf<typeof notes>
type NewNote = InsertOf<typeof notes>

const NOTE: NewNote = {
  note_id: 'n',
  state: 'open',
  author: 'ann',
  secret: true,
  tags: ['a', 'b'],
  body: { text: 'hello' },
}

function openTable() {
  const db = new Database(':memory:')
  onTestFinished(() => {
    db.close()
  })
  db.exec(
    `CREATE TABLE notes (position INTEGER UNIQUE, note_id TEXT PRIMARY KEY, state TEXT NOT NULL,
       author TEXT NOT NULL, size INTEGER, share REAL, secret INTEGER NOT NULL, hidden INTEGER,
       tags TEXT NOT NULL, body TEXT NOT NULL, extra TEXT, picture BLOB, closed_at TEXT) STRICT;
     CREATE TRIGGER number AFTER INSERT ON notes BEGIN
       UPDATE notes SET position = NEW.rowid WHERE note_id = NEW.note_id; END`,
  )
  return { db, tx: { db } as Tx }
}

test('a row of every kind of column is read as it was inserted, with absent properties for NULL', () => {
  const { db, tx } = openTable()
  const row = fc.record(
    {
      note_id: fc.string({ unit: 'grapheme' }),
      state: fc.constantFrom('open' as const, 'closed' as const),
      author: fc.string({ unit: 'grapheme' }),
      size: fc.maxSafeInteger(),
      // SQLite stores negative zero as zero.
      share: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value || 0),
      secret: fc.boolean(),
      hidden: fc.boolean(),
      tags: fc.array(fc.string({ unit: 'grapheme' })),
      // JSON has no negative zero.
      body: fc.jsonValue().map((value): unknown => JSON.parse(JSON.stringify(value))),
      extra: fc.record({ a: fc.integer() }, { noNullPrototype: true }),
      picture: fc.uint8Array().map((bytes) => Buffer.from(bytes)),
    },
    {
      requiredKeys: ['note_id', 'state', 'author', 'secret', 'tags', 'body'],
      noNullPrototype: true,
    },
  )
  fc.assert(
    fc.property(row, (note) => {
      db.exec('DELETE FROM notes')
      notes.insert(tx, note)
      expect(notes.find(tx, note.note_id)).toStrictEqual({
        ...note,
        position: 1,
        schema_version: 1,
      })
    }),
  )
})

test('a row read as an array has every property, and equals the row read as an object', () => {
  const { tx } = openTable()
  notes.insert(tx, NOTE)
  const values = sql(tx, `SELECT ${notes.select} FROM notes`, 'arrays').get() as unknown[]
  const row = notes.decodeArray(values)
  expect(row).toEqual(notes.find(tx, 'n'))
  expect(Object.keys(row)).toEqual([...Object.keys(notes.columns), 'schema_version'])
})

test('an update writes every mutable column and no other', () => {
  const { tx } = openTable()
  notes.insert(tx, { ...NOTE, size: 3, hidden: true })
  const before = readNote(tx)
  const { size: _, ...changed } = { ...before, state: 'closed' as const, author: 'bob', body: null }
  expect(notes.update(tx, { ...changed, closed_at: 'now' })).toBe(true)
  expect(readNote(tx)).toStrictEqual({ ...changed, author: 'ann', closed_at: 'now' })
  expect(notes.update(tx, { ...before, note_id: 'other' })).toBe(false)
})

test('an update of named columns writes only these', () => {
  const { tx } = openTable()
  notes.insert(tx, { ...NOTE, size: 3 })
  const before = readNote(tx)
  expect(notes.updateColumns(tx, { note_id: 'n', secret: false }, ['secret', 'size'])).toBe(true)
  const { size: _, ...rest } = before
  expect(readNote(tx)).toStrictEqual({ ...rest, secret: false })
  expect(notes.updateColumns(tx, { note_id: 'other', secret: false }, ['secret'])).toBe(false)
})

test('an upsert inserts a row, or writes its mutable columns', () => {
  const { tx } = openTable()
  notes.upsert(tx, NOTE)
  notes.upsert(tx, { ...NOTE, author: 'bob', tags: [] })
  expect(readNote(tx)).toMatchObject({ author: 'ann', tags: [] })
})

test('insertIfAbsent leaves an existing row as it is', () => {
  const { tx } = openTable()
  expect(notes.insertIfAbsent(tx, NOTE)).toBe(true)
  expect(notes.insertIfAbsent(tx, { ...NOTE, state: 'closed' })).toBe(false)
  expect(readNote(tx)).toMatchObject({ state: 'open' })
})

test('an insert can compute columns by SQL expressions', () => {
  const { tx } = openTable()
  const statement = notes.insertText({ closed_at: 'upper(?)' })
  sql(tx, statement).run('now', ...notes.encode(NOTE))
  expect(readNote(tx)).toMatchObject({ ...NOTE, closed_at: 'NOW' })
})

test('a decoder of some columns returns only these', () => {
  const { db, tx } = openTable()
  notes.insert(tx, NOTE)
  const row = db.prepare('SELECT * FROM notes').get()
  expect(notes.only('note_id', 'secret', 'size').decode(row)).toStrictEqual({
    note_id: 'n',
    secret: true,
  })
  const { position: _p, secret: _s, ...rest } = readNote(tx)
  expect(notes.without('position', 'secret').decode(row)).toStrictEqual(rest)
  expect(notes.decodeOptional(undefined)).toBeUndefined()
})

test('a picker copies the named properties', () => {
  const { tx } = openTable()
  notes.insert(tx, NOTE)
  const pick = notes.picker(['schema_version', 'note_id', 'size'])
  expect(pick(readNote(tx))).toStrictEqual({ schema_version: 1, note_id: 'n', size: undefined })
})

/** Only the type checker reads this function. */
export function refusedByTheCompiler(tx: Tx, given: NewNote & { colour: string }, row: Note): void {
  // @ts-expect-error The table has no column `colour`.
  notes.insert(tx, { ...NOTE, colour: 'red' })
  // @ts-expect-error The same for an object that is not a literal.
  notes.insert(tx, given)
  // @ts-expect-error The same for an update.
  notes.update(tx, { ...row, colour: 'red' })
  const { author: _, ...forgotten } = NOTE
  // @ts-expect-error A column that is not optional is missing.
  notes.insert(tx, forgotten)
  // @ts-expect-error SQLite or a later update sets this column.
  notes.insert(tx, { ...NOTE, closed_at: 'now' })
  // @ts-expect-error The value is not in the union.
  notes.insert(tx, { ...NOTE, state: 'lost' })
  // @ts-expect-error Absent is undefined, not null.
  notes.insert(tx, { ...NOTE, size: null })
  // @ts-expect-error The key of the row is missing.
  notes.updateColumns(tx, { secret: true }, ['secret'])
  // @ts-expect-error A named column is missing.
  notes.updateColumns(tx, { note_id: 'n' }, ['secret'])
  // @ts-expect-error An optional column may be absent.
  row.size.toFixed()
  // @ts-expect-error Rows are read-only.
  row.state = 'open'
}

test('a connection keeps a bounded number of statements and drops the oldest', () => {
  const { db, tx } = openTable()
  const prepare = vi.spyOn(db, 'prepare')
  for (let n = 0; n <= 1000; n += 1) sql(tx, `SELECT ${n}`)
  expect(prepare).toHaveBeenCalledTimes(1001)
  sql(tx, 'SELECT 1000')
  expect(prepare).toHaveBeenCalledTimes(1001)
  sql(tx, 'SELECT 0')
  expect(prepare).toHaveBeenCalledTimes(1002)
})

test('a statement returns rows in the mode it was requested in', () => {
  const { tx } = openTable()
  const read = (mode?: 'arrays' | 'values') => sql(tx, 'SELECT 1 AS a, 2 AS b', mode).get()
  expect([read(), read('arrays'), read('values'), read()]).toEqual([{ a: 1, b: 2 }, [1, 2], 1, { a: 1, b: 2 }])
})

function readNote(tx: Tx): Note {
  const note = notes.find(tx, 'n')
  if (note === undefined) throw new Error('There is no note.')
  return note
}
