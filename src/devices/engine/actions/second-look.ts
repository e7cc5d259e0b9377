import type { EngineExecution } from '../engine-execution.ts'
import { LoadingWait, isLoading } from '../loading-wait.ts'
import { dismissObstruction } from '../obstruction.ts'
import { readScreen } from '../read-screen.ts'
import type { ScreenReading } from '../screen-reading.ts'
import { type StepData, StepFailure } from '../step-failure.ts'
import { type Observation, observeClaim } from '../expectation.ts'
import type { HeldClaim } from '../claims.ts'
import { showsMore } from '../screen-change.ts'
import {
  type Contradiction,
  findContradictingMessage,
  findContradictionBeside,
  findNewContradictionBeside,
} from '../contradiction.ts'
import { matchTarget } from '../../../screen/matcher.ts'

/**
 * Looks at all held claims again after a pause. Each must still hold, unless it is a message that disappears, and
 * nothing beside it may say that it failed or still waits. If the screen shows something new after the pause, the app was
 * still working, and what it did may still be taken back: then there is another pause.
 */
export async function confirmClaims(execution: EngineExecution, claims: readonly HeldClaim[]): Promise<StepData> {
  const pauseMs = Math.max(...claims.map(({ params }) => params.settleMs ?? SETTLE_MS))
  const isDefault = claims.some(({ params }) => params.settleMs === undefined)
  const sinceTouchMs = isDefault ? execution.history.actedMs + SINCE_TOUCH_MS : 0
  const startedMs = execution.history.sinceLast.at(-1)?.times.finishedMs ?? execution.now()
  let seen = execution.history.sinceLast.at(-1)
  for (let pauses = 1; ; pauses += 1) {
    const dueMs = (seen?.times.finishedMs ?? execution.now()) + pauseMs
    const reading = await lookAfter(execution, claims, Math.max(dueMs, sinceTouchMs))
    const isSettled = seen === undefined || !showsMore(reading.hierarchy, seen.hierarchy)
    if (isSettled || pauses >= MAX_PAUSES) {
      const lasted = isSettled && (await isLasting(execution, claims, reading))
      const settledMs = reading.times.finishedMs - startedMs
      return { settled_ms: String(Math.round(settledMs)), ...(lasted && { lasted: 'true' }) }
    }
    seen = reading
  }
}

/**
 * Whether texts that may be messages are a state of the page: they are still there when messages are gone, and the page
 * shows nothing new.
 */
async function isLasting(
  execution: EngineExecution,
  claims: readonly HeldClaim[],
  seen: ScreenReading,
): Promise<boolean> {
  if (!claims.every(({ params }) => params.transient === true && params.present)) return false
  if (execution.remainingMs() < MESSAGE_MS * 2 || !holdsAny(execution, claims, seen)) return false
  await execution.sleep(MESSAGE_MS)
  const reading = await readScreen(execution)
  return holdsAny(execution, claims, reading) && !showsMore(reading.hierarchy, seen.hierarchy)
}

function holdsAny({ history }: EngineExecution, claims: readonly HeldClaim[], { hierarchy }: ScreenReading): boolean {
  const earlier = history.earlier.map((one) => one.hierarchy)
  return claims.some(({ params, language }) => observeClaim(hierarchy, params, { earlier, language }).holds)
}

/**
 * Looks again at a time. A dump waits for the screen to be idle and reads it at its end, so it may start earlier by the
 * time that it takes at least. If it ends too early, it is repeated.
 */
async function lookAfter(
  execution: EngineExecution,
  claims: readonly HeldClaim[],
  dueMs: number,
): Promise<ScreenReading> {
  await execution.sleep(Math.max(0, dueMs - execution.now() - execution.shortestReadMs))
  const reading = await lookAgain(execution, claims)
  if (reading.times.finishedMs >= dueMs) return reading
  await execution.sleep(Math.max(0, dueMs - execution.now()))
  return lookAgain(execution, claims)
}

async function lookAgain(execution: EngineExecution, claims: readonly HeldClaim[]): Promise<ScreenReading> {
  const look = new SecondLook(execution, claims)
  for (;;) {
    const reading = await look.take()
    if (reading !== undefined) return reading
    await execution.sleep(POLL_MS)
  }
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

  /** Reads the screen once. Returns the reading if everything holds, and throws if it does not. */
  async take(): Promise<ScreenReading | undefined> {
    const reading = await readScreen(this.#execution)
    const earlier = this.#execution.history.earlier.map(({ hierarchy }) => hierarchy)
    const looks = this.#claims.map((claim) => ({
      claim,
      now: observeClaim(reading.hierarchy, claim.params, { earlier, language: claim.language }),
    }))
    const missed = looks.find(({ claim, now }) => !now.holds && claim.params.transient !== true)
    if (missed !== undefined) return this.#retry(reading, missed)
    if (isLoading(reading) && this.#loading.shouldWait(reading)) return undefined
    for (const { claim, now } of looks) {
      const found = findContradiction(this.#execution, { reading, claim, now })
      if (found !== undefined && this.#isFinal(found, claim)) throw toContradicted(reading, { claim, now, found })
      if (found !== undefined) return undefined
    }
    return reading
  }

  /** A list may be loading again, or something may cover it. */
  async #retry(
    reading: ScreenReading,
    { claim, now }: { readonly claim: HeldClaim; readonly now: Observation },
  ): Promise<undefined> {
    if (await dismissObstruction(this.#execution, reading)) return undefined
    if (this.#loading.shouldWait(reading)) {
      await this.#loading.pause()
      return undefined
    }
    this.#misses += 1
    if (this.#misses >= MAX_MISSES) throw toTakenBack(reading, claim, now)
    return undefined
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
  const { history, given, language } = execution
  const context = { history, given, language, tolerated: claim.params.tolerated ?? [] }
  const node = now.found?.node
  if (node === undefined) return findContradictingMessage(reading, context)
  const { matcher, container } = claim.params
  const matches = matchTarget(reading.hierarchy, { matcher, container })
  const others = matches.kind === 'found' ? matches.nodes.filter((one) => one !== node) : []
  return (
    findContradictionBeside(node, context) ??
    others.flatMap((one) => findNewContradictionBeside(one, context) ?? [])[0] ??
    findContradictingMessage(reading, context)
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

/** Apps that undo a change do it within about two seconds after they showed it. */
const SETTLE_MS = 2400
/** Some show a change at once, and take it back two seconds after a server answered. */
const SINCE_TOUCH_MS = 4000
/** Messages that go by themselves are shown for ten seconds at most. */
const MESSAGE_MS = 11_000
const POLL_MS = 300
const MAX_MISSES = 2
const MAX_PAUSES = 3
