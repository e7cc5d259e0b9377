import { z } from 'zod'
import { ActionNames, Between, Member, PageSketch } from '../devices/matcher.ts'

/** The kind of a text in a selector: part of the app, variable, user-specific, or derived. */
export const Annotation = z.enum(['STRUCTURAL', 'VARIABLE', 'USER_SPECIFIC', 'DERIVED'])
export type Annotation = z.infer<typeof Annotation>

/** A text that may contain `${inputs.<name>}`. */
export const selectorText = z.string().min(1).max(512)
const flag = z.boolean().optional()

const tenths = z.int().min(0).max(10)
const place = z.strictObject({ x: tenths, y: tenths })

const predicates = {
  resource_id: selectorText.optional(),
  class: selectorText.optional(),
  text_equals: selectorText.optional().describe('The whole label: text, or content description if the text is blank'),
  text_contains: selectorText.optional().describe('Case-insensitive part of the label'),
  content_desc_contains: selectorText.optional(),
  clickable: flag,
  enabled: flag,
  selected: flag,
  index_in_parent: z.int().min(0).max(10_000).optional().describe('Discouraged, because lists change'),
  content_desc_equals: selectorText.optional().describe('Dialect 2'),
  part_equals: selectorText.optional().describe('Dialect 2: the label or one of its parts, in any case'),
  shows: z.string().min(1).max(4000).optional().describe('Dialect 2: a value the label shows, whatever its format'),
  shows_together: z
    .array(z.string().min(1).max(200))
    .min(2)
    .max(6)
    .optional()
    .describe('Dialect 2: values that the label shows as one, such as a time'),
  place: place.optional().describe('Dialect 2: the centre in tenths of the window'),
  role: selectorText.optional().describe('Dialect 2'),
  checked: flag.describe('Dialect 2'),
  entry_position: z
    .enum(['first', 'last'])
    .optional()
    .describe('Dialect 2: where the list entry around the node is among the visible entries'),
  annotation: Annotation.optional(),
}

/** Keys that require dialect 2. */
export const DIALECT_2_SELECTOR_KEYS = [
  'content_desc_equals',
  'part_equals',
  'shows',
  'shows_together',
  'place',
  'role',
  'checked',
  'entry_position',
  'containing',
  'row',
  'group',
  'followed_by',
  'index',
] as const

/** Keys with a text that is visible on the screen. */
export const TEXT_KEYS = [
  'text_equals',
  'text_contains',
  'content_desc_contains',
  'content_desc_equals',
  'part_equals',
  'shows',
] as const

const NO_PREDICATE_MESSAGE =
  'a selector must have at least one key besides annotation, index, containing, row, group, entry_position, followed_by and container'

/** Groups can be nested three levels deep, as in a matcher of an execution. */
const Leaf = z.strictObject(predicates).refine(hasPredicate, NO_PREDICATE_MESSAGE).meta({ id: 'RecipeSelectorLeaf' })
const InnerClause = z
  .strictObject({ ...predicates, ...groupFields(Leaf) })
  .refine(hasPredicate, NO_PREDICATE_MESSAGE)
  .meta({ id: 'RecipeSelectorInner' })
const Clause = z
  .strictObject({ ...predicates, ...groupFields(InnerClause) })
  .refine(hasPredicate, NO_PREDICATE_MESSAGE)
  .meta({ id: 'RecipeSelectorClause' })

const choiceFields = {
  containing: Leaf.optional().describe('Dialect 2: a node inside the matched node'),
  row: z.array(Leaf).min(1).max(6).optional().describe('Dialect 2: nodes in the list entry around the matched node'),
  group: z
    .array(Leaf)
    .min(1)
    .max(6)
    .optional()
    .describe('Dialect 2: nodes in the list or choice around the matched node'),
  followed_by: z
    .array(Leaf)
    .min(1)
    .max(6)
    .optional()
    .describe('Dialect 2: nodes in the list entry right after the one around the matched node'),
  index: z.int().min(0).max(10_000).optional().describe('Dialect 2: the index of the match to use, from 0'),
}

/** The region of a search. */
export const RecipeContainer = z
  .strictObject({ ...predicates, ...groupFields(InnerClause), ...choiceFields })
  .refine(hasPredicate, NO_PREDICATE_MESSAGE)
  .meta({ id: 'RecipeContainer' })
export type RecipeContainer = z.infer<typeof RecipeContainer>

/** An alternative selector, used if the selector finds nothing. */
export const RecipeFallback = z
  .strictObject({
    ...predicates,
    ...groupFields(InnerClause),
    ...choiceFields,
    container: RecipeContainer.optional(),
    page: PageSketch.optional().describe('The node that stands where a node of this page stood, in any language'),
    option: z
      .strictObject({ value: z.string().min(1).max(512), of: z.array(z.string().min(1).max(120)).min(2).max(40) })
      .optional()
      .describe('The member of a choice of as many that stands where this option stood'),
    member: Member.optional().describe('In the row at this place of a group of as many'),
    between: Between.optional().describe('In the row between two rows with these labels'),
    means: ActionNames.optional().describe('What the control says that it does, in any language'),
    renamed_from: z
      .string()
      .min(1)
      .max(120)
      .optional()
      .describe('The other rows of the list have the same control under the same label, and none under this one'),
    foreign_to: z
      .array(z.string().min(1).max(120))
      .min(2)
      .max(8)
      .optional()
      .describe('Only on a page with almost none of these texts of the app, so in another language'),
  })
  .refine(hasPredicate, NO_PREDICATE_MESSAGE)
  .meta({ id: 'RecipeFallback' })
export type RecipeFallback = z.infer<typeof RecipeFallback>

export const RecipeSelector = z
  .strictObject({ ...predicates, ...groupFields(Clause), ...choiceFields })
  .refine(hasPredicate, NO_PREDICATE_MESSAGE)
  .meta({ id: 'RecipeSelector' })
export type RecipeSelector = z.infer<typeof RecipeSelector>

/** A selector in a parameter of a step, with its own fallbacks. */
export const RecipePartSelector = z
  .strictObject({
    ...predicates,
    ...groupFields(Clause),
    ...choiceFields,
    fallbacks: z.array(RecipeFallback).min(1).max(5).optional(),
  })
  .refine(hasPredicate, NO_PREDICATE_MESSAGE)
  .meta({ id: 'RecipePartSelector' })
export type RecipePartSelector = z.infer<typeof RecipePartSelector>

/** A selector at any depth. */
export type SelectorClause = Omit<RecipeSelector, 'any_of' | 'all_of'> & {
  readonly any_of?: readonly SelectorClause[] | undefined
  readonly all_of?: readonly SelectorClause[] | undefined
  readonly container?: RecipeContainer | undefined
  readonly page?: PageSketch | undefined
  readonly foreign_to?: readonly string[] | undefined
  readonly member?: z.infer<typeof Member> | undefined
  readonly between?: z.infer<typeof Between> | undefined
  readonly means?: readonly string[] | undefined
  readonly renamed_from?: string | undefined
  readonly option?: { readonly value: string; readonly of: readonly string[] } | undefined
}

function groupFields<T extends z.ZodType>(clause: T) {
  return {
    any_of: z.array(clause).min(1).max(16).optional(),
    all_of: z.array(clause).min(1).max(16).optional(),
  }
}

/** Whether the selector has a condition on the node itself. */
function hasPredicate(selector: Readonly<Record<string, unknown>>): boolean {
  const other = [
    'annotation',
    'index',
    'containing',
    'row',
    'group',
    'entry_position',
    'followed_by',
    'container',
    'fallbacks',
  ]
  return Object.entries(selector).some(([key, value]) => !other.includes(key) && value !== undefined)
}
