import { ACTING_TYPES } from '@apprentice/contracts/devices/action.ts'
import { classifyAction } from '../../knowledge/action-policy/action-class.ts'
import { type DraftUnderTest, type DraftViolation, qualifyPartId, type RecipeUnderTest } from './draft-under-test.ts'
import { findRefusedActions } from '../../knowledge/action-policy/policy-gate.ts'
import type { TestResult } from '../proposals/validation-run-record.ts'

/**
 * Tests whether the recipe compiles with the demonstrated values and whether the policy allows its actions. Planned
 * checkpoints are tested only without a rehearsal, which tests whether they are reached.
 */
export function planTests(draft: DraftUnderTest, { rehearsed }: { readonly rehearsed: boolean }): TestResult[] {
  const { recipe } = draft
  if (recipe === undefined) return [NO_RECIPE_TEST]
  const compile = compileTest(recipe)
  if (!('compiled' in recipe) || !recipe.compiled.ok) return [compile]
  return [compile, ...actionTests(draft, recipe), ...(rehearsed ? [] : checkpointTests(draft, recipe))]
}

/** True for a planned action that the policy forbids. */
export const isForbidden = ({ test_case_id, result }: TestResult): boolean =>
  test_case_id.startsWith('plan:action:') && result === 'failed'

const NO_RECIPE_TEST: TestResult = {
  test_case_id: 'plan:compile',
  label: 'The recipe compiles',
  result: 'skipped',
  required: false,
  details: 'The draft has no recipe; an agent follows the document.',
}

/** Why the recipe of a draft does not compile. A missing example value is no fault of the recipe. */
export const listCompileProblems = ({ recipe }: Pick<DraftUnderTest, 'recipe'>): DraftViolation[] =>
  recipe === undefined ? [] : readViolations(recipe).filter(({ code }) => code !== 'RECIPE_INPUT_MISSING')

const readViolations = (recipe: RecipeUnderTest): readonly DraftViolation[] =>
  'compiled' in recipe ? listViolations(recipe.compiled) : recipe.violations

function compileTest(recipe: RecipeUnderTest): TestResult {
  const test = { test_case_id: 'plan:compile', label: 'The recipe compiles' }
  const violations = readViolations(recipe)
  if (violations.length === 0) return { ...test, result: 'passed' }
  const details = violations.map(({ code, message }) => `${code}: ${message}`).join('\n')
  const isAtFault = listCompileProblems({ recipe }).length > 0
  return { ...test, result: isAtFault ? 'failed' : 'skipped', details }
}

const listViolations = (compiled: CompiledRecipe['compiled']) => (compiled.ok ? [] : compiled.violations)

type CompiledRecipe = Extract<RecipeUnderTest, { compiled: unknown }>

function actionTests({ policy, policy_given }: DraftUnderTest, { compiled }: CompiledRecipe): TestResult[] {
  if (!compiled.ok) return []
  const actions = compiled.parts.flatMap((part) =>
    part.execution.actions.map((action) => ({ ...action, id: qualifyPartId(part, action.id) })),
  )
  const isChecked = policy_given && policy.mode !== 'dry_run_only'
  const refusals = new Map(
    isChecked ? findRefusedActions(policy, actions).map(({ action, refusal }) => [action.id, refusal.message]) : [],
  )
  return actions
    .filter(({ type }) => ACTING_TYPES.has(type))
    .map((action) => {
      const refusal = refusals.get(action.id)
      const nature = classifyAction(action, undefined)
      const notes = nature.kind === 'navigation' ? [] : [`${nature.kind}: ${nature.because}`]
      const details = refusal ?? notes[0]
      return {
        test_case_id: `plan:action:${action.id}`,
        label: `Planned: ${action.type}`,
        result: refusal === undefined ? ('passed' as const) : ('failed' as const),
        ...(details === undefined ? {} : { details }),
      }
    })
}

/** A checkpoint that no step reaches is not required: the agent verifies it. */
function checkpointTests({ meaning }: DraftUnderTest, { recipe }: CompiledRecipe): TestResult[] {
  const reached = new Set((recipe.checkpoints ?? []).map(({ checkpoint_id }) => checkpoint_id))
  return (meaning?.checkpoints ?? []).map(({ checkpoint_id, goal }) => ({
    test_case_id: `checkpoint:${checkpoint_id}`,
    label: `Planned: ${goal}`,
    required: false,
    ...(reached.has(checkpoint_id)
      ? { result: 'passed' as const }
      : { result: 'skipped' as const, details: 'No step of the recipe reaches this checkpoint.' }),
  }))
}
