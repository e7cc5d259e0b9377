import { Execution, MAX_PAYLOAD_BYTES, MAX_TIMEOUT_MS } from '@apprentice/contracts/devices/execution.ts'
import type { Recipe, RecipeStep } from '@apprentice/contracts/recipes/recipe.ts'
import type { Violation } from '@apprentice/contracts/recipes/violation.ts'
import { fillInputs, type Fillable } from '../parse/fill-inputs.ts'
import type { InputValues } from '../parse/input-values.ts'
import { lowerSelector } from './lower-selector.ts'
import { lowerInitialCheck } from './lower-initial-check.ts'
import { type LoweredAction, lowerAbsenceSearch, lowerStart, lowerStep, lowerVerification } from './lower-step.ts'
import { errorAt, type RecipePath } from '../parse/violations.ts'

export const MAX_ACTIONS = 50

export interface ExecutionHeader {
  readonly commandId: string
  readonly taskId: string
  readonly timeoutMs?: number | undefined
}

export type Lowered =
  | { readonly ok: true; readonly execution: Execution; readonly actions: readonly LoweredAction[] }
  | { readonly ok: false; readonly violations: Violation[] }

/** Cache: several checks use the actions of the same recipe. */
const loweredActions = new WeakMap<Recipe, readonly LoweredAction[]>()

/** The actions of a recipe in order, before inputs are filled in. */
export function listActions(recipe: Recipe): readonly LoweredAction[] {
  const cached = loweredActions.get(recipe)
  if (cached !== undefined) return cached
  const actions = lowerActions(recipe)
  loweredActions.set(recipe, actions)
  return actions
}

function lowerActions(recipe: Recipe): LoweredAction[] {
  const check = lowerInitialCheck(recipe)
  const searchesWholeList = check.some(({ action }) => action.params?.['wholeList'] === true)
  const steps = searchesWholeList ? recipe.steps.map(withoutWholeList) : recipe.steps
  return [
    ...lowerStart(recipe),
    ...check,
    ...steps.flatMap((step) => lowerStep(step, recipe)),
    ...(recipe.verification ?? []).map(lowerVerification),
    ...(recipe.verification ?? []).flatMap(lowerAbsenceSearch),
  ]
}

function withoutWholeList(step: RecipeStep): RecipeStep {
  const { wholeList: _, ...params } = step.params ?? {}
  return step.params === undefined ? step : { ...step, params }
}

/** The execution of a recipe with these values. `code` is used for violations of the execution schema. */
export function lowerRecipe(
  recipe: Recipe,
  values: InputValues,
  header: ExecutionHeader,
  code: 'RECIPE_SCHEMA_INVALID' | 'RECIPE_INPUT_INVALID',
): Lowered {
  const filling = fillInputs(recipe, values)
  if ('violations' in filling) return { ok: false, violations: filling.violations }
  const actions = listActions({ ...recipe, ...filling.filled })
  const payload = buildPayload(recipe, filling.filled, actions, header)
  const parsed = Execution.safeParse(payload)
  if (!parsed.success) {
    const report = ({ path, message }: { path: RecipePath; message: string }) =>
      errorAt({ code, rule: 'execution', ...locateIssue(recipe, actions, path), message })
    return { ok: false, violations: parsed.error.issues.map(report) }
  }
  const bytes = new TextEncoder().encode(JSON.stringify(parsed.data)).length
  if (bytes > MAX_PAYLOAD_BYTES) return { ok: false, violations: [oversizeViolation(bytes)] }
  return { ok: true, execution: parsed.data, actions }
}

export function buildPayload(
  recipe: Recipe,
  { dismissals = [] }: Fillable,
  actions: readonly LoweredAction[],
  { commandId, taskId, timeoutMs }: ExecutionHeader,
) {
  return {
    commandId,
    taskId,
    source: recipe.recipe_id.slice(0, 64),
    expectedFormat: 'android-ui-automator',
    timeoutMs: timeoutMs ?? MAX_TIMEOUT_MS,
    actions: actions.map(({ action }) => action),
    mode: 'artifact_compiled',
    ...(recipe.landmarks !== undefined && { landmarks: recipe.landmarks.map((one) => lowerSelector(one)) }),
    ...(recipe.accounts !== undefined && { accounts: recipe.accounts }),
    ...(recipe.words !== undefined && { words: recipe.words }),
    ...(dismissals.length > 0 && { dismissals: dismissals.map((one) => lowerSelector(one)) }),
  }
}

/** The path in the recipe for an issue of the execution schema. */
export function locateIssue(
  recipe: Recipe,
  actions: readonly LoweredAction[],
  path: RecipePath,
): { readonly path: RecipePath } {
  const [list, position, ...rest] = path
  const source = list === 'actions' && typeof position === 'number' ? actions[position] : undefined
  if (source === undefined) return { path }
  const { step_id, role } = source
  if (role === 'session') return { path: step_id === 'session_ready' ? ['starts_on'] : [] }
  if (role === 'verification') {
    const ids = (recipe.verification ?? []).map(({ id }) => `verify.${id}`)
    return { path: ['verification', ids.indexOf(step_id)] }
  }
  const stepPath = ['steps', recipe.steps.findIndex(({ id }) => id === step_id)]
  return { path: role === 'step' ? [...stepPath, ...rest] : [...stepPath, role] }
}

export function oversizeViolation(bytes: number): Violation {
  const message = `The actions have ${bytes} bytes; the maximum is ${MAX_PAYLOAD_BYTES}`
  return errorAt({ code: 'RECIPE_SCHEMA_INVALID', rule: 'size', path: ['steps'], message })
}
