import type {
  Annotation,
  RecipeContainer,
  RecipeFallback,
  RecipeSelector,
} from '@apprentice/contracts/recipes/selector.ts'
import { attribute, isTrue, type UiNode } from '../../../screen/tree/hierarchy.ts'
import { readLabelDate } from '../../../screen/calendar/calendar-date.ts'
import { splitLabel } from '../../../screen/structure/label-parts.ts'
import { findLabelBeside } from '../../../screen/structure/label-beside.ts'
import { isMeasure, maskText } from '../../../screen/structure/mask-text.ts'
import { isStateWord } from '../../../screen/structure/state-words.ts'
import { readName } from '../../../screen/structure/node-name.ts'
import { CATALOGUE } from '../words/catalogue.ts'
import { listWords } from '../words/word-list.ts'
import { classifyRow, type Entry, findRowAround, isDataRow } from './rows.ts'
import type { ScreenIndex } from './screen-index.ts'
import { escapeReferences, findNodes, type Place, formatReference, type ExampleValues } from './matching.ts'
import { isBar, isInside, isTextField, listAncestors, type Screen } from './screen.ts'
import { draftPageAnchor, PERSON } from './page-anchor.ts'
import { isStructuralText } from './structural-text.ts'
import { isFrameworkId, readOwnText, resourceId, readText, listTextNodes } from './node-text.ts'

export type CandidateSource =
  | 'resource_id'
  | 'content_description'
  | 'text'
  | 'id_and_text'
  | 'label'
  | 'place'
  | 'list_entry'
  | 'position'

/** A way to find a node again. */
export interface Candidate extends Place {
  readonly source: CandidateSource
  readonly annotation: Annotation
  /** On how many screens of the demonstration it matched exactly one node. */
  readonly unique_on: number
}

/** The screens and values of all traces. */
export interface ScreenView {
  readonly index: ScreenIndex
  readonly examples: ExampleValues
  /** Texts that a person chose or typed. */
  readonly variable_texts: ReadonlySet<string>
  /** Texts of all list entries. */
  readonly entry_texts: ReadonlySet<string>
  /** Whether a text belongs to the app and not to what people have in it. */
  readonly isOfApp: (text: string) => boolean
  /** Whether a text may be the name of a person. */
  readonly isPersonal: (text: string) => boolean
}

/** The ways to find a node that are unique on all screens of its kind, most reliable first. */
export function findCandidates(node: UiNode, screen: Screen, view: ScreenView, entry?: Entry): readonly Candidate[] {
  const drafts = entry === undefined ? draftFixed(node, screen, view) : draftEntry(node, entry, screen, view)
  const unique = drafts.filter((draft) => view.index.isUnique(draft, node, screen, view.examples))
  // A list with another filter may show a second entry of the same name.
  const here =
    entry === undefined || unique.length > 0 ? [] : drafts.filter((draft) => isOnly(draft, node, screen, view))
  return [...unique, ...here].map((draft) => ({
    ...draft,
    unique_on: view.index.countUnique(draft, screen, view.examples),
  }))
}

function isOnly(place: Place, node: UiNode, screen: Screen, { examples }: ScreenView): boolean {
  const [only, ...others] = findNodes(screen, place, examples)
  return only === node && others.length === 0
}

/** Further ways to find a node. They vote when the best one finds nothing. */
export function selectFallbacks(
  node: UiNode,
  [best, ...others]: readonly Candidate[],
  screen: Screen,
  view: ScreenView,
): RecipeFallback[] {
  if (best === undefined || best.container !== undefined) return []
  const page = draftPageAnchor(node, screen, (text) => keepStructuralText(text, view))
  const byPage = page === undefined ? [] : [page]
  // In a dialog only its shape tells that it asks the same question.
  if (screen.is_dialog) return byPage
  const distinct = new Map<string, RecipeFallback>()
  for (const { selector, container } of others) {
    if (container !== undefined) continue
    // A fallback must not act on another page, if the run is not where it should be.
    if (!view.index.isFoundOnlyOn(screen, { selector }, view.examples)) continue
    // A fallback with the same id fails together with the best selector.
    if (selector.resource_id !== undefined && selector.resource_id === best.selector.resource_id) continue
    distinct.set(JSON.stringify(selector), toFallback(selector))
  }
  return [...[...distinct.values()].slice(0, MAX_FALLBACKS), ...byPage]
}

function toFallback({ any_of: _any, all_of: _all, ...selector }: RecipeSelector): RecipeFallback {
  return selector
}

const MAX_FALLBACKS = 4

type Draft = Omit<Candidate, 'unique_on'>

/** Selectors for a node of the app itself. */
function draftFixed(node: UiNode, screen: Screen, view: ScreenView): Draft[] {
  const id = resourceId(node)
  const type = attribute(node, 'class')
  const text = readStructuralText(node, view)
  const description = keepStructuralText(attribute(node, 'content-desc'), view)
  // Every dialog has buttons with these ids. A field or a wheel in it is not one of them.
  const isDialogButton = isFrameworkId(id) && screen.is_dialog && !isTextField(node)
  const byId = id === '' || isDialogButton ? [] : [draft('resource_id', { resource_id: id })]
  return [
    ...(isFrameworkId(id) ? [] : byId),
    ...(holdsState(node) ? draftByPart(node, view) : []),
    ...(id !== '' && text !== ''
      ? [draft('id_and_text', { resource_id: id, text_equals: escapeReferences(text) })]
      : []),
    ...(description !== ''
      ? [
          draft('content_description', {
            class: type,
            content_desc_equals: escapeReferences(description),
          }),
        ]
      : []),
    ...(text !== ''
      ? [draft('text', { class: type, ...toTouchOfTab(node), text_equals: escapeReferences(text) })]
      : []),
    ...(holdsState(node) ? [] : draftByPart(node, view)),
    ...draftByWords(node, view),
    ...draftByInnerLabel(node, view),
    ...draftByLabelBeside(node, screen, view),
    ...(isDialogButton ? [] : draftInNamedPart(node, screen)),
    // A framework id is weak: every page may have it.
    ...(isFrameworkId(id) ? byId : []),
    ...(id === '' ? [draft('place', { class: type })] : []),
    ...(screen.is_dialog ? [] : draftByPlace(node)),
    ...(isDialogButton ? [] : draftByPosition(node, screen.nodes)),
  ]
}

function draft(
  source: CandidateSource,
  selector: RecipeSelector,
  container?: RecipeContainer,
  annotation: Annotation = 'STRUCTURAL',
): Draft {
  return {
    source,
    annotation,
    selector: { ...selector, annotation },
    ...(container !== undefined && { container }),
  }
}

function readStructuralText(node: UiNode, view: ScreenView): string {
  const text = isTextField(node) || isTrue(node, 'password') ? '' : attribute(node, 'text').trim()
  return keepStructuralText(text, view)
}

/** Returns the text if it belongs to the app, otherwise an empty string. */
export function keepStructuralText(
  text: string,
  { variable_texts, entry_texts, isOfApp }: Pick<ScreenView, 'variable_texts' | 'entry_texts' | 'isOfApp'>,
): string {
  if (!isStructuralText(text) || (entry_texts.has(text) && !isCommonState(text))) return ''
  const isVariable = [...variable_texts].some((value) => value !== '' && text.includes(value))
  return isVariable || (!isOfApp(text) && !isCommonState(text)) ? '' : text
}

/** A word that many apps use for a state, such as Submitted, although only one entry shows it. */
function isCommonState(text: string): boolean {
  const words = listWords(text)
  return words.length > 0 && words.length <= 2 && words.every((word) => CATALOGUE.has(word))
}

/** A label with a counter or an amount is found by the part that stays: "Add to cart, 25.80" by "Add to cart". */
function draftByPart(node: UiNode, view: ScreenView): Draft[] {
  const label = isTextField(node) ? '' : readText(node)
  const parts = splitLabel(label)
  if (parts.length < 2) return []
  return parts
    .filter((part) => keepStructuralText(part, view) !== '')
    .slice(0, 2)
    .map((part) =>
      draft('text', { class: attribute(node, 'class'), ...toTouchOfTab(node), part_equals: escapeReferences(part) }),
    )
}

/** The page of a tab may have its words as a title, which takes no touch. */
function toTouchOfTab(node: UiNode): Pick<RecipeSelector, 'clickable'> {
  const row = isTrue(node, 'clickable') ? findRowAround(node) : undefined
  return row !== undefined && classifyRow(row) === 'navigation' ? { clickable: true } : {}
}

/** A label with a number in it is found by its words before the number: "Pay £32.60" by "Pay". A counter has none. */
function draftByWords(node: UiNode, view: ScreenView): Draft[] {
  const text = isTextField(node) || isTrue(node, 'password') ? '' : attribute(node, 'text').trim()
  if (maskText(text) === text || splitLabel(text).length > 1) return []
  const [words = ''] = /^[\p{L}\s'’-]+(?=\P{L})/u.exec(text) ?? []
  const kept = keepStructuralText(words.trim(), view)
  if (!/\p{L}{3}/u.test(kept)) return []
  return [draft('text', { class: attribute(node, 'class'), text_contains: escapeReferences(kept) })]
}

/** Whether a label ends in a state or a value: "Mute notifications, Off". */
function holdsState(node: UiNode): boolean {
  const [, ...rest] = splitLabel(readText(node))
  return rest.some((part) => isStateWord(part) || isMeasure(part))
}

/** A row or card without a text is found by a label inside it. The weekday of a date is a value. */
function draftByInnerLabel(node: UiNode, view: ScreenView): Draft[] {
  if (readOwnText(node) !== '' || node.children.length === 0) return []
  return listTextNodes(node)
    .filter((one) => !isInRowBelow(one, node) && readLabelDate(readText(one)) === undefined)
    .flatMap((one) => splitLabel(readText(one)).map((text) => ({ one, text: keepStructuralText(text, view) })))
    .filter(({ text }) => text !== '')
    .slice(0, 2)
    .flatMap(({ one, text }) => {
      const part = escapeReferences(text)
      const shape = toTypeSelector(node)
      const id = resourceId(one)
      return [
        draft('label', { ...shape, containing: { part_equals: part } }),
        draft('label', { ...shape, row: [{ part_equals: part }] }),
        // Another row may show the same text as its value.
        ...(id === '' ? [] : [draft('label', { ...shape, containing: { resource_id: id, part_equals: part } })]),
      ]
    })
}

/** Whether a node is in an entry of a list that another node holds. */
function isInRowBelow(node: UiNode, holder: UiNode): boolean {
  const row = findRowAround(node)
  return row !== undefined && row.node !== holder && isInside(row.node, holder) && isDataRow(row)
}

/** A control is found by the label beside it, in the box or row they share. */
function draftByLabelBeside(node: UiNode, screen: Screen, view: ScreenView): Draft[] {
  const label = keepStructuralText(readName(findLabelBeside(node, screen.nodes)), view)
  // It may be the name of a person.
  if (label === '' || PERSON.test(label)) return []
  const own = keepStructuralText(readOwnText(node), view)
  const shape =
    own === '' ? toTypeSelector(node) : { class: attribute(node, 'class'), text_equals: escapeReferences(own) }
  return [draft('label', { ...shape, row: [{ part_equals: escapeReferences(label) }] })]
}

/** A node without an id is found inside the nearest ancestors with one, as the only one of its kind or at its position. */
function draftInNamedPart(node: UiNode, screen: Screen): Draft[] {
  const holders = listAncestors(node)
    .filter((one) => resourceId(one) !== '' && screen.nodes.includes(one))
    .slice(0, 2)
    .map((holder) => [holder, { resource_id: resourceId(holder), annotation: 'STRUCTURAL' as const }] as const)
  return [
    ...holders.map(([, container]) => draft('place', toPartSelector(node), container)),
    ...holders.flatMap(([holder, container]) => draftByPosition(node, listBelow(holder, screen), container)),
  ]
}

const listBelow = (holder: UiNode, { nodes }: Screen): UiNode[] =>
  nodes.filter((one) => one !== holder && isInside(one, holder))

/** The kind of a node and its place on the screen. */
function draftByPlace(node: UiNode): Draft[] {
  const place = readPlace(node)
  return place === undefined ? [] : [draft('place', { ...toTypeSelector(node), place }, undefined, 'DERIVED')]
}

export function readPlace(node: UiNode): { readonly x: number; readonly y: number } | undefined {
  const window = listAncestors(node).at(-1)?.bounds
  const { bounds } = node
  if (bounds === null || window == null) return undefined
  const share = (from: number, to: number, start: number, end: number) => ((from + to) / 2 - start) / (end - start)
  const x = Math.round(share(bounds.left, bounds.right, window.left, window.right) * 10)
  const y = Math.round(share(bounds.top, bounds.bottom, window.top, window.bottom) * 10)
  return x >= 0 && x <= 10 && y >= 0 && y <= 10 ? { x, y } : undefined
}

function draftByPosition(node: UiNode, nodes: readonly UiNode[], container?: RecipeContainer): Draft[] {
  const shape = toShape(node)
  const alike = nodes.filter(
    (one) =>
      (shape.class === undefined || attribute(one, 'class') === shape.class) &&
      (shape.resource_id === undefined || resourceId(one) === shape.resource_id) &&
      (shape.clickable === undefined || isTrue(one, 'clickable') === shape.clickable),
  )
  const index = alike.indexOf(node)
  return index < 0 ? [] : [draft('position', { ...shape, index }, container, 'DERIVED')]
}

/** Selectors for a list entry, or for a node inside it: the row shows the name of the entry. */
function draftEntry(node: UiNode, entry: Entry, screen: Screen, view: ScreenView): Draft[] {
  const name = formatReference(entry.input)
  const key = { part_equals: name, annotation: 'VARIABLE' } as const
  const row = [key]
  const variable = (selector: RecipeSelector) => draft('list_entry', selector, undefined, 'VARIABLE')
  // The label of a node inside the entry is part of the app.
  const structural = (selector: RecipeSelector): Draft => ({
    ...variable(selector),
    selector: { ...selector, annotation: 'STRUCTURAL' },
  })
  const shapes = [toShape(node), toTypeSelector(node)]
  if (node === entry.cell.node) {
    return [...shapes.map((shape) => variable({ ...shape, ...key })), variable(key)]
  }
  const holdsKey = isInside(entry.cell.node, node)
  const labels = holdsKey ? [] : listOwnLabels(node, view)
  return [
    ...labels.map((label) => structural({ ...toTypeSelector(node), ...label, row })),
    ...(holdsKey ? shapes.map((shape) => variable({ ...shape, containing: key, row })) : []),
    ...shapes.map((shape) => variable({ ...shape, row })),
    ...draftByIndexInRow(node, entry, screen),
  ]
}

/** The labels of the app on a node, as selectors. */
function listOwnLabels(node: UiNode, view: ScreenView): RecipeSelector[] {
  const id = resourceId(node)
  const text = readStructuralText(node, view)
  const description = keepStructuralText(attribute(node, 'content-desc'), view)
  const inner =
    text === '' && description === '' ? listTextNodes(node).map((one) => keepStructuralText(readText(one), view)) : []
  return [
    ...(id === '' || isFrameworkId(id) ? [] : [{ resource_id: id }]),
    ...(description === '' ? [] : [{ content_desc_equals: escapeReferences(description) }]),
    ...(text === '' ? [] : [{ text_equals: escapeReferences(text) }]),
    ...inner
      .filter((one) => one !== '')
      .slice(0, 1)
      .map((one) => ({ class: attribute(node, 'class'), containing: { part_equals: escapeReferences(one) } })),
  ]
}

/** Of several equal nodes in a row, the one at its place. */
function draftByIndexInRow(node: UiNode, entry: Entry, screen: Screen): Draft[] {
  const shape = toTypeSelector(node)
  const alike = screen.nodes.filter(
    (one) =>
      isInside(one, entry.row.node) &&
      attribute(one, 'class') === shape.class &&
      (shape.clickable === undefined || isTrue(one, 'clickable')),
  )
  const index = alike.indexOf(node)
  const row = [{ part_equals: formatReference(entry.input), annotation: 'VARIABLE' as const }]
  // The index of a lone node would hide that two rows have the name.
  return index < 0 || alike.length < 2 ? [] : [draft('list_entry', { ...shape, row, index }, undefined, 'VARIABLE')]
}

/** The place of the row that an input names: the cell that shows its name. */
export function locateEntry({ cell, input }: Entry): Place {
  const part_equals = formatReference(input)
  const id = resourceId(cell.node)
  const shape = id === '' ? { class: attribute(cell.node, 'class') } : { resource_id: id }
  return { selector: { ...shape, part_equals, annotation: 'VARIABLE' } }
}

function toShape(node: UiNode): Pick<RecipeSelector, 'resource_id' | 'class' | 'clickable'> {
  const id = resourceId(node)
  return id === '' ? toTypeSelector(node) : { resource_id: id }
}

function toTypeSelector(node: UiNode): Pick<RecipeSelector, 'class' | 'clickable'> {
  const clickable = isTrue(node, 'clickable')
  return { class: attribute(node, 'class'), ...(clickable && { clickable }) }
}

function toPartSelector(node: UiNode): RecipeSelector {
  const id = resourceId(node)
  return id === '' ? { class: attribute(node, 'class') } : { resource_id: id }
}

/** The title of the opened object in the bar. */
export function locateTitle(title: UiNode, text: string): Place | undefined {
  const bar = listAncestors(title).find(isBar)
  if (bar === undefined) return undefined
  return {
    selector: { class: attribute(title, 'class'), text_equals: text, annotation: 'VARIABLE' },
    container: { ...toShape(bar), annotation: 'STRUCTURAL' },
  }
}
