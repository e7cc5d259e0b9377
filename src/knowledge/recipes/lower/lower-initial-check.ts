import type { Recipe, RecipeStep } from '@apprentice/contracts/recipes/recipe.ts'
import { type LoweredAction, lowerStep, lowerVerification } from './lower-step.ts'
import { touchesTarget } from '../parse/step-params.ts'

const LOOK_MS = 1500

/**
 * A look whether there is anything to do, before anything is done: what the steps would bring about is sought as at
 * the end, and if all of it is there the steps are skipped. What cannot be found is the first step's trouble.
 */
export function lowerEarlyLook(recipe: Recipe): LoweredAction[] {
  const { skip_if_done, verification = [], steps } = recipe
  const [first] = steps
  const [proof] = verification
  if (skip_if_done !== true || first === undefined || proof === undefined) return []
  const seeking = lastSearches(steps).flatMap((step) =>
    lowerStep(throughTheWholeList(step), recipe),
  )
  const asking = verification.map((one, at) => {
    const { action } = lowerVerification(one)
    const isLast = at === verification.length - 1
    const where = isLast ? { skipTo: `verify.${proof.id}` } : { elseSkipTo: first.id }
    return { ...action, params: { ...action.params, timeoutMs: LOOK_MS, ...where } }
  })
  return [...seeking.map(({ action }) => action), ...asking].map((action) => ({
    action: { ...action, id: `already.${action.id}` },
    step_id: first.id,
    role: 'session',
  }))
}

/** Of two alike the one that needs nothing must not stand for the other. */
const throughTheWholeList = (step: RecipeStep): RecipeStep => ({
  ...step,
  params: { ...step.params, strict: true, wholeList: true },
})

/** The searches that bring the proof into view once everything is done. */
function lastSearches(steps: readonly RecipeStep[]): RecipeStep[] {
  const isSearch = (step: RecipeStep) => step.type === 'scroll_until' && !touchesTarget(step)
  return steps.slice(steps.findLastIndex((step) => !isSearch(step)) + 1)
}
