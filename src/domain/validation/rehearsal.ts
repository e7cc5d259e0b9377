import type { Action } from '@apprentice/contracts/devices/action.ts'
import { type Execution, normalizeExecution } from '@apprentice/contracts/devices/execution.ts'
import type { TestPolicy } from '@apprentice/contracts/learn/test-policy.ts'
import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import { replaceLiteral } from '../../knowledge/redaction/replace-literal.ts'
import type { CompiledStep } from '../../knowledge/recipes/compile/compile.ts'
import type { DraftUnderTest } from './draft-under-test.ts'

/** One execution of a rehearsal: of the draft, or of an ability that it calls. */
export interface RehearsalPart {
  /** The steps that called the ability, joined with `/`; empty for the draft. */
  readonly call: string
  readonly ability_id: string
  readonly recipe: Recipe
  readonly execution: Execution
  readonly plan: readonly CompiledStep[]
  /** The part to continue with if the outcome was already reached at the start. */
  readonly done_at?: number | undefined
}

/** The executions that test a draft on a device, and their policy. */
export interface Rehearsal {
  readonly kind: 'rehearsal' | 'canary' | 'cleanup'
  readonly recipe: Recipe
  readonly parts: readonly RehearsalPart[]
  readonly policy: TestPolicy
  /** The text values it is executed with, by input name. */
  readonly texts: ReadonlyMap<string, string>
}

/** Replaces demonstrated values by the names of their inputs. */
export function maskValues(record: string, texts: Rehearsal['texts']): string {
  return [...texts].reduce((text, [name, literal]) => replaceLiteral(text, { literal, by: `‹${name}›` }), record)
}

/** The executions of the whole recipe. Undefined if it does not compile. */
export function buildRehearsal(draft: DraftUnderTest, runId: string): Rehearsal | undefined {
  const { recipe: compiledRecipe, policy } = draft
  if (compiledRecipe === undefined || !('compiled' in compiledRecipe) || !compiledRecipe.compiled.ok) return undefined
  const { recipe, texts, compiled } = compiledRecipe
  const parts = compiled.parts.map((part, position) => {
    const commandId = position === 0 ? `rehearsal-${runId}` : `rehearsal-${runId}.${position}`
    return { ...part, execution: { ...part.execution, commandId, source: 'rehearsal' } }
  })
  return { kind: 'rehearsal', recipe, parts, policy, texts }
}

/** Opens the app and waits for the first screen of the recipe. Nothing is changed. */
export function buildCanary(draft: DraftUnderTest, runId: string): Rehearsal | undefined {
  const whole = buildRehearsal(draft, runId)
  const first = whole?.parts[0]
  if (whole === undefined || first === undefined) return undefined
  const matcher = findFirstMatcher(first.execution.actions)
  const parsed = normalizeExecution({
    ...first.execution,
    commandId: `canary-${runId}`,
    source: 'canary',
    actions: [
      {
        id: 'open',
        type: 'open_app',
        params: { applicationId: whole.recipe.application_id },
      },
      ...(matcher === undefined
        ? []
        : [{ id: 'first_screen', type: 'wait_for_node', params: { matcher, timeoutMs: 20_000 } }]),
      { id: 'look', type: 'snapshot_ui', params: {} },
    ],
  })
  if (!parsed.ok) return undefined
  const plan = parsed.execution.actions.map(({ id }) => ({ action_id: id, step_id: id }))
  const policy: TestPolicy = { ...draft.policy, mode: 'read_only', max_actions: 3 }
  const part = { ...first, call: '', recipe: whole.recipe, execution: parsed.execution, plan, done_at: undefined }
  return { ...whole, kind: 'canary', parts: [part], policy }
}

/** The matcher of the first action that has one. */
function findFirstMatcher(actions: readonly Action[]): unknown {
  const action = actions.find(({ params }) => 'matcher' in params && params.matcher)
  return action && 'matcher' in action.params ? action.params.matcher : undefined
}
