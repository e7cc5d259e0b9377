import { expect, test } from 'vitest'
import { LearnSessionState } from '@apprentice/contracts/learn/session.ts'
import { startDaemon } from '../kit/daemon.ts'

test('pausing a capturing session stops capture and leaves events and a receipt', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('capturing')

  const reply = await daemon.post(`/api/learn/sessions/${id}/pause`)

  expect(reply.json()).toMatchObject({ session: { state: 'paused' } })
  expect(reply.statusCode).toBe(200)
  expect(daemon.eventsOf(id)).toEqual(['learn.session.state_changed', 'learn.capture.paused'])
})

test.each(LearnSessionState.options.filter((state) => state !== 'capturing'))(
  'a session that is %s cannot be paused, and nothing is written',
  async (state) => {
    const daemon = await startDaemon()
    const id = await daemon.aSessionIn(state)

    const reply = await daemon.post(`/api/learn/sessions/${id}/pause`)

    expect(reply.statusCode).toBe(400)
    expect(reply.json()).toMatchObject({
      error: { code: 'INVALID_LEARN_STATE_TRANSITION', retryable: false },
    })
    expect(daemon.session(id)?.state).toBe(state)
    expect(daemon.events()).toEqual([])
  },
)
