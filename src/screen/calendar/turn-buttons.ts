import { centre } from '../tree/bounds.ts'
import { attribute, isTrue, subtree, type UiNode } from '../tree/hierarchy.ts'
import type { Calendar } from './calendar.ts'

export interface TurnButtons {
  readonly next: UiNode | undefined
  readonly previous: UiNode | undefined
}

/** The buttons that turn a calendar: by their words or signs, else the two beside the name of the month. */
export function findTurnButtons(calendar: Calendar, nodes: readonly UiNode[]): TurnButtons {
  const buttons = listButtons(calendar, nodes)
  const named = (pattern: RegExp) => {
    const found = buttons.filter((node) => readWords(node).some((words) => pattern.test(words)))
    // The buttons of the year are worded alike.
    const [only] = found.length > 1 ? found.filter((node) => readWords(node).some((words) => MONTH.test(words))) : found
    return only
  }
  const [next, previous] = [named(NEXT), named(PREVIOUS)]
  if (next !== undefined || previous !== undefined) return { next, previous }
  const [first, second, ...more] = listBesideHeading(calendar, buttons)
  return second === undefined || more.length > 0 ? NONE : { next: second, previous: first }
}

const NONE: TurnButtons = { next: undefined, previous: undefined }

/** Small buttons that are no days. */
function listButtons({ days, bounds }: Calendar, nodes: readonly UiNode[]): UiNode[] {
  const taken = new Set(days.map(({ node }) => node))
  const [width, height] = [bounds.right - bounds.left, bounds.bottom - bounds.top]
  return nodes.filter((node) => {
    if (!isTrue(node, 'clickable') || node.bounds === null || taken.has(node)) return false
    const box = node.bounds
    const isSmall = box.right - box.left < width * MAX_SHARE && box.bottom - box.top < height * MAX_SHARE
    return isSmall && ![...subtree(node)].some((one) => taken.has(one))
  })
}

const MAX_SHARE = 0.4

/** From left to right. They have no words of their own. */
function listBesideHeading({ heading, bounds }: Calendar, buttons: readonly UiNode[]): UiNode[] {
  if (heading?.bounds == null) return []
  const { top, bottom } = heading.bounds
  const isInLine = (node: UiNode) => {
    const { y } = centre(node.bounds ?? bounds)
    return y >= top - LINE_REACH && y <= bottom + LINE_REACH
  }
  return buttons
    .filter((node) => node !== heading && isInLine(node) && readWords(node).every((words) => words.length <= 2))
    .toSorted((a, b) => (a.bounds?.left ?? 0) - (b.bounds?.left ?? 0))
}

const LINE_REACH = 40

/** Labels of the button and what is in it, and the words of its id. */
function readWords(node: UiNode): string[] {
  const id = attribute(node, 'resource-id')
  const name = id.slice(id.lastIndexOf('/') + 1).replaceAll(/([a-z])(?=[A-Z])|[_.-]+/g, '$1 ')
  const labels = [...subtree(node)].flatMap((one) => [attribute(one, 'text'), attribute(one, 'content-desc')])
  return [...labels, name].map((text) => text.trim().toLowerCase()).filter((text) => text !== '')
}

const NEXT =
  /(?<!\p{L})(?:next|forward|nächste[rsn]?|suivante?|siguiente|próxim[oa]|seguinte|prossimo|successivo|seguente|volgende|nästa|neste|næste|następny|sonraki|следующ\p{L}*|التالي)(?!\p{L})|^(?:[>›→▶❯»⟩]|다음|次|下)|次の?月|下(?:个|一)?[个個]?月|다음/u
const PREVIOUS =
  /(?<!\p{L})(?:prev|previous|back|vorherige[rsn]?|voriger?|précédente?|anterior|precedente|vorige|föregående|forrige|poprzedni|önceki|предыдущ\p{L}*|السابق)(?!\p{L})|^(?:[<‹←◀❮«⟨]|이전|前|上)|前の?月|上(?:个|一)?[个個]?月|이전/u
const MONTH = /month|monat|mois|mes|mês|mese|maand|månad|måned|miesiąc|(?<!\p{L})ay(?!\p{L})|месяц|月|월|شهر/u
