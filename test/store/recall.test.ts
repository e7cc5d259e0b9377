import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { cached, sql, Store } from '../../src/store/db/db.ts'

function aCounter() {
  const folder = mkdtempSync(join(tmpdir(), 'apprentice-recall-'))
  const file = join(folder, 'test.db')
  const store = Store.open(file, 'full')
  onTestFinished(() => {
    store.close()
    rmSync(folder, { recursive: true, force: true })
  })
  store.schema.exec('CREATE TABLE counter (n INTEGER NOT NULL); INSERT INTO counter VALUES (0)')
  let looks = 0
  const look = (key = 'n') =>
    store.read((reader) =>
      cached(reader, key, () => {
        looks += 1
        return sql(reader, 'SELECT n FROM counter').get() as { n: number }
      }),
    )
  return { file, store, look, looks: () => looks }
}

test('what was found is given again, without looking, until a commit', async () => {
  const { store, look, looks } = aCounter()
  const first = look()
  expect(look()).toBe(first)
  expect(looks()).toBe(1)

  await store.write((tx) => void sql(tx, 'UPDATE counter SET n = 1').run())

  expect(look()).toEqual({ n: 1 })
  expect(looks()).toBe(2)
})

test('a change made by another process is noticed too', () => {
  const { file, look } = aCounter()
  expect(look()).toEqual({ n: 0 })
  const other = Store.open(file, 'full')
  other.schema.exec('UPDATE counter SET n = 7')
  other.close()
  expect(look()).toEqual({ n: 7 })
})

test('inside a transaction nothing is remembered', async () => {
  const { store } = aCounter()
  const seen = await store.write((tx) => {
    const look = () => cached(tx, 'n', () => sql(tx, 'SELECT n FROM counter').get())
    const before = look()
    sql(tx, 'UPDATE counter SET n = 2').run()
    return { before, after: look() }
  })
  expect(seen).toEqual({ before: { n: 0 }, after: { n: 2 } })
})

test('different keys are kept apart', () => {
  const { look, looks } = aCounter()
  look('a')
  look('b')
  look('a')
  expect(looks()).toBe(2)
})
