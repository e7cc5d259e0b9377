import { createHash } from 'node:crypto'
import type { Execution } from '@apprentice/contracts/devices/execution.ts'
import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import type { Violation } from '@apprentice/contracts/recipes/violation.ts'
import { canonicalJson } from '../../canonical-json/canonical-json.ts'
import { type InputValues, readInputs } from '../parse/input-values.ts'
import { listActions, lowerRecipe, MAX_ACTIONS } from '../lower/lower-recipe.ts'
import type { LoweredAction } from '../lower/lower-step.ts'
import { checkStructure } from '../check/validate.ts'
import { isCall } from '../parse/ability-calls.ts'
import { packGroups, splitGroups } from '../parts/action-groups.ts'
import { errorAt, isError } from '../parse/violations.ts'

/** The step of the recipe that an action belongs to. */
export interface CompiledStep {
  readonly action_id: string
  readonly step_id: string
  /** The checkpoint that is reached after this action. */
  readonly checkpoint_id?: string
  /** The action belongs to the verification list. */
  readonly verification?: true
  /** The verification is about a message that disappears. */
  readonly passing?: true
  /** The action sees the message of the app, and later ones look at the thing itself. */
  readonly told?: true
  /** The action confirms its step: if it fails, the step is not verified. */
  readonly confirm?: true
}

export type Compiled =
  | { readonly ok: true; readonly execution: Execution; readonly steps: readonly CompiledStep[] }
  | { readonly ok: false; readonly violations: readonly Violation[] }

export interface CompileOptions {
  readonly timeoutMs?: number | undefined
  /** Replaces the default id, which is derived from the recipe and its inputs. */
  readonly commandId?: string | undefined
}

/**
 * Compiles a recipe with inputs to an execution. The result is deterministic: no clock, no randomness, no device. Personal
 * literals are reported by the linter and do not prevent compilation.
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
  const digest = computeDigest(recipe, read.values)
  const parts = countParts(recipe)
  if (parts > 1) return { ok: false, violations: [severalExecutions(parts)] }
  const header = { commandId: commandId ?? `cmd-${digest}`, taskId: `task-${digest}`, timeoutMs }
  const lowered = lowerRecipe(recipe, read.values, header, 'RECIPE_INPUT_INVALID')
  if (!lowered.ok) return lowered
  return { ok: true, execution: lowered.execution, steps: toCompiledSteps(recipe, lowered.actions) }
}

/** The number of executions and calls that a recipe needs. */
function countParts(recipe: Recipe): number {
  const actions = listActions(recipe)
  if (actions.length <= MAX_ACTIONS && !recipe.steps.some(isCall)) return 1
  const groups = packGroups(splitGroups(actions), (some) => some.length <= MAX_ACTIONS)
  return Math.max(2, groups.length)
}

function severalExecutions(count: number): Violation {
  const message = `The recipe needs ${count} executions; install it as an ability and run that`
  return errorAt({ code: 'RECIPE_SCHEMA_INVALID', rule: 'size', path: ['steps'], message })
}

/** The hash that names the content of a recipe. */
export function computeContentHash(recipe: Recipe): string {
  return createHash('sha256').update(canonicalJson(recipe)).digest('hex')
}

export function computeDigest(recipe: Recipe, values: InputValues): string {
  const { recipe_id, recipe_version } = recipe
  const content = computeContentHash(recipe)
  const inputs = Object.fromEntries(values)
  const seed = canonicalJson({ recipe_id, recipe_version, inputs, content })
  return createHash('sha256').update(seed).digest('hex').slice(0, 12)
}

export function toCompiledSteps({ checkpoints = [] }: Recipe, actions: readonly LoweredAction[]): CompiledStep[] {
  return actions.map(({ action, step_id, role }, at) => {
    // The actions before the first step have its id, but reach nothing.
    const isLast = role !== 'session' && actions[at + 1]?.step_id !== step_id
    const reached = isLast ? checkpoints.find(({ after_step }) => after_step === step_id) : undefined
    return {
      action_id: action.id,
      step_id,
      ...(reached !== undefined && { checkpoint_id: reached.checkpoint_id }),
      ...(role === 'verification' && { verification: true }),
      ...(role === 'verification' && action.params['transient'] === true && { passing: true }),
      ...(role === 'step' && action.type === 'expect' && action.params['added'] === true && { told: true }),
      ...(role === 'confirm' && { confirm: true }),
    }
  })
}
