import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { LearnSessionState } from '@apprentice/contracts/learn/session.ts'
import { listBoundaries } from '../../src/store/capture/boundaries.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { captureEvents } from './capturing.ts'

const mark = (daemon: Daemon, id: string, what: 'goal' | 'step', body: object = {}) =>
  daemon.post(`/api/learn/sessions/${id}/mark-${what}`, {
    ...(what === 'goal' ? { goal_description: 'File the report' } : { step_label: 'Open it' }),
    ...body,
  })

const readBoundaries = (daemon: Daemon, id: string) => daemon.system.store.read((reader) => listBoundaries(reader, id))

test('a goal is marked at the last stored event by default', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('capturing')
  const [, last] = await captureEvents(daemon, id, 2)

  const reply = await mark(daemon, id, 'goal')

  expect(reply.statusCode).toBe(200)
  expect(reply.json()).toMatchObject({ session: { learn_session_id: id, state: 'capturing' } })
  expect(readBoundaries(daemon, id)).toMatchObject([
    { kind: 'mark_goal', label: 'File the report', source: 'api_call', source_event_id: last },
  ])
  expect(daemon.events().at(-1)).toMatchObject({
    kind: 'learn.boundary.marked',
    payload: { kind: 'mark_goal' },
  })
})

test('a step is marked at the given event, with its step kind', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('capturing')
  const [first] = await captureEvents(daemon, id, 2)

  await mark(daemon, id, 'step', { at_event_id: first, step_kind_hint: 'guard' })
  await mark(daemon, id, 'step')

  expect(readBoundaries(daemon, id)).toMatchObject([
    { kind: 'mark_step', label: 'Open it', source_event_id: first, step_kind_hint: 'guard' },
    { kind: 'mark_step', step_kind_hint: 'action' },
  ])
})

test('a goal can be marked in a paused session without events', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('paused')

  const reply = await mark(daemon, id, 'goal')

  expect(reply.statusCode).toBe(200)
  const [boundary] = readBoundaries(daemon, id)
  expect(boundary).toMatchObject({ kind: 'mark_goal' })
  expect(boundary).not.toHaveProperty('source_event_id')
})

test.each(['goal', 'step'] as const)(
  'a %s at an event of another session fails with 404 and marks nothing',
  async (what) => {
    const daemon = await startDaemon()
    const other = await daemon.aSessionIn('capturing')
    const id = await daemon.aSessionIn('capturing')
    const [foreign] = await captureEvents(daemon, other, 1)

    for (const at_event_id of [foreign, randomUUID()]) {
      const reply = await mark(daemon, id, what, { at_event_id })
      expect(reply.statusCode).toBe(404)
      expect(reply.json()).toMatchObject({ error: { code: 'OBSERVATION_EVENT_NOT_FOUND' } })
    }
    expect(readBoundaries(daemon, id)).toEqual([])
  },
)

test.each(LearnSessionState.options.filter((state) => !['capturing', 'paused'].includes(state)))(
  'nothing can be marked in a session in state %s',
  async (state) => {
    const daemon = await startDaemon()
    const id = await daemon.aSessionIn(state)

    for (const what of ['goal', 'step'] as const) {
      const reply = await mark(daemon, id, what)
      expect(reply.statusCode).toBe(400)
      expect(reply.json()).toMatchObject({ error: { code: 'INVALID_LEARN_STATE_TRANSITION' } })
    }
    expect(daemon.events()).toEqual([])
    expect(readBoundaries(daemon, id)).toEqual([])
  },
)

test('a blank or overlong label is rejected by the contract', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('capturing')

  const blank = await mark(daemon, id, 'goal', { goal_description: '  ' })
  const long = await mark(daemon, id, 'step', { step_label: 'x'.repeat(241) })

  expect(blank.json()).toMatchObject({ error: { details: { field: 'goal_description' } } })
  expect(long.json()).toMatchObject({ error: { details: { field: 'step_label' } } })
  expect(readBoundaries(daemon, id)).toEqual([])
})
