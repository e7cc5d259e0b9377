import type { ScreenDigests, Snapshot } from '@apprentice/contracts/devices/snapshot.ts'
import type {
  UiChange,
  WaitForIdle,
  WaitForScreenChange,
  WaitForScreenChangeResult,
  WaitForUiChange,
  WaitForUiChangeResult,
} from '@apprentice/contracts/devices/verification.ts'
import type { GoodReading, Watch } from './observation.ts'
import { type Judge, type Polled, countConsecutive, pollScreen } from './polling.ts'

/** Waits for another screen: two good readings in a row with the same new fingerprint. */
export async function waitForScreenChange(
  watch: Watch,
  request: WaitForScreenChange,
): Promise<WaitForScreenChangeResult> {
  const last = new LastSnapshot()
  const stable = countConsecutive(2)
  const polled = await pollScreen(
    watch,
    { ...request, stable_reads: 2 },
    {
      judge: ({ snapshot }) => {
        last.snapshot = snapshot
        if (snapshot.fingerprint === request.previous_fingerprint) {
          stable.reset()
          return { kind: 'open' }
        }
        if (!stable.add(snapshot.fingerprint)) return { kind: 'confirming' }
        return { kind: 'settled', value: snapshot }
      },
      interrupted: () => stable.reset(),
    },
  )
  return {
    status: polled.status,
    new_fingerprint: polled.value?.fingerprint ?? null,
    last_fingerprint: last.snapshot?.fingerprint ?? null,
    observed_screen: toObservedScreen(last.snapshot),
    elapsed_ms: polled.readings.latency_ms,
    metrics: { ...polled.readings, attempts: 1 },
    ...toFailure(polled),
  }
}

/**
 * Waits for a change within the screen. The baseline is a reading from before the action. Without one, the
 * first good reading is the baseline, and earlier changes are not noticed.
 */
export async function waitForUiChange(
  watch: Watch,
  request: WaitForUiChange,
  baseline: ScreenDigests | null,
): Promise<WaitForUiChangeResult> {
  const judge = new ChangeJudge(request, baseline)
  const polled = await pollScreen(watch, { ...request, stable_reads: 2 }, judge)
  return { ...buildChangeReport(polled, judge.last.snapshot), observed_change: polled.value }
}

/** Waits until equal good readings span `stability_ms`. */
export async function waitForIdle(
  watch: Watch,
  request: WaitForIdle,
): Promise<Omit<WaitForUiChangeResult, 'observed_change'>> {
  const judge = new IdleJudge(request)
  const polled = await pollScreen(watch, { ...request, stable_reads: 2 }, judge)
  return buildChangeReport(polled, judge.last.snapshot)
}

export function toObservedScreen(snapshot: Snapshot | null) {
  return {
    fingerprint: snapshot?.fingerprint ?? null,
    screen_id: snapshot?.screen_id ?? null,
    activity: snapshot?.activity ?? null,
  }
}

class LastSnapshot {
  snapshot: Snapshot | null = null
}

class ChangeJudge implements Judge<UiChange> {
  readonly last = new LastSnapshot()
  readonly #request: WaitForUiChange
  readonly #stable = countConsecutive(2)
  #baseline: ScreenDigests | null

  constructor(request: WaitForUiChange, baseline: ScreenDigests | null) {
    this.#request = request
    this.#baseline = baseline
  }

  judge({ snapshot }: GoodReading) {
    this.last.snapshot = snapshot
    this.#baseline ??= snapshot.digests
    const change = this.#changeFrom(this.#baseline, snapshot.digests)
    if (change === undefined) {
      this.#stable.reset()
      return { kind: 'open' } as const
    }
    if (!this.#stable.add(computeContentKey(snapshot.digests))) {
      return { kind: 'confirming', wait_ms: this.#request.stability_window_ms } as const
    }
    return { kind: 'settled', value: change } as const
  }

  interrupted(): void {
    this.#stable.reset()
  }

  #changeFrom(baseline: ScreenDigests, now: ScreenDigests): UiChange | undefined {
    const { expected_change } = this.#request
    return CHANGES.find(
      ({ change, keys }) => (expected_change ?? change) === change && keys.some((key) => baseline[key] !== now[key]),
    )?.change
  }
}

/** Checked in this order, because a new element also changes text and states. */
const CHANGES: readonly { change: UiChange; keys: readonly (keyof ScreenDigests)[] }[] = [
  { change: 'hierarchy_diff', keys: ['screen', 'structure'] },
  { change: 'text_change', keys: ['text'] },
  { change: 'state_change', keys: ['state'] },
]

class IdleJudge implements Judge<true> {
  readonly last = new LastSnapshot()
  readonly #stability_ms: number
  #since: { key: string; started: number } | null = null

  constructor({ stability_ms }: WaitForIdle) {
    this.#stability_ms = stability_ms
  }

  judge({ snapshot }: GoodReading) {
    this.last.snapshot = snapshot
    const key = computeContentKey(snapshot.digests)
    const started = snapshot.dump_started_ms
    if (this.#since?.key !== key) {
      this.#since = { key, started }
      return { kind: 'confirming' } as const
    }
    if (started - this.#since.started < this.#stability_ms) return { kind: 'confirming' } as const
    return { kind: 'settled', value: true } as const
  }

  interrupted(): void {
    this.#since = null
  }
}

function computeContentKey({ screen, structure, text, state }: ScreenDigests): string {
  return [screen, structure, text, state].join()
}

function buildChangeReport(
  polled: Polled<unknown>,
  last: Snapshot | null,
): Omit<WaitForUiChangeResult, 'observed_change'> {
  return {
    status: polled.status,
    snapshot_revision: last?.snapshot_revision ?? null,
    loading_state: last?.loading_state ?? null,
    elapsed_ms: polled.readings.latency_ms,
    metrics: { ...polled.readings, attempts: 1 },
    ...toFailure(polled),
  }
}

function toFailure({
  status,
  last_fault,
}: Polled<unknown>): Pick<WaitForUiChangeResult, 'failure_code' | 'retryable' | 'reason'> {
  switch (status) {
    case 'satisfied':
      return {}
    case 'timeout':
      return {
        failure_code: 'TIMEOUT',
        retryable: true,
        reason: 'the change did not happen in time',
      }
    case 'unobservable':
      return {
        failure_code: 'SCREEN_UNREADABLE',
        retryable: true,
        reason: `there was no good reading: ${last_fault ?? 'unknown'}`,
      }
  }
}
