import type { RecipeFallback } from '@apprentice/contracts/recipes/selector.ts'
import { attribute, isTrue, type UiNode } from '../../../screen/tree/hierarchy.ts'
import {
  formatPart,
  isFloatingWindow,
  listPageTexts,
  type PageSketch,
  readLayout,
} from '../../../screen/page-layout.ts'
import { listPanelAround } from '../../../screen/panel-around.ts'
import { splitLabel } from '../../../screen/structure/label-parts.ts'
import { escapeReferences } from './matching.ts'
import { readOwnText } from './node-text.ts'
import { isInside, readTitle, type Screen } from './screen.ts'

/** Pages with more controls are not described: their layout depends on data. */
const MAX_PARTS = 40
/** A page with fewer controls may be any page. */
const MIN_PARTS = 3
const MAX_WORDS = 8

/** What a layout counts besides the controls of the app: what looks like data, and labels if a page has few controls. */
const KINDS: readonly Pick<PageSketch, 'rows' | 'texts'>[] = [{}, { rows: true }, { texts: true, rows: true }]

/**
 * Finds a control by its place among the controls of its page, in any language. Undefined if the page has too few or too
 * many controls, or if it is a row of data.
 */
export function draftPageAnchor(
  node: UiNode,
  screen: Screen,
  keepText: (text: string) => string,
): RecipeFallback | undefined {
  const floating = isFloatingWindow(node)
  const words = listWords(node, screen, keepText)
  const found = KINDS.map((kind) => ({ kind, parts: readLayout(node, kind) })).find(
    ({ parts: some }) =>
      some.some((part) => part.node === node) && some.length <= MAX_PARTS && (floating || some.length >= MIN_PARTS),
  )
  if (found === undefined) return undefined
  const { kind, parts } = found
  const at = parts.findIndex((part) => part.node === node)
  const title = keepText(readTitle(screen))
  const isOwnTitle = screen.title !== undefined && isInside(screen.title, node)
  return {
    class: attribute(node, 'class'),
    page: {
      layout: parts.map(formatPart),
      ...kind,
      at,
      ...(floating && { floating }),
      ...(words.length > 0 && { words: words.map(escapeReferences) }),
      ...(title !== '' && !floating && !isOwnTitle && { title: escapeReferences(title) }),
    },
    annotation: 'STRUCTURAL',
  }
}

/**
 * Texts of the app on the page of a node, outside the node itself. Those of the question or sheet that it is in come
 * first: they tell it from another one over the same page.
 */
export function listWords(node: UiNode, { nodes }: Screen, keepText: (text: string) => string): string[] {
  const words = new Set<string>()
  const panel = listPanelAround(node)
  const isBeside = (one: UiNode) => panel.some((part) => isInside(one, part))
  const texts = listPageTexts(node)
  for (const one of [...texts.filter(isBeside), ...texts.filter((text) => !isBeside(text))]) {
    if (words.size >= MAX_WORDS) break
    if (isInside(one, node) || isTrue(one, 'password') || !nodes.includes(one)) continue
    for (const text of splitWords(one, keepText)) words.add(text)
  }
  return [...words]
}

/** The texts of the app on its pages, by which a run knows its language. */
export function listAppWords(screens: readonly Screen[], keepText: (text: string) => string): string[] {
  const words = new Set<string>()
  for (const { nodes } of screens) {
    const [first] = nodes
    if (first === undefined || isFloatingWindow(first)) continue
    for (const one of listPageTexts(first)) {
      if (!isTrue(one, 'password')) for (const text of splitWords(one, keepText)) words.add(text)
    }
  }
  return [...words].slice(0, MAX_APP_WORDS)
}

const MAX_APP_WORDS = 60

/** A name of two words may be that of a person. */
function splitWords(node: UiNode, keepText: (text: string) => string): string[] {
  const label = readOwnText(node)
  const whole = keepText(label)
  const texts = whole === '' ? splitLabel(label).map(keepText) : [whole]
  return texts.filter((text) => /\p{L}{2}/u.test(text) && text.length <= MAX_LENGTH && !PERSON.test(text))
}

const MAX_LENGTH = 60
export const PERSON = /^\p{Lu}[\p{Ll}'’-]+ (?:\p{Lu}[\p{Ll}.'’-]* ?){1,2}$/u
