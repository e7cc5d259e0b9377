import type { NormalizedRun, Pruned } from '../read/normalized-run.ts'
import { pruning } from '../read/normalized-run.ts'
import type { Move } from '../read/move.ts'

/** Home screens and what the system lays over everything, by the names they usually have. */
const HOME = /launcher|quickstep|^com\.miui\.home$|^com\.android\.systemui$/i

export function isHome(packageId: string): boolean {
  return HOME.test(packageId)
}

/** Opening, closing and changing apps, by whatever way. */
export function isAppStart(move: Move): boolean {
  if (['open_app', 'close_app', 'open_uri'].includes(move.kind)) return true
  if (move.kind === 'key' && (move.key === 'home' || move.key === 'recents')) return true
  return isHome(packageOf(move))
}

/**
 * A recipe opens its app itself, so the way there is left out; only the way to a second app is kept, or what the
 * reviewer wants back, as one step that opens the app.
 */
export function setLaunchesAside(account: NormalizedRun): NormalizedRun {
  const moves: Move[] = []
  const pruned: Pruned[] = [...account.pruned]
  let waiting: Move[] = []
  for (const move of account.moves) {
    if (isAppStart(move) && !isSecondApp(move)) {
      waiting.push(move)
      continue
    }
    const previous = moves.at(-1)
    if (waiting.length > 0) {
      const goesElsewhere = previous !== undefined && packageOf(previous) !== packageOf(move)
      if (goesElsewhere || waiting.some(({ kept }) => kept)) moves.push(openingOf(waiting, move))
      else pruned.push(pruning(waiting, 'launch', 'The app is opened by the recipe itself'))
      waiting = []
    }
    moves.push(move)
  }
  if (waiting.length > 0) pruned.push(pruning(waiting, 'launch', 'The app was left at the end'))
  return { ...account, moves, pruned }
}

/** Already one step of its own. */
function isSecondApp({ kind, event_ids, node, before }: Move): boolean {
  return kind === 'open_app' && node === undefined && before === undefined && event_ids.length > 0
}

function openingOf(waiting: readonly Move[], { before, app, trace_id }: Move): Move {
  return {
    kind: 'open_app',
    event_ids: waiting.flatMap(({ event_ids }) => event_ids),
    trace_id,
    app: before?.package ?? app,
    before: undefined,
    after: before,
    at_once: before,
    node: undefined,
  }
}

export function packageOf({ before, app }: Move): string {
  return before?.package ?? app
}
