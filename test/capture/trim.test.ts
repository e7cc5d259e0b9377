import { randomUUID } from 'node:crypto'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { WorkflowBoundary } from '@apprentice/contracts/learn/observation.ts'
import { LearnSessionState } from '@apprentice/contracts/learn/session.ts'
import { selectWithinTrim } from '../../src/domain/capture/included-events.ts'
import { listBoundaries } from '../../src/store/capture/boundaries.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { makeEvent, captureEvents, sendEvents, listStored } from './capturing.ts'
import { countRuns } from '../kit/count-runs.ts'

const trim = (daemon: Daemon, id: string, kind: 'start' | 'end', to_event_id: string | undefined) =>
  daemon.post(`/api/learn/sessions/${id}/trim`, { trim_kind: `trim_${kind}`, to_event_id })

async function pauseWithEvents(count: number): Promise<{ daemon: Daemon; id: string; ids: string[] }> {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('capturing')
  const ids = await captureEvents(daemon, id, count)
  await daemon.post(`/api/learn/sessions/${id}/pause`)
  return { daemon, id, ids }
}

const listEventIds = async (daemon: Daemon, id: string, query = ''): Promise<string[]> => {
  const reply = await daemon.get(`/api/learn/sessions/${id}/observations?page_size=100${query}`)
  return reply.json<{ events: { event_id: string }[] }>().events.map((event) => event.event_id)
}

test('trimming updates the boundaries, the references and the count, and deletes nothing', async () => {
  const { daemon, id, ids } = await pauseWithEvents(5)

  const start = await trim(daemon, id, 'start', ids[1])
  const end = await trim(daemon, id, 'end', ids[3])

  const [pause, first, last] = daemon.system.store.read((reader) => listBoundaries(reader, id))
  expect(pause?.kind).toBe('pause')
  expect(first).toMatchObject({ kind: 'trim_start', source_event_id: ids[1], source: 'api_call' })
  expect(last).toMatchObject({ kind: 'trim_end', source_event_id: ids[3] })
  expect(start.json()).toMatchObject({
    session: { start_boundary_ref: `boundary:${first?.boundary_id}`, state: 'paused' },
  })
  expect(end.json()).toMatchObject({
    session: { stop_boundary_ref: `boundary:${last?.boundary_id}` },
  })
  expect(daemon.session(id)?.captured_event_count).toBe(3)
  expect(await listEventIds(daemon, id)).toEqual(ids.slice(1, 4))
  expect(await listEventIds(daemon, id, '&include_trimmed=true')).toEqual(ids)
  expect(listStored(daemon, id)).toHaveLength(5)
})

test('a later trim of the same kind replaces the earlier one', async () => {
  const { daemon, id, ids } = await pauseWithEvents(5)

  await trim(daemon, id, 'start', ids[3])
  await trim(daemon, id, 'start', ids[1])

  expect(await listEventIds(daemon, id)).toEqual(ids.slice(1))
  expect(daemon.session(id)?.captured_event_count).toBe(4)
})

test('trim start and trim end may be the same event but must not cross', async () => {
  const { daemon, id, ids } = await pauseWithEvents(4)
  await trim(daemon, id, 'start', ids[2])

  const crossing = await trim(daemon, id, 'end', ids[1])
  const meeting = await trim(daemon, id, 'end', ids[2])
  const past = await trim(daemon, id, 'start', ids[3])
  const same = await trim(daemon, id, 'start', ids[2])

  for (const refused of [crossing, past]) {
    expect(refused.statusCode).toBe(400)
    expect(refused.json()).toMatchObject({
      error: { code: 'INVALID_REQUEST', details: { field: 'to_event_id' } },
    })
  }
  expect([meeting.statusCode, same.statusCode]).toEqual([200, 200])
  expect(await listEventIds(daemon, id)).toEqual([ids[2]])
})

test('trimming to an unknown event fails', async () => {
  const { daemon, id } = await pauseWithEvents(1)

  const reply = await trim(daemon, id, 'end', randomUUID())

  expect(reply.statusCode).toBe(404)
  expect(reply.json()).toMatchObject({ error: { code: 'OBSERVATION_EVENT_NOT_FOUND' } })
  const boundaries = daemon.system.store.read((reader) => listBoundaries(reader, id))
  expect(boundaries.map(({ kind }) => kind)).toEqual(['pause'])
})

test.each(LearnSessionState.options)('trimming a session in state %s', async (state) => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn(state)
  const allowed = ['paused', 'stopped', 'reviewing'].includes(state)

  const reply = await trim(daemon, id, 'start', randomUUID())

  expect(reply.json()).toMatchObject({
    error: { code: allowed ? 'OBSERVATION_EVENT_NOT_FOUND' : 'INVALID_LEARN_STATE_TRANSITION' },
  })
})

test('stopping counts only the events inside the trim marks', async () => {
  const { daemon, id, ids } = await pauseWithEvents(4)
  await trim(daemon, id, 'start', ids[1])

  const reply = await daemon.post(`/api/learn/sessions/${id}/stop`)

  expect(reply.json()).toMatchObject({ captured_event_count: 3 })
})

test('events that arrive after a trim count only inside its range', async () => {
  const { daemon, id, ids } = await pauseWithEvents(3)
  await trim(daemon, id, 'start', ids[1])
  await daemon.post(`/api/learn/sessions/${id}/resume`)

  const reply = await sendEvents(daemon, id, [makeEvent(id), makeEvent(id, { created_at: '2026-03-01T00:00:00.000Z' })])

  expect(reply.json()).toMatchObject({ accepted: 2, captured_event_count: 3 })
})

test('selectWithinTrim agrees with a loop over the events', () => {
  const moves = fc.array(fc.tuple(fc.constantFrom('trim_start', 'trim_end', 'mark_step'), fc.nat(9)), {
    maxLength: 6,
  })
  fc.assert(
    fc.property(fc.nat(8), moves, (count, marks) => {
      const events = Array.from({ length: count }, (_none, at) => ({ event_id: `e${at}` }))
      const boundaries = marks.map(([kind, at]) => ({ kind, source_event_id: `e${at}` }))
      expect(selectWithinTrim(events, boundaries as WorkflowBoundary[])).toEqual(selectOneByOne(events, boundaries))
    }),
    { numRuns: countRuns(1000) },
  )
})

/** Starts at the last valid start mark and ends after the last valid end mark. */
function selectOneByOne(
  events: { event_id: string }[],
  boundaries: { kind: string; source_event_id: string }[],
): { event_id: string }[] {
  const bounds: Record<string, string | undefined> = {}
  for (const { kind, source_event_id } of boundaries) bounds[kind] = source_event_id
  const known = (id: string | undefined) => events.some((event) => event.event_id === id)
  let open = !known(bounds['trim_start'])
  let closed = false
  return events.filter(({ event_id }) => {
    if (event_id === bounds['trim_start']) open = true
    const included = open && !closed
    if (event_id === bounds['trim_end']) closed = true
    return included
  })
}
