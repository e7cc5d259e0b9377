import fc from 'fast-check'
import { expect, test } from 'vitest'
import { proofOf, readGoal } from '../../src/knowledge/goal-search/goal.ts'
import { wordsOf } from '../../src/knowledge/goal-search/words.ts'

test('any text is either a goal that can be proven or refused with a reason', () => {
  const starts = ['turn on ', 'turn off ', 'set ', 'open ', 'create a ', 'enable ', 'change ', '']
  const middles = [' to ', ' saying ', ' called ', ' on', ' off', ' ', '']
  const sentence = fc
    .tuple(
      fc.constantFrom(...starts),
      fc.string({ unit: 'grapheme', maxLength: 40 }),
      fc.constantFrom(...middles),
      fc.string({ unit: 'grapheme', maxLength: 40 }),
    )
    .map((parts) => parts.join(''))
  fc.assert(
    fc.property(fc.oneof(sentence, fc.string({ unit: 'binary', maxLength: 600 })), (said) => {
      const reading = readGoal(said)
      if (!reading.clear) return reading.reason !== ''
      expect(wordsOf(reading.goal.subject).length).toBeGreaterThan(0)
      expect(proofOf(reading.goal)).not.toBe('')
      expect(readGoal(said)).toEqual(reading)
      return true
    }),
  )
})

test.each([
  ['turn on dark theme', { kind: 'switch', subject: 'dark theme', on: true }],
  ['Please switch Wi-Fi off.', { kind: 'switch', subject: 'Wi-Fi', on: false }],
  ['Disable the hotspot', { kind: 'switch', subject: 'hotspot', on: false }],
  ['set Bluetooth to on', { kind: 'switch', subject: 'Bluetooth', on: true }],
  ['Set the Kitchen to 22.5', { kind: 'set', subject: 'Kitchen', value: '22.5' }],
  ['change mode to "Heat"', { kind: 'set', subject: 'mode', value: 'Heat' }],
  ['open the Battery screen', { kind: 'open', subject: 'Battery' }],
  ['Create a note saying "Milk"', { kind: 'create', subject: 'note', text: 'Milk' }],
  [
    'add a new note called Ideas saying Buy a boat',
    { kind: 'create', subject: 'note', title: 'Ideas', text: 'Buy a boat' },
  ],
])('%s', (said, goal) => {
  expect(readGoal(said)).toEqual({ clear: true, goal })
})

test.each(['', 'turn on', 'set the to', 'delete the note Meeting', 'make me rich', 'open ???'])(
  '"%s" is no goal that can be proven',
  (said) => {
    expect(readGoal(said)).toMatchObject({ clear: false, reason: expect.any(String) })
  },
)
