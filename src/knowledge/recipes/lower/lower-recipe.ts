import {
  Execution,
  MAX_PAYLOAD_BYTES,
  MAX_TIMEOUT_MS,
} from '@apprentice/contracts/devices/execution.ts'
import type { Recipe, RecipeStep } from '@apprentice/contracts/recipes/recipe.ts'
import type { Violation } from '@apprentice/contracts/recipes/violation.ts'
import { fillInputs, type Fillable } from '../parse/fill-inputs.ts'
import type { InputValues } from '../parse/input-values.ts'
import { lowerSelector } from './lower-selector.ts'
import { lowerEarlyLook } from './lower-initial-check.ts'
import { type LoweredAction, lowerStart, lowerStep, lowerVerification } from './lower-step.ts'
import { errorAt, type RecipePath } from '../parse/violations.ts'

export const MAX_ACTIONS = 50

export interface LoweringMarks {
  readonly commandId: string
  readonly taskId: string
  readonly timeoutMs?: number | undefined
}

export type Lowered =
  | { readonly ok: true; readonly execution: Execution; readonly actions: readonly LoweredAction[] }
  | { readonly ok: false; readonly violations: Violation[] }

/** Several checks want to see the actions of one recipe. */
const remembered = new WeakMap<Recipe, readonly LoweredAction[]>()

/** The actions a recipe stands for, in order, before any input has its value. */
export function actionsOf(recipe: Recipe): readonly LoweredAction[] {
  const known = remembered.get(recipe)
  if (known !== undefined) return known
  const actions = lowerAll(recipe)
  remembered.set(recipe, actions)
  return actions
}

function lowerAll(recipe: Recipe): LoweredAction[] {
  const look = lowerEarlyLook(recipe)
  const lookedThrough = look.some(({ action }) => action.params?.['wholeList'] === true)
  const steps = lookedThrough ? recipe.steps.map(withoutLookingThrough) : recipe.steps
  return [
    ...lowerStart(recipe),
    ...look,
    ...steps.flatMap((step) => lowerStep(step, recipe)),
    ...(recipe.verification ?? []).map(lowerVerification),
  ]
}

function withoutLookingThrough(step: RecipeStep): RecipeStep {
  const { wholeList: _, ...params } = step.params ?? {}
  return step.params === undefined ? step : { ...step, params }
}

/** The execution of a recipe with these values. `blame` is the code for what the execution's schema refuses. */
export function lowerRecipe(
  recipe: Recipe,
  values: InputValues,
  marks: LoweringMarks,
  blame: 'RECIPE_SCHEMA_INVALID' | 'RECIPE_INPUT_INVALID',
): Lowered {
  const filling = fillInputs(recipe, values)
  if ('violations' in filling) return { ok: false, violations: filling.violations }
  const actions = actionsOf({ ...recipe, ...filling.filled })
  const payload = payloadOf(recipe, filling.filled, actions, marks)
  const parsed = Execution.safeParse(payload)
  if (!parsed.success) {
    const tell = ({ path, message }: { path: RecipePath; message: string }) =>
      errorAt({ code: blame, rule: 'execution', ...blamed(recipe, actions, path), message })
    return { ok: false, violations: parsed.error.issues.map(tell) }
  }
  const bytes = new TextEncoder().encode(JSON.stringify(parsed.data)).length
  if (bytes > MAX_PAYLOAD_BYTES) return { ok: false, violations: [tooLarge(bytes)] }
  return { ok: true, execution: parsed.data, actions }
}

function payloadOf(
  recipe: Recipe,
  { dismissals = [] }: Fillable,
  actions: readonly LoweredAction[],
  { commandId, taskId, timeoutMs }: LoweringMarks,
) {
  return {
    commandId,
    taskId,
    source: recipe.recipe_id.slice(0, 64),
    expectedFormat: 'android-ui-automator',
    timeoutMs: timeoutMs ?? MAX_TIMEOUT_MS,
    actions: actions.map(({ action }) => action),
    mode: 'artifact_compiled',
    ...(dismissals.length > 0 && { dismissals: dismissals.map((one) => lowerSelector(one)) }),
  }
}

/** The place in the recipe of something the execution's schema refuses. */
function blamed(
  recipe: Recipe,
  actions: readonly LoweredAction[],
  path: RecipePath,
): { readonly path: RecipePath } {
  const [list, position, ...rest] = path
  const culprit = list === 'actions' && typeof position === 'number' ? actions[position] : undefined
  if (culprit === undefined) return { path }
  const { step_id, role } = culprit
  if (role === 'session') return { path: step_id === 'session_ready' ? ['starts_on'] : [] }
  if (role === 'verification') {
    const ids = (recipe.verification ?? []).map(({ id }) => `verify.${id}`)
    return { path: ['verification', ids.indexOf(step_id)] }
  }
  const place = ['steps', recipe.steps.findIndex(({ id }) => id === step_id)]
  return { path: role === 'step' ? [...place, ...rest] : [...place, role] }
}

function tooLarge(bytes: number): Violation {
  const message = `The actions take ${bytes} bytes, more than the ${MAX_PAYLOAD_BYTES} there may be`
  return errorAt({ code: 'RECIPE_SCHEMA_INVALID', rule: 'size', path: ['steps'], message })
}
