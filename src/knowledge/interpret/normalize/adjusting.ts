import { centre } from '../../../screen/bounds.ts'
import { isTrue, subtree, type UiNode } from '../../../screen/hierarchy.ts'
import { shownNumber } from '../../../screen/shown-number.ts'
import type { NormalizedRun, Pruned } from '../read/normalized-run.ts'
import { pruning } from '../read/normalized-run.ts'
import { type Adjustment, joined, type Move } from '../read/move.ts'
import { ancestorsOf, isSameView, isSlider, nodeAt, type Screen } from '../read/screen.ts'
import { idWords, shownWords } from '../read/words.ts'

/** Touches of plus and minus, or of a slider, are one setting of the number they move. */
export function joinAdjustments(account: NormalizedRun): NormalizedRun {
  const pruned: Pruned[] = [...account.pruned]
  const moves: Move[] = []
  for (const raw of account.moves) {
    const move = asAdjustment(raw)
    const previous = moves.at(-1)
    if (previous === undefined || !isSameControl(previous, move)) {
      moves.push(move)
      continue
    }
    moves.pop()
    const summary = `Several touches taken as one setting of ${valueName(previous)}`
    pruned.push(pruning([move], 'repeat_collapsed', summary))
    const one = joined([previous, move], { adjustment: both(previous, move) })
    if (one.adjustment?.from !== one.adjustment?.to) moves.push(one)
    else pruned.push(pruning([previous], 'no_effect', `${valueName(previous)} came out as it was`))
  }
  return { ...account, moves, pruned }
}

function asAdjustment(move: Move): Move {
  const { kind, node, before, after, kept } = move
  if (kept === true || (kind !== 'press' && kind !== 'slide')) return move
  if (node === undefined || before === undefined || after === undefined) return move
  if (!isSameView(before, after)) return move
  const adjustment = isSlider(node) ? slidden(node, before, after) : stepped(node, before, after)
  if (adjustment !== undefined) return { ...move, kind: 'adjust', adjustment }
  return isSlider(node) ? { ...move, kind: 'slide' } : move
}

function isSameControl(previous: Move, move: Move): boolean {
  const [one, other] = [previous.adjustment?.value, move.adjustment?.value]
  if (previous.kept === true || move.kept === true || one === undefined || other === undefined) {
    return false
  }
  if (previous.before === undefined || move.before === undefined) return false
  return one.path === other.path && isSameView(previous.before, move.before)
}

function both(previous: Move, move: Move): Adjustment | undefined {
  const [one, other] = [previous.adjustment, move.adjustment]
  if (one === undefined || other === undefined) return one
  const inFirst = (node: UiNode | undefined) =>
    node && previous.before && nodeAt(previous.before, node.path)
  return {
    ...one,
    increase: one.increase ?? inFirst(other.increase),
    decrease: one.decrease ?? inFirst(other.decrease),
    slider: one.slider ?? inFirst(other.slider),
    to: other.to,
  }
}

interface Change {
  readonly node: UiNode
  readonly from: number
  readonly to: number
}

/** A button beside the one number it changes, with its counterpart or a sign on it. */
function stepped(button: UiNode, before: Screen, after: Screen): Adjustment | undefined {
  for (const holder of ancestorsOf(button).slice(0, STEPPER_DEPTH)) {
    const inside = before.nodes.filter((node) => isBelow(node, holder))
    const changes = changesAmong(inside, after).filter(({ node }) => !isTrue(node, 'clickable'))
    const [change] = changes
    if (change === undefined) continue
    const buttons = inside.filter((node) => isTrue(node, 'clickable'))
    if (changes.length > 1 || buttons.length > 2 || !buttons.includes(button)) return undefined
    const counterpart = buttons.find((node) => node !== button)
    if (counterpart === undefined && !SIGN.test(ownSign(button))) return undefined
    const grows = change.to > change.from
    return {
      value: change.node,
      from: change.from,
      to: change.to,
      increase: grows ? button : counterpart,
      decrease: grows ? counterpart : button,
    }
  }
  return undefined
}

const STEPPER_DEPTH = 3
const SIGN = /^[-+\u2212\u2013<>\u2039\u203a\u25b2\u25bc]$/

function ownSign(node: UiNode): string {
  return (node.attributes['text'] ?? '').trim()
}

/** Of the numbers that went with the slider, the nearest to it. */
function slidden(slider: UiNode, before: Screen, after: Screen): Adjustment | undefined {
  const distance = ({ node }: Change) => Math.abs(middle(node) - middle(slider))
  const [change] = changesAmong(before.nodes, after).toSorted((a, b) => distance(a) - distance(b))
  return change && { value: change.node, slider, from: change.from, to: change.to }
}

function middle({ bounds }: UiNode): number {
  return bounds === null ? Number.MAX_SAFE_INTEGER : centre(bounds).y
}

/** Labels that read the same but for their number. */
function changesAmong(nodes: readonly UiNode[], after: Screen): Change[] {
  return nodes.flatMap((node) => {
    const now = nodeAt(after, node.path)
    if (now === undefined) return []
    const [was, is] = [shownWords(node), shownWords(now)]
    const [from, to] = [shownNumber(was), shownNumber(is)]
    if (from === undefined || to === undefined || from === to) return []
    return withoutNumber(was) === withoutNumber(is) ? [{ node, from, to }] : []
  })
}

function withoutNumber(label: string): string {
  return label.replace(/[-+\u2212]?\d+(?:[.,]\d+)?/, '#')
}

function isBelow(node: UiNode, holder: UiNode): boolean {
  for (const one of subtree(holder)) if (one === node) return node !== holder
  return false
}

/** What is set, by the app's ids alone. */
function valueName({ adjustment, node }: Move): string {
  const { value, slider } = adjustment ?? {}
  const named = [slider, value, node].map((one) => (one === undefined ? '' : idWords(one)))
  return named.find((words) => words !== '')?.replace(/ (?:value|text|label)$/, '') ?? 'the value'
}
