import { z } from 'zod'

/** What a selector's words are: part of the app, different each time, somebody's own, or computed. */
export const Annotation = z.enum(['STRUCTURAL', 'VARIABLE', 'USER_SPECIFIC', 'DERIVED'])
export type Annotation = z.infer<typeof Annotation>

/** A text that may hold `${inputs.<name>}`. */
export const words = z.string().min(1).max(512)
const flag = z.boolean().optional()

const predicates = {
  resource_id: words.optional(),
  class: words.optional(),
  text_equals: words.optional().describe('The whole label: text, else content description'),
  text_contains: words.optional().describe('Part of the label, in any case'),
  content_desc_contains: words.optional(),
  clickable: flag,
  enabled: flag,
  selected: flag,
  index_in_parent: z.int().min(0).max(10_000).optional().describe('Discouraged: lists change'),
  content_desc_equals: words.optional().describe('Dialect 2'),
  role: words.optional().describe('Dialect 2'),
  checked: flag.describe('Dialect 2'),
  annotation: Annotation.optional(),
}

/** Keys that only dialect 2 knows. */
export const DIALECT_2_SELECTOR_KEYS = [
  'content_desc_equals',
  'role',
  'checked',
  'containing',
  'index',
] as const

/** Keys whose words a person reads on the screen. */
export const TEXT_KEYS = [
  'text_equals',
  'text_contains',
  'content_desc_contains',
  'content_desc_equals',
] as const

const asksNothing = 'A selector must ask for something'

/** Groups nest three levels deep and no further, as those of an execution's matcher do. */
const Leaf = z.strictObject(predicates).refine(asks, asksNothing).meta({ id: 'RecipeSelectorLeaf' })
const InnerClause = z
  .strictObject({ ...predicates, ...groupsOf(Leaf) })
  .refine(asks, asksNothing)
  .meta({ id: 'RecipeSelectorInner' })
const Clause = z
  .strictObject({ ...predicates, ...groupsOf(InnerClause) })
  .refine(asks, asksNothing)
  .meta({ id: 'RecipeSelectorClause' })

const choice = {
  containing: Leaf.optional().describe('Dialect 2: something inside the node that answers this'),
  index: z.int().min(0).max(10_000).optional().describe('Dialect 2: the n-th match, from 0'),
}

/** The region a search is limited to. */
export const RecipeContainer = z
  .strictObject({ ...predicates, ...groupsOf(InnerClause), ...choice })
  .refine(asks, asksNothing)
  .meta({ id: 'RecipeContainer' })
export type RecipeContainer = z.infer<typeof RecipeContainer>

/** Another way to name the same thing, for when the selector finds nothing. */
export const RecipeFallback = z
  .strictObject({
    ...predicates,
    ...groupsOf(InnerClause),
    ...choice,
    container: RecipeContainer.optional(),
  })
  .refine(asks, asksNothing)
  .meta({ id: 'RecipeFallback' })
export type RecipeFallback = z.infer<typeof RecipeFallback>

export const RecipeSelector = z
  .strictObject({ ...predicates, ...groupsOf(Clause), ...choice })
  .refine(asks, asksNothing)
  .meta({ id: 'RecipeSelector' })
export type RecipeSelector = z.infer<typeof RecipeSelector>

/** A selector at any depth, as those who walk it see it. */
export type SelectorClause = Omit<RecipeSelector, 'any_of' | 'all_of'> & {
  readonly any_of?: readonly SelectorClause[] | undefined
  readonly all_of?: readonly SelectorClause[] | undefined
  readonly container?: RecipeContainer | undefined
}

function groupsOf<T extends z.ZodType>(clause: T) {
  return {
    any_of: z.array(clause).min(1).max(16).optional(),
    all_of: z.array(clause).min(1).max(16).optional(),
  }
}

/** What is inside a node, or which of several it is, says nothing of the node itself. */
function asks(selector: Readonly<Record<string, unknown>>): boolean {
  const beside = ['annotation', 'index', 'containing', 'container']
  return Object.entries(selector).some(
    ([key, value]) => !beside.includes(key) && value !== undefined,
  )
}
