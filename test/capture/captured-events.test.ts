import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { startDaemon } from '../kit/daemon.ts'
import { makeEvent, captureEvents, sendEvents, listStored } from './capturing.ts'

test('captured events are listed by page in chronological order, with boundaries', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('capturing')
  const late = makeEvent(id, { created_at: '2026-03-01T10:00:03Z', action_label: 'third' })
  const early = makeEvent(id, { created_at: '2026-03-01T10:00:01Z', action_label: 'first' })
  const between = makeEvent(id, { created_at: '2026-03-01T10:00:02Z', action_label: 'second' })
  await sendEvents(daemon, id, [late, early, between])
  await daemon.post(`/api/learn/sessions/${id}/mark-step`, { step_label: 'Done' })

  const one = await daemon.get(`/api/learn/sessions/${id}/observations?page_size=2`)
  const two = await daemon.get(`/api/learn/sessions/${id}/observations?page=2&page_size=2`)

  expect(one.json()).toMatchObject({
    events: [{ action_label: 'first' }, { action_label: 'second' }],
    boundaries: [{ kind: 'mark_step', source_event_id: between.event_id }],
    total: 3,
    page: 1,
    page_size: 2,
    schema_version: 1,
  })
  expect(two.json()).toMatchObject({ events: [{ action_label: 'third' }], total: 3, page: 2 })
  expect(one.json<{ events: object[] }>().events[0]).not.toHaveProperty('ingest_seq')
})

test('other users can not read, delete or retain captured events', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('capturing')
  const [event] = await captureEvents(daemon, id, 1)
  const bob = await daemon.tokenFor('bob')
  const before = daemon.session(id)
  const url = `/api/learn/sessions/${id}`

  const replies = [
    await daemon.get(`${url}/observations`, bob),
    await daemon.get(`${url}/observation-scope`, bob),
    await daemon.delete(`${url}/observations/${event}`, bob),
    await daemon.post(`${url}/observations/retain`, { retain: true }, bob),
  ]

  for (const reply of replies) {
    expect(reply.statusCode).toBe(404)
    expect(reply.json()).toMatchObject({ error: { code: 'LEARN_SESSION_NOT_FOUND' } })
  }
  expect(listStored(daemon, id)).toHaveLength(1)
  expect(daemon.session(id)).toEqual(before)
})

test('an event can be deleted before a proposal exists', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('capturing')
  const [first, second] = await captureEvents(daemon, id, 2)

  const reply = await daemon.delete(`/api/learn/sessions/${id}/observations/${first}`)
  const again = await daemon.delete(`/api/learn/sessions/${id}/observations/${first}`)

  expect(reply.json()).toEqual({ deleted: true })
  expect(again.json()).toMatchObject({ error: { code: 'OBSERVATION_EVENT_NOT_FOUND' } })
  expect(listStored(daemon, id).map((event) => event.event_id)).toEqual([second])
  expect(daemon.session(id)?.captured_event_count).toBe(1)
  expect(daemon.events().at(-1)).toMatchObject({
    kind: 'learn.observation.changed',
    payload: { deleted: 1 },
  })
})

test('no event can be deleted once a proposal exists', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('capturing', { proposal_id: randomUUID() })
  const [event] = await captureEvents(daemon, id, 1)

  const reply = await daemon.delete(`/api/learn/sessions/${id}/observations/${event}`)

  expect(reply.statusCode).toBe(400)
  expect(reply.json()).toMatchObject({ error: { code: 'INVALID_LEARN_STATE_TRANSITION' } })
  expect(listStored(daemon, id)).toHaveLength(1)
})

test('deleting the event of a trim mark moves the mark inwards and includes no trimmed event', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('capturing')
  const ids = await captureEvents(daemon, id, 6)
  const url = `/api/learn/sessions/${id}`
  await daemon.post(`${url}/pause`)
  await daemon.post(`${url}/trim`, { trim_kind: 'trim_start', to_event_id: ids[1] })
  await daemon.post(`${url}/trim`, { trim_kind: 'trim_end', to_event_id: ids[4] })

  await daemon.delete(`${url}/observations/${ids[1]}`)
  await daemon.delete(`${url}/observations/${ids[4]}`)

  const reply = await daemon.get(`${url}/observations`)
  expect(reply.json()).toMatchObject({
    events: [{ event_id: ids[2] }, { event_id: ids[3] }],
    total: 2,
  })
  expect(daemon.session(id)?.captured_event_count).toBe(2)
})

test('retention can be set and unset, and each change records an event', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('cancelled')
  const url = `/api/learn/sessions/${id}/observations/retain`

  const retained = await daemon.post(url, { retain: true })
  expect(retained.json()).toMatchObject({ session: { learn_session_id: id, state: 'cancelled' } })
  expect(daemon.session(id)?.retain_observations).toBe(true)
  expect(daemon.events()).toMatchObject([{ kind: 'learn.session.changed' }])

  await daemon.post(url, { retain: false })
  expect(daemon.session(id)?.retain_observations).toBe(false)
  expect(daemon.events().map(({ kind, payload }) => [kind, payload])).toEqual([
    ['learn.session.changed', { retain_observations: true }],
    ['learn.session.changed', { retain_observations: false }],
  ])
})

test('a request to an expired capture pauses it and fails with SESSION_TIMEOUT', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('capturing')
  daemon.clock.advance(5 * 3_600_000)

  const reply = await sendEvents(daemon, id, [makeEvent(id)])

  expect(reply.statusCode).toBe(408)
  expect(reply.json()).toMatchObject({ error: { code: 'SESSION_TIMEOUT' } })
  expect(daemon.session(id)?.state).toBe('paused')
  expect(listStored(daemon, id)).toEqual([])
})
