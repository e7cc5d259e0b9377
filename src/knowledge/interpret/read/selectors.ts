import type {
  Annotation,
  RecipeContainer,
  RecipeSelector,
} from '@apprentice/contracts/recipes/selector.ts'
import { attribute, isTrue, subtree, type UiNode } from '../../../screen/hierarchy.ts'
import type { Entry } from './entry.ts'
import type { ScreenIndex } from './screen-index.ts'
import { literal, type Place, reference, type Shown } from './matching.ts'
import { ancestorsOf, isBar, isTextField, type Screen } from './screen.ts'
import { canBeStructural } from './structural-words.ts'
import { isFrameworkId, ownWords, resourceId, shownWords, speakingNodes } from './words.ts'

export type CandidateSource =
  | 'resource_id'
  | 'content_description'
  | 'text'
  | 'id_and_text'
  | 'label'
  | 'place'
  | 'list_entry'
  | 'position'

/** A way to find a thing again, and how far it was proven. */
export interface Candidate extends Place {
  readonly source: CandidateSource
  readonly annotation: Annotation
  /** On how many screens of the session it named one thing. */
  readonly unique_on: number
}

/** All that is known when something is to be found again. */
export interface ScreenView {
  readonly atlas: ScreenIndex
  readonly shown: Shown
  /** Words that are somebody's choice. */
  readonly variable_words: ReadonlySet<string>
  /** Words of list entries, chosen or not. */
  readonly entry_words: ReadonlySet<string>
}

/** The ways to find a node again that name it alone wherever its screen was seen, surest first. */
export function candidatesFor(
  node: UiNode,
  screen: Screen,
  sight: ScreenView,
  entry?: Entry,
): readonly Candidate[] {
  const drafts = entry === undefined ? fixedDrafts(node, screen, sight) : entryDrafts(node, entry)
  return drafts
    .filter((draft) => sight.atlas.isUnique(draft, node, screen, sight.shown))
    .map((draft) => ({
      ...draft,
      unique_on: sight.atlas.countUnique(draft, screen, sight.shown),
    }))
}

/** Further ways that could not be mistaken for something on another screen. */
export function fallbacksOf(
  [best, ...others]: readonly Candidate[],
  screen: Screen,
  { atlas, shown }: ScreenView,
): RecipeSelector[] {
  // A dialog is never taken for another one.
  if (best === undefined || screen.is_dialog) return []
  return (
    others
      .filter(({ source }) => source !== 'position')
      .filter(({ container }) => sameContainer(container, best.container))
      // What asks for the same id and more finds nothing when that id is gone.
      .filter(({ selector }) => selector.resource_id !== best.selector.resource_id)
      .filter((other) => atlas.isFoundOnlyOn(screen, other, shown))
      .slice(0, MAX_FALLBACKS)
      .map(({ selector }) => selector)
  )
}

const MAX_FALLBACKS = 2

type Draft = Omit<Candidate, 'unique_on'>

function sameContainer(
  one: RecipeContainer | undefined,
  other: RecipeContainer | undefined,
): boolean {
  return JSON.stringify(one ?? null) === JSON.stringify(other ?? null)
}

/** A thing of the app itself. */
function fixedDrafts(node: UiNode, screen: Screen, sight: ScreenView): Draft[] {
  const id = resourceId(node)
  const type = attribute(node, 'class')
  const words = structuralWords(node, sight)
  const description = structural(attribute(node, 'content-desc'), sight)
  const asksFirst = isFrameworkId(id) && screen.is_dialog
  const byId = id === '' || asksFirst ? [] : [draft('resource_id', { resource_id: id })]
  return [
    ...(isFrameworkId(id) ? [] : byId),
    ...(id !== '' && words !== ''
      ? [draft('id_and_text', { resource_id: id, text_equals: literal(words) })]
      : []),
    ...(description !== ''
      ? [draft('content_description', { class: type, content_desc_equals: literal(description) })]
      : []),
    ...(words !== '' ? [draft('text', { class: type, text_equals: literal(words) })] : []),
    ...innerLabel(node, sight),
    ...(asksFirst ? [] : inNamedPart(node, screen)),
    ...(asksFirst ? [] : besideLabel(node, screen, sight)),
    // Which of a framework's parts it is says little: any page may have them.
    ...(isFrameworkId(id) ? byId : []),
    ...(id === '' ? [draft('place', { class: type })] : []),
    ...(screen.is_dialog ? [] : byPosition(node, screen)),
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

function structuralWords(node: UiNode, sight: ScreenView): string {
  const text = isTextField(node) || isTrue(node, 'password') ? '' : attribute(node, 'text').trim()
  return structural(text, sight)
}

/** Words of the app: none that were chosen, typed or listed, nor any that hold a chosen one. */
export function structural(words: string, { variable_words, entry_words }: ScreenView): string {
  if (!canBeStructural(words) || entry_words.has(words)) return ''
  const held = [...variable_words].some((chosen) => chosen !== '' && words.includes(chosen))
  return held ? '' : words
}

/** A row or card without words of its own is known by those inside it. */
function innerLabel(node: UiNode, sight: ScreenView): Draft[] {
  if (ownWords(node) !== '' || node.children.length === 0) return []
  const label = speakingNodes(node).find((one) => structural(shownWords(one), sight) !== '')
  if (label === undefined) return []
  const containing = leafOf(label, literal(shownWords(label)))
  return [draft('label', { ...holderShape(node), containing })]
}

/** Something in a row is known by the row's label. */
function besideLabel(node: UiNode, screen: Screen, sight: ScreenView): Draft[] {
  const holder = ancestorsOf(node).find(
    (one) =>
      one.parent !== null &&
      screen.nodes.includes(one) &&
      speakingNodes(one).some(
        (cell) => cell !== node && structural(shownWords(cell), sight) !== '',
      ),
  )
  if (holder === undefined) return []
  const label = speakingNodes(holder).find(
    (one) => one !== node && structural(shownWords(one), sight) !== '',
  )
  if (label === undefined) return []
  const containing = leafOf(label, literal(shownWords(label)))
  const container = { ...holderShape(holder), containing, annotation: 'STRUCTURAL' as const }
  return [draft('label', partOf(node), container)]
}

/** Something without a name of its own in the nearest part that has one. */
function inNamedPart(node: UiNode, screen: Screen): Draft[] {
  return ancestorsOf(node)
    .filter((one) => resourceId(one) !== '' && screen.nodes.includes(one))
    .slice(0, 2)
    .map((holder) =>
      draft('place', partOf(node), {
        resource_id: resourceId(holder),
        annotation: 'STRUCTURAL' as const,
      }),
    )
}

function byPosition(node: UiNode, { nodes }: Screen): Draft[] {
  const shape = shapeOf(node)
  const alike = nodes.filter(
    (one) =>
      (shape.class === undefined || attribute(one, 'class') === shape.class) &&
      (shape.resource_id === undefined || resourceId(one) === shape.resource_id) &&
      (shape.clickable === undefined || isTrue(one, 'clickable') === shape.clickable),
  )
  const index = alike.indexOf(node)
  return index < 0 ? [] : [draft('position', { ...shape, index }, undefined, 'DERIVED')]
}

/** An entry that an input tells, or something inside it. */
function entryDrafts(node: UiNode, entry: Entry): Draft[] {
  const whole = node === entry.row.node || speakingNodes(node).includes(entry.cell)
  if (!whole) return insideDrafts(node, entry)
  const words = reference(entry.input)
  if (node === entry.cell) {
    return [draft('list_entry', { ...shapeOf(node), text_equals: words }, undefined, 'VARIABLE')]
  }
  const loose = { ...holderType(node), containing: { text_equals: words } }
  return [entryPlace(node, entry).selector, loose].map((selector) =>
    draft('list_entry', selector, undefined, 'VARIABLE'),
  )
}

/** The row an input tells, as a place or as what another thing is inside of. */
export function entryPlace(node: UiNode, { cell, input }: Entry): Place {
  const containing = leafOf(cell, reference(input))
  return { selector: { ...holderShape(node), containing, annotation: 'VARIABLE' } }
}

function insideDrafts(node: UiNode, entry: Entry): Draft[] {
  const { selector: container } = entryPlace(entry.row.node, entry)
  const shape = partOf(node)
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

/** The words are the app's or an input's; the id narrows where they stand. */
function leafOf(cell: UiNode, words: string): RecipeSelector {
  const id = resourceId(cell)
  return { ...(id !== '' && { resource_id: id }), text_equals: words }
}

/** What holds something is also held by what is around it; of those alike it comes last. */
function holderShape(node: UiNode): RecipeSelector {
  const id = resourceId(node)
  return id === '' ? holderType(node) : { resource_id: id }
}

function holderType(node: UiNode): RecipeSelector {
  const shape = typeOf(node)
  const around = ancestorsOf(node).filter(
    (one) =>
      attribute(one, 'class') === shape.class &&
      (shape.clickable === undefined || isTrue(one, 'clickable')),
  )
  return around.length === 0 ? shape : { ...shape, index: around.length }
}

function shapeOf(node: UiNode): Pick<RecipeSelector, 'resource_id' | 'class' | 'clickable'> {
  const id = resourceId(node)
  return id === '' ? typeOf(node) : { resource_id: id }
}

function typeOf(node: UiNode): Pick<RecipeSelector, 'class' | 'clickable'> {
  const clickable = isTrue(node, 'clickable')
  return { class: attribute(node, 'class'), ...(clickable && { clickable }) }
}

function partOf(node: UiNode): RecipeSelector {
  const id = resourceId(node)
  return id === '' ? { class: attribute(node, 'class') } : { resource_id: id }
}

/** The words of the bar, where a thing that was opened shows its name. */
export function titlePlace(title: UiNode, words: string): Place | undefined {
  const bar = ancestorsOf(title).find(isBar)
  if (bar === undefined) return undefined
  return {
    selector: { class: attribute(title, 'class'), text_equals: words, annotation: 'VARIABLE' },
    container: { ...shapeOf(bar), annotation: 'STRUCTURAL' },
  }
}
