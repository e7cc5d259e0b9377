import type { RunInputs } from '@apprentice/contracts/abilities/run-parts.ts'
import type { ScenePlan } from '@apprentice/contracts/scenes/plan.ts'
import { Failure } from '../../failure/failure.ts'
import { errorAt } from '../../knowledge/recipes/parse/violations.ts'
import type { RegisteredScene } from '../../knowledge/scenes/catalog.ts'
import { planWithInputs } from '../../knowledge/scenes/plan.ts'
import type { Moment } from '../../knowledge/scenes/resolvers/resolver.ts'

/** Plans a scene with the inputs of its ability, or throws what is missing, as for any ability. */
export function planAbilityRun(scene: RegisteredScene, inputs: RunInputs, moment: Moment): ScenePlan {
  const known = new Set(scene.params.map(({ name }) => name))
  const unknown = Object.keys(inputs).find((name) => !known.has(name))
  if (unknown !== undefined) {
    const message = `${unknown} is not an input of ${scene.id}. Its inputs are ${[...known].join(', ')}.`
    throw new Failure('RECIPE_INPUT_INVALID', message, { details: { input: unknown } })
  }
  const missing = scene.params.filter(({ name, required }) => required && isBlank(inputs[name]))
  const [first] = missing
  if (first !== undefined) {
    const violations = missing.map(({ name, prompt_missing: message }) =>
      errorAt({ code: 'RECIPE_INPUT_MISSING', rule: 'input_values', path: ['inputs', name], message }),
    )
    throw new Failure('RECIPE_INPUT_MISSING', first.prompt_missing, { details: { input: first.name, violations } })
  }
  const decided = planWithInputs(scene, inputs, moment)
  if (decided.outcome === 'plan') return decided.plan
  const [param] = decided.params
  throw new Failure('SCENE_NOT_PLANNED', param?.prompt ?? decided.explanation, {
    details: { input: param?.name, dispatch: decided },
  })
}

const isBlank = (value: RunInputs[string] | undefined): boolean =>
  value === undefined || (typeof value === 'string' && value.trim() === '')
