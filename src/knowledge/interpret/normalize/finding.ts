import { attribute, isTrue, subtree } from '../../../screen/hierarchy.ts'
import type { NormalizedRun, Pruned } from '../read/normalized-run.ts'
import { pruning } from '../read/normalized-run.ts'
import type { Move } from '../read/move.ts'
import {
  isSameState,
  isSameView,
  isSlider,
  isTextField,
  nodeAt,
  scrollerOf,
} from '../read/screen.ts'
import { controlOf, isRadio } from '../read/toggling.ts'

/** Pushing a list on the way to something in it is part of finding that thing. */
export function joinScrolling(account: NormalizedRun): NormalizedRun {
  const pruned: Pruned[] = [...account.pruned]
  const moves: Move[] = []
  let pushed: Move[] = []
  for (const move of account.moves) {
    if (move.kind === 'scroll' && move.kept !== true) {
      pushed.push(move)
      continue
    }
    if (pushed.length === 0) {
      moves.push(move)
      continue
    }
    const finds = move.node !== undefined && scrollerOf(move.node) !== undefined
    pruned.push(
      finds
        ? pruning(pushed, 'scroll_to_find', 'The list was pushed to find what came next')
        : pruning(pushed, 'no_effect', 'The screen was looked over'),
    )
    moves.push(finds ? { ...move, found_by: netDirection(pushed) } : move)
    pushed = []
  }
  if (pushed.length > 0) pruned.push(pruning(pushed, 'no_effect', 'The screen was looked over'))
  return { ...account, moves, pruned }
}

function netDirection(pushed: readonly Move[]): Move['direction'] {
  const count = (direction: Move['direction']) =>
    pushed.filter((move) => move.direction === direction).length
  const [most] = (['down', 'up', 'right', 'left'] as const).toSorted((a, b) => count(b) - count(a))
  return most
}

/** Touches after which the screen was what it had been before. */
export function dropIdleTouches(account: NormalizedRun): NormalizedRun {
  const pruned: Pruned[] = [...account.pruned]
  const moves = account.moves.filter((move, at) => {
    const [previous, next] = [account.moves[at - 1], account.moves[at + 1]]
    if (closesKeyboard(previous, move)) {
      pruned.push(pruning([move], 'no_effect', 'The keyboard was closed'))
      return false
    }
    if (!isIdle(move, next)) return true
    const repeated = next?.kind === move.kind && next.node?.path === move.node?.path
    pruned.push(
      repeated
        ? pruning([move], 'repeat_collapsed', 'The same touch came again')
        : pruning([move], 'no_effect', 'Nothing changed on the screen'),
    )
    return false
  })
  return { ...account, moves, pruned }
}

function isIdle(move: Move, next: Move | undefined): boolean {
  const { kind, node, before, after, kept } = move
  if (kept === true || before === undefined || after === undefined || after.is_loading) return false
  if (kind !== 'press' && kind !== 'long_press' && kind !== 'key') return false
  if (node !== undefined && (isSlider(node) || choosesAgain(move))) return false
  if (node !== undefined && isTextField(node)) return isSameView(before, after)
  if (leavesSwitch(move)) return true
  if (!isSameState(before, after)) return false
  // The last touch of all may have done what no screen tells.
  const couldAct = kind !== 'key' && node !== undefined && isTrue(node, 'enabled') && takes(node)
  return next !== undefined || !couldAct
}

/** Going back after typing, and being where one was: only the keyboard is gone. */
function closesKeyboard(
  previous: Move | undefined,
  { kind, key, before, after, kept }: Move,
): boolean {
  if (kind !== 'key' || key !== 'back' || kept === true || previous?.kind !== 'type') return false
  return before !== undefined && after !== undefined && isSameView(before, after)
}

/** A switch that stands as it stood was flipped back, or never moved: it must not be flipped blindly. */
function leavesSwitch({ kind, node, before, after }: Move): boolean {
  if (kind !== 'press' || node === undefined || before === undefined) return false
  if (after === undefined || !isSameView(before, after)) return false
  if (controlOf(node, before) === undefined) return false
  return [...subtree(node)].every((one) => {
    const now = nodeAt(after, one.path)
    return now !== undefined && LOOKS.every((name) => attribute(now, name) === attribute(one, name))
  })
}

const LOOKS = ['text', 'content-desc', 'checked', 'selected', 'enabled'] as const

/** What was chosen already is chosen all the same. */
function choosesAgain({ node, before }: Move): boolean {
  const control = node && before && controlOf(node, before)
  return control !== undefined && isRadio(control)
}

function takes(node: NonNullable<Move['node']>): boolean {
  return isTrue(node, 'clickable') || isTrue(node, 'long-clickable') || isTrue(node, 'checkable')
}
