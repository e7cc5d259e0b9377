import { isNamedPassing } from '../../../screen/message-name.ts'
import { intersects } from '../../../screen/tree/bounds.ts'
import { isTrue, type UiNode } from '../../../screen/tree/hierarchy.ts'
import { findCounterpart } from '../read/counterpart.ts'
import { readText } from '../read/node-text.ts'
import { findRowAround } from '../read/rows.ts'
import { findScroller, isSameView, listAncestors, type Screen } from '../read/screen.ts'
import type { Claim } from './claims.ts'

/** The last screen, and the screens before it. */
interface Readings {
  readonly end: Screen
  readonly earlier: readonly Screen[]
}

/** A message may disappear by itself. One that was there before the work reports something else. */
export const claimMessage = (node: UiNode, readings: Readings): Pick<Claim, 'transient' | 'added'> =>
  isMessage(node, readings) && !readings.earlier.some((screen) => wasThere(node, screen, readings))
    ? { transient: true, added: true }
    : {}

/** Whether a screen shows the same text, or the same page another one at its place. Another page has another part there. */
function wasThere(node: UiNode, screen: Screen, { end }: Readings): boolean {
  const was = findCounterpart(node, screen)
  if (was === undefined) return false
  if (readText(was) === readText(node)) return true
  return isSameView(screen, end) && overlaps(node, was)
}

const overlaps = ({ bounds: one }: UiNode, { bounds: other }: UiNode): boolean =>
  one !== null && other !== null && intersects(one, other)

/**
 * A text that may disappear by itself: one with the name of a message, one that lies over the page or across its lower
 * edge, or a sentence that is new on a page seen before. A part of what can be scrolled, of a row, of a button or of
 * several lines stays.
 */
function isMessage(node: UiNode, { end, earlier }: Readings): boolean {
  if (isNamedPassing(node)) return true
  const around = [node, ...listAncestors(node)]
  if (around.some((one) => isTrue(one, 'clickable')) || findRowAround(node) !== undefined) return false
  if (findScroller(node) !== undefined || isOneOfLines(node)) return false
  if (covers(node, end) || liesAtEdge(node, end)) return true
  return isSentence(readText(node)) && earlier.some((screen) => isSameView(screen, end))
}

/** Whether another text stands beside it on the same line, or directly above or below it at the same left edge. */
function isOneOfLines(node: UiNode): boolean {
  const { bounds } = node
  if (bounds === null) return false
  const height = bounds.bottom - bounds.top
  return (node.parent?.children ?? []).some((one) => {
    if (one === node || one.bounds === null || isTrue(one, 'clickable') || readText(one) === '') return false
    const across = Math.max(bounds.left - one.bounds.right, one.bounds.left - bounds.right)
    const down = Math.max(bounds.top - one.bounds.bottom, one.bounds.top - bounds.bottom)
    if (down < 0) return across >= 0
    return one.bounds.left === bounds.left && down <= height
  })
}

/** Whether a text takes the width of the window in its lowest part. */
function liesAtEdge({ bounds }: UiNode, { nodes }: Screen): boolean {
  const window = nodes[0]?.bounds
  if (bounds === null || window == null) return false
  const isWide = bounds.right - bounds.left >= (window.right - window.left) * BAR_SHARE
  return isWide && bounds.top >= window.top + (window.bottom - window.top) * BAR_SHARE
}

const BAR_SHARE = 0.75

const isSentence = (text: string): boolean =>
  /[.!\u2026\u3002]$/u.test(text.trim()) || text.trim().split(/\s+/u).length >= 3

/** Whether a text lies over another part of the page that is neither around it nor inside it. */
function covers(node: UiNode, { nodes }: Screen): boolean {
  const { bounds } = node
  if (bounds === null) return false
  const own = new Set([node, ...listAncestors(node)])
  return nodes.slice(0, nodes.indexOf(node)).some((one) => {
    if (own.has(one) || one.bounds === null || readText(one) === '') return false
    const wide = Math.min(bounds.right, one.bounds.right) - Math.max(bounds.left, one.bounds.left)
    const high = Math.min(bounds.bottom, one.bounds.bottom) - Math.max(bounds.top, one.bounds.top)
    return wide > 0 && high > 0
  })
}

/** Whether all that is claimed is that a message was shown. It says what the app meant to do, not what is stored. */
export const isOnlyTold = (claims: readonly Claim[]): boolean =>
  claims.length > 0 && claims.every(({ transient }) => transient === true)
