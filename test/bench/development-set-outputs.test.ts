import { expect, test } from 'vitest'
import { compareOutputs } from './development-set-outputs.ts'
import { judgeRun } from './development-set-verdict.ts'

const lesson = {
  outputs: [
    { key: 'end', accepted_names: ['until', 'end'], demonstrated: '16:15', element: '16:15' },
    { key: 'cars', accepted_names: ['cars'], demonstrated: ['A'], element: 'A' },
  ],
}

test('returned values are compared by the name that the person gave to the output', () => {
  const wanted = { end: '15:45', cars: ['A', 'B'] }
  expect(compareOutputs(lesson, wanted, { until: '15:45', cars: ['A', 'B'] })).toEqual({ missing: [], wrong: [] })
  expect(compareOutputs(lesson, wanted, { until: '16:15' })).toEqual({ missing: ['cars'], wrong: ['end'] })
  expect(compareOutputs(lesson, undefined, { until: '16:15' })).toEqual({ missing: [], wrong: [] })
})

test('a wrong value is a false success, and a missing one is wrong', () => {
  const variation = {
    name: 'same',
    kind: 'same',
    expect: 'success',
    end: 'saved.on',
    inputs: {},
    locale: 'en-US',
  } as const
  const outcome = { claimsSuccess: true, endHolds: true, before: {}, after: {} }
  const judge = (outputs: { missing: string[]; wrong: string[] }) =>
    judgeRun(variation, { ...outcome, outputs }).verdict
  expect(judge({ missing: [], wrong: [] })).toBe('right')
  expect(judge({ missing: [], wrong: ['end'] })).toBe('false_success')
  expect(judge({ missing: ['end'], wrong: [] })).toBe('wrong')
})
