import type { SelectorClause } from '../../../contracts/recipes/selector.ts'

/** A matcher as it is written in an execution; the execution's own schema is its judge. */
export type Matcher = Readonly<Record<string, unknown>>

const MATCHER_KEYS = {
  resource_id: 'resourceId',
  class: 'class',
  text_equals: 'textEquals',
  text_contains: 'textContains',
  content_desc_equals: 'contentDescEquals',
  content_desc_contains: 'contentDescContains',
  role: 'role',
  clickable: 'clickable',
  enabled: 'enabled',
  selected: 'selected',
  checked: 'checked',
  index_in_parent: 'indexInParent',
  index: 'index',
} as const satisfies Partial<Record<keyof SelectorClause, string>>

/** The execution's matcher for a selector; what the words are about is left behind. */
export function lowerSelector(selector: SelectorClause): Matcher {
  const plain = Object.entries(MATCHER_KEYS).map(([key, name]) => [
    name,
    selector[key as keyof typeof MATCHER_KEYS],
  ])
  const { any_of, all_of, containing, container } = selector
  return given({
    ...Object.fromEntries(plain),
    anyOf: any_of?.map((clause) => lowerSelector(clause)),
    allOf: all_of?.map((clause) => lowerSelector(clause)),
    containing: containing && lowerSelector(containing),
    container: container && lowerSelector(container),
  })
}

/** A selector with those that are tried when it finds nothing. */
export function lowerTarget(
  selector: SelectorClause | undefined,
  fallbacks?: readonly SelectorClause[],
): Matcher | undefined {
  if (selector === undefined) return undefined
  return given({
    ...lowerSelector(selector),
    fallbacks: fallbacks?.map((one) => lowerSelector(one)),
  })
}

/** Only the fields that have a value. */
export function given(
  fields: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}
