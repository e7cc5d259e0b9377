import { isSameAct } from '../align/align.ts'
import type { NormalizedRun, Pruned } from '../read/normalized-run.ts'
import { pruning } from '../read/normalized-run.ts'
import type { Move } from '../read/move.ts'
import { isSameView, type Screen } from '../read/screen.ts'
import { resourceId } from '../read/words.ts'

/**
 * A button that was pressed, kept the person where they were with a word of complaint at most, and was
 * pressed again with success: only the last time counts.
 */
export function leaveOutFailedAttempts(account: NormalizedRun): NormalizedRun {
  const pruned: Pruned[] = [...account.pruned]
  const moves = account.moves.filter((move, at) => {
    if (!isFailedAttempt(move, account.moves.slice(at + 1))) return true
    pruned.push(pruning([move], 'detour', 'An attempt that did not go through and was made again'))
    return false
  })
  return { ...account, moves, pruned }
}

function isFailedAttempt(move: Move, later: readonly Move[]): boolean {
  const { kind, before, after, kept } = move
  if (kind !== 'press' || kept === true || before === undefined || after === undefined) return false
  if (!isSameView(before, after) || !isComplaint(before, after)) return false
  const again = later.findIndex((one) => isSameAct(move, one))
  const success = later[again]
  if (success?.after === undefined || isSameView(before, success.after)) return false
  return later
    .slice(0, again)
    .every(({ after: seen }) => seen !== undefined && isSameView(before, seen))
}

const MAX_COMPLAINTS = 2

/** All that was there is still there, and hardly anything more. */
function isComplaint(before: Screen, after: Screen): boolean {
  const stayed = [...before.parts].every((part) => after.parts.has(part))
  const old = new Set(before.nodes.map(resourceId))
  const added = after.nodes.filter((node) => !old.has(resourceId(node))).length
  return (
    stayed && added <= MAX_COMPLAINTS && after.nodes.length - before.nodes.length <= MAX_COMPLAINTS
  )
}
