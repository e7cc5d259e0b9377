import type { Recipe, RecipeStep, RecipeStepType } from '@apprentice/contracts/recipes/recipe.ts'
import type { Violation } from '@apprentice/contracts/recipes/violation.ts'
import { isHarmless, touchesTarget, readVerifiedSteps } from '../parse/step-params.ts'
import { errorAt, type RecipePath } from '../parse/violations.ts'

const CHANGING_TYPES: ReadonlySet<RecipeStepType> = new Set([
  'click',
  'scroll_and_click',
  'scroll_until',
  'enter_text',
  'open_uri',
  'swipe',
  'set_checked',
  'adjust_until',
  'pick_date',
])

/** Step types that read the screen and fail if it is not as expected. */
const CHECKING_TYPES: ReadonlySet<RecipeStepType> = new Set([
  'read_text',
  'wait_for_node',
  'read_key_value_pair',
  'expect',
])

/** Whether a step may have a lasting effect, which must be verified. */
function isSideEffect(step: RecipeStep): boolean {
  if (!CHANGING_TYPES.has(step.type) || isHarmless(step)) return false
  return step.type === 'scroll_and_click' || step.type === 'scroll_until' ? touchesTarget(step) : true
}

/** Rule 7: a step with a side effect is verified by its confirm, by a later step, or by the verification list. */
export function checkVerification(recipe: Recipe): Violation[] {
  const { recipe_type, capabilities, verification = [], steps, recipe_dialect, unproven } = recipe
  const found = checkVerifies(recipe)
  if (unproven === true) return [...found, ...checkUnproven(recipe)]
  const isCritical = ['toggle', 'type_text', 'purchase_risk'].some((one) =>
    capabilities.some((capability) => capability === one),
  )
  if (recipe_type !== 'action' && !isCritical) return found
  if (recipe_type === 'action' && recipe_dialect === 2 && verification.length === 0) {
    found.push(
      missingVerification(
        ['verification'],
        'A recipe of type action requires verification; describe what the screen shows at the end',
      ),
    )
  }
  if (steps.length === 0) found.push(missingVerification(['steps'], 'No step verifies the effect of this recipe'))
  // The verification list is checked after all steps, so it covers them all.
  if (verification.length > 0) return found
  const usesVerifies = steps.some((step) => readVerifiedSteps(step).length > 0)
  const unverified = steps.filter(
    (step, at) => isSideEffect(step) && !isVerified(step, steps.slice(at + 1), usesVerifies),
  )
  const places = unverified.map((step) => ['steps', steps.indexOf(step)])
  return [
    ...found,
    ...places.map((path) =>
      missingVerification(path, 'No later step verifies this step; add confirm, a checking step or verification'),
    ),
  ]
}

/** An unproven recipe has no verification, neither to check at the end nor to skip the steps by. */
function checkUnproven({ verification = [], skip_if_done }: Recipe): Violation[] {
  if (verification.length === 0 && skip_if_done !== true) return []
  const message = 'An unproven recipe has no verification; remove unproven, or verification and skip_if_done'
  return [errorAt({ code: 'RECIPE_SCHEMA_INVALID', rule: 7, path: ['unproven'], message })]
}

function isVerified(step: RecipeStep, later: readonly RecipeStep[], usesVerifies: boolean): boolean {
  if (step.confirm !== undefined) return true
  return later.some(
    (one) => CHECKING_TYPES.has(one.type) && (!usesVerifies || readVerifiedSteps(one).includes(step.id)),
  )
}

/** `verifies` must name earlier steps, and its own step must check something. */
function checkVerifies({ steps }: Recipe): Violation[] {
  return steps.flatMap((step, at) => {
    const before = new Set(steps.slice(0, at).map(({ id }) => id))
    const path = ['steps', at, 'params', 'verifies']
    const named = readVerifiedSteps(step)
    const finding = { code: 'RECIPE_SCHEMA_INVALID', rule: 7, path } as const
    if (named.length > 0 && !CHECKING_TYPES.has(step.type)) {
      return [
        errorAt({
          ...finding,
          message: `A step of type ${step.type} checks nothing; remove verifies`,
        }),
      ]
    }
    return named
      .filter((id) => !before.has(id))
      .map((id) => errorAt({ ...finding, message: `No earlier step has the id ${id}` }))
  })
}

function missingVerification(path: RecipePath, message: string): Violation {
  return errorAt({ code: 'RECIPE_VERIFICATION_MISSING', rule: 7, path, message })
}
