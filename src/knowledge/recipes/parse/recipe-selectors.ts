import {
  type Recipe,
  RecipeSelector,
  type RecipeStep,
} from '@apprentice/contracts/recipes/recipe.ts'
import type { Annotation, SelectorClause } from '@apprentice/contracts/recipes/selector.ts'
import type { RecipePath } from './violations.ts'

export interface PlacedSelector {
  readonly path: RecipePath
  readonly selector: SelectorClause
}

export interface PlacedClause extends PlacedSelector {
  /** Its own, or that of the clause around it. */
  readonly annotation: Annotation | undefined
}

/** The parameters that are selectors themselves. */
export const SELECTOR_PARAMS: Readonly<Partial<Record<RecipeStep['type'], readonly string[]>>> = {
  adjust_until: ['value', 'increase', 'decrease', 'slider'],
}

/** Every selector of a recipe, with its place. */
export function selectorsOf(recipe: Recipe): PlacedSelector[] {
  const { starts_on, dismissals = [], verification = [], steps } = recipe
  return [
    ...placed(['starts_on'], starts_on),
    ...dismissals.flatMap((selector, at) => placed(['dismissals', at], selector)),
    ...steps.flatMap((step, at) => selectorsOfStep(step, ['steps', at])),
    ...verification.flatMap((one, at) => bothOf(one, ['verification', at])),
  ]
}

function selectorsOfStep(step: RecipeStep, path: RecipePath): PlacedSelector[] {
  const { confirm, fallbacks = [], when, unless, params = {}, type } = step
  return [
    ...bothOf(step, path),
    ...fallbacks.flatMap((selector, at) => placed([...path, 'fallbacks', at], selector)),
    ...placed([...path, 'when'], when),
    ...placed([...path, 'unless'], unless),
    ...(confirm === undefined ? [] : bothOf(confirm, [...path, 'confirm'])),
    ...(SELECTOR_PARAMS[type] ?? []).flatMap((name) =>
      placed([...path, 'params', name], selectorIn(params[name])),
    ),
  ]
}

/** A parameter as the selector it is to be; its own check tells why it is none. */
export function selectorIn(value: unknown): RecipeSelector | undefined {
  const parsed = RecipeSelector.safeParse(value)
  return parsed.success ? parsed.data : undefined
}

/** A selector and all clauses inside it. */
export function clausesOf({ path, selector }: PlacedSelector, around?: Annotation): PlacedClause[] {
  const annotation = selector.annotation ?? around
  const inside = (key: 'any_of' | 'all_of') =>
    (selector[key] ?? []).flatMap((clause, at) =>
      clausesOf({ path: [...path, key, at], selector: clause }, annotation),
    )
  const below = (key: 'containing' | 'container') => {
    const clause = selector[key]
    return clause === undefined
      ? []
      : clausesOf({ path: [...path, key], selector: clause }, annotation)
  }
  return [
    { path, selector, annotation },
    ...inside('any_of'),
    ...inside('all_of'),
    ...below('containing'),
    ...below('container'),
  ]
}

function bothOf(
  holder: {
    readonly selector?: SelectorClause | undefined
    readonly container?: SelectorClause | undefined
  },
  path: RecipePath,
): PlacedSelector[] {
  return [
    ...placed([...path, 'selector'], holder.selector),
    ...placed([...path, 'container'], holder.container),
  ]
}

function placed(path: RecipePath, selector: SelectorClause | undefined): PlacedSelector[] {
  return selector === undefined ? [] : [{ path, selector }]
}
