import type { Recipe, RecipeStep } from '@apprentice/contracts/recipes/recipe.ts'
import type { Violation } from '@apprentice/contracts/recipes/violation.ts'
import { readParam } from '../parse/step-params.ts'
import { errorAt, warningAt } from '../parse/violations.ts'

const PATH = ['fresh_start_injected']
const FINDING = { code: 'RECIPE_SESSION_POLICY_INVALID', rule: 'session', path: PATH } as const

/** A recipe with fresh_start_injected: false must restart the app in its first two steps. */
export function checkSession(recipe: Recipe): Violation[] {
  if (recipe.fresh_start_injected !== false) return []
  if (recipe.session_policy === 'resume_ok') {
    const message = 'fresh_start_injected has no effect with session_policy: resume_ok; remove it'
    return [warningAt({ ...FINDING, message })]
  }
  const [first, second] = recipe.steps
  if (isRestartStep(first, 'close_app', recipe) && isRestartStep(second, 'open_app', recipe)) return []
  const message = `With fresh_start_injected: false, the first two steps must close and open ${recipe.application_id}`
  return [errorAt({ ...FINDING, message })]
}

function isRestartStep(step: RecipeStep | undefined, type: RecipeStep['type'], { application_id }: Recipe): boolean {
  if (step?.type !== type || step.when !== undefined || step.unless !== undefined) return false
  return (readParam(step, 'applicationId') ?? application_id) === application_id
}
