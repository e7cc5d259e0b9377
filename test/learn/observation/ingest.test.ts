import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { LearnSessionState } from '@apprentice/contracts/learn/session.ts'
import { captureLimit } from '../../../src/domain/capture/ingest.ts'
import { listBoundaries } from '../../../src/store/capture/boundaries.ts'
import { listReceipts } from '../../../src/store/command/receipts.ts'
import { type Daemon, startDaemon } from '../../kit/daemon.ts'
import { anEvent, capture, send, stored } from './capturing.ts'

test('actions sent to a capturing session are stored, counted and told once', async () => {
  const daemon = await startDaemon()
  const segment = randomUUID()
  const id = await daemon.aSessionIn('capturing', { active_observation_batch_ids: [segment] })
  const first = anEvent(id, { created_at: '2026-03-01T12:00:00Z', app_family: 'Notes' })

  const reply = await send(daemon, id, [first, anEvent(id)])

  expect(reply.statusCode, reply.body).toBe(202)
  expect(reply.json()).toEqual({
    accepted: 2,
    duplicates: 0,
    dropped_off_target: 0,
    rejected: [],
    off_target_events_dropped: 0,
    captured_event_count: 2,
    schema_version: 1,
  })
  expect(stored(daemon, id)[0]).toEqual({
    ...first,
    caused_state_change: false,
    redaction_mode: 'mask_text',
    created_at: '2026-03-01T12:00:00.000Z',
    ingest_seq: 1,
    batch_id: segment,
    received_at: '2026-03-01T12:00:00.000Z',
    schema_version: 1,
  })
  expect(daemon.session(id)).toMatchObject({ captured_event_count: 2, state: 'capturing' })
  expect(daemon.events().map((event) => event.kind)).toEqual([
    'learn.capture.first_event',
    'learn.observation.changed',
  ])
})

test('only the first action of a session is told as the first, even after it was deleted', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('capturing')
  const [first = ''] = await capture(daemon, id, 1)
  await daemon.delete(`/api/learn/sessions/${id}/observations/${first}`)
  await capture(daemon, id, 2)

  expect(daemon.eventsOf(id)).toEqual(['learn.capture.first_event'])
})

test('a batch in which nothing is accepted does not count as the first action', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('capturing')

  await send(daemon, id, [anEvent(id, { adapter_kind: 'browser_dom' })])

  expect(daemon.eventsOf(id)).toEqual([])
})

test.each(['idle', 'armed', 'paused'] as const)(
  'a session that is %s takes no actions yet',
  async (state) => {
    const daemon = await startDaemon()
    const id = await daemon.aSessionIn(state)

    const reply = await send(daemon, id, [anEvent(id)])

    expect(reply.statusCode).toBe(400)
    expect(reply.json()).toMatchObject({ error: { code: 'INVALID_LEARN_STATE_TRANSITION' } })
    expect(daemon.events()).toEqual([])
  },
)

test.each(
  LearnSessionState.options.filter(
    (state) => !['idle', 'armed', 'paused', 'capturing'].includes(state),
  ),
)('a session that is %s takes no actions any more', async (state) => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn(state)

  const reply = await send(daemon, id, [anEvent(id)])

  expect(reply.statusCode).toBe(409)
  expect(reply.json()).toMatchObject({ error: { code: 'CAPTURE_ALREADY_STOPPED' } })
  expect(stored(daemon, id)).toEqual([])
})

test("another user's session does not exist, and a reader may not write", async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('capturing')

  const foreign = await send(daemon, id, [anEvent(id)], { token: await daemon.tokenFor('bob') })
  const reader = await send(daemon, id, [anEvent(id)], {
    token: await daemon.tokenFor('local', 'read'),
  })

  expect(foreign.json()).toMatchObject({ error: { code: 'LEARN_SESSION_NOT_FOUND' } })
  expect(reader.json()).toMatchObject({ error: { code: 'FORBIDDEN' } })
  expect(stored(daemon, id)).toEqual([])
})

test('an action of another session refuses the whole batch', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('capturing')

  const reply = await send(daemon, id, [anEvent(id), anEvent(randomUUID())])

  expect(reply.statusCode).toBe(400)
  expect(reply.json()).toMatchObject({
    error: { code: 'INVALID_REQUEST', details: { field: 'events.1.learn_session_id' } },
  })
  expect(stored(daemon, id)).toEqual([])
})

test('an action of an adapter that is not armed is rejected alone', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('capturing')
  const stranger = anEvent(id, { adapter_kind: 'terminal_command' })

  const reply = await send(daemon, id, [stranger, anEvent(id)])

  expect(reply.json()).toMatchObject({
    accepted: 1,
    rejected: [{ event_id: stranger.event_id, code: 'ADAPTER_UNAVAILABLE' }],
    captured_event_count: 1,
  })
})

test('an action is stored once, however often and in whichever batch it comes', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('capturing')
  const event = anEvent(id)

  const twice = await send(daemon, id, [event, { ...event, action_label: 'Changed since' }])
  const again = await send(daemon, id, [event])

  expect(twice.json()).toMatchObject({ accepted: 1, duplicates: 1 })
  expect(again.json()).toMatchObject({ accepted: 0, duplicates: 1, captured_event_count: 1 })
  expect(stored(daemon, id).map((kept) => kept.action_label)).toEqual(['Open the settings'])
})

test('the same action id in two sessions is two actions', async () => {
  const daemon = await startDaemon()
  const one = await daemon.aSessionIn('capturing')
  const two = await daemon.aSessionIn('capturing')
  const event_id = randomUUID()

  await send(daemon, one, [anEvent(one, { event_id })])
  const reply = await send(daemon, two, [anEvent(two, { event_id })])

  expect(reply.json()).toMatchObject({ accepted: 1, duplicates: 0 })
})

test('a repeated batch gets its first answer, even when the capture is over', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('capturing')
  const batch_request_id = randomUUID()
  const events = [anEvent(id), anEvent(id)]
  const first = await send(daemon, id, events, { batch_request_id })
  const told = daemon.events().length

  const repeated = await send(daemon, id, [anEvent(id)], { batch_request_id })
  await daemon.post(`/api/learn/sessions/${id}/stop`)
  const late = await send(daemon, id, events, { batch_request_id })

  expect(repeated.json()).toEqual(first.json())
  expect(late.json()).toEqual(first.json())
  expect(late.statusCode).toBe(202)
  expect(stored(daemon, id)).toHaveLength(2)
  expect(
    daemon
      .events()
      .slice(told)
      .map((event) => event.kind),
  ).not.toContain('learn.observation.changed')
})

test('a full capture takes exactly what fits; one more is refused and the pause stands', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('capturing')
  fill(daemon, id, captureLimit - 1)
  const last = await send(daemon, id, [anEvent(id)])

  const over = await send(daemon, id, [anEvent(id)])

  expect(last.json()).toMatchObject({ accepted: 1, captured_event_count: captureLimit })
  expect(over.statusCode).toBe(413)
  expect(over.json()).toMatchObject({ error: { code: 'PAYLOAD_TOO_LARGE', retryable: false } })
  expect(stored(daemon, id)).toHaveLength(captureLimit)
  expect(daemon.session(id)).toMatchObject({ state: 'paused' })
  expect(daemon.eventsOf(id)).toEqual(['learn.session.state_changed', 'learn.capture.paused'])
  const { boundaries, receipts } = daemon.system.store.read((reader) => ({
    boundaries: listBoundaries(reader, id),
    receipts: listReceipts(reader, 'local', { page: 1, page_size: 10 }).receipts,
  }))
  expect(boundaries).toMatchObject([{ kind: 'pause', source: 'system_inferred' }])
  expect(receipts).toMatchObject([
    { receipt_kind: 'learn.capture.paused', actor: 'system', reason: 'capture_limit' },
  ])
})

test('a batch that would pass the limit is refused as a whole', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('capturing')
  fill(daemon, id, captureLimit - 1)

  const over = await send(daemon, id, [anEvent(id), anEvent(id)])

  expect(over.statusCode).toBe(413)
  expect(stored(daemon, id)).toHaveLength(captureLimit - 1)
})

test.each([
  ['no events', { events: [] }, 'events'],
  ['a blank label', { events: [{ action_label: ' ' }] }, 'events.0.action_label'],
  [
    'a label that is too long',
    { events: [{ action_label: 'x'.repeat(241) }] },
    'events.0.action_label',
  ],
  ['an unknown adapter kind', { events: [{ adapter_kind: 'telepathy' }] }, 'events.0.adapter_kind'],
  ['no batch id', { batch_request_id: undefined }, 'batch_request_id'],
])('a batch with %s does not fit the contract', async (_what, wrong, field) => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('capturing')
  const { events = [{}], ...rest } = wrong as { events?: object[] }

  const reply = await daemon.post(`/api/learn/sessions/${id}/observations`, {
    batch_request_id: randomUUID(),
    adapter_id: 'test',
    ...rest,
    events: events.map((parts) => anEvent(id, parts)),
  })

  expect(reply.statusCode).toBe(400)
  expect(reply.json()).toMatchObject({ error: { code: 'INVALID_REQUEST', details: { field } } })
})

test('a batch of more than 200 actions does not fit the contract', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('capturing')

  const reply = await send(
    daemon,
    id,
    Array.from({ length: 201 }, () => anEvent(id)),
  )

  expect(reply.json()).toMatchObject({ error: { details: { field: 'events' } } })
  expect(stored(daemon, id)).toEqual([])
})

/** Rows the daemon would have made, without the hundred requests. */
function fill(daemon: Daemon, sessionId: string, count: number): void {
  daemon.system.store.schema
    .prepare(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       INSERT INTO observations (event_id, learn_session_id, adapter_kind, action_label,
         caused_state_change, redaction_mode, created_at, ingest_seq, batch_id, received_at)
       SELECT 'filler-' || i, ?, 'wrapper_receipt', 'filler', 0, 'mask_text',
         '2026-03-01T11:00:00.000Z', i, 'filler', '2026-03-01T11:00:00.000Z' FROM n`,
    )
    .run(count, sessionId)
}
