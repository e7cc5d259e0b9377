import { expect, test } from 'vitest'
import { LearnSessionState } from '@apprentice/contracts/learn/session.ts'
import { listBoundaries } from '../../src/store/capture/boundaries.ts'
import { listReceipts } from '../../src/store/command/receipts.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { listStored, makeEvent, sendEvents } from './capturing.ts'

const readReceipts = (daemon: Daemon) =>
  daemon.system.store.read((reader) => listReceipts(reader, 'local', { page: 1, page_size: 100 })).receipts

test('pausing a capturing session stops the capture and records events, a boundary and a receipt', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('capturing')

  const reply = await daemon.post(`/api/learn/sessions/${id}/pause`)
  const late = await sendEvents(daemon, id, [makeEvent(id)])

  expect(reply.json()).toMatchObject({ session: { state: 'paused' } })
  expect(reply.statusCode).toBe(200)
  expect(daemon.eventsOf(id)).toEqual(['learn.session.state_changed', 'learn.capture.paused'])
  expect(readReceipts(daemon)).toMatchObject([
    {
      receipt_kind: 'learn.capture.paused',
      status: 'ok',
      actor: 'user',
      actor_ref: 'local',
      learn_session_id: id,
      from_state: 'capturing',
      to_state: 'paused',
    },
  ])
  const boundaries = daemon.system.store.read((reader) => listBoundaries(reader, id))
  expect(boundaries).toMatchObject([{ kind: 'pause', source: 'api_call' }])
  expect(late.json()).toMatchObject({ error: { code: 'INVALID_LEARN_STATE_TRANSITION' } })
  expect(listStored(daemon, id)).toEqual([])
})

test.each(LearnSessionState.options.filter((state) => state !== 'capturing'))(
  'pausing a session in state %s fails and writes nothing',
  async (state) => {
    const daemon = await startDaemon()
    const id = await daemon.aSessionIn(state)
    const before = daemon.session(id)

    const reply = await daemon.post(`/api/learn/sessions/${id}/pause`)

    expect(reply.statusCode).toBe(400)
    expect(reply.json()).toMatchObject({
      error: { code: 'INVALID_LEARN_STATE_TRANSITION', retryable: false },
    })
    expect(daemon.session(id)).toEqual(before)
    expect(daemon.events()).toEqual([])
    expect(readReceipts(daemon)).toEqual([])
    expect(daemon.system.store.read((reader) => listBoundaries(reader, id))).toEqual([])
  },
)
