import type { Action } from '@apprentice/contracts/devices/action.ts'
import { type NodeMatcher, isRecord } from '@apprentice/contracts/devices/matcher.ts'
import { findCalendar } from '../../screen/calendar/calendar.ts'
import { type Hierarchy, subtree, type UiNode } from '../../screen/tree/hierarchy.ts'
import { resolveTarget } from '../../screen/matcher.ts'

/**
 * Whether one of the next actions finds a target or a guard in this part of the screen: then it belongs to the workflow.
 * A window that only has the shape of an expected one is another one, unless the app speaks another language.
 */
export function findsTargetIn(
  hierarchy: Hierarchy,
  root: UiNode,
  { upcoming: actions, language }: { readonly upcoming: readonly Action[]; readonly language: string },
): boolean {
  if (actions.some(({ type }) => type === 'pick_date') && findCalendar([...subtree(root)]) !== undefined) return true
  return actions.flatMap(listMatchers).some((matcher) => {
    const resolution = resolveTarget(hierarchy, { matcher: { ...matcher, strict: false } })
    if (resolution.kind !== 'found' || !isWithin(resolution.node, root)) return false
    return resolution.fallback === undefined || resolution.page_words !== 'foreign' || language === 'foreign'
  })
}

/** The apps that the actions name: opened, expected, or by the ids of their nodes. */
export function listPackages(actions: readonly Action[]): ReadonlySet<string> {
  const packages = new Set<string>()
  visitStrings(actions, (key, value) => {
    if (key === 'applicationId' || key === 'expectedPackage') packages.add(value.trim())
    const [, owner] = key === 'resourceId' ? (/^([\w.]+):id\//.exec(value) ?? []) : []
    if (owner !== undefined && owner !== 'android') packages.add(owner)
  })
  packages.delete('')
  return packages
}

/** The texts that the actions type or look for. A label that repeats them says nothing of its own. */
export function listGivenTexts(actions: readonly Action[]): readonly string[] {
  const texts = new Set<string>()
  visitStrings(actions, (key, value) => {
    if (GIVEN_TEXT_KEYS.has(key) && value.trim().length > 1) texts.add(value.trim())
  })
  return [...texts].toSorted((one, other) => other.length - one.length)
}

const GIVEN_TEXT_KEYS: ReadonlySet<string> = new Set([
  'text',
  'targetText',
  'equals',
  'contains',
  'shows',
  'partEquals',
  'textEquals',
  'textContains',
  'contentDescEquals',
  'contentDescContains',
])

function listMatchers({ when, unless, params }: Action): NodeMatcher[] {
  const named = MATCHER_PARAMS.map((name) => (params as Readonly<Record<string, unknown>>)[name])
  return [when, unless, ...(named as (NodeMatcher | undefined)[])].filter((one) => one !== undefined)
}

const MATCHER_PARAMS = ['matcher', 'labelMatcher', 'expectedNode', 'value', 'increase', 'decrease', 'slider'] as const

function isWithin(node: UiNode, root: UiNode): boolean {
  return node === root || node.path.startsWith(`${root.path}.`)
}

function visitStrings(value: unknown, visit: (key: string, value: string) => void, key = ''): void {
  if (typeof value === 'string') visit(key, value)
  else if (Array.isArray(value)) for (const inner of value) visitStrings(inner, visit, key)
  else if (isRecord(value)) for (const [name, inner] of Object.entries(value)) visitStrings(inner, visit, name)
}
