import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { LearnSessionState } from '@apprentice/contracts/learn/session.ts'
import { MAX_CAPTURED_EVENTS } from '../../src/domain/capture/ingest.ts'
import { listBoundaries } from '../../src/store/capture/boundaries.ts'
import { listReceipts } from '../../src/store/command/receipts.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { makeEvent, captureEvents, sendEvents, listStored } from './capturing.ts'

test('events sent to a capturing session are stored, counted and reported by one event', async () => {
  const daemon = await startDaemon()
  const segment = randomUUID()
  const id = await daemon.aSessionIn('capturing', { active_observation_batch_ids: [segment] })
  const first = makeEvent(id, { created_at: '2026-03-01T12:00:00Z', app_family: 'Notes' })

  const reply = await sendEvents(daemon, id, [first, makeEvent(id)])

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
  expect(listStored(daemon, id)[0]).toEqual({
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
  expect(daemon.events().map((event) => event.kind)).toEqual(['learn.capture.first_event', 'learn.observation.changed'])
})

test('learn.capture.first_event is recorded once per session, even after the first event was deleted', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('capturing')
  const [first = ''] = await captureEvents(daemon, id, 1)
  await daemon.delete(`/api/learn/sessions/${id}/observations/${first}`)
  await captureEvents(daemon, id, 2)

  expect(daemon.eventsOf(id)).toEqual(['learn.capture.first_event'])
})

test('a batch without accepted events does not record learn.capture.first_event', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('capturing')

  await sendEvents(daemon, id, [makeEvent(id, { adapter_kind: 'browser_dom' })])

  expect(daemon.eventsOf(id)).toEqual([])
})

test.each(['idle', 'armed', 'paused'] as const)('a session in state %s does not accept events yet', async (state) => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn(state)

  const reply = await sendEvents(daemon, id, [makeEvent(id)])

  expect(reply.statusCode).toBe(400)
  expect(reply.json()).toMatchObject({ error: { code: 'INVALID_LEARN_STATE_TRANSITION' } })
  expect(daemon.events()).toEqual([])
  expect(listStored(daemon, id)).toEqual([])
})

test.each(LearnSessionState.options.filter((state) => !['idle', 'armed', 'paused', 'capturing'].includes(state)))(
  'a session in state %s does not accept events any more',
  async (state) => {
    const daemon = await startDaemon()
    const id = await daemon.aSessionIn(state)

    const reply = await sendEvents(daemon, id, [makeEvent(id)])

    expect(reply.statusCode).toBe(409)
    expect(reply.json()).toMatchObject({ error: { code: 'CAPTURE_ALREADY_STOPPED' } })
    expect(listStored(daemon, id)).toEqual([])
    expect(daemon.events()).toEqual([])
  },
)

test("events for another user's session fail with 404, and a read token with FORBIDDEN", async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('capturing')

  const foreign = await sendEvents(daemon, id, [makeEvent(id)], {
    token: await daemon.tokenFor('bob'),
  })
  const reader = await sendEvents(daemon, id, [makeEvent(id)], {
    token: await daemon.tokenFor('local', 'read'),
  })

  expect(foreign.statusCode).toBe(404)
  expect(foreign.json()).toMatchObject({ error: { code: 'LEARN_SESSION_NOT_FOUND' } })
  expect(reader.json()).toMatchObject({ error: { code: 'FORBIDDEN' } })
  expect(listStored(daemon, id)).toEqual([])
})

test('an event of another session rejects the whole batch', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('capturing')

  const reply = await sendEvents(daemon, id, [makeEvent(id), makeEvent(randomUUID())])

  expect(reply.statusCode).toBe(400)
  expect(reply.json()).toMatchObject({
    error: { code: 'INVALID_REQUEST', details: { field: 'events.1.learn_session_id' } },
  })
  expect(listStored(daemon, id)).toEqual([])
})

test('an event of an adapter that is not armed is rejected, the rest of the batch is stored', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('capturing')
  const unarmed = makeEvent(id, { adapter_kind: 'terminal_command' })
  const accepted = makeEvent(id)

  const reply = await sendEvents(daemon, id, [unarmed, accepted])

  expect(reply.json()).toMatchObject({
    accepted: 1,
    rejected: [{ event_id: unarmed.event_id, code: 'ADAPTER_UNAVAILABLE' }],
    captured_event_count: 1,
  })
  expect(listStored(daemon, id).map(({ event_id }) => event_id)).toEqual([accepted.event_id])
})

test('an event is stored once, even if it is repeated within or across batches', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('capturing')
  const event = makeEvent(id)

  const twice = await sendEvents(daemon, id, [event, { ...event, action_label: 'Changed since' }])
  const again = await sendEvents(daemon, id, [event])

  expect(twice.json()).toMatchObject({ accepted: 1, duplicates: 1 })
  expect(again.json()).toMatchObject({ accepted: 0, duplicates: 1, captured_event_count: 1 })
  expect(listStored(daemon, id).map((event) => event.action_label)).toEqual(['Open the settings'])
})

test('two sessions can store the same event id', async () => {
  const daemon = await startDaemon()
  const one = await daemon.aSessionIn('capturing')
  const two = await daemon.aSessionIn('capturing')
  const event_id = randomUUID()

  await sendEvents(daemon, one, [makeEvent(one, { event_id })])
  const reply = await sendEvents(daemon, two, [makeEvent(two, { event_id })])

  expect(reply.json()).toMatchObject({ accepted: 1, duplicates: 0 })
  for (const id of [one, two]) {
    expect(listStored(daemon, id).map((event) => event.event_id)).toEqual([event_id])
  }
})

test('a repeated batch gets the first reply, even after the capture was stopped', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('capturing')
  const batch_request_id = randomUUID()
  const events = [makeEvent(id), makeEvent(id)]
  const first = await sendEvents(daemon, id, events, { batch_request_id })
  const eventsBefore = daemon.events().length

  const repeated = await sendEvents(daemon, id, [makeEvent(id)], { batch_request_id })
  await daemon.post(`/api/learn/sessions/${id}/stop`)
  const late = await sendEvents(daemon, id, events, { batch_request_id })

  expect(repeated.json()).toEqual(first.json())
  expect(late.json()).toEqual(first.json())
  expect(late.statusCode).toBe(202)
  expect(listStored(daemon, id)).toHaveLength(2)
  expect(
    daemon
      .events()
      .slice(eventsBefore)
      .map((event) => event.kind),
  ).not.toContain('learn.observation.changed')
})

test('a capture accepts events up to the limit; one more event fails and pauses the capture', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('capturing')
  fill(daemon, id, MAX_CAPTURED_EVENTS - 1)
  const last = await sendEvents(daemon, id, [makeEvent(id)])

  const over = await sendEvents(daemon, id, [makeEvent(id)])

  expect(last.json()).toMatchObject({ accepted: 1, captured_event_count: MAX_CAPTURED_EVENTS })
  expect(over.statusCode).toBe(413)
  expect(over.json()).toMatchObject({ error: { code: 'PAYLOAD_TOO_LARGE', retryable: false } })
  expect(listStored(daemon, id)).toHaveLength(MAX_CAPTURED_EVENTS)
  expect(daemon.session(id)).toMatchObject({ state: 'paused' })
  expect(daemon.eventsOf(id)).toEqual(['learn.session.state_changed', 'learn.capture.paused'])
  const { boundaries, receipts } = daemon.system.store.read((reader) => ({
    boundaries: listBoundaries(reader, id),
    receipts: listReceipts(reader, 'local', { page: 1, page_size: 10 }).receipts,
  }))
  expect(boundaries).toMatchObject([{ kind: 'pause', source: 'system_inferred' }])
  expect(receipts).toMatchObject([{ receipt_kind: 'learn.capture.paused', actor: 'system', reason: 'capture_limit' }])
})

test('a batch that would exceed the limit is rejected as a whole and pauses the capture', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('capturing')
  fill(daemon, id, MAX_CAPTURED_EVENTS - 1)

  const over = await sendEvents(daemon, id, [makeEvent(id), makeEvent(id)])

  expect(over.statusCode).toBe(413)
  expect(listStored(daemon, id)).toHaveLength(MAX_CAPTURED_EVENTS - 1)
  expect(daemon.session(id)).toMatchObject({ state: 'paused' })
})

test.each([
  ['no events', { events: [] }, 'events'],
  ['a blank label', { events: [{ action_label: ' ' }] }, 'events.0.action_label'],
  ['a label that is too long', { events: [{ action_label: 'x'.repeat(241) }] }, 'events.0.action_label'],
  ['an unknown adapter kind', { events: [{ adapter_kind: 'telepathy' }] }, 'events.0.adapter_kind'],
  ['no batch id', { batch_request_id: undefined }, 'batch_request_id'],
])('a batch with %s is rejected by the contract', async (_what, wrong, field) => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('capturing')
  const { events = [{}], ...rest } = wrong as { events?: object[] }

  const reply = await daemon.post(`/api/learn/sessions/${id}/observations`, {
    batch_request_id: randomUUID(),
    adapter_id: 'test',
    ...rest,
    events: events.map((parts) => makeEvent(id, parts)),
  })

  expect(reply.statusCode).toBe(400)
  expect(reply.json()).toMatchObject({ error: { code: 'INVALID_REQUEST', details: { field } } })
  expect(listStored(daemon, id)).toEqual([])
})

test('a batch of more than 200 events is rejected by the contract', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('capturing')

  const reply = await sendEvents(
    daemon,
    id,
    Array.from({ length: 201 }, () => makeEvent(id)),
  )

  expect(reply.json()).toMatchObject({ error: { details: { field: 'events' } } })
  expect(listStored(daemon, id)).toEqual([])
})

/** Inserts the rows directly, because that many requests would be slow. */
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
