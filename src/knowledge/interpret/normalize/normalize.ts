import type { ObservedTrace } from '../../steps/observed-step.ts'
import { type Intent, readIntents } from '../read/intent.ts'
import type { NormalizedTrace, Pass } from '../read/normalized-trace.ts'
import { joinAdjustments } from './adjustments.ts'
import { dropFailedAttempts } from './attempts.ts'
import { joinCalendarDays } from './calendar-days.ts'
import { dropDetours } from './detours.ts'
import { dropIdleTouches } from './idle-touches.ts'
import { dropInterruptions } from './interruptions.ts'
import { dropLaunches } from './launches.ts'
import { joinScrolling } from './scrolling.ts'
import { readSwipes } from './swipes.ts'
import { joinToggles } from './toggles.ts'
import { joinTyping } from './typing.ts'
import { readWheelSwipes } from './wheels.ts'

/** Reduces a trace to the intents that belong to the workflow. Events in `pinned` stay as they are. */
export function normalizeTrace(trace: ObservedTrace, pinned: ReadonlySet<string>): NormalizedTrace {
  return normalize(readIntents(trace, pinned))
}

/** Repeats all passes until none of them prunes anything. */
export function normalize(intents: readonly Intent[]): NormalizedTrace {
  let trace: NormalizedTrace = { intents, pruned: [], dismissals: [] }
  for (let round = 0; round <= intents.length; round += 1) {
    const next = PASSES.reduce((result, pass) => pass(result), trace)
    if (next.pruned.length === trace.pruned.length) return next
    trace = next
  }
  return trace
}

const PASSES: readonly Pass[] = [
  dropInterruptions,
  dropLaunches,
  joinTyping,
  joinCalendarDays,
  readWheelSwipes,
  readSwipes,
  joinScrolling,
  joinAdjustments,
  joinToggles,
  dropIdleTouches,
  dropFailedAttempts,
  dropDetours,
]
