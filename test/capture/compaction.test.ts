import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Category } from '@apprentice/contracts/admin/categories.ts'
import type { CheckpointReceipt } from '@apprentice/contracts/learn/receipts.ts'
import { listAssignmentLogSince } from '../../src/store/categories/category-log.ts'
import { appendCheckpointReceipt, listCheckpointReceiptsSince } from '../../src/store/abilities/checkpoint-receipts.ts'
import { listReceiptsSince } from '../../src/store/command/receipts.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { runNightlyJob, DAY_MS, listEventKinds } from './nightly.ts'

const ALL = { after: 0, limit: 100_000 }

async function addCheckpointReceipts(
  daemon: Daemon,
  count: number,
  changes: Partial<CheckpointReceipt> = {},
): Promise<void> {
  await daemon.system.store.write((tx) => {
    for (let n = 0; n < count; n += 1) {
      appendCheckpointReceipt(tx, 'local', {
        checkpoint_receipt_id: randomUUID(),
        checkpoint_id: 'saved',
        status: 'reached',
        evidence: 'seen',
        ability_id: 'learned:fill',
        unknown_checkpoint: false,
        created_at: daemon.clock.now.toISOString(),
        schema_version: 1,
        ...changes,
      })
    }
  })
}

const listCheckpointReceipts = (daemon: Daemon) =>
  daemon.system.store.read((reader) => listCheckpointReceiptsSince(reader, ALL)).map(({ entry }) => entry)

const listAggregates = (daemon: Daemon) =>
  daemon.system.store.read(({ db }) =>
    db.prepare('SELECT * FROM checkpoint_aggregates ORDER BY ability_id, checkpoint_id').all(),
  )

test('each ability keeps its newest 100 checkpoint receipts; older ones are only counted', async () => {
  const daemon = await startDaemon()
  await addCheckpointReceipts(daemon, 700)
  await addCheckpointReceipts(daemon, 5, { status: 'failed' })
  await addCheckpointReceipts(daemon, 3, { checkpoint_id: 'sent', status: 'skipped' })
  const first_at = daemon.clock.now.toISOString()
  daemon.clock.advance(1000)
  await addCheckpointReceipts(daemon, 100)
  await addCheckpointReceipts(daemon, 100, { ability_id: 'learned:other' })
  await addCheckpointReceipts(daemon, 150, { ability_id: undefined })

  const job = await runNightlyJob(daemon)

  expect(job.result).toMatchObject({ folded_checkpoint_receipts: 708 })
  const by = (ability?: string) => listCheckpointReceipts(daemon).filter(({ ability_id }) => ability_id === ability)
  expect(by('learned:fill')).toHaveLength(100)
  expect(by('learned:fill').every(({ created_at }) => created_at > first_at)).toBe(true)
  expect(by('learned:other')).toHaveLength(100)
  expect(by()).toHaveLength(150)
  const marks = { ability_id: 'learned:fill', first_at, last_at: first_at }
  expect(listAggregates(daemon)).toEqual([
    { ...marks, checkpoint_id: 'saved', reached: 700, skipped: 0, failed: 5 },
    { ...marks, checkpoint_id: 'sent', reached: 0, skipped: 3, failed: 0 },
  ])
})

test('later nights add to the counts', async () => {
  const daemon = await startDaemon()
  await addCheckpointReceipts(daemon, 110)
  await runNightlyJob(daemon)
  daemon.clock.advance(DAY_MS)
  await addCheckpointReceipts(daemon, 20, { status: 'failed' })
  await runNightlyJob(daemon)
  daemon.clock.advance(DAY_MS)
  await addCheckpointReceipts(daemon, 100)

  await runNightlyJob(daemon)

  expect(listCheckpointReceipts(daemon)).toHaveLength(100)
  expect(listAggregates(daemon)).toMatchObject([
    {
      reached: 110,
      failed: 20,
      first_at: '2026-03-01T12:00:00.000Z',
      last_at: '2026-03-02T12:00:00.000Z',
    },
  ])
})

test('checkpoint receipts of an active session are not compacted', async () => {
  const daemon = await startDaemon()
  const session = await daemon.aSessionIn('testing_proposal')
  await addCheckpointReceipts(daemon, 20, { learn_session_id: session })
  await addCheckpointReceipts(daemon, 120)

  await runNightlyJob(daemon)

  const own = listCheckpointReceipts(daemon).filter(({ learn_session_id }) => learn_session_id === session)
  expect(own).toHaveLength(20)
  expect(listCheckpointReceipts(daemon)).toHaveLength(120)
  expect(listAggregates(daemon)).toMatchObject([{ reached: 20 }])
})

/** Without the receipts of the bridge build that the nightly job records. */
const receipts = (daemon: Daemon, month?: string) =>
  daemon.system.store
    .read((reader) => listReceiptsSince(reader, month, ALL))
    .filter(({ entry }) => !entry.receipt_kind.startsWith('bridge.'))

test('receipts older than 90 days move to the archive of their month and none is lost', async () => {
  const daemon = await startDaemon({ now: '2026-01-31T12:00:00.000Z' })
  for (let n = 0; n < 3; n += 1) {
    const made = await daemon.post('/api/learn/sessions', { entry_mode: 'coaching_agent' })
    const { session } = made.json<{ session: { learn_session_id: string } }>()
    await daemon.post(`/api/learn/sessions/${session.learn_session_id}/cancel`)
    daemon.clock.advance(DAY_MS)
  }
  const listed = (await daemon.get('/api/learn/receipts?page_size=100')).json<{
    receipts: unknown[]
  }>()
  expect(listed).toMatchObject({ total: 6 })

  daemon.clock.now = new Date('2026-05-02T13:00:00.000Z')
  await runNightlyJob(daemon)

  expect(receipts(daemon, '2026-01')).toHaveLength(2)
  expect(receipts(daemon, '2026-02')).toHaveLength(2)
  expect(receipts(daemon)).toHaveLength(2)
  const { receipts: listedAfter } = (await daemon.get('/api/learn/receipts?page_size=100')).json<{
    receipts: { receipt_kind: string }[]
  }>()
  expect(listedAfter.filter(({ receipt_kind }) => !receipt_kind.startsWith('bridge.'))).toEqual(listed.receipts)
  const rolled = daemon.events().filter(({ kind }) => kind === 'learn.receipts.rolled')
  expect(rolled.map(({ payload }) => payload)).toEqual([
    { month: '2026-01', receipts: 2 },
    { month: '2026-02', receipts: 2 },
  ])

  daemon.clock.advance(DAY_MS)
  await runNightlyJob(daemon)
  expect(receipts(daemon, '2026-02')).toHaveLength(4)
  expect(receipts(daemon)).toHaveLength(0)
})

const listLogLines = (daemon: Daemon) =>
  daemon.system.store
    .read((reader) => listAssignmentLogSince(reader, ALL))
    .map(({ entry }) => `${entry.op} ${entry.item_id}`)

test('the compacted assignment log has one line for each assigned item', async () => {
  const daemon = await startDaemon()
  const url = '/api/categories'
  const id = (await daemon.post(url, { title: 'A' })).json<Category>().category_id
  const dropped = (await daemon.post(url, { title: 'B' })).json<Category>().category_id
  const assign = (category: string, item_id: string) =>
    daemon.post(`${url}/${category}/assign`, { item_kind: 'skill', item_id })
  await assign(id, 'stays')
  for (let n = 0; n < 3; n += 1) {
    await assign(id, 'comes-and-goes')
    await daemon.delete(`${url}/${id}/items/skill/comes-and-goes`)
  }
  await assign(id, 'comes-and-goes')
  await assign(id, 'gone')
  await daemon.delete(`${url}/${id}/items/skill/gone`)
  await assign(dropped, 'x')
  await daemon.delete(`${url}/${dropped}`)

  const job = await runNightlyJob(daemon)

  expect(listLogLines(daemon)).toEqual(['add stays', 'add comes-and-goes'])
  expect(job.result).toMatchObject({ compacted_category_lines: 10 })
  expect(listEventKinds(daemon).at(-1)).toBe('category.assignments.compacted')
  expect((await daemon.get(`${url}/${id}/items`)).json<{ items: unknown[] }>().items).toHaveLength(2)

  daemon.clock.advance(DAY_MS)
  expect((await runNightlyJob(daemon)).result).toMatchObject({ compacted_category_lines: 0 })
})
