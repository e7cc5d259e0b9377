import { type UiNode, attribute, isTrue, subtree } from '../../../../screen/tree/hierarchy.ts'
import { readEntryName, readWholeLabel } from '../../../../screen/obstruction/panel.ts'
import { findRowAround } from '../../../../screen/row-around.ts'

/**
 * Finds the other button of a stepper: of the same class and size in the same row, and named as what moves the number
 * in the wanted direction.
 */
export function findOppositeButton(known: UiNode, up: boolean): UiNode | undefined {
  const row = findRowAround(known) ?? known.parent
  if (row === null || row === undefined) return undefined
  const others = [...subtree(row)].filter((node) => node !== known && isAlike(node, known) && isNamed(node, up))
  return others.length === 1 ? others[0] : undefined
}

function isAlike(node: UiNode, known: UiNode): boolean {
  if (!isTrue(node, 'clickable') || attribute(node, 'class') !== attribute(known, 'class')) return false
  const [one, other] = [node.bounds, known.bounds]
  if (one === null || other === null) return false
  const isClose = (a: number, b: number) => Math.abs(a - b) <= MAX_DIFFERENCE * Math.max(a, b)
  return (
    isClose(one.right - one.left, other.right - other.left) && isClose(one.bottom - one.top, other.bottom - other.top)
  )
}

function isNamed(node: UiNode, up: boolean): boolean {
  const words = up ? INCREASE_WORDS : DECREASE_WORDS
  const label = readWholeLabel(node).trim().toLowerCase()
  const names = [label, ...label.split(/[^\p{L}\p{M}]+/u), ...readEntryName(node).split('_')]
  return names.some((name) => words.has(name))
}

const MAX_DIFFERENCE = 0.25
const INCREASE_WORDS: ReadonlySet<string> = new Set(
  `+ ＋ ▲ ↑ plus increase increment more up mehr erhöhen augmenter aumentar aumenta verhogen zwiększ öka artır увеличить
  больше 増やす 增加 늘리기 زيادة`.split(/\s+/),
)
const DECREASE_WORDS: ReadonlySet<string> = new Set(
  `- − – ▼ ↓ minus decrease decrement less down weniger verringern diminuer disminuir reducir diminuisci diminuir verlagen
  zmniejsz minska azalt уменьшить меньше 減らす 减少 減少 줄이기 إنقاص`.split(/\s+/),
)
