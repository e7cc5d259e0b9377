import type { Recipe, RecipeStep } from '@apprentice/contracts/recipes/recipe.ts'
import { type LoweredAction, lowerStep, lowerVerification } from './lower-step.ts'
import { touchesTarget } from '../parse/step-params.ts'

const CHECK_TIMEOUT_MS = 1500
/** What only the check after the steps needs. */
const FINAL_PARAMS: ReadonlySet<string> = new Set([
  'settled',
  'transient',
  'added',
  'changed',
  'changedBy',
  'tolerated',
  'otherLanguage',
])

/**
 * Actions that check the verification list before the first step and skip all steps if it already holds. The final
 * searches of the recipe are executed first, to bring the verified nodes into view. If something is not found, execution
 * continues with the first step.
 */
export function lowerInitialCheck(recipe: Recipe): LoweredAction[] {
  const { skip_if_done, verification = [], steps } = recipe
  const [first] = steps
  const [proof] = verification
  if (skip_if_done !== true || first === undefined || proof === undefined) return []
  const searches = listFinalSearches(steps).flatMap((step) => lowerStep(searchWholeList(step), recipe))
  const checks = verification.map((one, at) => {
    const { action } = lowerVerification(one)
    const isLast = at === verification.length - 1
    const target = isLast ? { skipTo: `verify.${proof.id}` } : { elseSkipTo: first.id }
    const params = Object.fromEntries(Object.entries(action.params).filter(([name]) => !FINAL_PARAMS.has(name)))
    return { ...action, params: { ...params, timeoutMs: CHECK_TIMEOUT_MS, ...target } }
  })
  return [...searches.map(({ action }) => action), ...checks].map((action) => ({
    action: { ...action, id: `already.${action.id}` },
    step_id: first.id,
    role: 'session',
  }))
}

/** Searches the whole list: of two equal entries, the first may already be in the expected state and the second not. */
const searchWholeList = (step: RecipeStep): RecipeStep => ({
  ...step,
  params: { ...step.params, strict: true, wholeList: true },
})

/** The searches at the end of the steps, which bring the verified nodes into view. */
function listFinalSearches(steps: readonly RecipeStep[]): RecipeStep[] {
  const isSearch = (step: RecipeStep) => step.type === 'scroll_until' && !touchesTarget(step)
  return steps.slice(steps.findLastIndex((step) => !isSearch(step)) + 1)
}
