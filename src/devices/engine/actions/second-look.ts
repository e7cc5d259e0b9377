import type { EngineExecution } from '../engine-execution.ts'
import { LoadingWait, isLoading } from '../loading-wait.ts'
import { dismissObstruction } from '../obstruction.ts'
import { readScreen } from '../read-screen.ts'
import type { ScreenReading } from '../screen-reading.ts'
import { type StepData, StepFailure } from '../step-failure.ts'
import { type Observation, observe } from './expectation.ts'
import type { HeldClaim } from '../claims.ts'
import { type Contradiction, findContradictingMessage, findContradictionBeside } from '../contradiction.ts'

/**
 * Looks at all held claims again after one pause. Each must still hold, and nothing beside it may say that it failed or
 * still waits.
 */
export async function confirmClaims(execution: EngineExecution, claims: readonly HeldClaim[]): Promise<StepData> {
  const pauseMs = Math.max(...claims.map(({ params }) => params.settleMs ?? SETTLE_MS))
  await execution.sleep(pauseMs)
  const look = new SecondLook(execution, claims)
  while (!(await look.take())) await execution.sleep(POLL_MS)
  return { settled_ms: String(Math.round(pauseMs)) }
}

class SecondLook {
  readonly #execution: EngineExecution
  readonly #claims: readonly HeldClaim[]
  readonly #loading: LoadingWait
  readonly #startedMs: number
  #misses = 0

  constructor(execution: EngineExecution, claims: readonly HeldClaim[]) {
    this.#execution = execution
    this.#claims = claims
    this.#loading = new LoadingWait(execution)
    this.#startedMs = execution.now()
  }

  /** Reads the screen once. Returns true if everything holds, and throws if it does not. */
  async take(): Promise<boolean> {
    const reading = await readScreen(this.#execution)
    const looks = this.#claims.map((claim) => ({ claim, now: observe(reading.hierarchy, claim.params) }))
    const missed = looks.find(({ now }) => !now.holds)
    if (missed !== undefined) return this.#retry(reading, missed)
    if (isLoading(reading) && this.#loading.shouldWait(reading)) return false
    for (const { claim, now } of looks) {
      const found = findContradiction(this.#execution, { reading, claim, now })
      if (found !== undefined && this.#isFinal(found, claim)) throw toContradicted(reading, { claim, now, found })
      if (found !== undefined) return false
    }
    return true
  }

  /** A list may be loading again, or something may cover it. */
  async #retry(
    reading: ScreenReading,
    { claim, now }: { readonly claim: HeldClaim; readonly now: Observation },
  ): Promise<false> {
    if (await dismissObstruction(this.#execution, reading)) return false
    if (this.#loading.shouldWait(reading)) {
      await this.#loading.pause()
      return false
    }
    this.#misses += 1
    if (this.#misses >= MAX_MISSES) throw toTakenBack(reading, claim, now)
    return false
  }

  #isFinal({ kind }: Contradiction, { params }: HeldClaim): boolean {
    return kind === 'failure' || this.#execution.now() - this.#startedMs >= params.timeoutMs
  }
}

export function findContradiction(
  execution: EngineExecution,
  look: { readonly reading: ScreenReading; readonly claim: Pick<HeldClaim, 'params'>; readonly now: Observation },
): Contradiction | undefined {
  const { reading, claim, now } = look
  const { history, given } = execution
  const context = { history, given, tolerated: claim.params.tolerated ?? [] }
  const node = now.found?.node
  return (
    (node === undefined ? undefined : findContradictionBeside(node, context)) ??
    findContradictingMessage(reading.hierarchy, context)
  )
}

function toContradicted(
  seen: ScreenReading,
  look: { readonly claim: HeldClaim; readonly now: Observation; readonly found: Contradiction },
): StepFailure {
  const { claim, now, found } = look
  const data = { claim: claim.id, observed: now.observed, contradicted_by: found.text, contradiction: found.kind }
  return new StepFailure('VERIFY_FAILED', `The claim holds, but the screen says: ${found.text}.`, { data, seen })
}

function toTakenBack(seen: ScreenReading, claim: HeldClaim, now: Observation): StepFailure {
  const data = {
    claim: claim.id,
    observed: now.observed,
    observed_before: claim.observed,
    taken_back: 'true',
  }
  const message = `The claim held and was taken back; before: ${claim.observed}, now: ${now.observed}.`
  return new StepFailure('VERIFY_FAILED', message, { data, seen })
}

/** Apps that undo a change do it within about two seconds. */
const SETTLE_MS = 2500
const POLL_MS = 300
const MAX_MISSES = 2
