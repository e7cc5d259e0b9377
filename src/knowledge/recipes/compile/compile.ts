import { createHash } from 'node:crypto'
import type { Execution } from '@apprentice/contracts/devices/execution.ts'
import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import type { Violation } from '@apprentice/contracts/recipes/violation.ts'
import { canonicalJson } from '../../canonical-json/canonical-json.ts'
import { type InputValues, readInputs } from '../parse/input-values.ts'
import { lowerRecipe } from '../lower/lower-recipe.ts'
import type { LoweredAction } from '../lower/lower-step.ts'
import { checkStructure } from '../check/validate.ts'
import { isError } from '../parse/violations.ts'

/** Which step of the recipe an action belongs to. */
export interface CompiledStep {
  readonly action_id: string
  readonly step_id: string
  /** Reached once this action is done. */
  readonly checkpoint_id?: string
  /** It checks the outcome. */
  readonly verification?: true
  /** It checks the step it belongs to: that it fails means the step was not proved done. */
  readonly confirm?: true
}

export type Compiled =
  | { readonly ok: true; readonly execution: Execution; readonly steps: readonly CompiledStep[] }
  | { readonly ok: false; readonly violations: readonly Violation[] }

export interface CompileOptions {
  readonly timeoutMs?: number | undefined
  /** Makes a run unique; without it the same recipe and inputs have the same id. */
  readonly commandId?: string | undefined
}

/**
 * The execution of a recipe with these inputs: no clock, no chance, no look at a device, so the same
 * input always makes the same bytes. Personal literals are the linter's matter, not a reason not to run.
 */
export function compileRecipe(
  recipe: Recipe,
  inputs: Readonly<Record<string, unknown>>,
  { timeoutMs, commandId }: CompileOptions = {},
): Compiled {
  const violations = checkStructure(recipe).filter(isError)
  if (violations.length > 0) return { ok: false, violations }
  const read = readInputs(recipe, inputs)
  if ('violations' in read) return { ok: false, violations: read.violations }
  const digest = digestOf(recipe, read.values)
  const marks = { commandId: commandId ?? `cmd-${digest}`, taskId: `task-${digest}`, timeoutMs }
  const lowered = lowerRecipe(recipe, read.values, marks, 'RECIPE_INPUT_INVALID')
  if (!lowered.ok) return lowered
  return { ok: true, execution: lowered.execution, steps: stepsOf(recipe, lowered.actions) }
}

function digestOf(recipe: Recipe, values: InputValues): string {
  const { recipe_id, recipe_version } = recipe
  const content = createHash('sha256').update(canonicalJson(recipe)).digest('hex')
  const inputs = Object.fromEntries(values)
  const seed = canonicalJson({ recipe_id, recipe_version, inputs, content })
  return createHash('sha256').update(seed).digest('hex').slice(0, 12)
}

function stepsOf({ checkpoints = [] }: Recipe, actions: readonly LoweredAction[]): CompiledStep[] {
  return actions.map(({ action, step_id, role }, at) => {
    const isLast = actions[at + 1]?.step_id !== step_id
    const reached = isLast
      ? checkpoints.find(({ after_step }) => after_step === step_id)
      : undefined
    return {
      action_id: action.id,
      step_id,
      ...(reached !== undefined && { checkpoint_id: reached.checkpoint_id }),
      ...(role === 'verification' && { verification: true }),
      ...(role === 'confirm' && { confirm: true }),
    }
  })
}
