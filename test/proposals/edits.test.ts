import fc from 'fast-check'
import { expect, test } from 'vitest'
import { assertInputNames, mergeEdits, type ProposalEdits } from '../../src/domain/proposals/content/edits.ts'

test('the last edit of a field wins, and other fields keep their edits', () => {
  const first = mergeEdits({}, { title: 'One', use_conditions: ['a'] })
  expect(mergeEdits(first, { title: 'Two' })).toEqual({ title: 'Two', use_conditions: ['a'] })
})

test('an edit refers to an input by its current name, also after several renames', () => {
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
])('unknown or duplicate input names are rejected: %j', (sent, name) => {
  expect(() => assertInputNames(['unit', 'degrees'], sent)).toThrow(name)
})

test('two inputs can swap their names', () => {
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

const ORIGINAL_NAMES = ['a', 'b', 'c']
const renaming = fc.uniqueArray(fc.record({ at: fc.nat(2), to: fc.constantFrom('a', 'b', 'c', 'd', 'e') }), {
  selector: ({ at }) => at,
  maxLength: 3,
})

test('after any sequence of renames every input has one unique name', () => {
  fc.assert(
    fc.property(fc.array(renaming, { maxLength: 6 }), (rounds) => {
      let edits: ProposalEdits = {}
      let names = [...ORIGINAL_NAMES]
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
      expect(ORIGINAL_NAMES.map((name) => edits.inputs?.[name]?.name ?? name)).toEqual(names)
    }),
  )
})
