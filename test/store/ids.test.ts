import { expect, test } from 'vitest'
import fc from 'fast-check'
import { createIdFactory } from '../../src/daemon/ids.ts'
import { startDaemon } from '../kit/daemon.ts'

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

test('ids are UUIDs of version 7, differ, and sort by time', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 1, maxLength: 300 }), (steps) => {
      let now = Date.UTC(2026, 0, 1)
      const newId = createIdFactory(() => new Date(now))
      const ids = steps.map((step) => {
        now += step
        return newId()
      })
      for (const id of ids) expect(id).toMatch(UUID_V7)
      expect(new Set(ids).size).toBe(ids.length)
      expect(ids.toSorted()).toEqual(ids)
      expect(Number.parseInt((ids.at(-1) ?? '').replace('-', '').slice(0, 12), 16)).toBe(now)
    }),
  )
})

test('ids of one millisecond differ also when their counter starts again', () => {
  const newId = createIdFactory(() => new Date(0))
  expect(new Set(Array.from({ length: 10_000 }, newId)).size).toBe(10_000)
})

test('a daemon names what it stores by such ids', async () => {
  const daemon = await startDaemon()
  const reply = await daemon.post('/api/learn/sessions', { entry_mode: 'demonstrating_skill' })
  expect(reply.json<{ session: { learn_session_id: string } }>().session.learn_session_id).toMatch(UUID_V7)
})
