import { parseDisplayedNumber } from '../../../screen/displayed-number.ts'
import { maskText } from '../../../screen/structure/mask-text.ts'
import type { UiNode } from '../../../screen/tree/hierarchy.ts'
import { readText } from '../read/node-text.ts'
import { findNode, type Screen } from '../read/screen.ts'

/** A label whose number a touch changed. The node belongs to the screen before. */
export interface NumberChange {
  readonly node: UiNode
  readonly from: number
  readonly to: number
}

/** The labels of which only the number changed. */
export function findNumberChanges(nodes: readonly UiNode[], after: Screen): NumberChange[] {
  return nodes.flatMap((node) => {
    const now = findNode(after, node.path)
    if (now === undefined) return []
    const [oldText, newText] = [readText(node), readText(now)]
    const [from, to] = [parseDisplayedNumber(oldText), parseDisplayedNumber(newText)]
    if (from === undefined || to === undefined || from === to) return []
    return isSameApartFromNumber(oldText, newText) ? [{ node, from, to }] : []
  })
}

/** "1 time" and "2 times" differ in the number and the ending of a word. */
function isSameApartFromNumber(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => maskText(text).split(' '))
  if (a === undefined || b === undefined || a.length !== b.length) return false
  return a.every((word, at) => word === b[at] || isSameStem(word, b[at] ?? ''))
}

function isSameStem(one: string, other: string): boolean {
  const length = Math.min(one.length, other.length)
  return length >= 3 && Math.abs(one.length - other.length) <= 2 && one.slice(0, length) === other.slice(0, length)
}
