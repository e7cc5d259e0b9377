import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import type { StepResult } from '@apprentice/contracts/devices/execution.ts'
import type { Recipe, RecipeOutput } from '@apprentice/contracts/recipes/recipe.ts'
import { compileRecipe } from '../../src/knowledge/recipes/compile/compile.ts'
import { evaluateCompatibility } from '../../src/knowledge/recipes/parse/compatibility.ts'
import { judgeResults } from '../../src/knowledge/recipes/compile/judge-results.ts'
import {
  readOutputs,
  redactResults,
  redactValue,
} from '../../src/knowledge/recipes/compile/outputs.ts'
import { togglePower } from './samples.ts'

const key = 'of this installation'
const result = (id: string, actionType: string, data: Record<string, string>): StepResult => ({
  id,
  actionType,
  success: true,
  outcome: 'succeeded',
  data,
})
const read = (text: string) => [result('read_state', 'read_text', { text })]
const from = 'read_state'
const telling = (output: Partial<RecipeOutput>) => ({
  ...togglePower,
  outputs: [{ name: 'it', type: 'string' as const, from, ...output }],
})

test.each([
  ['On since noon', 'none', 'On since noon'],
  ['On since noon', 'mask', '***********on'],
  ['12345', 'mask', '***45'],
  ['1234', 'mask', '****'],
  ['', 'mask', ''],
  ['a😀b😀c', 'mask', '***😀c'],
  ['x', 'drop', undefined],
  ['x', 'hash', createHmac('sha256', key).update('x').digest('hex')],
] as const)('"%s" under %s', (value, redaction, told) => {
  expect(redactValue(value, redaction, key)).toBe(told)
})

test.each<[string, Partial<RecipeOutput>, string, unknown]>([
  ['a text is masked unless it says otherwise', {}, 'Cooling', '*****ng'],
  ['a text that may be told', { redaction: 'none' }, 'Cooling', 'Cooling'],
  ['a number is told', { type: 'number' }, 'Set to −21,5 °C', -21.5],
  ['a whole number', { type: 'integer' }, '40 %', 40],
  ['a fraction is no whole number', { type: 'integer' }, '40.5 %', undefined],
  ['a state', { type: 'boolean' }, ' On ', true],
  ['no state at all', { type: 'boolean' }, 'Perhaps', undefined],
  ['a part of it', { redaction: 'none', pattern: 'to (\\d+)' }, 'Up to 40%', '40'],
  ['a part that is not there', { redaction: 'none', pattern: 'at (\\d+)' }, 'Up to 40%', undefined],
  [
    'a pattern that runs away',
    { redaction: 'none', pattern: '((?:a+)+)$' },
    `${'a'.repeat(60)}!`,
    undefined,
  ],
  ['a dropped one', { redaction: 'drop' }, 'Cooling', undefined],
])('%s', (_name, output, text, told) => {
  const outputs = readOutputs(telling(output), read(text), key)
  expect(outputs).toEqual(told === undefined ? {} : { it: told })
})

test('a step that failed, or was never done, has no output', () => {
  const failed = read('x').map((one) => ({ ...one, success: false }))
  expect(readOutputs(telling({}), failed, key)).toEqual({})
  expect(readOutputs(telling({}), [], key)).toEqual({})
})

test('what is kept is redacted as strictly as the strictest output made of it', () => {
  const recipe: Recipe = {
    ...togglePower,
    outputs: [
      { name: 'a', type: 'string', from, redaction: 'none' },
      { name: 'b', type: 'string', from, redaction: 'drop' },
    ],
    steps: [...togglePower.steps, { id: 'snap', type: 'snapshot_ui' }],
  }
  const kept = redactResults(
    recipe,
    [
      ...read('Cooling'),
      result('snap', 'snapshot_ui', { text: '<hierarchy/>', actual_format: 'hierarchy_xml' }),
      result('verify.a', 'expect', { observed: 'On' }),
      result('press_power', 'click', { x: '1' }),
    ],
    key,
  )
  expect(kept.map(({ data }) => data)).toEqual([
    {},
    { actual_format: 'hierarchy_xml' },
    { observed: 'On' },
    { x: '1' },
  ])
  expect(redactResults({ ...recipe, outputs: [] }, read('Cooling'), key)[0]?.data).toEqual({
    text: '*****ng',
  })
})

const confirmed: Recipe = {
  ...togglePower,
  steps: togglePower.steps.map((step) =>
    step.id === 'press_power'
      ? { ...step, confirm: { selector: { resource_id: 'a:id/b' }, text_equals: 'On' } }
      : step,
  ),
}

test.each([
  ['press_power.confirm_read', 'VALIDATOR_MISMATCH', 'VERIFY_FAILED'],
  ['press_power.confirm_wait', 'NODE_NOT_FOUND', 'VERIFY_FAILED'],
  ['press_power.confirm_read', 'UI_TREE_UNAVAILABLE', 'UI_TREE_UNAVAILABLE'],
  ['press_power', 'NODE_NOT_FOUND', 'NODE_NOT_FOUND'],
])('%s that fails with %s means %s', (id, error, meaning) => {
  const compiled = compileRecipe(confirmed, { tile_name: 'x' })
  const failed: StepResult = {
    id,
    actionType: 'x',
    success: false,
    outcome: 'failed',
    data: { error },
  }
  const [judged] = judgeResults(confirmed, compiled.ok ? compiled.steps : [], [failed])
  expect(judged?.data['error']).toBe(meaning)
})

test('a step that found something else than it asked for is done in part', () => {
  const counting: Recipe = {
    ...togglePower,
    steps: togglePower.steps.map((step) =>
      step.id === from ? { ...step, params: { all: true, expected_count: 3 } } : step,
    ),
  }
  const judge = (data: Record<string, string>, success = true) => {
    const one = { ...result(from, 'read_text', data), success }
    const [judged] = judgeResults(counting, [], [one])
    return [judged?.outcome, judged?.data['expected_count'], judged?.data['observed_count']]
  }
  expect(judge({ count: '3' })).toEqual(['succeeded', undefined, undefined])
  expect(judge({ count: '2' })).toEqual(['partial', '3', '2'])
  expect(judge({ used_fallback: '1' })).toEqual(['partial', undefined, undefined])
  expect(judge({ candidate_count: '4' }, false)).toEqual(['succeeded', '1', '4'])
})

test.each([
  [{}, 5, 'unknown'],
  [{ min_version_code: 4 }, undefined, 'unknown'],
  [{ min_version_code: 4 }, 4, 'in_range'],
  [{ min_version_code: 4, max_version_code: 6 }, 7, 'out_of_range'],
  [{ max_version_code: 6 }, 3, 'in_range'],
] as const)('a recipe for %j is, for version %s, %s', (compatibility, version, verdict) => {
  expect(evaluateCompatibility({ compatibility }, version)).toBe(verdict)
})
