import type { Recipe, RecipeStep } from '@apprentice/contracts/recipes/recipe.ts'
import { type Annotation, RecipePartSelector, type SelectorClause } from '@apprentice/contracts/recipes/selector.ts'
import type { RecipePath } from './violations.ts'

export interface PlacedSelector {
  readonly path: RecipePath
  readonly selector: SelectorClause
}

export interface PlacedClause extends PlacedSelector {
  /** Its own annotation or the one of the enclosing clause. */
  readonly annotation: Annotation | undefined
}

/** The parameters that are selectors. */
export const SELECTOR_PARAMS: Readonly<Partial<Record<RecipeStep['type'], readonly string[]>>> = {
  adjust_until: ['value', 'increase', 'decrease', 'slider'],
  swipe: ['onto'],
}

/** All selectors of a recipe with their paths. */
export function collectSelectors(recipe: Recipe): PlacedSelector[] {
  const { starts_on, dismissals = [], verification = [], steps } = recipe
  return [
    ...placeSelector(['starts_on'], starts_on),
    ...dismissals.flatMap((selector, at) => placeSelector(['dismissals', at], selector)),
    ...steps.flatMap((step, at) => collectStepSelectors(step, ['steps', at])),
    ...verification.flatMap((one, at) => [
      ...collectTargets(one, ['verification', at]),
      ...(one.fallbacks ?? []).flatMap((selector, nth) =>
        placeSelector(['verification', at, 'fallbacks', nth], selector),
      ),
      ...placeSelector(['verification', at, 'other_language', 'selector'], one.other_language?.selector),
    ]),
  ]
}

function collectStepSelectors(step: RecipeStep, path: RecipePath): PlacedSelector[] {
  const { confirm, fallbacks = [], when, unless, params = {}, type } = step
  return [
    ...collectTargets(step, path),
    ...fallbacks.flatMap((selector, at) => placeSelector([...path, 'fallbacks', at], selector)),
    ...placeSelector([...path, 'when'], when),
    ...placeSelector([...path, 'unless'], unless),
    ...(confirm === undefined ? [] : collectTargets(confirm, [...path, 'confirm'])),
    ...(SELECTOR_PARAMS[type] ?? []).flatMap((name) => {
      const part = parseSelector(params[name])
      const place = [...path, 'params', name]
      const others = part?.fallbacks ?? []
      return [
        ...placeSelector(place, part),
        ...others.flatMap((selector, at) => placeSelector([...place, 'fallbacks', at], selector)),
      ]
    }),
  ]
}

/** Parses a parameter as a selector. Another check reports why it is invalid. */
export function parseSelector(value: unknown): RecipePartSelector | undefined {
  const parsed = RecipePartSelector.safeParse(value)
  return parsed.success ? parsed.data : undefined
}

/** A selector and all clauses inside it. */
export function collectClauses({ path, selector }: PlacedSelector, inherited?: Annotation): PlacedClause[] {
  const annotation = selector.annotation ?? inherited
  const inside = (key: 'any_of' | 'all_of' | 'row' | 'group' | 'followed_by') =>
    (selector[key] ?? []).flatMap((clause, at) =>
      collectClauses({ path: [...path, key, at], selector: clause }, annotation),
    )
  const below = (key: 'containing' | 'container') => {
    const clause = selector[key]
    return clause === undefined ? [] : collectClauses({ path: [...path, key], selector: clause }, annotation)
  }
  return [
    { path, selector, annotation },
    ...inside('any_of'),
    ...inside('all_of'),
    ...inside('row'),
    ...inside('group'),
    ...inside('followed_by'),
    ...below('containing'),
    ...below('container'),
  ]
}

function collectTargets(
  holder: {
    readonly selector?: SelectorClause | undefined
    readonly container?: SelectorClause | undefined
  },
  path: RecipePath,
): PlacedSelector[] {
  return [
    ...placeSelector([...path, 'selector'], holder.selector),
    ...placeSelector([...path, 'container'], holder.container),
  ]
}

function placeSelector(path: RecipePath, selector: SelectorClause | undefined): PlacedSelector[] {
  return selector === undefined ? [] : [{ path, selector }]
}
