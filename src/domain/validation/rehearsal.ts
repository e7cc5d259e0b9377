import type { Action } from '@apprentice/contracts/devices/action.ts'
import { type Execution, normalizeExecution } from '@apprentice/contracts/devices/execution.ts'
import type { TestPolicy } from '@apprentice/contracts/learn/test-policy.ts'
import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import { replaceLiteral } from '../capture/typed-texts.ts'
import type { CompiledStep } from '../../knowledge/recipes/compile/compile.ts'
import type { DraftUnderTest } from './draft-under-test.ts'

/** What is run on a phone to test a draft, and under which policy. */
export interface Rehearsal {
  readonly kind: 'rehearsal' | 'canary'
  readonly recipe: Recipe
  readonly execution: Execution
  readonly steps: readonly CompiledStep[]
  readonly policy: TestPolicy
  /** The texts it is done with, by the names of their inputs. */
  readonly texts: ReadonlyMap<string, string>
}

/** What a record says, with inputs named in place of the values somebody demonstrated. */
export function withoutValues(said: string, texts: Rehearsal['texts']): string {
  return [...texts].reduce(
    (text, [name, literal]) => replaceLiteral(text, { literal, by: `‹${name}›` }),
    said,
  )
}

/** The whole recipe, as its policy lets it; undefined when it does not compile. */
export function rehearsalOf(draft: DraftUnderTest, runId: string): Rehearsal | undefined {
  const { recipe: read, policy } = draft
  if (read === undefined || !('compiled' in read) || !read.compiled.ok) return undefined
  const { execution, steps } = read.compiled
  const named = { ...execution, commandId: `rehearsal-${runId}`, source: 'rehearsal' }
  const { recipe, texts } = read
  return { kind: 'rehearsal', recipe, execution: named, steps, policy, texts }
}

/** As far as the first screen: the app opens and shows what the recipe begins with. Nothing is changed. */
export function canaryOf(draft: DraftUnderTest, runId: string): Rehearsal | undefined {
  const whole = rehearsalOf(draft, runId)
  if (whole === undefined) return undefined
  const matcher = firstSeen(whole.execution.actions)
  const read = normalizeExecution({
    ...whole.execution,
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
  if (!read.ok) return undefined
  const steps = read.execution.actions.map(({ id }) => ({ action_id: id, step_id: id }))
  const policy: TestPolicy = { ...draft.policy, mode: 'read_only', max_actions: 3 }
  return { ...whole, kind: 'canary', execution: read.execution, steps, policy }
}

/** What the first step that looks for something looks for. */
function firstSeen(actions: readonly Action[]): unknown {
  const looking = actions.find((action) => 'matcher' in action.params && action.params.matcher)
  return looking && 'matcher' in looking.params ? looking.params.matcher : undefined
}
