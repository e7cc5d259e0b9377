import { centre } from '../../../screen/tree/bounds.ts'
import { isTrue, subtree, type UiNode } from '../../../screen/tree/hierarchy.ts'
import { readLabels } from '../../../screen/label-match.ts'
import type { Choice } from './choice.ts'
import type { Intent } from './intent.ts'
import { isInside, listAncestors } from './screen.ts'

interface Mark {
  readonly member: UiNode
  readonly value: number
}

/** The number that a tap chose on a dial: numbers around a centre, as on the face of a clock. */
export function findDialChoice({ node, kind, gesture }: Intent): Choice | undefined {
  if (kind !== 'press' || gesture !== 'tap' || node === undefined) return undefined
  const dial = findDial(node)
  if (dial === undefined) return undefined
  const { chosen, marks } = dial
  const values = marks.map(({ value }) => value)
  return {
    option: isTrue(node, 'clickable') ? node : chosen.member,
    members: marks.map(({ member }) => member),
    text: String(chosen.value),
    options: values.map(String),
    is_closed: false,
    dial: nameDial(values),
  }
}

/** Whether a node is a number on a dial. It may be another number after the touch. */
export const isOnDial = (node: UiNode): boolean => findDial(node) !== undefined

function findDial(node: UiNode): { readonly chosen: Mark; readonly marks: readonly Mark[] } | undefined {
  for (const holder of listAncestors(node).slice(0, MAX_LEVELS)) {
    const numbers = holder.children.flatMap(readMark)
    const chosen = numbers.find(({ member }) => isInside(node, member))
    // A number beside the dial that shows the chosen one has another size.
    const marks = chosen === undefined ? [] : numbers.filter(({ member }) => isAsLarge(member, chosen.member))
    if (chosen !== undefined && liesAround(marks)) return { chosen, marks }
  }
  return undefined
}

const MAX_LEVELS = 2

/** A part of the dial: all its labels have the same number of one or two digits. */
function readMark(member: UiNode): Mark[] {
  const labels = [...subtree(member)].flatMap(readLabels)
  const values = new Set(
    labels.map((label) => MARK.exec(label.trim())?.[1]).map((digits) => Number(digits ?? Number.NaN)),
  )
  const [value] = values
  const isMark = values.size === 1 && value !== undefined && !Number.isNaN(value) && member.bounds !== null
  return isMark ? [{ member, value }] : []
}

function isAsLarge({ bounds: one }: UiNode, { bounds: other }: UiNode): boolean {
  if (one === null || other === null) return false
  const [high, wide] = [one.bottom - one.top, one.right - one.left]
  return high === other.bottom - other.top && Math.abs(wide - (other.right - other.left)) <= high / 2
}

const MARK = /^\P{N}*(\p{Nd}{1,2})\P{N}*$/u

/** Different numbers at many heights and many distances from the edge, most of which are free: no list and no grid. */
function liesAround(marks: readonly Mark[]): boolean {
  if (marks.length < MIN_MARKS || new Set(marks.map(({ value }) => value)).size < marks.length) return false
  const places = marks.map(({ member: { bounds } }) => (bounds === null ? { x: 0, y: 0 } : centre(bounds)))
  const sizes = marks.map(({ member: { bounds } }) => (bounds === null ? 0 : bounds.bottom - bounds.top))
  const size = Math.min(...sizes)
  const [columns, rows] = [
    countLines(
      places.map(({ x }) => x),
      size,
    ),
    countLines(
      places.map(({ y }) => y),
      size,
    ),
  ]
  return Math.min(columns, rows) >= MIN_LINES && marks.length <= columns * rows * MAX_FILLED
}

const MIN_MARKS = 6
const MIN_LINES = 3
const MAX_FILLED = 0.5

/** How many lines the places are on, if those within a third of a part are on one. */
function countLines(places: readonly number[], size: number): number {
  const sorted = places.toSorted((a, b) => a - b)
  return sorted.filter((place, at) => at === 0 || place - (sorted[at - 1] ?? 0) > size / 3).length
}

function nameDial(values: readonly number[]): NonNullable<Choice['dial']> {
  const [least, most] = [Math.min(...values), Math.max(...values)]
  if (least <= 1 && most >= 11 && most <= 24) return 'hour'
  return least === 0 && most >= 50 && most < 60 ? 'minute' : 'number'
}
