import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import type { StepResult } from '@apprentice/contracts/devices/execution.ts'
import type { Recipe, RecipeOutput } from '@apprentice/contracts/recipes/recipe.ts'
import { compileRecipe } from '../../src/knowledge/recipes/compile/compile.ts'
import { evaluateCompatibility } from '../../src/knowledge/recipes/parse/compatibility.ts'
import { judgeResults } from '../../src/knowledge/recipes/compile/judge-results.ts'
import { readOutputs, redactResults, redactValue } from '../../src/knowledge/recipes/compile/outputs.ts'
import { togglePower } from './samples.ts'

const KEY = 'of this installation'
const createResult = (id: string, actionType: string, data: Record<string, string>): StepResult => ({
  id,
  actionType,
  success: true,
  outcome: 'succeeded',
  data,
})
const createReading = (text: string) => [createResult('read_state', 'read_text', { text })]
const READ_STEP = 'read_state'
const withOutput = (output: Partial<RecipeOutput>) => ({
  ...togglePower,
  outputs: [{ name: 'it', type: 'string' as const, from: READ_STEP, ...output }],
})

test.each([
  ['On since noon', 'none', 'On since noon'],
  ['On since noon', 'mask', '***********on'],
  ['12345', 'mask', '***45'],
  ['1234', 'mask', '****'],
  ['', 'mask', ''],
  ['a😀b😀c', 'mask', '***😀c'],
  ['x', 'drop', undefined],
  ['x', 'hash', createHmac('sha256', KEY).update('x').digest('hex')],
] as const)('"%s" with redaction %s', (value, redaction, expected) => {
  expect(redactValue(value, redaction, KEY)).toBe(expected)
})

test.each<[string, Partial<RecipeOutput>, string, unknown]>([
  ['a text is masked by default', {}, 'Cooling', '*****ng'],
  ['a text with redaction none', { redaction: 'none' }, 'Cooling', 'Cooling'],
  ['a number is not redacted', { type: 'number' }, 'Set to −21,5 °C', -21.5],
  ['a number with thousands', { type: 'number' }, 'Total: € 1,240.50', 1240.5],
  ['a list with redaction none', { type: 'list', redaction: 'none' }, '["Lamps","Chairs"]', ['Lamps', 'Chairs']],
  ['a list is masked by default', { type: 'list' }, '["Lamps","Ada"]', ['***ps', '***']],
  ['a list with redaction drop', { type: 'list', redaction: 'drop' }, '["Lamps"]', undefined],
  ['a text that is no list', { type: 'list', redaction: 'none' }, 'Lamps', undefined],
  ['an integer', { type: 'integer' }, '40 %', 40],
  ['a fraction is not an integer', { type: 'integer' }, '40.5 %', undefined],
  ['a boolean', { type: 'boolean' }, ' On ', true],
  ['a text that is not a boolean', { type: 'boolean' }, 'Perhaps', undefined],
  ['the capture group of a pattern', { redaction: 'none', pattern: 'to (\\d+)' }, 'Up to 40%', '40'],
  ['a pattern without a match', { redaction: 'none', pattern: 'at (\\d+)' }, 'Up to 40%', undefined],
  [
    'a pattern that would take exponential time elsewhere',
    { redaction: 'none', pattern: '((?:a+)+)$' },
    `${'a'.repeat(60)}!`,
    undefined,
  ],
  ['redaction drop', { redaction: 'drop' }, 'Cooling', undefined],
])('the output of %s', (_name, output, text, expected) => {
  const outputs = readOutputs(withOutput(output), createReading(text), KEY)
  expect(outputs).toEqual(expected === undefined ? {} : { it: expected })
})

test('a failed or missing step has no output', () => {
  const failed = createReading('x').map((one) => ({ ...one, success: false }))
  expect(readOutputs(withOutput({}), failed, KEY)).toEqual({})
  expect(readOutputs(withOutput({}), [], KEY)).toEqual({})
})

test('a stored result is redacted like the strictest output derived from it', () => {
  const recipe: Recipe = {
    ...togglePower,
    outputs: [
      { name: 'a', type: 'string', from: READ_STEP, redaction: 'none' },
      { name: 'b', type: 'string', from: READ_STEP, redaction: 'drop' },
    ],
    steps: [...togglePower.steps, { id: 'snap', type: 'snapshot_ui' }],
  }
  const stored = redactResults(
    recipe,
    [
      ...createReading('Cooling'),
      createResult('snap', 'snapshot_ui', { text: '<hierarchy/>', actual_format: 'hierarchy_xml' }),
      createResult('verify.a', 'expect', { observed: 'On' }),
      createResult('press_power', 'click', { x: '1' }),
    ],
    KEY,
  )
  expect(stored.map(({ data }) => data)).toEqual([
    {},
    { actual_format: 'hierarchy_xml' },
    { observed: 'On' },
    { x: '1' },
  ])
  expect(redactResults({ ...recipe, outputs: [] }, createReading('Cooling'), KEY)[0]?.data).toEqual({
    text: '*****ng',
  })
})

const confirmedRecipe: Recipe = {
  ...togglePower,
  steps: togglePower.steps.map((step) =>
    step.id === 'press_power' ? { ...step, confirm: { selector: { resource_id: 'a:id/b' }, text_equals: 'On' } } : step,
  ),
}

test.each([
  ['press_power.confirm_read', 'VALIDATOR_MISMATCH', 'VERIFY_FAILED'],
  ['press_power.confirm_wait', 'NODE_NOT_FOUND', 'VERIFY_FAILED'],
  ['press_power.confirm_read', 'UI_TREE_UNAVAILABLE', 'UI_TREE_UNAVAILABLE'],
  ['press_power', 'NODE_NOT_FOUND', 'NODE_NOT_FOUND'],
])('%s that fails with %s is reported as %s', (id, error, meaning) => {
  const compiled = compileRecipe(confirmedRecipe, { tile_name: 'x' })
  const failed: StepResult = {
    id,
    actionType: 'x',
    success: false,
    outcome: 'failed',
    data: { error },
  }
  const [judged] = judgeResults(confirmedRecipe, compiled.ok ? compiled.steps : [], [failed])
  expect(judged?.data['error']).toBe(meaning)
})

test('a step with an unexpected count or a fallback is partial', () => {
  const counting: Recipe = {
    ...togglePower,
    steps: togglePower.steps.map((step) =>
      step.id === READ_STEP ? { ...step, params: { all: true, expected_count: 3 } } : step,
    ),
  }
  const judge = (data: Record<string, string>, success = true) => {
    const one = { ...createResult(READ_STEP, 'read_text', data), success }
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
] as const)('a recipe with compatibility %j and app version %s is %s', (compatibility, version, verdict) => {
  expect(evaluateCompatibility({ compatibility }, version)).toBe(verdict)
})
