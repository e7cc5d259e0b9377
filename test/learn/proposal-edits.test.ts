import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  assertInputNames,
  mergeEdits,
  type ProposalEdits,
} from '../../src/domain/proposals/edits.ts'

test('of one field the last word counts, and other fields keep theirs', () => {
  const first = mergeEdits({}, { title: 'One', use_conditions: ['a'] })
  expect(mergeEdits(first, { title: 'Two' })).toEqual({ title: 'Two', use_conditions: ['a'] })
})

test('an input is named as it is called now, however often it was renamed', () => {
  const first = mergeEdits({}, { inputs: [{ name: 'unit', rename_to: 'room', summary: 'Where' }] })
  const second = mergeEdits(first, { inputs: [{ name: 'room', rename_to: 'place' }] })
  expect(second.inputs).toEqual({ unit: { name: 'place', summary: 'Where' } })
  const third = mergeEdits(second, { inputs: [{ name: 'place', summary: 'Which one' }] })
  expect(third.inputs).toEqual({ unit: { name: 'place', summary: 'Which one' } })
})

test.each([
  [[{ name: 'colour' }], 'colour'],
  [[{ name: 'unit', rename_to: 'degrees' }], 'degrees'],
  [
    [
      { name: 'unit', rename_to: 'x' },
      { name: 'degrees', rename_to: 'x' },
    ],
    'x',
  ],
])('names that are not there, or twice, are refused: %j', (sent, named) => {
  expect(() => assertInputNames(['unit', 'degrees'], sent)).toThrow(named)
})

test('two inputs may change their names with each other', () => {
  const swap = [
    { name: 'unit', rename_to: 'degrees' },
    { name: 'degrees', rename_to: 'unit' },
  ]
  expect(() => assertInputNames(['unit', 'degrees'], swap)).not.toThrow()
  const swapped = mergeEdits({}, { inputs: swap })
  expect(mergeEdits(swapped, { inputs: swap }).inputs).toMatchObject({
    unit: { name: 'unit' },
    degrees: { name: 'degrees' },
  })
})

const originals = ['a', 'b', 'c']
const renaming = fc.uniqueArray(
  fc.record({ at: fc.nat(2), to: fc.constantFrom('a', 'b', 'c', 'd', 'e') }),
  { selector: ({ at }) => at, maxLength: 3 },
)

test('whatever is renamed in whatever order, every input keeps one name of its own', () => {
  fc.assert(
    fc.property(fc.array(renaming, { maxLength: 6 }), (rounds) => {
      let edits: ProposalEdits = {}
      let names = [...originals]
      for (const round of rounds) {
        const sent = round.map(({ at, to }) => ({ name: names[at] ?? '', rename_to: to }))
        const after = names.map((name) => sent.find((one) => one.name === name)?.rename_to ?? name)
        if (new Set(after).size < after.length) {
          expect(() => assertInputNames(names, sent)).toThrow('two inputs')
          continue
        }
        assertInputNames(names, sent)
        edits = mergeEdits(edits, { inputs: sent })
        names = after
      }
      expect(originals.map((name) => edits.inputs?.[name]?.name ?? name)).toEqual(names)
    }),
  )
})
