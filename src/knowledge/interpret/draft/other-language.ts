import type { RecipeVerification } from '@apprentice/contracts/recipes/recipe.ts'
import type { RecipeFallback, RecipeSelector, SelectorClause } from '@apprentice/contracts/recipes/selector.ts'
import { attribute, isTrue, type UiNode } from '../../../screen/tree/hierarchy.ts'
import { readCaption, readControlActions } from '../../../screen/control-actions.ts'
import { formatPart, isFloatingWindow, readLayout } from '../../../screen/page-layout.ts'
import { type Claim, isClaimTrue } from '../prove/claims.ts'
import type { Proof } from '../prove/proof.ts'
import type { Choice } from '../read/choice.ts'
import type { Intent } from '../read/intent.ts'
import { escapeReferences, findNodes, formatReference, type Place } from '../read/matching.ts'
import { listTextNodes, readText } from '../read/node-text.ts'
import { findRowAround } from '../read/rows.ts'
import { isSameView, type Screen } from '../read/screen.ts'
import { listWords } from '../read/page-anchor.ts'
import { type Candidate, keepStructuralText, readPlace, type ScreenView } from '../read/selectors.ts'

type OtherLanguage = NonNullable<RecipeVerification['other_language']>

interface Demonstrated {
  readonly proof: Proof
  readonly intents: readonly Intent[]
  readonly view: ScreenView
}

/**
 * What a claim says without the words of the app: the node at the same place, or in the same list entry, and whether the
 * work made it appear or change. Undefined if the claim needs no words, or if nothing else tells the outcome.
 */
export function describeInOtherLanguage(
  claim: Claim,
  { proof, intents, view }: Demonstrated,
): OtherLanguage | undefined {
  const { node, check } = claim
  const { end, reopen } = proof
  if (node === undefined || check.kind === 'absent' || reopen !== undefined || !end.nodes.includes(node))
    return undefined
  if (!hasWords(claim.selector) && !hasWords(claim.container) && !comparesWords(claim)) return undefined
  const earlier = intents.flatMap(({ before }) => (before?.package === end.package ? [before] : []))
  const last = earlier.at(-1)
  // A message on the page of the last action may be about anything.
  if (last === undefined || (claim.transient === true && isSameView(last, end))) return undefined
  const compared = { node, end, earlier, view }
  for (const selector of listPlaces(node, claim.selector, compared)) {
    const found = findNodes(end, { selector }, view.examples)
    if (found[0] !== node || found.length > 1) continue
    const change = describeChange(claim, { selector }, compared)
    if (change === 'none') return { selector }
    if (change !== undefined) return { selector, change }
  }
  return undefined
}

interface Compared {
  readonly node: UiNode
  readonly end: Screen
  readonly earlier: readonly Screen[]
  readonly view: ScreenView
}

/**
 * How the place tells that the work was done: by the values it shows, or because it appeared or changed. It must not be
 * found on an earlier screen for which the claim with its words was false.
 */
function describeChange(
  claim: Claim,
  place: Place,
  { node, end, earlier, view: { examples } }: Compared,
): 'none' | OtherLanguage['change'] {
  const isWord = !showsValue(claim)
  const free: Claim = { ...claim, selector: place.selector, container: undefined, ...(isWord && PRESENT) }
  if (!isClaimTrue(free, end, examples)) return undefined
  const misleading = earlier.filter((one) => isClaimTrue(free, one, examples) && !isClaimTrue(claim, one, examples))
  const wasShown = earlier.some((one) => isClaimTrue(claim, one, examples))
  if (misleading.length === 0 && !isWord) return 'none'
  if (misleading.length === 0) return wasShown ? 'shown' : 'added'
  const was = misleading.flatMap((screen) => findNodes(screen, place, examples))
  return isWord && was.every((one) => readText(one) !== readText(node)) ? 'changed' : undefined
}

const PRESENT = { check: { kind: 'present' } } as const

/** Whether the text that a claim compares is a word of the app. */
const comparesWords = ({ check }: Pick<Claim, 'check'>): boolean => check.kind === 'text' && isLiteral(check.equals)

/** Whether a claim is about a value or a state, which are the same in every language. */
function showsValue({ selector, check }: Claim): boolean {
  if (check.kind !== 'present') return !(check.kind === 'text' && isLiteral(check.equals))
  const { shows, shows_together, checked, selected, enabled } = selector
  const values = [shows, shows_together, checked, selected, enabled]
  return (
    values.some((one) => one !== undefined) ||
    WORD_KEYS.some((key) => selector[key] !== undefined && !isLiteral(selector[key]))
  )
}

/** Places of a node without words: in the list entry that an input names, by its id, by its place on the page. */
function listPlaces(node: UiNode, selector: RecipeSelector, compared: Compared): PlaceWithoutWords[] {
  const { row = [], group: _group, followed_by: _followed, place: _place, index: _index, ...own } = dropWords(selector)
  if (row.length > 0) return [{ ...own, row }, ...listColumns({ ...own, row }, compared)]
  const page = sketchPage(node)
  const member = readMember(node)
  const type = attribute(node, 'class')
  return [
    ...(own.resource_id === undefined ? [] : [own]),
    ...(page === undefined ? [] : [{ ...own, class: type, page }]),
    ...(member === undefined ? [] : [{ ...own, class: type, member }]),
  ]
}

/** One of several nodes of a list entry that are alike, by its place among them. */
function listColumns(selector: PlaceWithoutWords, { node, end, view }: Compared): PlaceWithoutWords[] {
  const index = findNodes(end, { selector }, view.examples).indexOf(node)
  return index < 0 ? [] : [{ ...selector, index }]
}

/** The row of a form or of a settings page by its place. */
function readMember(node: UiNode): RecipeFallback['member'] {
  const row = findRowAround(node)
  const members = row?.group.members ?? []
  const at = row === undefined ? -1 : members.indexOf(row.node)
  return at < 0 || members.length < MIN_MEMBERS || members.length > MAX_MEMBERS ? undefined : { at, of: members.length }
}

const MIN_MEMBERS = 2
const MAX_MEMBERS = 20

type PlaceWithoutWords = Omit<RecipeFallback, 'any_of' | 'all_of'>

const MAX_PARTS = 60
const MIN_PARTS = 3

/**
 * The page of a node with its labels, because a new label may be all that tells it from another page. Of a page that
 * scrolls only what stands around its content, if the node is there: the content is as long as its data.
 */
function sketchPage(node: UiNode): RecipeFallback['page'] {
  const all = readLayout(node, { texts: true, rows: true })
  const frame = all.filter(({ moves }) => !moves)
  const isFramed = frame.length >= MIN_PARTS && frame.length < all.length && frame.some((part) => part.node === node)
  const parts = isFramed ? frame : readLayout(node, { texts: true })
  const at = parts.findIndex((part) => part.node === node)
  if (at < 0 || parts.length > MAX_PARTS || parts.length < MIN_PARTS) return undefined
  return {
    layout: parts.map(formatPart),
    texts: true,
    ...(isFramed && { rows: true }),
    at,
    ...(isFloatingWindow(node) && { floating: true }),
  }
}

const WORD_KEYS = [
  'text_equals',
  'text_contains',
  'content_desc_equals',
  'content_desc_contains',
  'part_equals',
] as const

const isLiteral = (text: string | undefined): boolean => text !== undefined && !/(?<!\$)\$\{inputs\./u.test(text)

/** Whether a selector, or a part of it, has a word of the app. */
function hasWords(selector: SelectorClause | undefined): boolean {
  if (selector === undefined) return false
  const { containing, row = [], group = [], followed_by = [], any_of = [], all_of = [] } = selector
  const inner = [...row, ...group, ...followed_by, ...any_of, ...all_of]
  return WORD_KEYS.some((key) => isLiteral(selector[key])) || hasWords(containing) || inner.some(hasWords)
}

function dropWords(selector: RecipeSelector): PlaceWithoutWords {
  const { containing, row, any_of: _any, all_of: _all, ...own } = selector
  const kept = Object.fromEntries(
    Object.entries(own).filter(([key, value]) => !(isWordKey(key) && typeof value === 'string' && isLiteral(value))),
  )
  return {
    ...kept,
    ...(containing !== undefined && !hasWords(containing) && { containing }),
    ...(row !== undefined && { row: row.filter((one) => !hasWords(one)) }),
  }
}

const isWordKey = (key: string): boolean => WORD_KEYS.some((one) => one === key)

/**
 * Finds a control of a list entry in another language: by its place in the entry. In the language of the demonstration
 * another label at that place means another control.
 */
export function draftWithoutWords(
  node: UiNode,
  [best, ...others]: readonly Candidate[],
  screen: Screen,
  view: ScreenView,
): RecipeFallback[] {
  if (best === undefined || !hasWords(best.selector)) return []
  const place = others.find(({ selector, container }) => container === undefined && !hasWords(selector))
  const selector = place === undefined ? draftOnlyInRow(node, best, screen, view) : toPlace(place.selector)
  if (selector === undefined) return []
  const foreign_to = listForeignWords(node, screen, view)
  const means = [...readControlActions(node)]
  const renamed_from = keepStructuralText(readCaption(node), view)
  return [
    ...(renamed_from === '' || renamed_from.length > MAX_TEXT || best.selector.row === undefined
      ? []
      : [{ ...selector, annotation: 'STRUCTURAL' as const, renamed_from: escapeReferences(renamed_from) }]),
    ...(foreign_to.length < MIN_WORDS ? [] : [{ ...selector, annotation: 'DERIVED' as const, foreign_to }]),
    ...(means.length === 0 ? [] : [{ ...selector, annotation: 'DERIVED' as const, means }]),
  ]
}

const toPlace = ({ any_of: _any, all_of: _all, ...selector }: RecipeSelector): PlaceWithoutWords => selector

/** The only control of its kind in its entry, also if the entry gets another one by the work. */
function draftOnlyInRow(
  node: UiNode,
  { selector: { row } }: Candidate,
  screen: Screen,
  view: ScreenView,
): PlaceWithoutWords | undefined {
  if (row === undefined || hasWords({ row }) || !isTrue(node, 'clickable')) return undefined
  const selector = { class: attribute(node, 'class'), clickable: true, row }
  const [only, ...others] = findNodes(screen, { selector }, view.examples)
  return only === node && others.length === 0 ? selector : undefined
}

/**
 * Finds a row of a page that only leads to another page in another language: by its place among the rows. If the bar of
 * the page has as many controls, also by its place on the screen.
 */
export function draftMember(node: UiNode, screen: Screen, view: ScreenView): RecipeFallback[] {
  const clickable = isTrue(node, 'clickable') ? { clickable: true } : {}
  const selector = { class: attribute(node, 'class'), ...clickable, member: readMember(node) }
  const foreign_to = listForeignWords(node, screen, view)
  // Side by side the order of the rows is another one in some languages.
  const isBelow = findRowAround(node)?.group.direction === 'down'
  if (selector.member === undefined || !isBelow || foreign_to.length < MIN_WORDS) return []
  const found = [selector, { ...selector, place: readPlace(node) }].find((one) => {
    const [only, ...others] = findNodes(screen, { selector: one }, view.examples)
    return only === node && others.length === 0
  })
  return found === undefined ? [] : [{ ...found, annotation: 'DERIVED', foreign_to }]
}

/** Texts of the app on a page, also those on the controls of its rows. */
function listForeignWords(node: UiNode, screen: Screen, view: ScreenView): string[] {
  const keepText = (text: string) => keepStructuralText(text, view)
  const controls = screen.nodes.filter((one) => isTrue(one, 'clickable')).flatMap(listTextNodes)
  const inRows = controls
    .map((one) => keepText(readText(one)))
    .filter((text) => /\p{L}{2}/u.test(text) && text.length < MAX_TEXT)
  const words = new Set([...listWords(node, screen, keepText), ...inRows])
  return [...words].slice(0, MAX_WORDS).map(escapeReferences)
}

const MIN_WORDS = 2

/** Finds an option in another language: by its place among all options. */
export function draftOptionPlace(
  node: UiNode,
  { before, choice, input }: { readonly before: Screen; readonly choice: Choice; readonly input: string },
  view: ScreenView,
): RecipeFallback[] {
  const { options } = choice
  const of = options.map(escapeReferences)
  const selector = { class: attribute(node, 'class'), option: { value: formatReference(input), of } }
  const isKnown =
    of.length >= MIN_WORDS && of.length <= MAX_OPTIONS && of.every((text) => text !== '' && text.length < MAX_TEXT)
  const [only, ...others] = findNodes(before, { selector }, view.examples)
  if (!isKnown || options.some(view.isPersonal) || only !== node || others.length > 0) return []
  const words = listForeignWords(node, before, view)
  const foreign_to = [...new Set([...of.filter((text) => /\p{L}{2}/u.test(text)), ...words])].slice(0, MAX_WORDS)
  return foreign_to.length < MIN_WORDS ? [] : [{ ...selector, annotation: 'VARIABLE', foreign_to }]
}

const MAX_OPTIONS = 40
const MAX_TEXT = 120
const MAX_WORDS = 8
