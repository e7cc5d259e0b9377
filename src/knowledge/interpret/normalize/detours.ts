import { attribute, type UiNode } from '../../../screen/hierarchy.ts'
import type { NormalizedRun, Pruned } from '../read/normalized-run.ts'
import { pruning } from '../read/normalized-run.ts'
import type { Move } from '../read/move.ts'
import { identityOf, rowAround, rowsUnder } from '../read/rows.ts'
import { isSameState, isSameView, nodeAt, type Screen } from '../read/screen.ts'
import { resourceId, shownWords, speakingNodes } from '../read/words.ts'

/** Ways that led back to the very same screen and left nothing behind. */
export function leaveOutDetours(account: NormalizedRun): NormalizedRun {
  const pruned: Pruned[] = [...account.pruned]
  let moves = account.moves
  for (let from = 0; from < moves.length; from += 1) {
    const to = endOfDetour(moves, from)
    if (to === undefined) continue
    const detour = moves.slice(from, to + 1)
    pruned.push(pruning(detour, 'detour', 'A way that led back without having changed anything'))
    moves = [...moves.slice(0, from), ...moves.slice(to + 1)]
    from -= 1
  }
  return { ...account, moves, pruned }
}

function endOfDetour(moves: readonly Move[], from: number): number | undefined {
  const start = moves[from]?.before
  if (start === undefined) return undefined
  for (let to = moves.length - 1; to >= from; to -= 1) {
    const end = moves[to]?.after
    if (end === undefined || !isSameState(start, end)) continue
    const detour = moves.slice(from, to + 1)
    // A demonstration is never all detour.
    if (detour.length === moves.length || detour.length < 2) continue
    const around = { earlier: moves.slice(0, from), later: moves.slice(to + 1) }
    if (detour.every(({ kept }) => kept !== true) && leftNothing(detour, around)) return to
  }
  return undefined
}

interface Around {
  readonly earlier: readonly Move[]
  readonly later: readonly Move[]
}

function leftNothing(detour: readonly Move[], { earlier, later }: Around): boolean {
  const changes = detour.filter(isChangeInPlace)
  if (changes.length === 0) return detour.every(isGoing) && !changedOnTheWay(detour, earlier)
  if (changedElsewhere(detour, earlier)) return false
  if (detour.every(({ before, after }) => before && after && isSameView(before, after))) return true
  return changes.every((change) => wasForgotten(change, detour, later))
}

/** A screen that was passed shows something else than when it was last seen. */
function changedOnTheWay(detour: readonly Move[], earlier: readonly Move[]): boolean {
  return showOtherThan(passedBy(detour), earlier)
}

/** The same, of screens other than those the changes were made on: what was filled in there may have been kept. */
function changedElsewhere(detour: readonly Move[], earlier: readonly Move[]): boolean {
  const forms = detour
    .filter(isChangeInPlace)
    .map(({ before }) => before)
    .filter(isSeen)
  const others = passedBy(detour).filter(
    (passed) => !forms.some((form) => isSameView(form, passed)),
  )
  return showOtherThan(others, earlier)
}

function showOtherThan(screens: readonly Screen[], earlier: readonly Move[]): boolean {
  const known = earlier.flatMap(({ before, after }) => [before, after]).filter(isSeen)
  return screens.some((screen) => {
    const last = known.findLast((one) => isSameView(one, screen))
    return last !== undefined && !isSameState(last, screen)
  })
}

function passedBy(detour: readonly Move[]): Screen[] {
  return detour
    .slice(0, -1)
    .map(({ after }) => after)
    .filter(isSeen)
}

function isSeen(screen: Screen | undefined): screen is Screen {
  return screen !== undefined && !screen.is_loading
}

/** Going somewhere, or going back; agreeing to something a window asks is more than that. */
function isGoing({ kind, node, before }: Move): boolean {
  if (kind === 'key' || kind === 'open_app') return true
  if (kind !== 'press' && kind !== 'long_press') return false
  return before?.is_dialog !== true || (node !== undefined && isRefusal(node))
}

function isRefusal(node: UiNode): boolean {
  return resourceId(node) === 'android:id/button2' || REFUSALS.test(shownWords(node))
}

const REFUSALS =
  /^(?:cancel|no|close|back|not now|no thanks|later|abbrechen|nein|annuler|cancelar)$/iu

/** Something on the screen was made different: a form filled, a switch flipped, an entry changed. */
function isChangeInPlace({ kind, before, after }: Move): boolean {
  if (kind === 'type' || kind === 'adjust' || kind === 'toggle' || kind === 'slide') return true
  if (before === undefined || after === undefined) return false
  return isSameView(before, after) && !isSameState(before, after)
}

/** The change was seen to be gone later, or the entry it belonged to still tells the old value. */
function wasForgotten(change: Move, detour: readonly Move[], later: readonly Move[]): boolean {
  const changed = change.adjustment?.value ?? change.toggled?.control ?? change.node
  if (changed === undefined || change.before === undefined) return false
  const old = shownOf(changed)
  const seen = later.find(({ before }) => before && isSameView(before, change.before as Screen))
  const again = seen?.before && nodeAt(seen.before, changed.path)
  if (again !== undefined) return shownOf(again) === old
  const now = change.after && nodeAt(change.after, changed.path)
  const row = entryAfter(detour)
  if (now === undefined || row === undefined || shownOf(now) === old) return false
  return row.includes(shownWords(changed)) && !row.includes(shownWords(now))
}

function shownOf(node: UiNode): string {
  return `${shownWords(node)} ${attribute(node, 'checked')}`
}

/** The words of the entry the detour went into, as they stand once it is over. */
function entryAfter(detour: readonly Move[]): string[] | undefined {
  const [first] = detour
  const row = first?.node && rowAround(first.node)
  const name = row && identityOf(row)
  const end = detour.at(-1)?.after
  if (name === undefined || end === undefined) return undefined
  const same = rowsUnder(end.nodes).find(({ node }) =>
    speakingNodes(node).some((cell) => shownWords(cell) === shownWords(name)),
  )
  return same && speakingNodes(same.node).map(shownWords)
}
