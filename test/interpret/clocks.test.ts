import { expect, test } from 'vitest'
import { isSameState, parseScreen } from '../../src/knowledge/interpret/read/screen.ts'
import { node, screen, text } from '../screen/tree-builder.ts'

const show = (...labels: readonly string[]) =>
  parseScreen(screen(node({}, ...labels.map((one) => text(one)))), undefined)
const isSame = (one: string, other: string) => isSameState(show('Timer', one), show('Timer', other))

test('a clock that went on by itself is no change', () => {
  expect(isSame('09:30', '09:30')).toBe(true)
  expect(isSame('09:30', '09:31')).toBe(true)
  expect(isSame('09:59', '10:00')).toBe(true)
  expect(isSame('Updated 09:30', 'Updated 09:32')).toBe(true)
})

test('a time that a touch set is a change', () => {
  expect(isSame('00:00', '10:00')).toBe(false)
  expect(isSame('12:00', '12:10')).toBe(false)
  expect(isSame('Starts 09:30', 'Ends 09:30')).toBe(false)
})
