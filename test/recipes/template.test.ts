import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Execution } from '@apprentice/contracts/devices/execution.ts'
import { compileTemplate, isTemplate, computeTemplateDigest } from '../../src/knowledge/recipes/compile/template.ts'
import { countRuns } from '../kit/count-runs.ts'

const createTemplate = (actions: unknown, skill_id = 'com.example.app.do') => ({
  skill_id,
  artifact_name: 'it.recipe.json',
  text: JSON.stringify({
    commandId: '{{COMMAND_ID}}',
    taskId: '{{TASK_ID}}',
    source: 'debug',
    expectedFormat: 'android-ui-automator',
    timeoutMs: 120_000,
    actions,
  }),
})
const createTap = (textEquals: string) => [{ id: 'a', type: 'tap', params: { matcher: { textEquals } } }]

test.each([
  ['com.solaxcloud.starter.get-battery', 'battery', {}, '43e1b2cf4595'],
  ['com.globird.energy.get-usage', 'usage', {}, 'aa7d452be27d'],
  ['com.theswitchbot.switchbot.get-bedroom-temperature', 'bedroom-temperature', {}, '41c0aaf2c97c'],
  [
    'com.google.android.apps.chromecast.app.get-climate',
    'climate-status.recipe.json',
    { CLIMATE_TILE_NAME: 'Master' },
    '34f46423f545',
  ],
])('the digest of %s is the one that other programs compute', (skill_id, artifact_name, vars, digest) => {
  expect(computeTemplateDigest({ skill_id, artifact_name }, vars)).toBe(digest)
})

test('a compiled template is a normalized execution with derived ids', () => {
  const compiled = compileTemplate(createTemplate([{ id: 'snap', type: 'snapshot' }]), {})
  const digest = computeTemplateDigest({ skill_id: 'com.example.app.do', artifact_name: 'it' }, {})

  expect(compiled).toMatchObject({
    ok: true,
    unused: [],
    execution: {
      commandId: `cmd-${digest}`,
      taskId: `task-${digest}`,
      mode: 'artifact_compiled',
      actions: [{ id: 'snap', type: 'snapshot_ui' }],
    },
  })
})

test('the caller may override ids', () => {
  const compiled = compileTemplate(createTemplate(createTap('{{A}}')), {
    A: 1,
    COMMAND_ID: 'mine',
    B: true,
  })
  expect(compiled).toMatchObject({
    ok: true,
    unused: ['B'],
    execution: { commandId: 'mine', actions: [{ params: { matcher: { textEquals: '1' } } }] },
  })
})

test.each([
  ['a missing variable', createTap('{{A}} {{B}}'), { A: 'x' }, 'COMPILE_VAR_MISSING'],
  ['an empty variable', createTap('{{A}}'), { A: '' }, 'COMPILE_VAR_MISSING'],
  ['a variable that is an object', createTap('{{A}}'), { A: {} }, 'COMPILE_VARS_PARSE_FAILED'],
  ['a list of variables', createTap('{{A}}'), ['x'], 'COMPILE_VARS_PARSE_FAILED'],
  ['a number instead of variables', createTap('{{A}}'), 5, 'COMPILE_VARS_PARSE_FAILED'],
  ['an action of an unknown type', [{ id: 'a', type: 'dance' }], {}, 'COMPILE_VALIDATION_FAILED'],
])('%s is refused', (_name, actions, vars, code) => {
  expect(compileTemplate(createTemplate(actions), vars)).toMatchObject({ ok: false, code })
})

test('the message names the first missing variable, and the details name all', () => {
  expect(compileTemplate(createTemplate(createTap('{{B}} {{A}} {{C}}')), { A: 1 })).toMatchObject({
    message: 'Missing required variable: B',
    details: {
      placeholder: 'B',
      missing: ['B', 'C'],
      skillId: 'com.example.app.do',
      artifactName: 'it',
    },
  })
})

test('an invalid execution is reported with path and hint', () => {
  const format = [{ id: 'a', type: 'snapshot_ui', params: { format: 'xml' } }]
  expect(compileTemplate(createTemplate(format), {})).toMatchObject({
    code: 'COMPILE_VALIDATION_FAILED',
    details: { path: 'actions.0.params', invalidKeys: ['format'], hint: expect.any(String) },
  })
  expect(compileTemplate({ ...createTemplate([]), text: '[{{A}}]' }, { A: 1 })).toMatchObject({
    code: 'COMPILE_VALIDATION_FAILED',
  })
})

test('placeholders and quotes in a value are not interpreted', () => {
  const odd = fc.oneof(
    fc.string({ unit: 'binary', minLength: 1 }),
    fc.constantFrom('{{B}}', '"},{"', '\\', '$&', '{{COMMAND_ID}}', '\n'),
  )
  fc.assert(
    fc.property(odd, odd, (A, B) => {
      const one = compileTemplate(createTemplate(createTap('{{A}}|{{B}}')), { A, B })
      const other = compileTemplate(createTemplate(createTap('{{A}}|{{B}}')), { B, A })
      expect(other).toEqual(one)
      expect(one).toMatchObject({
        ok: true,
        execution: { actions: [{ params: { matcher: { textEquals: `${A}|${B}` } } }] },
      })
      if (one.ok) expect(Execution.parse(one.execution)).toEqual(one.execution)
    }),
    { numRuns: countRuns(500) },
  )
})

test('isTemplate accepts only executions without recipe_id', () => {
  expect(isTemplate({ commandId: 'a', actions: [] })).toBe(true)
  expect(isTemplate({ commandId: 'a', actions: [], recipe_id: 'b' })).toBe(false)
  expect([null, [], 'x', {}].some(isTemplate)).toBe(false)
})
