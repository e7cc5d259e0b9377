import { Execution, MAX_PAYLOAD_BYTES, MAX_TIMEOUT_MS } from '@apprentice/contracts/devices/execution.ts'
import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import type { Violation } from '@apprentice/contracts/recipes/violation.ts'
import { CALL_TYPE, isCall, listCalls, type PlacedCall } from '../parse/ability-calls.ts'
import { fillInputs, type Fillable } from '../parse/fill-inputs.ts'
import type { InputValues } from '../parse/input-values.ts'
import { errorAt, type RecipePath } from '../parse/violations.ts'
import {
  buildPayload,
  type ExecutionHeader,
  listActions,
  locateIssue,
  lowerRecipe,
  MAX_ACTIONS,
  oversizeViolation,
} from '../lower/lower-recipe.ts'
import type { LoweredAction } from '../lower/lower-step.ts'
import { DONE_MARKER, packGroups, splitGroups } from './action-groups.ts'

/** A part of a recipe: an execution, or a call of another ability. */
export type RecipePart =
  | {
      readonly kind: 'execution'
      readonly execution: Execution
      readonly actions: readonly LoweredAction[]
      /** The part with the verification. A part that reports `already.done` continues there. */
      readonly verifies: boolean
    }
  | { readonly kind: 'call'; readonly call: PlacedCall }

export type LoweredParts =
  | { readonly ok: true; readonly parts: readonly RecipePart[] }
  | { readonly ok: false; readonly violations: readonly Violation[] }

export interface PartsHeader extends Omit<ExecutionHeader, 'timeoutMs'> {
  /** The time for the whole recipe. It may exceed the limit of one execution. */
  readonly budgetMs?: number | undefined
}

/**
 * Lowers a recipe to the executions it needs, in order. A recipe without calls that fits into one execution and its
 * time gives the same execution as `lowerRecipe`. Otherwise it is split between steps, and the verification is an
 * execution of its own.
 */
export function lowerParts(
  recipe: Recipe,
  values: InputValues,
  { budgetMs, ...ids }: PartsHeader,
  code: 'RECIPE_SCHEMA_INVALID' | 'RECIPE_INPUT_INVALID',
): LoweredParts {
  const filling = fillInputs(recipe, values)
  if ('violations' in filling) return { ok: false, violations: filling.violations }
  const header = { ...ids, timeoutMs: budgetMs === undefined ? undefined : Math.min(budgetMs, MAX_TIMEOUT_MS) }
  const actions = listActions({ ...recipe, ...filling.filled })
  const count = Math.ceil((budgetMs ?? 1) / MAX_TIMEOUT_MS)
  const measure = (some: readonly LoweredAction[]) => measureBytes(buildPayload(recipe, filling.filled, some, header))
  const hasCall = recipe.steps.some(isCall)
  if (!hasCall && count === 1 && actions.length <= MAX_ACTIONS && measure(actions) <= MAX_PAYLOAD_BYTES) {
    const lowered = lowerRecipe(recipe, values, header, code)
    return lowered.ok
      ? { ok: true, parts: [{ kind: 'execution', verifies: true, ...pickExecution(lowered) }] }
      : lowered
  }
  const perPart = Math.min(MAX_ACTIONS - MARKERS, Math.ceil(actions.length / count))
  const maxBytes = MAX_PAYLOAD_BYTES - MARKERS * MARKER_BYTES
  const fits = (some: readonly LoweredAction[]) => some.length <= perPart && measure(some) <= maxBytes
  const groups = packGroups(splitGroups(actions), fits)
  return assemble({ recipe, filled: filling.filled, header, code }, groups)
}

/** Room for the markers that splitting may add to a part. */
const MARKERS = 2
const MARKER_BYTES = 200

interface Source {
  readonly recipe: Recipe
  readonly filled: Fillable
  readonly header: ExecutionHeader
  readonly code: 'RECIPE_SCHEMA_INVALID' | 'RECIPE_INPUT_INVALID'
}

function assemble(source: Source, groups: readonly (readonly LoweredAction[])[]): LoweredParts {
  const calls = new Map(listCalls(source.filled).map((placed) => [placed.step_id, placed]))
  const parts: RecipePart[] = []
  const violations: Violation[] = []
  for (const group of groups) {
    const [first] = group
    const call = first?.action.type === CALL_TYPE ? calls.get(first.step_id) : undefined
    if (call !== undefined) {
      parts.push({ kind: 'call', call })
      continue
    }
    const built = buildExecution(source, group)
    if ('violations' in built) for (const violation of built.violations) violations.push(violation)
    else parts.push({ kind: 'execution', verifies: first?.role === 'verification', ...built })
  }
  return violations.length > 0 ? { ok: false, violations } : { ok: true, parts }
}

function buildExecution(
  { recipe, filled, header, code }: Source,
  actions: readonly LoweredAction[],
): { execution: Execution; actions: readonly LoweredAction[] } | { violations: Violation[] } {
  const payload = buildPayload(recipe, filled, actions, header)
  const parsed = Execution.safeParse(payload)
  if (!parsed.success) {
    const report = ({ path, message }: { path: RecipePath; message: string }) =>
      errorAt({ code, rule: 'execution', ...locateIssue(recipe, actions, path), message })
    return { violations: parsed.error.issues.map(report) }
  }
  const bytes = measureBytes(parsed.data)
  return bytes > MAX_PAYLOAD_BYTES ? { violations: [oversizeViolation(bytes)] } : { execution: parsed.data, actions }
}

const pickExecution = ({ execution, actions }: { execution: Execution; actions: readonly LoweredAction[] }) => ({
  execution,
  actions,
})

const measureBytes = (payload: unknown): number => new TextEncoder().encode(JSON.stringify(payload)).length

/** Whether a result says that the outcome was already reached, so that only the verification remains. */
export const isAlreadyDone = ({ data }: { readonly data: Readonly<Record<string, string>> }): boolean =>
  data['skip_to'] === DONE_MARKER
