import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Store } from '../../src/store/db/db.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'

/**
 * SQLite answers a database at its largest size and a full disk with the same error, SQLITE_FULL. `test/crash` fills a
 * real disk.
 */
function fillDisk({ system }: Daemon): void {
  const { schema } = system.store
  schema.pragma('incremental_vacuum')
  schema.pragma(`max_page_count = ${String(schema.pragma('page_count', { simple: true }))}`)
}

const makeRoom = ({ system }: Daemon): void => void system.store.schema.pragma('max_page_count = 1073741823')

/** Creates categories until one is refused. Returns the refused request and its reply. */
async function createUntilRefused(daemon: Daemon) {
  for (let at = 0; at < 2000; at += 1) {
    const request = {
      method: 'POST',
      url: '/api/categories',
      payload: { title: `Category ${at}` },
      headers: { 'idempotency-key': `category-${at}` },
    } as const
    const reply = await daemon.request(request)
    if (reply.statusCode >= 300) return { request, reply, created: at }
  }
  throw new Error('The disk is never full.')
}

const SLEEP = { id: 'w', type: 'sleep', params: { durationMs: 60_000 } }
const EXECUTION = {
  commandId: 'first',
  taskId: 't',
  source: 'test',
  expectedFormat: 'android-ui-automator',
  timeoutMs: 90_000,
  actions: [SLEEP],
}

const readStore = async (daemon: Daemon) => (await daemon.get('/readyz')).json<{ store: object }>().store

test('while the disk is full, writes are refused and may be repeated, reads go on, and the readiness says so', async () => {
  const daemon = await startDaemon()
  expect(await readStore(daemon)).toEqual({ status: 'ok' })
  fillDisk(daemon)
  const { request, reply, created } = await createUntilRefused(daemon)
  expect([reply.statusCode, reply.json()]).toEqual([
    507,
    { error: expect.objectContaining({ code: 'STORAGE_FULL', retryable: true }) },
  ])
  expect(await readStore(daemon)).toEqual({ status: 'degraded', detail: 'the disk is full' })
  expect((await daemon.get('/healthz')).statusCode).toBe(200)
  const listed = await daemon.get('/api/categories')
  expect(listed.json<{ categories: unknown[] }>().categories).toHaveLength(created)
  makeRoom(daemon)
  // Without any request: the store looks for room by itself.
  await expect.poll(() => readStore(daemon)).toEqual({ status: 'ok' })
  expect((await daemon.request(request)).statusCode).toBe(201)
})

/** Lets SQLite refuse every write with SQLITE_READONLY, whatever its size. */
const setReadOnly = ({ system }: Daemon, isReadOnly: boolean): void =>
  void system.store.schema.pragma(`query_only = ${isReadOnly ? 'ON' : 'OFF'}`)

test('a job that ends while nothing can be written is settled later, by its handler', async () => {
  const daemon = await startDaemon({ config: { phone: 'simulated' } })
  const sent = await daemon.post('/api/executions', { execution: EXECUTION })
  expect(sent.statusCode, sent.body).toBe(202)
  const { execution_id } = sent.json<{ execution: { execution_id: string } }>().execution
  const readState = async () =>
    (await daemon.get(`/api/executions/${execution_id}`)).json<{ execution: { state: string } }>().execution.state
  await expect.poll(readState).toBe('running')
  setReadOnly(daemon, true)
  // The job ends, but its end cannot be stored.
  expect(await daemon.system.jobs.cancel(execution_id)).toBe(true)
  await expect.poll(() => readStore(daemon)).toEqual({ status: 'degraded', detail: 'the database cannot be written' })
  expect(await readState()).toBe('running')
  const refused = await daemon.post('/api/categories', { title: 'Refused' })
  expect([refused.statusCode, refused.json()]).toMatchObject([503, { error: { code: 'STORE_UNAVAILABLE' } }])
  setReadOnly(daemon, false)
  await expect.poll(readState).toBe('cancelled')
  await expect.poll(() => readStore(daemon)).toEqual({ status: 'ok' })
  // Its queue is free again.
  const next = await daemon.post('/api/executions', {
    execution: { ...EXECUTION, commandId: 'next', actions: [{ ...SLEEP, params: { durationMs: 1 } }] },
    wait_ms: 30_000,
  })
  expect(next.json()).toMatchObject({ execution: { state: 'succeeded' } })
})

function openStore(): Store {
  const folder = mkdtempSync(join(tmpdir(), 'apprentice-store-'))
  const store = Store.open(join(folder, 'test.db'), 'normal')
  store.schema.exec('CREATE TABLE rows (n INTEGER, filler TEXT)')
  onTestFinished(() => {
    store.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return store
}

test('patient writes are committed in their order, also those that came later and would fit', async () => {
  const store = openStore()
  const insert = (n: number, bytes: number) =>
    store.writePatiently(({ db }) => db.prepare('INSERT INTO rows VALUES (?, ?)').run(n, 'x'.repeat(bytes)).changes)
  store.schema.pragma(`max_page_count = ${String(store.schema.pragma('page_count', { simple: true }))}`)
  const large = insert(1, 50_000)
  await expect.poll(() => store.trouble).toEqual({ code: 'STORAGE_FULL' })
  const small = insert(2, 10)
  store.schema.pragma('max_page_count = 1000000')
  expect(await Promise.all([large, small])).toEqual([1, 1])
  expect(store.read(({ db }) => db.prepare('SELECT n FROM rows ORDER BY rowid').pluck().all())).toEqual([1, 2])
  expect(store.trouble).toBeUndefined()
})

test('when the store stops waiting, patient writes are rejected and nothing of them is stored', async () => {
  const store = openStore()
  store.schema.pragma(`max_page_count = ${String(store.schema.pragma('page_count', { simple: true }))}`)
  const write = store.writePatiently(
    ({ db }) => db.prepare('INSERT INTO rows VALUES (1, ?)').run('x'.repeat(50_000)).changes,
  )
  await expect.poll(() => store.trouble).toBeDefined()
  store.endPatience()
  await expect(write).rejects.toMatchObject({ code: 'STORAGE_FULL' })
  await expect(
    store.writePatiently(({ db }) => db.prepare('INSERT INTO rows VALUES (2, ?)').run('x'.repeat(50_000)).changes),
  ).rejects.toMatchObject({ code: 'SQLITE_FULL' })
})

test('while the disk is full, the log is folded in, so that it takes no room', async () => {
  const store = openStore()
  const log = `${store.schema.name}-wal`
  for (let n = 0; n < 200; n += 1) {
    await store.write(
      ({ db }) =>
        db.prepare('INSERT OR REPLACE INTO rows (rowid, n, filler) VALUES (1, ?, ?)').run(n, 'x'.repeat(5000)).changes,
    )
  }
  expect(statSync(log).size).toBeGreaterThan(1_000_000)
  store.schema.pragma(`max_page_count = ${String(store.schema.pragma('page_count', { simple: true }))}`)
  const waiting = store.writePatiently(
    ({ db }) => db.prepare('INSERT INTO rows VALUES (1, ?)').run('x'.repeat(50_000)).changes,
  )
  await expect.poll(() => store.trouble).toEqual({ code: 'STORAGE_FULL' })
  await expect.poll(() => statSync(log).size).toBe(0)
  store.schema.pragma('max_page_count = 1000000')
  expect(await waiting).toBe(1)
})
