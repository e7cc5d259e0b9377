import type { FailureCode } from '@apprentice/contracts/base/failures.ts'
import { withDaemon, type Scenario } from './scenarios.ts'
import { togglePower } from '../recipes/samples.ts'

const compiling = (body: object): Scenario => withDaemon((daemon) => daemon.post('/api/recipes/compile', body))

const template = (textEquals: string, type = 'click') => ({
  recipe: {
    commandId: '{{COMMAND_ID}}',
    taskId: '{{TASK_ID}}',
    source: 'test',
    expectedFormat: 'android-ui-automator',
    timeoutMs: 20_000,
    actions: [{ id: 'a', type, params: { matcher: { textEquals } } }],
  },
  skill_id: 'com.example.app.do',
  artifact_name: 'it',
})
const inputs = { tile_name: 'Lamp' }

export const recipeScenarios = {
  RECIPE_INVALID: compiling({ recipe: { ...togglePower, recipe_type: 'deed' }, inputs }),
  RECIPE_INPUT_MISSING: compiling({ recipe: togglePower }),
  RECIPE_INPUT_INVALID: compiling({ recipe: togglePower, inputs: { ...inputs, colour: 'red' } }),
  COMPILE_VARS_PARSE_FAILED: compiling({ ...template('{{A}}'), inputs: { A: [] } }),
  COMPILE_VAR_MISSING: compiling(template('{{A}}')),
  COMPILE_VALIDATION_FAILED: compiling(template('x', 'dance')),
  POLICY_DENIED: compiling({
    recipe: togglePower,
    inputs,
    policy: { name: 'guest', deny_capabilities: ['toggle'] },
  }),
} satisfies Partial<Record<FailureCode, Scenario>>
