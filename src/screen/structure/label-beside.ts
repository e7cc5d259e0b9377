import type { Bounds } from '../bounds.ts'
import { type UiNode, attribute, isTrue } from '../hierarchy.ts'
import { readLabel } from '../roles.ts'
import { splitLines } from './label-parts.ts'
import { isMeasure } from './mask-text.ts'
import { findKind, isScroller, listShown, readBounds, takesTouch } from './node-kind.ts'
import { isStateWord } from './state-words.ts'

/**
 * The text that stands for a node: left of it, above it, right of it or below it, in the smallest box around it that has
 * one. A text that belongs to another control is not taken.
 */
export function findLabelBeside(node: UiNode, visibleNodes: readonly UiNode[]): string {
  const visible = toSet(visibleNodes)
  const place = readBounds(node)
  for (let box = node.parent, level = 0; box !== null && level < MAX_LEVELS; box = box.parent, level += 1) {
    const texts = listShown(box).filter((one) => visible.has(one) && isCaption(one, node, box))
    const found = findNearest(place, texts, isTrue(node, 'checkable') ? CHECKABLE_SIDES : SIDES)
    if (found !== undefined) return readCaption(found)
    if (isScroller(box) || takesTouch(box)) break
  }
  return ''
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

const SIDES: readonly Side[] = [OVER, LEFT, ABOVE, RIGHT, BELOW]
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

/** A text with words that belongs to no other control: nothing between it and the box takes a touch. */
function isCaption(text: UiNode, node: UiNode, box: UiNode): boolean {
  const label = readLabel(text).trim()
  if (label === '' || !/\p{L}/u.test(label) || isMeasure(label) || isStateWord(label)) return false
  if (findKind(text, true) === 'field') return false
  for (let at: UiNode | null = text; at !== null && at !== box; at = at.parent) {
    if (at === node || takesTouch(at)) return false
  }
  return text !== box || attribute(box, 'text') !== '' || attribute(box, 'content-desc') !== ''
}

function readCaption(text: UiNode): string {
  return (splitLines(readLabel(text))[0]?.text ?? '').replace(/[\s:：*]+$/u, '').slice(0, MAX_LENGTH)
}

const MAX_LENGTH = 80

const SETS = new WeakMap<readonly UiNode[], ReadonlySet<UiNode>>()

/** Names are asked for many nodes of one screen. */
function toSet(nodes: readonly UiNode[]): ReadonlySet<UiNode> {
  const known = SETS.get(nodes)
  if (known !== undefined) return known
  const made = new Set(nodes)
  SETS.set(nodes, made)
  return made
}
