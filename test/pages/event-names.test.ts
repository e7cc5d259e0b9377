import { expect, test } from 'vitest'
import { EVENT_KINDS } from '@apprentice/contracts/base/events.ts'
import { ReceiptKind } from '@apprentice/contracts/learn/receipts.ts'
import { LearnSessionState } from '@apprentice/contracts/learn/session.ts'
import { de } from '../../src/dashboard/text/de.ts'
import { deEvents } from '../../src/dashboard/text/de-events.ts'
import { deReceipts } from '../../src/dashboard/text/de-receipts.ts'

test('every event that a session delivers has a German name in the timeline', () => {
  const delivered = Object.entries(EVENT_KINDS)
    .filter(([kind, { delivered: isDelivered }]) => isDelivered && /^(?:learn\.|checkpoint\.|error$)/.test(kind))
    .map(([kind]) => kind)
  expect(delivered.filter((kind) => deEvents[kind] === undefined)).toEqual([])
  expect(Object.keys(deEvents).filter((kind) => !(kind in EVENT_KINDS))).toEqual([])
})

test('every kind of receipt and every state of a session has a German name', () => {
  expect(Object.keys(deReceipts.receiptKinds).toSorted()).toEqual(ReceiptKind.options.toSorted())
  expect(LearnSessionState.options.filter((state) => de.values[state] === undefined)).toEqual([])
})
