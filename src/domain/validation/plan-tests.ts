import { ACTING_TYPES } from '@apprentice/contracts/devices/action.ts'
import { natureOf } from '../../knowledge/action-policy/action-nature.ts'
import type { DraftUnderTest, RecipeUnderTest } from './draft-under-test.ts'
import { refusedByPlan } from '../../knowledge/action-policy/policy-gate.ts'
import type { TestResult } from '../proposals/validation-run-record.ts'

/**
 * Does the recipe compile with the demonstrated values, and would its policy let it run? Which checkpoints it
 * plans for is told only where no rehearsal will tell which it reaches.
 */
export function planTests(
  draft: DraftUnderTest,
  { rehearsed }: { readonly rehearsed: boolean },
): TestResult[] {
  const { recipe } = draft
  if (recipe === undefined) return [onlyADocument]
  const compile = compileTest(recipe)
  if (!('compiled' in recipe) || !recipe.compiled.ok) return [compile]
  return [
    compile,
    ...actionTests(draft, recipe),
    ...(rehearsed ? [] : checkpointTests(draft, recipe)),
  ]
}

/** Set when a policy that was given forbids what is planned. */
export const isForbidden = ({ test_case_id, result }: TestResult): boolean =>
  test_case_id.startsWith('plan:action:') && result === 'failed'

const onlyADocument: TestResult = {
  test_case_id: 'plan:compile',
  label: 'The recipe compiles',
  result: 'skipped',
  required: false,
  details: 'There is no recipe: an agent follows the document.',
}

function compileTest(recipe: RecipeUnderTest): TestResult {
  const test = { test_case_id: 'plan:compile', label: 'The recipe compiles' }
  const violations = 'compiled' in recipe ? violationsOf(recipe.compiled) : recipe.violations
  if (violations.length === 0) return { ...test, result: 'passed' }
  const details = violations.map(({ code, message }) => `${code}: ${message}`).join('\n')
  // A value that was never kept, or is forgotten by now, says nothing against the recipe.
  const lacksValues = violations.every(({ code }) => code === 'RECIPE_INPUT_MISSING')
  return { ...test, result: lacksValues ? 'skipped' : 'failed', details }
}

const violationsOf = (compiled: CompiledRecipe['compiled']) =>
  compiled.ok ? [] : compiled.violations

type CompiledRecipe = Extract<RecipeUnderTest, { compiled: unknown }>

function actionTests(
  { policy, policy_given }: DraftUnderTest,
  { compiled }: CompiledRecipe,
): TestResult[] {
  if (!compiled.ok) return []
  const { actions } = compiled.execution
  const judged = policy_given && policy.mode !== 'dry_run_only'
  const refusals = new Map(
    judged
      ? refusedByPlan(policy, actions).map(({ action, refusal }) => [action.id, refusal.message])
      : [],
  )
  return actions
    .filter(({ type }) => ACTING_TYPES.has(type))
    .map((action) => {
      const refused = refusals.get(action.id)
      const nature = natureOf(action, undefined)
      const notes = nature.kind === 'navigation' ? [] : [`${nature.kind}: ${nature.because}`]
      const details = refused ?? notes[0]
      return {
        test_case_id: `plan:action:${action.id}`,
        label: `Planned: ${action.type}`,
        result: refused === undefined ? ('passed' as const) : ('failed' as const),
        ...(details === undefined ? {} : { details }),
      }
    })
}

/** A checkpoint that no step of the recipe reaches is left to the agent. */
function checkpointTests({ meaning }: DraftUnderTest, { recipe }: CompiledRecipe): TestResult[] {
  const reached = new Set((recipe.checkpoints ?? []).map(({ checkpoint_id }) => checkpoint_id))
  return (meaning?.checkpoints ?? []).map(({ checkpoint_id, goal }) => ({
    test_case_id: `checkpoint:${checkpoint_id}`,
    label: `Planned for: ${goal}`,
    required: false,
    ...(reached.has(checkpoint_id)
      ? { result: 'passed' as const }
      : { result: 'skipped' as const, details: 'No step of the recipe ends in it.' }),
  }))
}
