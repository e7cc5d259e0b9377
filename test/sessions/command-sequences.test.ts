import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { LearnSessionState } from '@apprentice/contracts/learn/session.ts'
import { startDaemon } from '../kit/daemon.ts'
import { countRuns } from '../kit/count-runs.ts'

/** The state after each command according to the specification; undefined if the command is rejected. */
const MODEL: Record<string, Partial<Record<LearnSessionState, LearnSessionState>>> = {
  start: { idle: 'capturing', armed: 'capturing' },
  pause: { capturing: 'paused' },
  resume: { paused: 'capturing' },
  stop: { capturing: 'stopped', paused: 'stopped' },
  cancel: {
    armed: 'cancelled',
    capturing: 'cancelled',
    paused: 'cancelled',
    stopped: 'cancelled',
    reviewing: 'cancelled',
  },
}

const command = fc.constantFrom(...Object.keys(MODEL), 'wait an hour', 'wait four hours', 'delete')

test('random command sequences lead to the state the model predicts', async () => {
  const daemon = await startDaemon()
  let user = 0
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 1, maxLength: 12 }), async (commands) => {
      user += 1
      const token = await daemon.tokenFor(`user-${user}`)
      const made = await daemon.post(
        '/api/learn/sessions',
        { entry_mode: 'demonstrating_skill', observation_mode: 'inside_agent' },
        token,
      )
      const id = made.json<{ session: { learn_session_id: string } }>().session.learn_session_id
      let state: LearnSessionState | 'gone' = 'armed'
      let expiresTo: 'cancelled' | 'paused' | undefined
      let entered = daemon.clock.now.getTime()
      for (const name of commands) {
        if (name.startsWith('wait')) {
          daemon.clock.advance(name === 'wait an hour' ? 3_600_000 : 4 * 3_600_000)
          const waited = daemon.clock.now.getTime() - entered
          if (state === 'armed' && waited >= 3_600_000) expiresTo = 'cancelled'
          if (state === 'capturing' && waited >= 4 * 3_600_000) expiresTo = 'paused'
          continue
        }
        const path = `/api/learn/sessions/${id}`
        const reply =
          name === 'delete' ? await daemon.delete(path, token) : await daemon.post(`${path}/${name}`, undefined, token)
        const next: LearnSessionState | 'gone' | undefined =
          state === 'gone' ? undefined : name === 'delete' ? 'gone' : MODEL[name]?.[state]
        if (expiresTo !== undefined && state !== 'gone') {
          expect(reply.statusCode).toBe(408)
          state = expiresTo
          entered = daemon.clock.now.getTime()
        } else if (next === undefined) {
          expect(reply.statusCode).toBeGreaterThanOrEqual(400)
          expect(reply.statusCode).toBeLessThan(500)
        } else {
          expect(reply.statusCode).toBe(200)
          if (next !== state) entered = daemon.clock.now.getTime()
          state = next
        }
        expiresTo = undefined
        expect(daemon.session(id)?.state ?? 'gone').toBe(state)
      }
    }),
    { numRuns: countRuns(150) },
  )
  const seqs = daemon.events().map((event) => [event.learn_session_id, event.stream_seq])
  const numbered = seqs.filter(([, seq]) => seq !== undefined)
  expect(new Set(numbered.map(String)).size).toBe(numbered.length)
})
