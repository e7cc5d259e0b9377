import type { SelectorClause } from '@apprentice/contracts/recipes/selector.ts'

/** A matcher of an execution. The execution schema validates it later. */
export type Matcher = Readonly<Record<string, unknown>>

const MATCHER_KEYS = {
  resource_id: 'resourceId',
  class: 'class',
  text_equals: 'textEquals',
  text_contains: 'textContains',
  content_desc_equals: 'contentDescEquals',
  content_desc_contains: 'contentDescContains',
  part_equals: 'partEquals',
  shows: 'shows',
  shows_together: 'showsTogether',
  place: 'place',
  role: 'role',
  clickable: 'clickable',
  enabled: 'enabled',
  selected: 'selected',
  checked: 'checked',
  index_in_parent: 'indexInParent',
  entry_position: 'entryPosition',
  index: 'index',
  page: 'page',
  foreign_to: 'foreignTo',
  option: 'option',
  member: 'member',
  means: 'means',
  between: 'between',
  renamed_from: 'renamedFrom',
} as const satisfies Partial<Record<keyof SelectorClause, string>>

const PLAIN_KEYS = Object.entries(MATCHER_KEYS) as [keyof typeof MATCHER_KEYS, string][]

/** Converts a selector to a matcher. Annotations are dropped. */
export function lowerSelector(selector: SelectorClause): Matcher {
  const matcher: Record<string, unknown> = {}
  for (const [key, name] of PLAIN_KEYS) {
    if (selector[key] !== undefined) matcher[name] = selector[key]
  }
  const { any_of, all_of, containing, row, group, followed_by, container } = selector
  if (any_of !== undefined) matcher['anyOf'] = any_of.map((clause) => lowerSelector(clause))
  if (all_of !== undefined) matcher['allOf'] = all_of.map((clause) => lowerSelector(clause))
  if (containing !== undefined) matcher['containing'] = lowerSelector(containing)
  if (row !== undefined) matcher['row'] = row.map((clause) => lowerSelector(clause))
  if (group !== undefined) matcher['group'] = group.map((clause) => lowerSelector(clause))
  if (followed_by !== undefined) matcher['followedBy'] = followed_by.map((clause) => lowerSelector(clause))
  if (container !== undefined) matcher['container'] = lowerSelector(container)
  return matcher
}

/** Converts a selector and its fallbacks. */
export function lowerTarget(
  selector: SelectorClause | undefined,
  fallbacks?: readonly SelectorClause[],
): Matcher | undefined {
  if (selector === undefined) return undefined
  return omitUndefined({
    ...lowerSelector(selector),
    fallbacks: fallbacks?.map((one) => lowerSelector(one)),
  })
}

/** Removes fields without a value. */
export function omitUndefined(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const found: Record<string, unknown> = {}
  for (const key of Object.keys(fields)) {
    if (fields[key] !== undefined) found[key] = fields[key]
  }
  return found
}
