import { expect, test } from 'vitest'
import { EVENT_KINDS } from '@apprentice/contracts/base/events.ts'
import { deEvents } from '../../src/dashboard/text/de-events.ts'

test('every event that a session delivers has a German name in the timeline', () => {
  const delivered = Object.entries(EVENT_KINDS)
    .filter(([kind, { delivered: isDelivered }]) => isDelivered && /^(?:learn\.|checkpoint\.|error$)/.test(kind))
    .map(([kind]) => kind)
  expect(delivered.filter((kind) => deEvents[kind] === undefined)).toEqual([])
  expect(Object.keys(deEvents).filter((kind) => !(kind in EVENT_KINDS))).toEqual([])
})
