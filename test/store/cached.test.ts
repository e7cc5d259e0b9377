import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { cached } from '../../src/store/db/cached.ts'
import { sql, Store } from '../../src/store/db/db.ts'

function openCounter() {
  const folder = mkdtempSync(join(tmpdir(), 'apprentice-cached-'))
  const file = join(folder, 'test.db')
  const store = Store.open(file, 'full')
  onTestFinished(() => {
    store.close()
    rmSync(folder, { recursive: true, force: true })
  })
  store.schema.exec('CREATE TABLE counter (n INTEGER NOT NULL); INSERT INTO counter VALUES (0)')
  let reads = 0
  const read = (key = 'n') =>
    store.read((reader) =>
      cached(reader, key, () => {
        reads += 1
        return sql(reader, 'SELECT n FROM counter').get() as { n: number }
      }),
    )
  return { file, store, read, countReads: () => reads }
}

test('a result is cached until the next commit', async () => {
  const { store, read, countReads } = openCounter()
  const first = read()
  expect(read()).toBe(first)
  expect(countReads()).toBe(1)

  await store.write((tx) => void sql(tx, 'UPDATE counter SET n = 1').run())

  expect(read()).toEqual({ n: 1 })
  expect(countReads()).toBe(2)
})

test('a commit of another connection empties the cache', () => {
  const { file, read } = openCounter()
  expect(read()).toEqual({ n: 0 })
  const other = Store.open(file, 'full')
  other.schema.exec('UPDATE counter SET n = 7')
  other.close()
  expect(read()).toEqual({ n: 7 })
})

test('a transaction does not use the cache', async () => {
  const { store } = openCounter()
  const seen = await store.write((tx) => {
    const read = () => cached(tx, 'n', () => sql(tx, 'SELECT n FROM counter').get())
    const before = read()
    sql(tx, 'UPDATE counter SET n = 2').run()
    return { before, after: read() }
  })
  expect(seen).toEqual({ before: { n: 0 }, after: { n: 2 } })
})

test('each key has its own result', () => {
  const { read, countReads } = openCounter()
  read('a')
  read('b')
  read('a')
  expect(countReads()).toBe(2)
})
