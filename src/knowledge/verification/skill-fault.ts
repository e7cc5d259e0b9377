import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'

/**
 * The errors of a step that a skill causes: it looks for something that is not there, or its effect is not. All others
 * come from the device, the connection, the caller or a policy, and say nothing about the skill.
 */
const SKILL_FAULTS: ReadonlySet<string> = new Set([
  'NODE_NOT_FOUND',
  'NODE_AMBIGUOUS',
  'NODE_NOT_CLICKABLE',
  'NODE_NOT_EDITABLE',
  'NODE_NOT_CHECKABLE',
  'TARGET_NOT_FOUND',
  'VALUE_NODE_NOT_FOUND',
  'CONTAINER_NOT_FOUND',
  'CONTAINER_AMBIGUOUS',
  'CONTAINER_NOT_SCROLLABLE',
  'CONTAINER_LOST',
  'CONTROL_CONVERGENCE_FAILED',
  'NAVIGATION_TIMEOUT',
  'GESTURE_FAILED',
  'VALIDATOR_MISMATCH',
  'VERIFY_FAILED',
  'STEP_FAILED',
])

/** Of these a wrong value is as likely a cause, if the step names its target by an input. */
const INPUT_FAULTS: ReadonlySet<string> = new Set([
  'NODE_NOT_FOUND',
  'NODE_AMBIGUOUS',
  'TARGET_NOT_FOUND',
  'CONTROL_CONVERGENCE_FAILED',
])

/** Whether the failure of a step counts against the skill. */
export function isSkillFault(
  recipe: Pick<Recipe, 'steps'> | undefined,
  { code, step_id }: { readonly code: string; readonly step_id?: string | undefined },
): boolean {
  if (!SKILL_FAULTS.has(code)) return false
  if (!INPUT_FAULTS.has(code)) return true
  const step = recipe?.steps.find(({ id }) => id === step_id)
  return step === undefined || !JSON.stringify(step).includes('${inputs.')
}
