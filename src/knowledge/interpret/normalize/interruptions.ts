import type { NormalizedRun, Dismissal } from '../read/normalized-run.ts'
import { pruning } from '../read/normalized-run.ts'
import { isAppStart } from './launching.ts'
import type { Move } from '../read/move.ts'
import { isSameKind, isSameState } from '../read/screen.ts'

/** Windows that came by themselves and were sent away: they may come again, or not at all. */
export function setInterruptionsAside(account: NormalizedRun): NormalizedRun {
  const moves: Move[] = []
  const pruned = [...account.pruned]
  const dismissals = [...account.dismissals]
  let at = 0
  while (at < account.moves.length) {
    const end = endOfInterruption(account.moves, at)
    if (end === undefined) {
      moves.push(account.moves[at] as Move)
      at += 1
      continue
    }
    const closing = account.moves.slice(at, end + 1)
    pruned.push(pruning(closing, 'dialog_dismissed', 'A window that came by itself was closed'))
    dismissals.push(...dismissalOf(closing))
    const previous = moves.pop()
    const shown = account.moves[end]?.after
    if (previous !== undefined) moves.push({ ...previous, after: shown ?? previous.after })
    at = end + 1
  }
  return { moves, pruned, dismissals }
}

function dismissalOf(closing: readonly Move[]): Dismissal[] {
  const last = closing.at(-1)
  if (last?.kind !== 'press' || last.node === undefined || last.before === undefined) return []
  return [{ screen: last.before, node: last.node }]
}

/** The last move of an interruption that begins here; nothing when none does. */
function endOfInterruption(moves: readonly Move[], at: number): number | undefined {
  const [previous, first] = [moves[at - 1], moves[at]]
  const window = first?.before
  if (first === undefined || window === undefined || !window.is_dialog) return undefined
  if (previous === undefined || !cameByItself(previous, first)) return undefined
  let end = at
  while (isOn(moves[end + 1], first)) end += 1
  const closing = moves.slice(at, end + 1)
  if (closing.some(({ kept, kind }) => kept === true || (kind !== 'press' && kind !== 'key'))) {
    return undefined
  }
  const below = moves[end]?.after
  if (below === undefined || below.is_dialog) return undefined
  return returnsTo(previous, below) ? end : undefined
}

function isOn(move: Move | undefined, first: Move): boolean {
  const [one, other] = [move?.before, first.before]
  return one !== undefined && other !== undefined && one.is_dialog && isSameKind(one, other)
}

/** It was not there right after what was done before it, or belongs to somebody else. */
function cameByItself(previous: Move, { before }: Move): boolean {
  if (isAppStart(previous)) return true
  const seen = previous.at_once
  if (before === undefined) return false
  if (seen !== undefined && seen.package !== before.package && seen.package !== '') return true
  return seen !== undefined && !seen.is_loading && !seen.is_dialog
}

/** What lies below is just what was seen before the window came. */
function returnsTo(previous: Move, below: NonNullable<Move['after']>): boolean {
  if (isAppStart(previous)) return true
  return previous.at_once !== undefined && isSameState(previous.at_once, below)
}
