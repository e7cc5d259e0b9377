import type { ContainerMatcher, NodeMatcher } from '@apprentice/contracts/devices/matcher.ts'
import type { RecipeContainer, RecipeSelector, SelectorClause } from '@apprentice/contracts/recipes/selector.ts'
import type { UiNode } from '../../../screen/tree/hierarchy.ts'
import { matchTarget, scanOnScreen, findWindow } from '../../../screen/matcher.ts'
import type { Screen } from './screen.ts'

/** Where a node is: its selector, and that of its container. */
export interface Place {
  readonly selector: RecipeSelector
  readonly container?: RecipeContainer | undefined
}

/** The value of each input in the demonstration, by name. */
export type ExampleValues = ReadonlyMap<string, string>

/** All nodes of a screen that a place matches, with the values of the demonstration. */
export function findNodes(screen: Screen, place: Place, examples: ExampleValues): readonly UiNode[] {
  const target = {
    matcher: toMatcher(place.selector, examples),
    ...(place.container && { container: toMatcher(place.container, examples) }),
    strict: true,
  }
  const inside = scanOnScreen(findWindow(screen.tree))
  // The visible nodes of the whole screen are known already.
  const scan = (roots: readonly UiNode[]) => (roots === screen.tree.roots ? screen.nodes : inside(roots))
  const matches = matchTarget(screen.tree, target, scan)
  if (matches.kind !== 'found') return []
  const { index } = place.selector
  return index === undefined ? matches.nodes : matches.nodes.slice(index, index + 1)
}

function toMatcher(selector: SelectorClause, examples: ExampleValues): NodeMatcher & ContainerMatcher {
  const matcher: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(selector)) {
    const name = MATCHER_KEYS.get(key)
    if (name === undefined || value === undefined) continue
    if (key === 'containing') matcher[name] = toMatcher(value as SelectorClause, examples)
    else if (key === 'option') matcher[name] = fillOption(value as NonNullable<SelectorClause['option']>, examples)
    else if (Array.isArray(value)) {
      const parts = value as (SelectorClause | string)[]
      matcher[name] = parts.map((one) =>
        typeof one === 'string' ? fillReferences(one, examples) : toMatcher(one, examples),
      )
    } else matcher[name] = typeof value === 'string' ? fillReferences(value, examples) : value
  }
  return matcher
}

const fillOption = ({ value, of }: NonNullable<SelectorClause['option']>, examples: ExampleValues) => ({
  value: fillReferences(value, examples),
  of: of.map((text) => fillReferences(text, examples)),
})

/** The selector keys that drafts use, and their matcher keys. */
const MATCHER_KEYS: ReadonlyMap<string, string> = new Map([
  ['resource_id', 'resourceId'],
  ['class', 'class'],
  ['text_equals', 'textEquals'],
  ['text_contains', 'textContains'],
  ['content_desc_equals', 'contentDescEquals'],
  ['part_equals', 'partEquals'],
  ['shows', 'shows'],
  ['shows_together', 'showsTogether'],
  ['place', 'place'],
  ['row', 'row'],
  ['group', 'group'],
  ['followed_by', 'followedBy'],
  ['entry_position', 'entryPosition'],
  ['all_of', 'allOf'],
  ['any_of', 'anyOf'],
  ['enabled', 'enabled'],
  ['checked', 'checked'],
  ['clickable', 'clickable'],
  ['selected', 'selected'],
  ['containing', 'containing'],
  ['index', 'index'],
  ['page', 'page'],
  ['option', 'option'],
  ['member', 'member'],
  ['means', 'means'],
  ['between', 'between'],
])

export const formatReference = (name: string): string => `\${inputs.${name}}`

const REFERENCE = /\$\$\{|\$\{inputs\.([A-Za-z0-9_]+)\}/g

export function fillReferences(text: string, examples: ExampleValues): string {
  return text.replaceAll(REFERENCE, (whole, name: string | undefined) =>
    name === undefined ? '${' : (examples.get(name) ?? whole),
  )
}

/** Escapes a literal text for a selector. */
export const escapeReferences = (text: string): string => text.replaceAll('${', '$${')
