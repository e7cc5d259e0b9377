import { ACTION_PARAMS, isActionType } from '@apprentice/contracts/devices/action.ts'
import type { RecipeStep, RecipeStepType } from '@apprentice/contracts/recipes/recipe.ts'
import { SELECTOR_PARAMS } from './recipe-selectors.ts'

/** Parameters that describe a step and are not part of the action. */
export const NOTE_PARAMS = ['effect', 'verifies', 'expected_count', 'repeatable'] as const

/** Parameters that a step has separate fields for. */
const STEP_FIELD_PARAMS = new Set(['matcher', 'labelMatcher', 'expectedNode', 'container', 'when', 'unless'])

/** The action parameter for the selector of a step, by type. */
export const TARGET_PARAM: Readonly<Partial<Record<RecipeStepType, string>>> = {
  wait_for_node: 'matcher',
  click: 'matcher',
  swipe: 'matcher',
  scroll_and_click: 'matcher',
  read_text: 'matcher',
  enter_text: 'matcher',
  scroll_until: 'matcher',
  set_checked: 'matcher',
  expect: 'matcher',
  read_key_value_pair: 'labelMatcher',
  wait_for_navigation: 'expectedNode',
}

/** The parameters that a step of this type accepts, in the spelling of the execution. */
export function listParams(type: RecipeStepType): ReadonlySet<string> {
  const all = isActionType(type) ? Object.keys(ACTION_PARAMS[type].shape) : []
  return new Set(all.filter((name) => !STEP_FIELD_PARAMS.has(name)))
}

export function takesContainer(type: RecipeStepType): boolean {
  return isActionType(type) && Object.hasOwn(ACTION_PARAMS[type].shape, 'container')
}

/** The spelling of a parameter in the execution; undefined for an unknown parameter. */
export function toParamName(type: RecipeStepType, name: string): string | undefined {
  const known = listParams(type)
  if (known.has(name)) return name
  const camel = name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  return known.has(camel) ? camel : undefined
}

/** Reads a parameter in either spelling. */
export function readParam({ type, params = {} }: RecipeStep, name: string): unknown {
  const written = Object.keys(params).find((key) => toParamName(type, key) === name)
  return written === undefined ? undefined : params[written]
}

export function isSelectorParam(type: RecipeStepType, name: string): boolean {
  return SELECTOR_PARAMS[type]?.includes(name) ?? false
}

/** The ids in the `verifies` parameter. */
export function readVerifiedSteps({ params = {} }: RecipeStep): string[] {
  const named = params['verifies']
  return (Array.isArray(named) ? named : [named]).filter((id) => typeof id === 'string')
}

/** Whether the author declares that a step has no lasting effect. */
export function isHarmless({ params = {} }: RecipeStep): boolean {
  return params['effect'] === 'none' || params['effect'] === 'local_state'
}

/** Whether a scrolling step also clicks the node it finds. */
export function touchesTarget(step: RecipeStep): boolean {
  const clickAfter = readParam(step, 'clickAfter')
  return step.type === 'scroll_until' ? clickAfter === true : clickAfter !== false
}
