import { z } from 'zod'

const words = z.string().max(512).optional()
const flag = z.boolean().optional()

const WORD_KEYS = [
  'resourceId',
  'role',
  'textEquals',
  'textContains',
  'contentDescEquals',
  'contentDescContains',
  'class',
] as const

/** Matcher flag -> attribute of the dump. */
export const FLAG_ATTRIBUTES = {
  checkable: 'checkable',
  checked: 'checked',
  clickable: 'clickable',
  enabled: 'enabled',
  focusable: 'focusable',
  focused: 'focused',
  longClickable: 'long-clickable',
  password: 'password',
  scrollable: 'scrollable',
  selected: 'selected',
} as const
export type MatcherFlag = keyof typeof FLAG_ATTRIBUTES
export const MATCHER_FLAGS = Object.keys(FLAG_ATTRIBUTES) as readonly MatcherFlag[]

const predicates = {
  resourceId: words.describe('Exact resource-id'),
  role: words.describe('Inferred role, case-insensitive'),
  textEquals: words.describe('Exact label: text, or content-desc when text is blank'),
  textContains: words.describe('Case-insensitive part of the label'),
  contentDescEquals: words.describe('Exact content-desc'),
  contentDescContains: words.describe('Case-insensitive part of content-desc'),
  class: words.describe('Exact class name'),
  checkable: flag,
  checked: flag,
  clickable: flag,
  enabled: flag,
  focusable: flag,
  focused: flag,
  longClickable: flag,
  password: flag,
  scrollable: flag,
  selected: flag,
  indexInParent: z.int().min(0).optional().describe('The index attribute of the dump'),
}

const index = z.int().min(0).max(10_000).optional().describe('Pick the n-th match, from 0')

/**
 * Groups nest three levels deep and no further: the bound is part of the schema, so a hostile payload
 * cannot make validation or matching recurse without end.
 */
const Leaf = z
  .strictObject(predicates)
  .refine(hasPredicate, 'Matcher must have at least one field')
  .meta({ id: 'NodeClauseLeaf' })
const InnerClause = z
  .strictObject({ ...predicates, ...groupsOf(Leaf) })
  .refine(hasPredicate, 'Matcher must have at least one field')
  .meta({ id: 'NodeClauseInner' })
const Clause = z
  .strictObject({ ...predicates, ...groupsOf(InnerClause) })
  .refine(hasPredicate, 'Matcher must have at least one field')
  .meta({ id: 'NodeClause' })

const containing = Leaf.optional().describe(
  'Something on the screen inside the node; says nothing without another field beside it',
)

/** The region a search is limited to; its own node is not part of the region. */
export const ContainerMatcher = z
  .strictObject({ ...predicates, ...groupsOf(InnerClause), index, containing })
  .refine(hasPredicate, 'Matcher must have at least one field')
  .meta({ id: 'ContainerMatcher' })
export type ContainerMatcher = z.infer<typeof ContainerMatcher>

/** Another way to name the same node. */
export const FallbackMatcher = z
  .strictObject({
    ...predicates,
    ...groupsOf(InnerClause),
    index,
    containing,
    container: ContainerMatcher.optional(),
  })
  .refine(hasPredicate, 'Matcher must have at least one field')
  .meta({ id: 'FallbackMatcher' })
export type FallbackMatcher = z.infer<typeof FallbackMatcher>

/** All given fields hold together. An empty string counts as a field that was not given. */
export const NodeMatcher = z
  .strictObject({
    ...predicates,
    ...groupsOf(Clause),
    index,
    strict: z.boolean().optional().describe('More than one match is an error'),
    containing,
    container: ContainerMatcher.optional(),
    fallbacks: z
      .array(FallbackMatcher)
      .max(5)
      .optional()
      .describe('Tried in order, and only when nothing is found'),
  })
  .refine(hasPredicate, 'Matcher must have at least one field')
  .meta({ id: 'NodeMatcher' })
export type NodeMatcher = z.infer<typeof NodeMatcher>

/** What a matcher demands of one node, without the choice between several. */
export type NodePredicates = z.infer<typeof Leaf> & {
  readonly anyOf?: readonly NodePredicates[] | undefined
  readonly allOf?: readonly NodePredicates[] | undefined
  readonly containing?: z.infer<typeof Leaf> | undefined
}

/** Brings the accepted spellings of matcher keys to the canonical ones; values stay untouched. */
export function canonicalMatcher(input: unknown, depth = 0): unknown {
  if (!isRecord(input) || depth > 6) return input
  const renamed = renameKeys(input, MATCHER_ALIASES, MATCHER_KEYS)
  for (const key of ['anyOf', 'allOf', 'fallbacks'] as const) {
    const group = renamed[key]
    if (Array.isArray(group)) {
      renamed[key] = group.map((clause) => canonicalMatcher(clause, depth + 1))
    }
  }
  for (const key of ['container', 'containing'] as const) {
    if (key in renamed) renamed[key] = canonicalMatcher(renamed[key], depth + 1)
  }
  return renamed
}

/**
 * Renames aliases and snake_case spellings into `known` keys. A canonical key beats its aliases; among
 * aliases the first written wins; every other key is kept as it is, for the schema to refuse.
 */
export function renameKeys(
  input: Readonly<Record<string, unknown>>,
  aliases: ReadonlyMap<string, string>,
  known: ReadonlySet<string>,
): Record<string, unknown> {
  const renamed = new Map<string, unknown>()
  for (const [key, value] of Object.entries(input)) {
    const canonical = canonicalKey(key, aliases, known)
    if (canonical === key || !renamed.has(canonical)) renamed.set(canonical, value)
  }
  return Object.fromEntries(renamed)
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function canonicalKey(
  key: string,
  aliases: ReadonlyMap<string, string>,
  known: ReadonlySet<string>,
): string {
  if (known.has(key)) return key
  const alias = aliases.get(key) ?? camelCase(key)
  return known.has(alias) ? alias : key
}

function camelCase(key: string): string {
  return key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

function groupsOf<T extends z.ZodType>(clause: T) {
  return {
    anyOf: z.array(clause).min(1).max(16).optional(),
    allOf: z.array(clause).min(1).max(16).optional(),
  }
}

function hasPredicate(matcher: Readonly<Record<string, unknown>>): boolean {
  return (
    WORD_KEYS.some((key) => (matcher[key] ?? '') !== '') ||
    MATCHER_FLAGS.some((key) => matcher[key] !== undefined) ||
    ['indexInParent', 'anyOf', 'allOf'].some((key) => matcher[key] !== undefined)
  )
}

const MATCHER_KEYS: ReadonlySet<string> = new Set(Object.keys(NodeMatcher.shape))
const MATCHER_ALIASES: ReadonlyMap<string, string> = new Map([
  ['id', 'resourceId'],
  ['text', 'textEquals'],
  ['content_desc', 'contentDescEquals'],
  ['contentDesc', 'contentDescEquals'],
  ['description', 'contentDescEquals'],
  ['accessibility_label', 'contentDescEquals'],
  ['description_contains', 'contentDescContains'],
  ['accessibility_label_contains', 'contentDescContains'],
  ['class_name', 'class'],
  ['className', 'class'],
])
