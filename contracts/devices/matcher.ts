import { z } from 'zod'
import { MAX_INPUT_LENGTH } from './param-rules.ts'

const optionalText = z.string().max(512).optional()
/** A text that may contain an input. */
const shownText = z.string().max(MAX_INPUT_LENGTH).optional()
const flag = z.boolean().optional()

const TEXT_KEYS = [
  'resourceId',
  'role',
  'textEquals',
  'textContains',
  'contentDescEquals',
  'contentDescContains',
  'partEquals',
  'shows',
  'class',
] as const

/** The attribute of the UI dump for each matcher flag. */
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

const tenths = z.int().min(0).max(10)
const place = z.strictObject({ x: tenths, y: tenths })

const predicates = {
  resourceId: optionalText.describe('Exact resource-id'),
  role: optionalText.describe('Inferred role, case-insensitive'),
  textEquals: shownText.describe('Exact label: text, or content-desc when text is blank'),
  textContains: shownText.describe('Case-insensitive part of the label'),
  contentDescEquals: shownText.describe('Exact content-desc'),
  contentDescContains: shownText.describe('Case-insensitive part of content-desc'),
  partEquals: optionalText.describe(
    'The label or one of its parts (a line, a segment between separators), in any case',
  ),
  shows: z.string().max(4000).optional().describe('A value that the label shows, whatever its format'),
  showsTogether: z
    .array(z.string().min(1).max(200))
    .min(2)
    .max(6)
    .optional()
    .describe('Values that the label shows as one: hour, minute and half of the day as a time'),
  class: optionalText.describe('Exact class name'),
  place: place.optional().describe('The centre in tenths of the window, within one tenth'),
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
  entryPosition: z
    .enum(['first', 'last'])
    .optional()
    .describe('Where the list entry around the node is among the visible entries; requires another field'),
}

const index = z.int().min(0).max(10_000).optional().describe('The index of the match to use, from 0')

/**
 * Groups can be nested three levels deep. The limit is part of the schema, so that a hostile payload cannot cause
 * unbounded recursion in validation or matching.
 */
const Leaf = z
  .strictObject(predicates)
  .refine(hasPredicate, 'Matcher must have at least one field')
  .meta({ id: 'NodeClauseLeaf' })
const InnerClause = z
  .strictObject({ ...predicates, ...groupFields(Leaf) })
  .refine(hasPredicate, 'Matcher must have at least one field')
  .meta({ id: 'NodeClauseInner' })
const Clause = z
  .strictObject({ ...predicates, ...groupFields(InnerClause) })
  .refine(hasPredicate, 'Matcher must have at least one field')
  .meta({ id: 'NodeClause' })

const containing = Leaf.optional().describe('A node inside the matched node; requires another field in the matcher')

/** The nodes that the row around the matched node must contain. */
const row = z
  .array(Leaf)
  .min(1)
  .max(6)
  .optional()
  .describe('Nodes in the list entry around the matched node; requires another field in the matcher')

/** The nodes that other members of the list around the matched node must contain. */
const group = z
  .array(Leaf)
  .min(1)
  .max(6)
  .optional()
  .describe('Nodes in the list or choice that the matched node is a member of; requires another field in the matcher')

/** The nodes that the entry after the one around the matched node must contain. */
const followedBy = z
  .array(Leaf)
  .min(1)
  .max(6)
  .optional()
  .describe('Nodes in the list entry right after the one around the matched node; requires another field')

/** The region of a search. Its own node is not part of the region. */
export const ContainerMatcher = z
  .strictObject({ ...predicates, ...groupFields(InnerClause), index, containing, row, group, followedBy })
  .refine(hasPredicate, 'Matcher must have at least one field')
  .meta({ id: 'ContainerMatcher' })
export type ContainerMatcher = z.infer<typeof ContainerMatcher>

const layoutPart = z.string().regex(/^[a-z]{1,12}~?\*?@\d{1,3},\d{1,3}$/)
const pageText = z.string().min(1).max(120)

/** The page that a node stood on, by the places of its controls, and which of them it was. */
export const PageSketch = z
  .strictObject({
    layout: z.array(layoutPart).min(1).max(60).describe('Kind and centre of each control, in hundredths of the window'),
    texts: flag.describe('The layout has the labels of the page too'),
    rows: flag.describe('The layout has the controls in rows of data too'),
    at: z.int().min(0).max(59).describe('The index of the node in the layout'),
    floating: flag.describe('A window smaller than the display: a dialog, a menu'),
    words: z.array(pageText).max(8).optional().describe('Texts of the app on the page, except that of the node'),
    title: pageText.optional(),
  })
  .meta({ id: 'PageSketch' })
export type PageSketch = z.infer<typeof PageSketch>

/** One of several options, by its place among them. */
const Option = z.strictObject({ value: z.string().max(512), of: z.array(pageText).min(2).max(40) })

/** A row of a page that has a fixed number of them. */
export const Member = z.strictObject({ at: z.int().min(0).max(99), of: z.int().min(2).max(100) })

/** The row right after one and right before another one. */
export const Between = z.strictObject({ after: pageText, before: pageText })

/** What a control does, by names that are the same in every language: add, rename, mute. */
export const ActionNames = z
  .array(z.string().regex(/^[a-z]{2,20}$/))
  .min(1)
  .max(6)

/** An alternative matcher for the same node. */
export const FallbackMatcher = z
  .strictObject({
    ...predicates,
    ...groupFields(InnerClause),
    index,
    containing,
    row,
    group,
    followedBy,
    container: ContainerMatcher.optional(),
    page: PageSketch.optional().describe('The node that stands where a node of this page stood, in any language'),
    option: Option.optional().describe('The member of a choice of as many that stands where this option stood'),
    member: Member.optional().describe('In the row at this place of a group of as many'),
    between: Between.optional().describe('In the row between two rows with these labels'),
    means: ActionNames.optional().describe('What the control says that it does, in any language'),
    renamedFrom: pageText
      .optional()
      .describe('The other rows of the list have the same control under the same label, and none under this one'),
    foreignTo: z
      .array(pageText)
      .min(2)
      .max(8)
      .optional()
      .describe('Only on a page with almost none of these texts of the app, so in another language'),
  })
  .refine(hasPredicate, 'Matcher must have at least one field')
  .meta({ id: 'FallbackMatcher' })
export type FallbackMatcher = z.infer<typeof FallbackMatcher>

/** All given fields must match. An empty string counts as not given. */
export const NodeMatcher = z
  .strictObject({
    ...predicates,
    ...groupFields(Clause),
    index,
    strict: z.boolean().optional().describe('More than one match is an error'),
    containing,
    row,
    group,
    followedBy,
    container: ContainerMatcher.optional(),
    fallbacks: z
      .array(FallbackMatcher)
      .max(5)
      .optional()
      .describe('Other ways to find the node. They vote if the matcher finds nothing'),
  })
  .refine(hasPredicate, 'Matcher must have at least one field')
  .meta({ id: 'NodeMatcher' })
export type NodeMatcher = z.infer<typeof NodeMatcher>

/** The conditions of a matcher on one node, without the selection among several matches. */
export type NodePredicates = z.infer<typeof Leaf> & {
  readonly anyOf?: readonly NodePredicates[] | undefined
  readonly allOf?: readonly NodePredicates[] | undefined
  readonly containing?: z.infer<typeof Leaf> | undefined
  readonly row?: readonly z.infer<typeof Leaf>[] | undefined
  readonly group?: readonly z.infer<typeof Leaf>[] | undefined
  readonly followedBy?: readonly z.infer<typeof Leaf>[] | undefined
  readonly page?: PageSketch | undefined
  readonly foreignTo?: readonly string[] | undefined
  readonly member?: z.infer<typeof Member> | undefined
  readonly between?: z.infer<typeof Between> | undefined
  readonly means?: readonly string[] | undefined
  readonly renamedFrom?: string | undefined
  readonly option?: { readonly value: string; readonly of: readonly string[] } | undefined
}

/** Converts accepted spellings of matcher keys to the canonical ones. Values are not changed. */
export function canonicalMatcher(input: unknown, depth = 0): unknown {
  if (!isRecord(input) || depth > 6) return input
  const renamed = renameKeys(input, MATCHER_ALIASES, MATCHER_KEYS)
  for (const key of ['anyOf', 'allOf', 'fallbacks', 'row', 'group', 'followedBy'] as const) {
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
 * Renames aliases and snake_case spellings to `known` keys. A canonical key takes precedence over its aliases, and the
 * first alias over later ones. Other keys are kept; the schema refuses them.
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

function canonicalKey(key: string, aliases: ReadonlyMap<string, string>, known: ReadonlySet<string>): string {
  if (known.has(key)) return key
  const alias = aliases.get(key) ?? camelCase(key)
  return known.has(alias) ? alias : key
}

function camelCase(key: string): string {
  return key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

function groupFields<T extends z.ZodType>(clause: T) {
  return {
    anyOf: z.array(clause).min(1).max(16).optional(),
    allOf: z.array(clause).min(1).max(16).optional(),
  }
}

function hasPredicate(matcher: Readonly<Record<string, unknown>>): boolean {
  return (
    TEXT_KEYS.some((key) => (matcher[key] ?? '') !== '') ||
    MATCHER_FLAGS.some((key) => matcher[key] !== undefined) ||
    ['indexInParent', 'place', 'showsTogether', 'anyOf', 'allOf'].some((key) => matcher[key] !== undefined)
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
