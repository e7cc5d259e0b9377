import type { Bounds } from '../tree/bounds.ts'
import { type UiNode, isTrue } from '../tree/hierarchy.ts'
import { readLabel } from '../tree/roles.ts'
import { splitLines } from './label-parts.ts'
import { isMeasure } from './mask-text.ts'
import { findKind, isScroller, readBounds, takesTouch } from './node-kind.ts'
import { isStateWord } from './state-words.ts'

/**
 * The text that stands for a node: left of it, above it, right of it or below it, in the smallest box around it that has
 * one. A text that belongs to another control is not taken.
 */
export function findLabelBeside(node: UiNode, visibleNodes: readonly UiNode[]): string {
  const sides = isTrue(node, 'checkable') ? CHECKABLE_SIDES : LABEL_SIDES
  const found = searchBoxes(node, visibleNodes, (texts) => findNearest(readBounds(node), texts, sides))
  return found === undefined ? '' : readCaption(found)
}

/**
 * The text that asks for what a field or a group holds: over it, left of it or above it. A text with a value of its own on
 * the same line is the label of that value, and a text close below another control belongs to that one.
 */
export function findLabelBefore(node: UiNode, visibleNodes: readonly UiNode[]): string {
  const place = readBounds(node)
  const found = searchBoxes(node, visibleNodes, (texts) => {
    const free = texts.filter((text) => {
      const label = readBounds(text)
      if (label.bottom > place.top + EDGE) return true
      return !visibleNodes.some(
        (one) => one !== text && (isValueOf(one, label, place) || isNearerAbove(one, label, place)),
      )
    })
    return findNearest(place, free, [OVER, LEFT, ABOVE])
  })
  return found === undefined ? '' : readCaption(found)
}

/** The text close below a field, if it is farther from what comes below it. */
export function findLabelUnder(node: UiNode, visibleNodes: readonly UiNode[]): string {
  const place = readBounds(node)
  const found = searchBoxes(node, visibleNodes, (texts) => {
    const free = texts.filter((text) => {
      const label = readBounds(text)
      const gap = label.top - place.bottom
      return !visibleNodes.some((one) => {
        const { top } = readBounds(one)
        return (
          isControl(one) && overlapsAcross(readBounds(one), label) && top >= label.bottom && top - label.bottom <= gap
        )
      })
    })
    return findNearest(place, free, [BELOW])
  })
  return found === undefined ? '' : readCaption(found)
}

/** Whether a text stands right of a label, both above a place. */
function isValueOf(node: UiNode, label: Bounds, place: Bounds): boolean {
  if (node.children.length > 0 || readLabel(node).trim() === '') return false
  const value = readBounds(node)
  return overlapsDown(value, label) && value.left >= label.right - EDGE && overlapsAcross(value, place)
}

/** Whether a control above a label is nearer to it than a place below it. */
function isNearerAbove(node: UiNode, label: Bounds, place: Bounds): boolean {
  const { bottom } = readBounds(node)
  if (bottom > label.top + EDGE || !isControl(node) || !overlapsAcross(readBounds(node), label)) return false
  return label.top - bottom < place.top - label.bottom
}

const isControl = (node: UiNode): boolean => takesTouch(node) || findKind(node, true) === 'field'

/** The title of the part of the screen that a node is in: the nearest text above it that belongs to no control. */
export function findSectionTitle(node: UiNode, visibleNodes: readonly UiNode[]): string {
  const place = readBounds(node)
  const found = searchBoxes(node, visibleNodes, (texts) => {
    let nearest: UiNode | undefined
    for (const text of texts) {
      const { bottom, left } = readBounds(text)
      if (bottom > place.top + EDGE || left >= place.right) continue
      if (nearest === undefined || bottom > readBounds(nearest).bottom) nearest = text
    }
    return nearest
  })
  return found === undefined ? '' : readCaption(found)
}

/** Searches the captions in the boxes around a node, smallest first, up to what scrolls or takes a touch. */
function searchBoxes(
  node: UiNode,
  visibleNodes: readonly UiNode[],
  search: (captions: readonly UiNode[]) => UiNode | undefined,
): UiNode | undefined {
  const known = findKnownCaptions(visibleNodes)
  for (let box = node.parent, level = 0; box !== null && level < MAX_LEVELS; box = box.parent, level += 1) {
    const captions = known.list(box)
    if (captions === undefined) return undefined
    const found = search(captions.filter((caption) => !isWithin(caption, node)))
    if (found !== undefined) return found
    if (isScroller(box) || takesTouch(box)) break
  }
  return undefined
}

function isWithin(node: UiNode, outer: UiNode): boolean {
  return node === outer || node.path.startsWith(`${outer.path}.`)
}

const MAX_LEVELS = 5

type Side = (place: Bounds, text: Bounds) => number | undefined

const overlapsDown = (a: Bounds, b: Bounds) => Math.min(a.bottom, b.bottom) > Math.max(a.top, b.top)
const overlapsAcross = (a: Bounds, b: Bounds) => Math.min(a.right, b.right) > Math.max(a.left, b.left)

/** Distances by side. Undefined if the text is not on that side or too far away. */
const LEFT: Side = (place, text) =>
  overlapsDown(place, text) && text.right <= place.left + EDGE ? place.left - text.right : undefined
const RIGHT: Side = (place, text) =>
  overlapsDown(place, text) && text.left >= place.right - EDGE ? text.left - place.right : undefined
const ABOVE: Side = (place, text) =>
  overlapsAcross(place, text) && text.bottom <= place.top + EDGE
    ? limitGap(place.top - text.bottom, place, text)
    : undefined
const BELOW: Side = (place, text) =>
  overlapsAcross(place, text) && text.top >= place.bottom - EDGE
    ? limitGap(text.top - place.bottom, place, text)
    : undefined
const OVER: Side = (place, text) =>
  text.left >= place.left && text.right <= place.right && text.top >= place.top && text.bottom <= place.bottom
    ? text.top - place.top
    : undefined

const LABEL_SIDES: readonly Side[] = [OVER, LEFT, ABOVE, RIGHT, BELOW]
const CHECKABLE_SIDES: readonly Side[] = [OVER, LEFT, RIGHT, ABOVE, BELOW]
const EDGE = 4

function limitGap(gap: number, place: Bounds, text: Bounds): number | undefined {
  const height = Math.max(place.bottom - place.top, text.bottom - text.top)
  return gap <= height ? gap : undefined
}

function findNearest(place: Bounds, texts: readonly UiNode[], sides: readonly Side[]): UiNode | undefined {
  for (const side of sides) {
    let nearest: UiNode | undefined
    let least = Number.POSITIVE_INFINITY
    for (const text of texts) {
      const distance = side(place, readBounds(text))
      if (distance === undefined || distance >= least) continue
      nearest = text
      least = distance
    }
    if (nearest !== undefined) return nearest
  }
  return undefined
}

/** A text with words. */
function isCaption(node: UiNode): boolean {
  const label = readLabel(node).trim()
  if (!/\p{L}/u.test(label) || isMeasure(label) || isStateWord(label)) return false
  return findKind(node, true) !== 'field'
}

function readCaption(text: UiNode): string {
  return (splitLines(readLabel(text))[0]?.text ?? '').replace(/(?<![\s:：*])[\s:：*]+$/u, '').slice(0, MAX_LENGTH)
}

const MAX_LENGTH = 80

/** The texts of boxes that belong to no control. Names are asked for many nodes of one screen. */
class KnownCaptions {
  readonly #visible: ReadonlySet<UiNode>
  readonly #captions = new Map<UiNode, readonly UiNode[] | undefined>()

  constructor(visibleNodes: readonly UiNode[]) {
    this.#visible = new Set(visibleNodes)
  }

  /** Undefined if the box is so large that what stands beside a node in it says nothing. */
  list(box: UiNode): readonly UiNode[] | undefined {
    if (!this.#captions.has(box)) this.#captions.set(box, this.#collect(box))
    return this.#captions.get(box)
  }

  #collect(box: UiNode): readonly UiNode[] | undefined {
    const captions: UiNode[] = []
    const pending = [box]
    for (let count = 0, at = pending.pop(); at !== undefined; count += 1, at = pending.pop()) {
      if (count > MAX_BOX_SIZE) return undefined
      if (!this.#visible.has(at) || (at !== box && takesTouch(at))) continue
      if (isCaption(at)) captions.push(at)
      for (const child of at.children.toReversed()) pending.push(child)
    }
    return captions
  }
}

const MAX_BOX_SIZE = 600

const KNOWN = new WeakMap<readonly UiNode[], KnownCaptions>()

function findKnownCaptions(visibleNodes: readonly UiNode[]): KnownCaptions {
  const known = KNOWN.get(visibleNodes) ?? new KnownCaptions(visibleNodes)
  KNOWN.set(visibleNodes, known)
  return known
}
