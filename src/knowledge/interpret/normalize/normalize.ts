import type { NormalizedRun, Pass } from '../read/normalized-run.ts'
import { joinAdjustments } from './adjusting.ts'
import { leaveOutFailedAttempts } from './attempts.ts'
import { leaveOutDetours } from './detours.ts'
import type { EvidencedRun } from '../read/evidence.ts'
import { dropIdleTouches, joinScrolling } from './finding.ts'
import { setInterruptionsAside } from './interruptions.ts'
import { setLaunchesAside } from './launching.ts'
import { type Move, readMoves } from '../read/move.ts'
import { joinToggles } from '../read/toggling.ts'
import { joinTyping } from './typing.ts'

/** What a person meant to do, without the way it happened to be done. */
export function normaliseRun(run: EvidencedRun, keep: ReadonlySet<string>): NormalizedRun {
  return normalise(readMoves(run, keep))
}

/** Goes on until nothing is left to take together, so that doing it again changes nothing. */
export function normalise(moves: readonly Move[]): NormalizedRun {
  let account: NormalizedRun = { moves, pruned: [], dismissals: [] }
  for (let round = 0; round <= moves.length; round += 1) {
    const next = PASSES.reduce((done, pass) => pass(done), account)
    if (next.pruned.length === account.pruned.length) return next
    account = next
  }
  return account
}

const PASSES: readonly Pass[] = [
  setInterruptionsAside,
  setLaunchesAside,
  joinTyping,
  joinScrolling,
  joinAdjustments,
  joinToggles,
  dropIdleTouches,
  leaveOutFailedAttempts,
  leaveOutDetours,
]
