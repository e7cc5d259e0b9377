import type { Snapshot } from '@apprentice/contracts/devices/snapshot.ts'
import type { ExpectScreen, ExpectScreenResult } from '@apprentice/contracts/devices/verification.ts'
import type { Watch } from './observation.ts'
import { pollScreen } from './polling.ts'
import { toObservedScreen } from './wait-for-change.ts'

/** The first good reading decides. Failed readings are repeated. */
export async function expectScreen(watch: Watch, expected: ExpectScreen): Promise<ExpectScreenResult> {
  const polled = await pollScreen(watch, POLL_PLAN, {
    judge: ({ snapshot }) => ({ kind: 'settled', value: snapshot }),
    interrupted: () => undefined,
  })
  const comparison = compare(expected, polled.value)
  const evaluated = polled.value !== null
  return {
    success: comparison.matched,
    evaluated,
    observed_screen: toObservedScreen(polled.value),
    expected_screen: expected,
    comparison,
    confidence: comparison.matched ? 1 : 0,
    metrics: { ...polled.readings, attempts: 1 },
    ...(!comparison.matched && {
      failure_code: evaluated ? 'VERIFICATION_FAILED' : 'SCREEN_UNREADABLE',
      retryable: true,
      reason: comparison.reason,
    }),
  }
}

const POLL_PLAN = { timeout_ms: 3000, poll_interval_ms: 200, stable_reads: 1 }

/** Compares only the most specific of the given identities. */
function compare(
  { fingerprint, screen_id, screen }: ExpectScreen,
  snapshot: Snapshot | null,
): ExpectScreenResult['comparison'] {
  const basis = fingerprint !== undefined ? 'fingerprint' : screen_id !== undefined ? 'screen_id' : 'screen'
  if (snapshot === null) return { basis, matched: false, reason: 'the screen could not be read' }
  const matched =
    basis === 'fingerprint'
      ? snapshot.fingerprint === fingerprint
      : basis === 'screen_id'
        ? snapshot.screen_id === screen_id
        : isActivity(snapshot.activity, screen ?? '')
  return { basis, matched, reason: matched ? `${basis} is the expected one` : `${basis} differs` }
}

/** A screen is named by its full activity name or by the last part of it. */
function isActivity(activity: string | null, name: string): boolean {
  if (activity === null) return false
  const short = activity.slice(Math.max(activity.lastIndexOf('.'), activity.lastIndexOf('/')) + 1)
  return name === activity || name === short
}
