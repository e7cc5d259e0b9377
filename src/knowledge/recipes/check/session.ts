import type { Recipe, RecipeStep } from '@apprentice/contracts/recipes/recipe.ts'
import type { Violation } from '@apprentice/contracts/recipes/violation.ts'
import { paramOf } from '../parse/step-params.ts'
import { errorAt, warningAt } from '../parse/violations.ts'

const path = ['fresh_start_injected']
const finding = { code: 'RECIPE_SESSION_POLICY_INVALID', rule: 'session', path } as const

/** A recipe that starts afresh by itself really does so, before anything else. */
export function checkSession(recipe: Recipe): Violation[] {
  if (recipe.fresh_start_injected !== false) return []
  if (recipe.session_policy === 'resume_ok') {
    const message = 'Nothing is injected into a recipe that may resume'
    return [warningAt({ ...finding, message })]
  }
  const [first, second] = recipe.steps
  if (restarts(first, 'close_app', recipe) && restarts(second, 'open_app', recipe)) return []
  const message = `The first steps must close and open ${recipe.application_id}`
  return [errorAt({ ...finding, message })]
}

function restarts(
  step: RecipeStep | undefined,
  type: RecipeStep['type'],
  { application_id }: Recipe,
): boolean {
  if (step?.type !== type || step.when !== undefined || step.unless !== undefined) return false
  return (paramOf(step, 'applicationId') ?? application_id) === application_id
}
