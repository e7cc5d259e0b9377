import fc from 'fast-check'
import { expect, test } from 'vitest'
import { describeProof, type SubGoal } from '../../src/knowledge/goal-search/goal/goal.ts'
import { parseGoal } from '../../src/knowledge/goal-search/goal/parse-goal.ts'
import { coversAll, listCovered, splitWords } from '../../src/knowledge/goal-search/goal/words.ts'

test('any text is either parsed into a goal or rejected with a reason, the same way each time', () => {
  const starts = ['turn on ', 'turn off ', 'set ', 'open ', 'create a ', 'add ', 'stelle ', 'ajoute ', '']
  const middles = [' to ', ' saying ', ' called ', ' on', ' off', ' and ', ', ', ': ', ' auf ', ' ', '']
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
        expect(result.missing.length).toBeGreaterThan(0)
        return
      }
      expect(result.goal.readings.length).toBeGreaterThan(0)
      for (const { words, desired } of result.goal.readings.flat()) {
        expect(words.length > 0 || desired.kind === 'text').toBe(true)
      }
      expect(describeProof(result.goal)).not.toBe('')
    }),
  )
})

/** Sentences as phrases that may stand in any order, and words of courtesy of the same language. */
const SENTENCES: readonly { readonly phrases: readonly string[]; readonly courtesy: readonly string[] }[] = [
  { phrases: ['turn on', 'the light', 'in the kitchen'], courtesy: ['please', 'could you', 'now'] },
  { phrases: ['set', 'the heating', 'in the living room', 'to 21'], courtesy: ['please', 'can you'] },
  { phrases: ['open', 'the sleep timer'], courtesy: ['please', 'would you'] },
  { phrases: ['die Heizung', 'im Bad', 'auf 21 Grad', 'stellen'], courtesy: ['bitte', 'kannst du', 'mal'] },
  { phrases: ['das Licht', 'in der Küche', 'einschalten'], courtesy: ['bitte', 'könntest du'] },
  { phrases: ['den Wecker', 'auf 7:15', 'stellen'], courtesy: ['bitte', 'jetzt'] },
  { phrases: ['allume', 'la lampe', 'dans le salon'], courtesy: ["s'il te plaît", 'peux-tu'] },
  { phrases: ['pon', 'la calefacción', 'en el baño', 'a 21 grados'], courtesy: ['por favor', 'puedes'] },
  { phrases: ['spegni', 'la luce', 'nella cucina'], courtesy: ['per favore', 'puoi'] },
  { phrases: ['desligar', 'a televisão', 'na sala'], courtesy: ['por favor', 'pode'] },
  { phrases: ['uitschakelen', 'de lamp', 'in de keuken'], courtesy: ['alsjeblieft', 'kun je'] },
]

const summarize = (text: string): unknown => {
  const result = parseGoal(text)
  if (!result.clear) return result
  const sort = ({ words, desired }: SubGoal) => [
    words.toSorted(),
    desired.kind === 'value' ? desired.text?.toLowerCase() : desired,
  ]
  return result.goal.readings[0]?.map(sort)
}

test('word order, case and words of courtesy do not change the sub-goals', () => {
  const variant = fc.constantFrom(...SENTENCES).chain(({ phrases, courtesy }) =>
    fc.record({
      plain: fc.constant(phrases.join(' ')),
      order: fc.shuffledSubarray([...phrases], { minLength: phrases.length }),
      polite: fc.subarray([...courtesy]),
      atEnd: fc.boolean(),
      upper: fc.constantFrom('as is', 'upper', 'lower'),
      mark: fc.constantFrom('', '.', '!', ' .'),
    }),
  )
  fc.assert(
    fc.property(variant, ({ plain, order, polite, atEnd, upper, mark }) => {
      const said = (atEnd ? [...order, ...polite] : [...polite, ...order]).join(' ') + mark
      const cased = upper === 'upper' ? said.toUpperCase() : upper === 'lower' ? said.toLowerCase() : said
      expect(summarize(cased), cased).toEqual(summarize(plain))
    }),
  )
})

test('a joined list of targets has the targets of its parts', () => {
  const names = fc.uniqueArray(fc.constantFrom('wifi', 'bluetooth', 'hotspot', 'torch', 'radio'), {
    minLength: 2,
    maxLength: 4,
  })
  fc.assert(
    fc.property(names, fc.constantFrom(' and ', ', ', ' und ', ' et ', '; '), (targets, joint) => {
      const result = parseGoal(`turn on ${targets.join(joint)}`)
      const readings = result.clear
        ? result.goal.readings.map((reading) => reading.map(({ words }) => words.join()))
        : []
      expect(readings).toContainEqual(targets)
    }),
  )
})

const words = fc.array(
  fc.constantFrom('kuche', 'licht', 'bad', 'heizung', 'kuchenlicht', 'badheizung', 'lampe', 'lampen', 'flur'),
  { maxLength: 4 },
)

test('covering is reflexive, grows with the actual words, and never covers a word without a source', () => {
  fc.assert(
    fc.property(words, words, words, (expected, actual, more) => {
      expect(listCovered(expected, expected)).toEqual(expected)
      const covered = listCovered(expected, actual)
      expect(listCovered(expected, [...actual, ...more])).toEqual(expect.arrayContaining(covered))
      expect(listCovered(expected, [])).toEqual([])
    }),
  )
})

test.each([
  ['Küchenlicht', 'Küche Licht', true],
  ['Licht in Küche', 'Küchenlicht', false],
  ['Licht Küche', 'Küchenlicht', true],
  ['kitchen lights', 'Kitchen light', true],
  ['Lampe', 'Lampen', true],
  ['note', 'Notes', true],
  ['mode', 'Modes', true],
  ['battery', 'Batteries', true],
  ['light', 'Highlight', false],
  ['data', 'Date', false],
  ['timer', 'Time', false],
  ['mode', 'Modem', false],
  ['Licht', 'Deckenlicht', false],
])('%s in "%s": %s', (expected, actual, covered) => {
  expect(coversAll(splitWords(expected), splitWords(actual))).toBe(covered)
})
