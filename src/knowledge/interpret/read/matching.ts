import type { ContainerMatcher, NodeMatcher } from '@apprentice/contracts/devices/matcher.ts'
import type {
  RecipeContainer,
  RecipeSelector,
  SelectorClause,
} from '@apprentice/contracts/recipes/selector.ts'
import type { UiNode } from '../../../screen/hierarchy.ts'
import { matchTarget, onScreen, windowOf } from '../../../screen/matcher.ts'
import type { Screen } from './screen.ts'

/** Where something is: what it looks like, and inside what. */
export interface Place {
  readonly selector: RecipeSelector
  readonly container?: RecipeContainer | undefined
}

/** What an input stood for when it was shown. */
export type Shown = ReadonlyMap<string, string>

/** Every node a place names on a screen, with the values that were shown. */
export function nodesAt(screen: Screen, place: Place, shown: Shown): readonly UiNode[] {
  const target = {
    matcher: matcherOf(place.selector, shown),
    ...(place.container && { container: matcherOf(place.container, shown) }),
    strict: true,
  }
  const inside = onScreen(windowOf(screen.tree))
  // The whole screen is looked over again and again, and was read long ago.
  const scan = (roots: readonly UiNode[]) =>
    roots === screen.tree.roots ? screen.nodes : inside(roots)
  const matches = matchTarget(screen.tree, target, scan)
  if (matches.kind !== 'found') return []
  const { index } = place.selector
  return index === undefined ? matches.nodes : matches.nodes.slice(index, index + 1)
}

function matcherOf(selector: SelectorClause, shown: Shown): NodeMatcher & ContainerMatcher {
  const matcher: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(selector)) {
    const name = KEYS.get(key)
    if (name === undefined || value === undefined) continue
    if (key === 'containing') matcher[name] = matcherOf(value as SelectorClause, shown)
    else matcher[name] = typeof value === 'string' ? filled(value, shown) : value
  }
  return matcher
}

/** The keys learning writes; the others are for people. */
const KEYS: ReadonlyMap<string, string> = new Map([
  ['resource_id', 'resourceId'],
  ['class', 'class'],
  ['text_equals', 'textEquals'],
  ['text_contains', 'textContains'],
  ['content_desc_equals', 'contentDescEquals'],
  ['clickable', 'clickable'],
  ['selected', 'selected'],
  ['containing', 'containing'],
  ['index', 'index'],
])

export const reference = (name: string): string => `\${inputs.${name}}`

const REFERENCE = /\$\$\{|\$\{inputs\.([A-Za-z0-9_]+)\}/g

export function filled(text: string, shown: Shown): string {
  return text.replaceAll(REFERENCE, (whole, name: string | undefined) =>
    name === undefined ? '${' : (shown.get(name) ?? whole),
  )
}

/** Words of the app as they stand in a selector. */
export const literal = (text: string): string => text.replaceAll('${', '$${')
