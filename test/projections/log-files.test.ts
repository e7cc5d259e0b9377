import {
  appendFileSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { recordSessionEvent } from '../../src/domain/command/ledger.ts'
import { lineLimitBytes } from '../../src/projections/engine/json-text.ts'
import { deleteObservation } from '../../src/store/capture/observations.ts'
import { appendTrace } from '../../src/store/capture/traces.ts'
import { openRig } from './rig.ts'
import {
  addReceipt,
  addSession,
  assign,
  changeSession,
  mark,
  observe,
  rollReceipts,
} from './rows.ts'

const receipts = 'learning/receipts.jsonl'

test.each([
  ['a torn line', '{"receipt_id":"0'],
  ['a whole line nobody recorded', '{"receipt_id":"x"}\n'],
  ['several of both', '{"receipt_id":"x"}\n{"receipt_id":"y"}\n{"rec'],
  ['more than the next line is long', '{"receipt_id":"x"}\n'.repeat(100)],
])('%s at the end of a log is cut off by the next start', async (_what, tail) => {
  const rig = openRig()
  for (let n = 0; n < 3; n += 1) await rig.change(addReceipt)
  await (await rig.start()).settled()
  const before = rig.tree()
  await rig.stop()

  appendFileSync(join(rig.home, 'system', receipts), tail)
  await (await rig.start()).settled()
  expect(rig.tree()).toEqual(before)

  await rig.stop()
  appendFileSync(join(rig.home, 'system', receipts), tail)
  await rig.change(addReceipt)
  await (await rig.start()).settled()

  const after = rig.tree()[receipts]
  expect(after?.startsWith(before[receipts] ?? '?')).toBe(true)
  expect(lines(after)).toHaveLength(4)
  expect(await rig.problems()).toEqual([])
})

test('a tail that appears while the daemon runs is cut off by the next line', async () => {
  const rig = openRig()
  const projector = await rig.start()
  await rig.change(addReceipt)
  await projector.settled()

  appendFileSync(join(rig.home, 'system', receipts), 'torn')
  await rig.change(addReceipt)
  await projector.settled()

  expect(lines(rig.tree()[receipts])).toHaveLength(2)
  expect(await rig.problems()).toEqual([])
})

test('a log that lost its end, or is a link to another file, is written from its rows again', async () => {
  const rig = openRig()
  for (let n = 0; n < 3; n += 1) await rig.change(addReceipt)
  await (await rig.start()).settled()
  const before = rig.tree()
  const file = join(rig.home, 'system', receipts)
  const other = join(rig.home, 'other.txt')

  await rig.stop()
  truncateSync(file, 10)
  await (await rig.start()).settled()
  expect(rig.tree()).toEqual(before)

  await rig.stop()
  writeFileSync(other, 'x'.repeat(10_000))
  rmSync(file)
  symlinkSync(other, file)
  await (await rig.start()).settled()
  expect(rig.tree()).toEqual(before)
  expect(readFileSync(other, 'utf8')).toBe('x'.repeat(10_000))
})

test('an action that is forgotten leaves the file, though others came after it', async () => {
  const rig = openRig()
  const projector = await rig.start()
  const session = await rig.change((ctx) => addSession(ctx))
  const first = await rig.change((ctx) => observe(ctx, session, 'the first'))
  await rig.change((ctx) => observe(ctx, session, 'the second'))
  await projector.settled()
  const file = `learning/observations/${session}/events.jsonl`
  expect(lines(rig.tree()[file])).toHaveLength(2)

  await rig.change((ctx) => {
    deleteObservation(ctx.tx, session, first)
    observe(ctx, session, 'the third')
  })
  await projector.settled()

  expect(lines(rig.tree()[file]).map(({ action_label }) => action_label)).toEqual([
    'the second',
    'the third',
  ])
  expect(await rig.problems()).toEqual([])
})

test('a purge takes the actions and the marks that bound them, and leaves the timeline', async () => {
  const rig = openRig()
  const projector = await rig.start()
  const session = await rig.change((ctx) => addSession(ctx))
  const event = await rig.change((ctx) => observe(ctx, session))
  await rig.change((ctx) => mark(ctx, session))
  await projector.settled()

  await rig.change((ctx) => {
    deleteObservation(ctx.tx, session, event)
    changeSession(ctx, session, { observations_purged_at: ctx.now })
  })
  await projector.settled()

  const files = Object.keys(rig.tree())
  expect(files.filter((file) => file.startsWith('learning/observations'))).toEqual([])
  expect(files).toContain(`learning/session_events/${session}.jsonl`)
  expect(await rig.problems()).toEqual([])
})

test('rolled receipts move to the file of their month, later ones of that month among them', async () => {
  const rig = openRig()
  const projector = await rig.start()
  for (let n = 0; n < 6; n += 1) await rig.change(addReceipt)
  await projector.settled()

  await rig.change((ctx) => rollReceipts(ctx, '2025-12', 2))
  await projector.settled()
  await rig.change((ctx) => rollReceipts(ctx, '2025-12', 3))
  await projector.settled()

  expect(lines(rig.tree()[receipts])).toHaveLength(1)
  expect(lines(rig.tree()['learning/archived/receipts-2025-12.jsonl'])).toHaveLength(5)
  expect(await rig.problems()).toEqual([])
})

test('the log of assignments is written anew after it was compacted', async () => {
  const rig = openRig()
  const projector = await rig.start()
  await rig.change((ctx) => assign(ctx, 'add', 'a'))
  await rig.change((ctx) => assign(ctx, 'remove', 'a'))
  await rig.change((ctx) => assign(ctx, 'add', 'b'))
  await projector.settled()

  await rig.change((ctx) => {
    ctx.tx.db.exec("DELETE FROM category_assignment_log WHERE item_id = 'a'")
    ctx.tx.db.exec(
      `INSERT INTO events (timeline_event_id, subject, kind, payload, correlation_id, created_at)
       VALUES ('t', 'categories', 'category.assignments.compacted', '{}', 'c', '${ctx.now}')`,
    )
  })
  await projector.settled()

  expect(lines(rig.tree()['categories/assignments.jsonl'])).toMatchObject([
    { op: 'add', item_id: 'b' },
  ])
})

test('no line is longer than 64 KB; what had to go is named, with the digest of the whole', async () => {
  const rig = openRig()
  await rig.change((ctx) => {
    const id = addSession(ctx)
    const steps = Array.from({ length: 2000 }, (_, n) => ({ step_id: n, label: 'ü'.repeat(40) }))
    appendTrace(ctx.tx, {
      trace_id: 'long',
      owner_user_id: 'local',
      body: JSON.stringify({ trace_id: 'long', goal: 'Reply', steps, schema_version: 1 }),
      created_at: ctx.now,
    })
    recordSessionEvent(ctx, id, 'learn.session.changed')
  })
  await (await rig.start()).settled()

  const text = rig.tree()['capabilities/traces.jsonl'] ?? ''
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(lineLimitBytes)
  expect(lines(text)).toEqual([
    {
      trace_id: 'long',
      goal: 'Reply',
      schema_version: 1,
      _ec: {
        omitted: ['steps'],
        full_bytes: expect.any(Number),
        full_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    },
  ])
})

function lines(text: string | undefined): Record<string, unknown>[] {
  expect(text).toMatch(/\n$/)
  return (text ?? '')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}
