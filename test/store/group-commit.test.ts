import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { sql, Store, type Tx } from '../../src/store/db/db.ts'

function openStore(sync: 'full' | 'normal' = 'full') {
  const folder = mkdtempSync(join(tmpdir(), 'apprentice-store-'))
  const file = join(folder, 'apprentice.db')
  const store = Store.open(file, sync)
  store.schema.exec('CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE)')
  onTestFinished(() => {
    store.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const texts = () => store.read((reader) => sql(reader, 'SELECT text FROM notes ORDER BY id').all())
  const add = (text: string) => store.write((tx) => sql(tx, 'INSERT INTO notes (text) VALUES (?)').run(text).changes)
  return { store, file, texts, add }
}

function note(tx: Tx, text: string, runs: string[]): number {
  runs.push(text)
  return sql(tx, 'INSERT INTO notes (text) VALUES (?)').run(text).changes
}

test('writes of one turn share one commit, and only a failing write is rolled back', async () => {
  const { store, texts, add } = openStore()
  let commits = 0
  store.onCommit(() => {
    commits += 1
  })
  const outcomes = await Promise.allSettled([
    add('a'),
    add('a'),
    store.write((tx) => {
      sql(tx, 'INSERT INTO notes (text) VALUES (?)').run('half')
      throw new Error('no')
    }),
    add('b'),
  ])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
  expect(texts()).toEqual([{ text: 'a' }, { text: 'b' }])
  expect(commits).toBe(1)
})

test('a write that fails before it changes anything does not make the others run again', async () => {
  const { store, texts } = openStore()
  const runs: string[] = []
  const outcomes = await Promise.allSettled([
    store.write((tx) => note(tx, 'a', runs)),
    store.write(() => {
      runs.push('refused')
      throw new Error('no')
    }),
    store.write((tx) => note(tx, 'b', runs)),
  ])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(texts()).toEqual([{ text: 'a' }, { text: 'b' }])
  expect(runs).toEqual(['a', 'refused', 'b'])
})

test('a write that fails after a change is rolled back, and the others run again and are committed', async () => {
  const { store, texts } = openStore()
  const runs: string[] = []
  const outcomes = await Promise.allSettled([
    store.write((tx) => note(tx, 'a', runs)),
    store.write((tx) => {
      note(tx, 'half', runs)
      throw new Error('no')
    }),
    store.write((tx) => note(tx, 'b', runs)),
  ])
  expect(outcomes).toEqual([
    { status: 'fulfilled', value: 1 },
    { status: 'rejected', reason: new Error('no') },
    { status: 'fulfilled', value: 1 },
  ])
  expect(texts()).toEqual([{ text: 'a' }, { text: 'b' }])
  expect(runs).toEqual(['a', 'half', 'a', 'half', 'b'])
})

test('a single write that fails after a change is rolled back and does not run again', async () => {
  const { store, texts, add } = openStore()
  const runs: string[] = []
  const lone = store.write((tx) => {
    note(tx, 'half', runs)
    throw new Error('no')
  })
  await expect(lone).rejects.toThrow('no')
  expect(runs).toEqual(['half'])
  expect(texts()).toEqual([])
  await add('next')
  expect(texts()).toEqual([{ text: 'next' }])
})

test('all writes of a commit are rejected if the disk is full', async () => {
  const { store, texts, add } = openStore()
  await add('before')
  const pages = store.schema.pragma('page_count', { simple: true })
  store.schema.pragma(`max_page_count = ${Number(pages) + 2}`)
  const outcomes = await Promise.allSettled([add('a'), add('x'.repeat(100_000)), add('b')])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect(texts()).toEqual([{ text: 'before' }])
  await add('after')
  expect(texts()).toEqual([{ text: 'before' }, { text: 'after' }])
})

test('a single write is committed at once; several writes wait for those of the next turn', async () => {
  const { store, add } = openStore()
  let commits = 0
  store.onCommit(() => {
    commits += 1
  })
  const next = (text: string) => new Promise<number>((resolve) => setImmediate(() => resolve(add(text))))
  await Promise.all([add('a'), next('b')])
  expect(commits).toBe(2)
  await Promise.all([add('c'), add('d'), next('e')])
  expect(commits).toBe(3)
})

test('a queue that keeps growing is committed after a few turns', async () => {
  const { add, texts } = openStore()
  let growing = true
  const grow = () => {
    if (!growing) return
    void add(String(Math.random()))
    setImmediate(grow)
  }
  const first = Promise.all([add('a'), add('b')])
  grow()
  await first
  growing = false
  expect(texts().length).toBeGreaterThan(2)
  expect(texts().length).toBeLessThan(12)
})

test('another connection sees a write when its promise settles', async () => {
  const { file, add } = openStore()
  const other = new Database(file, { readonly: true })
  onTestFinished(() => {
    other.close()
  })
  await add('a')
  expect(other.prepare('SELECT text FROM notes').all()).toEqual([{ text: 'a' }])
})

test('listeners are called after the commit', async () => {
  const { store, file, add } = openStore()
  const seen: unknown[] = []
  const other = new Database(file, { readonly: true })
  onTestFinished(() => {
    other.close()
  })
  store.onCommit(() => {
    seen.push(other.prepare('SELECT count(*) FROM notes').pluck().get())
  })
  await Promise.all([add('a'), add('b')])
  expect(seen).toEqual([2])
})

test('a reader cannot write', () => {
  const { store } = openStore()
  expect(() => store.read(({ db }) => db.prepare("INSERT INTO notes (text) VALUES ('x')").run())).toThrow(/readonly/)
})

test.each([
  ['full', 2],
  ['normal', 1],
] as const)('synchronous=%s is still set after the first write', async (sync, level) => {
  const { store, add } = openStore(sync)
  await add('a')
  expect(store.schema.pragma('synchronous', { simple: true })).toBe(level)
  expect(store.schema.pragma('journal_mode', { simple: true })).toBe('wal')
})

test('closing commits queued writes and rejects later ones', async () => {
  const { store, file, add } = openStore()
  const last = add('last')
  store.close()
  await last
  const other = new Database(file, { readonly: true })
  expect(other.prepare('SELECT text FROM notes').pluck().all()).toEqual(['last'])
  other.close()
  await expect(add('late')).rejects.toThrow('closed')
})

test('a deferred write is committed before the next write, in the same commit', async () => {
  const { store, texts, add } = openStore()
  let commits = 0
  store.onCommit(() => {
    commits += 1
  })
  const deferred = ['a', 'b'].map((text) =>
    store.writeDeferred((tx) => void sql(tx, 'INSERT INTO notes (text) VALUES (?)').run(text)),
  )
  await nextTurn()
  await nextTurn()
  expect(commits).toBe(0)
  await Promise.all([add('c'), ...deferred])
  expect(texts()).toEqual([{ text: 'a' }, { text: 'b' }, { text: 'c' }])
  expect(commits).toBe(1)
})

test('a deferred write that no other follows is committed alone', async () => {
  const { store, texts } = openStore()
  await store.writeDeferred((tx) => void sql(tx, 'INSERT INTO notes (text) VALUES (?)').run('a'))
  expect(texts()).toEqual([{ text: 'a' }])
})

test('what ends each transaction is committed with its writes, and rolled back alone if it fails', async () => {
  const { store, texts, add } = openStore()
  let commits = 0
  store.onCommit(() => {
    commits += 1
  })
  const failures: unknown[] = []
  const end = store.endCommitsWith(
    (tx) => {
      sql(tx, "INSERT INTO notes (text) SELECT 'after ' || max(text) FROM notes").run()
      if (failures.length === 0 && commits === 1) throw new Error('no')
    },
    (error) => failures.push(error),
  )
  await add('a')
  expect(texts()).toEqual([{ text: 'a' }, { text: 'after a' }])
  await add('b')
  expect(texts()).toEqual([{ text: 'a' }, { text: 'after a' }, { text: 'b' }])
  expect(failures).toMatchObject([{ message: 'no' }])
  end()
  await add('c')
  expect(texts()).toHaveLength(4)
  expect(commits).toBe(3)
})
