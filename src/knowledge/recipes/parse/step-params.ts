import { ACTION_PARAMS, isActionType } from '@apprentice/contracts/devices/action.ts'
import type { RecipeStep, RecipeStepType } from '@apprentice/contracts/recipes/recipe.ts'
import { SELECTOR_PARAMS } from './recipe-selectors.ts'

/** Said of a step in its parameters and never sent to the phone. */
export const NOTES = ['effect', 'verifies', 'expected_count'] as const

/** Parameters a step has a place of its own for. */
const PLACED = new Set(['matcher', 'labelMatcher', 'expectedNode', 'container', 'when', 'unless'])

/** The parameter that carries a step's selector, for the types that take one. */
export const TARGET_PARAM: Readonly<Partial<Record<RecipeStepType, string>>> = {
  wait_for_node: 'matcher',
  click: 'matcher',
  scroll_and_click: 'matcher',
  read_text: 'matcher',
  enter_text: 'matcher',
  scroll_until: 'matcher',
  set_checked: 'matcher',
  expect: 'matcher',
  read_key_value_pair: 'labelMatcher',
  wait_for_navigation: 'expectedNode',
}

/** The parameters a step of this type may write, in the execution's spelling. */
export function paramsOf(type: RecipeStepType): ReadonlySet<string> {
  const all = isActionType(type) ? Object.keys(ACTION_PARAMS[type].shape) : []
  return new Set(all.filter((name) => !PLACED.has(name)))
}

export function takesContainer(type: RecipeStepType): boolean {
  return isActionType(type) && Object.hasOwn(ACTION_PARAMS[type].shape, 'container')
}

/** The execution's spelling of a parameter, or nothing if there is no such one. */
export function spelledParam(type: RecipeStepType, name: string): string | undefined {
  const known = paramsOf(type)
  if (known.has(name)) return name
  const camel = name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  return known.has(camel) ? camel : undefined
}

/** A parameter in whichever spelling it is written. */
export function paramOf({ type, params = {} }: RecipeStep, name: string): unknown {
  const written = Object.keys(params).find((key) => spelledParam(type, key) === name)
  return written === undefined ? undefined : params[written]
}

export function isSelectorParam(type: RecipeStepType, name: string): boolean {
  return SELECTOR_PARAMS[type]?.includes(name) ?? false
}

/** The steps a step says it verifies. */
export function verifiedBy({ params = {} }: RecipeStep): string[] {
  const named = params['verifies']
  return (Array.isArray(named) ? named : [named]).filter((id) => typeof id === 'string')
}

/** Whether the author says that a step changes nothing that lasts. */
export function isHarmless({ params = {} }: RecipeStep): boolean {
  return params['effect'] === 'none' || params['effect'] === 'local_state'
}

/** Whether a scrolling step also touches what it finds. */
export function touchesTarget(step: RecipeStep): boolean {
  const clickAfter = paramOf(step, 'clickAfter')
  return step.type === 'scroll_until' ? clickAfter === true : clickAfter !== false
}
