import fc from 'fast-check'
import { expect, test } from 'vitest'
import { describeProof, parseGoal } from '../../src/knowledge/goal-search/goal.ts'
import { splitWords } from '../../src/knowledge/goal-search/goal-words.ts'

test('any text is either parsed into a goal or rejected with a reason, the same way each time', () => {
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
    fc.property(fc.oneof(sentence, fc.string({ unit: 'binary', maxLength: 600 })), (text) => {
      const result = parseGoal(text)
      expect(parseGoal(text)).toEqual(result)
      if (!result.clear) {
        expect(result.reason).not.toBe('')
        return
      }
      expect(splitWords(result.goal.subject).length).toBeGreaterThan(0)
      expect(describeProof(result.goal)).not.toBe('')
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
])('%s', (sentence, goal) => {
  expect(parseGoal(sentence)).toEqual({ clear: true, goal })
})

test.each(['', 'turn on', 'set the to', 'delete the note Meeting', 'make me rich', 'open ???'])(
  '"%s" is rejected',
  (sentence) => {
    expect(parseGoal(sentence)).toMatchObject({ clear: false, reason: expect.any(String) })
  },
)
