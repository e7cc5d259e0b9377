import { expect, test } from 'vitest'
import { ExpectParams } from '@apprentice/contracts/devices/control-params.ts'
import { observeClaim } from '../../src/devices/engine/expectation.ts'
import { measureChange } from '../../src/screen/displayed-number.ts'
import { node, screen, text } from './tree-builder.ts'

test.each([
  ['15:30', '16:15', 45],
  ['23:50', '00:10', 20],
  ['Ends at 9:15', 'Ends at 9:00', -15],
  ['11:30 AM', '12:10 PM', 40],
  ['12:10 PM', '1:00 PM', 50],
  ['3 items', '4 items', 1],
  ['€ 12.50', '€ 10.00', -2.5],
  ['soon', '4', undefined],
])('from %s to %s is %s', (before, now, moved) => {
  expect(measureChange(before, now)).toBe(moved)
})

const show = (label: string) => screen(node({}, text('Ends at'), text(label, { 'resource-id': 'a:id/end' })))
const expectation = (more: object) => ExpectParams.parse({ matcher: { resourceId: 'a:id/end' }, ...more })
const holds = (now: string, earlier: readonly string[], more: object): boolean =>
  observeClaim(show(now), expectation(more), { earlier: earlier.map(show), language: 'unknown' }).holds

test('a changed text differs from that of the last screen before a touch', () => {
  expect(holds('16:15', ['15:30', '15:30'], { changed: true })).toBe(true)
  expect(holds('15:30', ['15:30'], { changed: true })).toBe(false)
  expect(holds('15:30', ['14:00', '15:30'], { changed: true })).toBe(false)
  // Without an earlier look nothing is known.
  expect(holds('16:15', [], { changed: true })).toBe(false)
})

test('a changed number or time differs by the given amount', () => {
  expect(holds('16:15', ['15:30'], { changedBy: 45 })).toBe(true)
  expect(holds('16:00', ['15:30'], { changedBy: 45 })).toBe(false)
  expect(holds('15:30', ['15:30'], { changedBy: 45 })).toBe(false)
})
