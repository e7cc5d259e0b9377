import { elementRole } from '../../../screen/element-traits.ts'
import { attribute, isTrue, type UiNode } from '../../../screen/hierarchy.ts'
import type { NormalizedRun, Pruned } from './normalized-run.ts'
import { pruning } from './normalized-run.ts'
import { joined, type Move } from './move.ts'
import { isInside, isSameView, nodeAt, type Screen } from './screen.ts'
import { resourceId, shownWords } from './words.ts'

/** A touch that flips a switch says how it is to stand; two flips of the same one say the last. */
export function joinToggles(account: NormalizedRun): NormalizedRun {
  const pruned: Pruned[] = [...account.pruned]
  const moves: Move[] = []
  for (const raw of account.moves) {
    const move = asToggle(raw)
    const previous = moves.at(-1)
    if (previous === undefined || !isSameSwitch(previous, move)) {
      moves.push(move)
      continue
    }
    moves.pop()
    pruned.push(pruning([move], 'repeat_collapsed', 'The same switch was touched again'))
    const one = joined([previous, move], { toggled: lastState(previous, move) })
    if (isChange(one)) moves.push(one)
    else pruned.push(pruning([previous], 'no_effect', 'The switch was left as it had been'))
  }
  return { ...account, moves, pruned }
}

function asToggle(move: Move): Move {
  const { kind, node, before, after, kept } = move
  if (kind !== 'press' || kept === true || node === undefined) return move
  if (before === undefined || after === undefined || !isSameView(before, after)) return move
  const control = controlOf(node, before)
  const now = control && counterpart(control, after)
  if (control === undefined || now === undefined) return move
  if (isTrue(control, 'checked') === isTrue(now, 'checked')) return move
  if (isOneOfMany(control, before, after)) return move
  return { ...move, kind: 'toggle', toggled: { control, checked: isTrue(now, 'checked') } }
}

function isSameSwitch(previous: Move, move: Move): boolean {
  const [one, other] = [previous.toggled?.control, move.toggled?.control]
  if (previous.before === undefined || move.before === undefined) return false
  return one !== undefined && one.path === other?.path && isSameView(previous.before, move.before)
}

/** The control as it was first seen, in the state it was left in. */
function lastState(previous: Move, move: Move): Move['toggled'] {
  const [first, last] = [previous.toggled, move.toggled]
  return first && last && { control: first.control, checked: last.checked }
}

function isChange({ toggled }: Move): boolean {
  return toggled !== undefined && isTrue(toggled.control, 'checked') !== toggled.checked
}

/** What a touch on this node switches: itself, or the only thing of the kind in it. */
export function controlOf(node: UiNode, { nodes }: Screen): UiNode | undefined {
  if (isTrue(node, 'checkable')) return node
  const inside = nodes.filter((one) => isTrue(one, 'checkable') && isInside(one, node))
  return inside.length === 1 ? inside[0] : undefined
}

function counterpart(control: UiNode, after: Screen): UiNode | undefined {
  const same = nodeAt(after, control.path)
  return same !== undefined && resourceId(same) === resourceId(control) ? same : undefined
}

export function isRadio(node: UiNode): boolean {
  return elementRole(attribute(node, 'class')) === 'radio'
}

/** One of a few that exclude each other, with its own words on it. */
export function isOption(node: UiNode): boolean {
  const checkable = isRadio(node) || attribute(node, 'class').endsWith('CheckedTextView')
  return checkable && shownWords(node) !== ''
}

/** Choosing one lets go of another: that is a choice, not a switch. */
function isOneOfMany(control: UiNode, before: Screen, after: Screen): boolean {
  if (isRadio(control)) return true
  const role = elementRole(attribute(control, 'class'))
  if (role === 'switch' || role === 'checkbox') return false
  return before.nodes.some(
    (node) =>
      node !== control &&
      isTrue(node, 'checked') &&
      nodeAt(after, node.path)?.attributes['checked'] === 'false' &&
      attribute(node, 'class') === attribute(control, 'class'),
  )
}
