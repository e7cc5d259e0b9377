import type { Annotation, RecipeContainer, RecipeSelector } from '@apprentice/contracts/recipes/selector.ts'
import { attribute, isTrue, subtree, type UiNode } from '../../../screen/hierarchy.ts'
import type { Entry } from './rows.ts'
import type { ScreenIndex } from './screen-index.ts'
import { escapeReferences, type Place, formatReference, type ExampleValues } from './matching.ts'
import { listAncestors, isBar, isTextField, type Screen } from './screen.ts'
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
}

/** The ways to find a node that are unique on all screens of its kind, most reliable first. */
export function findCandidates(node: UiNode, screen: Screen, view: ScreenView, entry?: Entry): readonly Candidate[] {
  const drafts = entry === undefined ? draftFixed(node, screen, view) : draftEntry(node, entry)
  return drafts
    .filter((draft) => view.index.isUnique(draft, node, screen, view.examples))
    .map((draft) => ({
      ...draft,
      unique_on: view.index.countUnique(draft, screen, view.examples),
    }))
}

/** Further ways to find a node that match nothing on other kinds of screens. */
export function selectFallbacks(
  [best, ...others]: readonly Candidate[],
  screen: Screen,
  { index, examples }: ScreenView,
): RecipeSelector[] {
  // A fallback must not confirm another dialog.
  if (best === undefined || screen.is_dialog) return []
  return (
    others
      .filter(({ source }) => source !== 'position')
      .filter(({ container }) => isSameContainer(container, best.container))
      // A fallback with the same id fails together with the best selector.
      .filter(({ selector }) => selector.resource_id !== best.selector.resource_id)
      .filter((other) => index.isFoundOnlyOn(screen, other, examples))
      .slice(0, MAX_FALLBACKS)
      .map(({ selector }) => selector)
  )
}

const MAX_FALLBACKS = 2

type Draft = Omit<Candidate, 'unique_on'>

function isSameContainer(one: RecipeContainer | undefined, other: RecipeContainer | undefined): boolean {
  return JSON.stringify(one ?? null) === JSON.stringify(other ?? null)
}

/** Selectors for a node of the app itself. */
function draftFixed(node: UiNode, screen: Screen, view: ScreenView): Draft[] {
  const id = resourceId(node)
  const type = attribute(node, 'class')
  const text = readStructuralText(node, view)
  const description = keepStructuralText(attribute(node, 'content-desc'), view)
  const isDialogButton = isFrameworkId(id) && screen.is_dialog
  const byId = id === '' || isDialogButton ? [] : [draft('resource_id', { resource_id: id })]
  return [
    ...(isFrameworkId(id) ? [] : byId),
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
    ...(text !== '' ? [draft('text', { class: type, text_equals: escapeReferences(text) })] : []),
    ...draftByInnerLabel(node, view),
    ...(isDialogButton ? [] : draftInNamedPart(node, screen)),
    ...(isDialogButton ? [] : draftByRowLabel(node, screen, view)),
    // A framework id is weak: every page may have it.
    ...(isFrameworkId(id) ? byId : []),
    ...(id === '' ? [draft('place', { class: type })] : []),
    ...(screen.is_dialog ? [] : draftByPosition(node, screen)),
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
export function keepStructuralText(text: string, { variable_texts, entry_texts }: ScreenView): string {
  if (!isStructuralText(text) || entry_texts.has(text)) return ''
  const isVariable = [...variable_texts].some((value) => value !== '' && text.includes(value))
  return isVariable ? '' : text
}

/** A row or card without a text is found by a label inside it. */
function draftByInnerLabel(node: UiNode, view: ScreenView): Draft[] {
  if (readOwnText(node) !== '' || node.children.length === 0) return []
  const label = listTextNodes(node).find((one) => keepStructuralText(readText(one), view) !== '')
  if (label === undefined) return []
  const containing = toLeafSelector(label, escapeReferences(readText(label)))
  return [draft('label', { ...toHolderSelector(node), containing })]
}

/** A node in a row is found by the label of the row. */
function draftByRowLabel(node: UiNode, screen: Screen, view: ScreenView): Draft[] {
  const holder = listAncestors(node).find(
    (one) =>
      one.parent !== null &&
      screen.nodes.includes(one) &&
      listTextNodes(one).some((cell) => cell !== node && keepStructuralText(readText(cell), view) !== ''),
  )
  if (holder === undefined) return []
  const label = listTextNodes(holder).find((one) => one !== node && keepStructuralText(readText(one), view) !== '')
  if (label === undefined) return []
  const containing = toLeafSelector(label, escapeReferences(readText(label)))
  const container = { ...toHolderSelector(holder), containing, annotation: 'STRUCTURAL' as const }
  return [draft('label', toPartSelector(node), container)]
}

/** A node without an id is found inside the nearest ancestors with one. */
function draftInNamedPart(node: UiNode, screen: Screen): Draft[] {
  return listAncestors(node)
    .filter((one) => resourceId(one) !== '' && screen.nodes.includes(one))
    .slice(0, 2)
    .map((holder) =>
      draft('place', toPartSelector(node), {
        resource_id: resourceId(holder),
        annotation: 'STRUCTURAL' as const,
      }),
    )
}

function draftByPosition(node: UiNode, { nodes }: Screen): Draft[] {
  const shape = toShape(node)
  const alike = nodes.filter(
    (one) =>
      (shape.class === undefined || attribute(one, 'class') === shape.class) &&
      (shape.resource_id === undefined || resourceId(one) === shape.resource_id) &&
      (shape.clickable === undefined || isTrue(one, 'clickable') === shape.clickable),
  )
  const index = alike.indexOf(node)
  return index < 0 ? [] : [draft('position', { ...shape, index }, undefined, 'DERIVED')]
}

/** Selectors for a list entry, or for a node inside it. */
function draftEntry(node: UiNode, entry: Entry): Draft[] {
  const isWhole = node === entry.row.node || listTextNodes(node).includes(entry.cell)
  if (!isWhole) return draftInsideEntry(node, entry)
  const name = formatReference(entry.input)
  if (node === entry.cell) {
    return [draft('list_entry', { ...toShape(node), text_equals: name }, undefined, 'VARIABLE')]
  }
  const loose = { ...toHolderType(node), containing: { text_equals: name } }
  return [locateEntry(node, entry).selector, loose].map((selector) =>
    draft('list_entry', selector, undefined, 'VARIABLE'),
  )
}

/** The row that an input names. */
export function locateEntry(node: UiNode, { cell, input }: Entry): Place {
  const containing = toLeafSelector(cell, formatReference(input))
  return { selector: { ...toHolderSelector(node), containing, annotation: 'VARIABLE' } }
}

function draftInsideEntry(node: UiNode, entry: Entry): Draft[] {
  const { selector: container } = locateEntry(entry.row.node, entry)
  const shape = toPartSelector(node)
  const alike = [...subtree(entry.row.node)].filter(
    (one) =>
      one !== entry.row.node &&
      attribute(one, 'class') === attribute(node, 'class') &&
      resourceId(one) === resourceId(node),
  )
  return [
    draft('list_entry', shape, container, 'VARIABLE'),
    draft('position', { ...shape, index: alike.indexOf(node) }, container, 'DERIVED'),
  ]
}

function toLeafSelector(cell: UiNode, text: string): RecipeSelector {
  const id = resourceId(cell)
  return { ...(id !== '' && { resource_id: id }), text_equals: text }
}

/** Ancestors with the same shape contain the same label. They come first, so the index is their count. */
function toHolderSelector(node: UiNode): RecipeSelector {
  const id = resourceId(node)
  return id === '' ? toHolderType(node) : { resource_id: id }
}

function toHolderType(node: UiNode): RecipeSelector {
  const shape = toTypeSelector(node)
  const around = listAncestors(node).filter(
    (one) => attribute(one, 'class') === shape.class && (shape.clickable === undefined || isTrue(one, 'clickable')),
  )
  return around.length === 0 ? shape : { ...shape, index: around.length }
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
