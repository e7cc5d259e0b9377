import type { Recipe, RecipeStep, RecipeStepType } from '@apprentice/contracts/recipes/recipe.ts'
import type { Violation } from '@apprentice/contracts/recipes/violation.ts'
import { isHarmless, touchesTarget, verifiedBy } from '../parse/step-params.ts'
import { errorAt, type RecipePath } from '../parse/violations.ts'

const CHANGING: ReadonlySet<RecipeStepType> = new Set([
  'click',
  'scroll_and_click',
  'scroll_until',
  'enter_text',
  'open_uri',
  'swipe',
  'set_checked',
  'adjust_until',
])

/** What reads the screen and fails when it is not as it should be. */
const CHECKING: ReadonlySet<RecipeStepType> = new Set([
  'read_text',
  'wait_for_node',
  'read_key_value_pair',
  'expect',
])

/** Whether a step may change something that lasts, and so must be followed by a proof. */
function isSideEffect(step: RecipeStep): boolean {
  if (!CHANGING.has(step.type) || isHarmless(step)) return false
  return step.type === 'scroll_and_click' || step.type === 'scroll_until'
    ? touchesTarget(step)
    : true
}

/** Rule 7: what changes something is checked afterwards, by itself, by a later step, or by the outcome. */
export function checkVerification(recipe: Recipe): Violation[] {
  const { recipe_type, capabilities, verification = [], steps, recipe_dialect } = recipe
  const found = checkNamed(recipe)
  const grave = ['toggle', 'type_text', 'purchase_risk'].some((one) =>
    capabilities.some((capability) => capability === one),
  )
  if (recipe_type !== 'action' && !grave) return found
  if (recipe_type === 'action' && recipe_dialect === 2 && verification.length === 0) {
    found.push(unproved(['verification'], 'An action says what its outcome looks like'))
  }
  if (steps.length === 0) found.push(unproved(['steps'], 'Nothing verifies what this does'))
  // The outcome is checked after all steps, so it covers them all.
  if (verification.length > 0) return found
  const naming = steps.some((step) => verifiedBy(step).length > 0)
  const unverified = steps.filter(
    (step, at) => isSideEffect(step) && !isVerified(step, steps.slice(at + 1), naming),
  )
  const places = unverified.map((step) => ['steps', steps.indexOf(step)])
  return [...found, ...places.map((path) => unproved(path, 'No later step verifies this one'))]
}

function isVerified(step: RecipeStep, later: readonly RecipeStep[], naming: boolean): boolean {
  if (step.confirm !== undefined) return true
  return later.some(
    (one) => CHECKING.has(one.type) && (!naming || verifiedBy(one).includes(step.id)),
  )
}

/** A step can verify only what is there, before it. */
function checkNamed({ steps }: Recipe): Violation[] {
  return steps.flatMap((step, at) => {
    const before = new Set(steps.slice(0, at).map(({ id }) => id))
    const path = ['steps', at, 'params', 'verifies']
    const named = verifiedBy(step)
    const finding = { code: 'RECIPE_SCHEMA_INVALID', rule: 7, path } as const
    if (named.length > 0 && !CHECKING.has(step.type)) {
      return [errorAt({ ...finding, message: `${step.type} checks nothing` })]
    }
    return named
      .filter((id) => !before.has(id))
      .map((id) => errorAt({ ...finding, message: `No earlier step is called ${id}` }))
  })
}

function unproved(path: RecipePath, message: string): Violation {
  return errorAt({ code: 'RECIPE_VERIFICATION_MISSING', rule: 7, path, message })
}
