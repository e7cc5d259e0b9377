import { hash } from 'node:crypto'
import { appendFileSync, readFileSync, symlinkSync, truncateSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { recordSessionEvent } from '../../src/domain/command/ledger.ts'
import { LINE_LIMIT_BYTES } from '../../src/projections/engine/json-text.ts'
import { deleteObservation } from '../../src/store/capture/observations.ts'
import { appendTrace } from '../../src/store/capture/traces.ts'
import { openRig } from './rig.ts'
import {
  addReceipt,
  addSession,
  assignCategory,
  changeSession,
  markBoundary,
  addObservation,
  rollReceipts,
} from './rows.ts'

const RECEIPTS = 'learning/receipts.jsonl'

test.each([
  ['a torn line', '{"receipt_id":"0'],
  ['a complete line without stored progress', '{"receipt_id":"x"}\n'],
  ['several of both', '{"receipt_id":"x"}\n{"receipt_id":"y"}\n{"rec'],
  ['a text longer than the next line', '{"receipt_id":"x"}\n'.repeat(100)],
])('%s at the end of a log is cut off by the next start', async (_what, tail) => {
  const rig = openRig()
  for (let n = 0; n < 3; n += 1) await rig.change(addReceipt)
  await (await rig.start()).waitUntilSettled()
  const before = rig.tree()
  await rig.stop()

  appendFileSync(join(rig.home, 'system', RECEIPTS), tail)
  await (await rig.start()).waitUntilSettled()
  expect(rig.tree()).toEqual(before)

  await rig.stop()
  appendFileSync(join(rig.home, 'system', RECEIPTS), tail)
  await rig.change(addReceipt)
  await (await rig.start()).waitUntilSettled()

  const after = rig.tree()[RECEIPTS]
  expect(after?.startsWith(before[RECEIPTS] ?? '?')).toBe(true)
  expect(parseLines(after)).toHaveLength(4)
  expect(await rig.problems()).toEqual([])
})

test('foreign bytes appended while the daemon runs are cut off when the next line is written', async () => {
  const rig = openRig()
  const projector = await rig.start()
  await rig.change(addReceipt)
  await projector.waitUntilSettled()

  appendFileSync(join(rig.home, 'system', RECEIPTS), 'torn')
  await rig.change(addReceipt)
  await projector.waitUntilSettled()

  expect(parseLines(rig.tree()[RECEIPTS])).toHaveLength(2)
  expect(await rig.problems()).toEqual([])
})

test('a truncated log and a log replaced by a link are written again from the rows', async () => {
  const rig = openRig()
  for (let n = 0; n < 3; n += 1) await rig.change(addReceipt)
  await (await rig.start()).waitUntilSettled()
  const before = rig.tree()
  const file = join(rig.home, 'system', RECEIPTS)
  const other = join(rig.home, 'other.txt')

  await rig.stop()
  truncateSync(file, 10)
  await (await rig.start()).waitUntilSettled()
  expect(rig.tree()).toEqual(before)

  await rig.stop()
  writeFileSync(other, 'x'.repeat(10_000))
  rmSync(file)
  symlinkSync(other, file)
  await (await rig.start()).waitUntilSettled()
  expect(rig.tree()).toEqual(before)
  expect(readFileSync(other, 'utf8')).toBe('x'.repeat(10_000))
})

test('a deleted observation is removed from the file although later ones exist', async () => {
  const rig = openRig()
  const projector = await rig.start()
  const session = await rig.change((ctx) => addSession(ctx))
  const first = await rig.change((ctx) => addObservation(ctx, session, 'the first'))
  await rig.change((ctx) => addObservation(ctx, session, 'the second'))
  await projector.waitUntilSettled()
  const file = `learning/observations/${session}/events.jsonl`
  expect(parseLines(rig.tree()[file])).toHaveLength(2)

  await rig.change((ctx) => {
    deleteObservation(ctx.tx, session, first)
    addObservation(ctx, session, 'the third')
  })
  await projector.waitUntilSettled()

  expect(parseLines(rig.tree()[file]).map(({ action_label }) => action_label)).toEqual(['the second', 'the third'])
  expect(await rig.problems()).toEqual([])
})

test('a purge removes observations and boundaries and keeps the timeline', async () => {
  const rig = openRig()
  const projector = await rig.start()
  const session = await rig.change((ctx) => addSession(ctx))
  const event = await rig.change((ctx) => addObservation(ctx, session))
  await rig.change((ctx) => markBoundary(ctx, session))
  await projector.waitUntilSettled()

  await rig.change((ctx) => {
    deleteObservation(ctx.tx, session, event)
    changeSession(ctx, session, { observations_purged_at: ctx.now })
  })
  await projector.waitUntilSettled()

  const files = Object.keys(rig.tree())
  expect(files.filter((file) => file.startsWith('learning/observations'))).toEqual([])
  expect(files).toContain(`learning/session_events/${session}.jsonl`)
  expect(await rig.problems()).toEqual([])
})

test('rolled receipts move to the file of their month, also in a second roll of that month', async () => {
  const rig = openRig()
  const projector = await rig.start()
  for (let n = 0; n < 6; n += 1) await rig.change(addReceipt)
  await projector.waitUntilSettled()
  const ids = readIds(rig.tree()[RECEIPTS])
  expect(new Set(ids).size).toBe(6)

  await rig.change((ctx) => rollReceipts(ctx, '2025-12', 2))
  await projector.waitUntilSettled()
  await rig.change((ctx) => rollReceipts(ctx, '2025-12', 3))
  await projector.waitUntilSettled()

  expect(readIds(rig.tree()[RECEIPTS])).toEqual(ids.slice(5))
  expect(readIds(rig.tree()['learning/archived/receipts-2025-12.jsonl'])).toEqual(ids.slice(0, 5))
  expect(await rig.problems()).toEqual([])
})

test('the log of assignments is written again after it was compacted', async () => {
  const rig = openRig()
  const projector = await rig.start()
  await rig.change((ctx) => assignCategory(ctx, 'add', 'a'))
  await rig.change((ctx) => assignCategory(ctx, 'remove', 'a'))
  await rig.change((ctx) => assignCategory(ctx, 'add', 'b'))
  await projector.waitUntilSettled()

  await rig.change((ctx) => {
    ctx.tx.db.exec("DELETE FROM category_assignment_log WHERE item_id = 'a'")
    ctx.tx.db.exec(
      `INSERT INTO events (timeline_event_id, subject, kind, payload, correlation_id, created_at)
       VALUES ('t', 'categories', 'category.assignments.compacted', '{}', 'c', '${ctx.now}')`,
    )
  })
  await projector.waitUntilSettled()

  expect(parseLines(rig.tree()['categories/assignments.jsonl'])).toMatchObject([{ op: 'add', item_id: 'b' }])
})

test('a line over 64 KB omits fields and names them, with size and digest of the full line', async () => {
  const rig = openRig()
  const steps = Array.from({ length: 2000 }, (_, n) => ({ step_id: n, label: 'ü'.repeat(40) }))
  const trace = { trace_id: 'long', goal: 'Reply', steps, schema_version: 1 }
  await rig.change((ctx) => {
    const id = addSession(ctx)
    appendTrace(ctx.tx, {
      trace_id: 'long',
      owner_user_id: 'local',
      body: JSON.stringify(trace),
      created_at: ctx.now,
    })
    recordSessionEvent(ctx, id, 'learn.session.changed')
  })
  await (await rig.start()).waitUntilSettled()

  const text = rig.tree()['capabilities/traces.jsonl'] ?? ''
  const full = `${JSON.stringify(trace)}\n`
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(LINE_LIMIT_BYTES)
  expect(parseLines(text)).toEqual([
    {
      trace_id: 'long',
      goal: 'Reply',
      schema_version: 1,
      _ec: {
        omitted: ['steps'],
        full_bytes: Buffer.byteLength(full),
        full_sha256: hash('sha256', full, 'hex'),
      },
    },
  ])
})

const readIds = (text: string | undefined): unknown[] => parseLines(text).map(({ receipt_id }) => receipt_id)

function parseLines(text: string | undefined): Record<string, unknown>[] {
  expect(text).toMatch(/\n$/)
  return (text ?? '')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}
