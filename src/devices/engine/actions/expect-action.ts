import type { Action } from '@apprentice/contracts/devices/action.ts'
import type { ActionParams } from './action-params.ts'
import type { EngineExecution } from '../engine-execution.ts'
import { type Observation, observeClaim } from '../expectation.ts'
import { dismissObstruction } from '../obstruction.ts'
import { LoadingWait, isLoading } from '../loading-wait.ts'
import { findForeignMessage } from '../foreign-message.ts'
import type { ScreenReadResult, ScreenReading } from '../screen-reading.ts'
import { hasFurtherClaim, isSettledClaim } from '../claims.ts'
import type { StepNotes } from '../step-evidence.ts'
import { type StepData, StepFailure } from '../step-failure.ts'
import { recordTarget } from '../target-lookup.ts'
import { withoutNews } from '../reached-end.ts'
import { confirmClaims, findContradiction } from './second-look.ts'

type Expect = ActionParams<'expect'>

/** The readings so far. */
interface ExpectProgress {
  readonly startedMs: number
  good: number
  failed: number
  /** Good readings in a row on which the expectation held; `heldSettled` without loading screens. */
  held: number
  heldSettled: number
  /** Good readings in a row, without loading screens, on which it did not hold. */
  missedSettled: number
  last?: { readonly observation: Observation; readonly reading: ScreenReading }
  fault?: Exclude<ScreenReadResult, { ok: true }>
}

/**
 * Reads the screen until the expectation holds in enough good readings in a row, or the time limit has
 * passed. A loading screen counts only after the limit, and never proves an absence.
 */
export async function expectOnScreen(
  execution: EngineExecution,
  given: Expect,
  { notes, following }: { readonly notes: StepNotes; readonly following: readonly Action[] },
): Promise<StepData> {
  if (!isSettledClaim(execution.action)) return observeUntilHeld(execution, given, notes)
  const params = execution.wasThereBefore ? withoutNews(given) : given
  const data = await observeUntilHeld(execution, params, notes)
  const { action, history, language } = execution
  const isSaid = history.sinceLast.some((reading) => holdsByWords(execution, reading, params))
  execution.claims.add({
    id: action.id,
    params,
    observed: data['observed'] ?? '',
    language: isSaid ? 'same' : language,
  })
  // The last claim about this screen confirms all of them.
  if (hasFurtherClaim(following)) return data
  return { ...data, ...(await confirmClaims(execution, execution.claims.take())) }
}

async function observeUntilHeld(execution: EngineExecution, params: Expect, notes: StepNotes): Promise<StepData> {
  const stableReads = countStableReads(execution, params)
  const progress: ExpectProgress = { startedMs: execution.now(), good: 0, failed: 0, ...NO_STREAKS }
  const loading = new LoadingWait(execution)
  for (;;) {
    await readOnce(execution, params, progress)
    if (progress.heldSettled >= stableReads) {
      return { ...toHeldData(execution, progress, notes), ...toBranchData(params, true) }
    }
    if (isBranch(params) && progress.missedSettled >= params.stableReads) {
      return { observed: progress.last?.observation.observed ?? '', ...toBranchData(params, false) }
    }
    if (await dismissCover(execution, params, progress)) continue
    if (isTimeOver(execution, params, progress)) {
      const enough = params.present && progress.held >= params.stableReads
      if (!enough && loading.shouldWait(progress.last?.reading)) await loading.pause()
      else if (isBranch(params)) return { ...formatTally(execution, progress), ...toBranchData(params, false) }
      else return conclude(execution, { params, progress, notes })
    } else {
      execution.lastError = progress.good > 0 ? 'VERIFY_FAILED' : 'VERIFY_INDETERMINATE'
      await execution.sleep(POLL_MS)
    }
  }
}

/** With a skip target the step selects the next step. It succeeds whether the expectation holds or not. */
const isBranch = ({ skipTo, elseSkipTo }: Expect): boolean => skipTo !== undefined || elseSkipTo !== undefined

function toBranchData(params: Expect, holds: boolean): StepData {
  if (!isBranch(params)) return {}
  const next = holds ? params.skipTo : params.elseSkipTo
  return { held: String(holds), ...(next !== undefined && { skip_to: next }) }
}

const POLL_MS = 200

/** The second look of a settled claim counts as one of the readings, unless the claim may be gone by then. */
function countStableReads({ action }: EngineExecution, { stableReads, transient }: Expect): number {
  return isSettledClaim(action) && transient !== true ? Math.max(1, stableReads - 1) : stableReads
}

async function readOnce(execution: EngineExecution, params: Expect, progress: ExpectProgress): Promise<void> {
  const result = await readForClaim(execution, params)
  if (!result.ok) {
    progress.failed += 1
    progress.fault = result
    Object.assign(progress, NO_STREAKS)
    return
  }
  const { reading } = result
  const observation = observeOnReading(execution, reading, params)
  progress.good += 1
  progress.last = { observation, reading }
  progress.held = observation.holds ? progress.held + 1 : 0
  const settled = !isLoading(reading)
  progress.heldSettled = observation.holds && settled ? progress.heldSettled + 1 : 0
  progress.missedSettled = !observation.holds && settled ? progress.missedSettled + 1 : 0
}

/**
 * Several claims about one screen share a reading. What is confirmed later may hold for the first time on the reading that
 * ended the step before it: a claim after its pause, a branch by the claims it leads to.
 */
async function readForClaim(execution: EngineExecution, params: Expect): Promise<ScreenReadResult> {
  const mayReuse = execution.claims.any || params.settled === true || isBranch(params)
  const reusable = mayReuse ? execution.takeReusableReading() : undefined
  return reusable === undefined ? execution.dumpScreen() : { ok: true, reading: reusable }
}

/** A branch must not take a failed entry for a finished one: what contradicts the claim makes it false. */
function observeOnReading(execution: EngineExecution, reading: ScreenReading, params: Expect): Observation {
  const earlier = execution.history.earlier.map(({ hierarchy }) => hierarchy)
  const now = observeClaim(reading.hierarchy, params, { earlier, language: execution.language })
  if (params.settled !== true && !isBranch(params) && !now.holds) {
    const message = findForeignMessage(execution, reading, params)
    return message === undefined ? now : { holds: true, observed: message }
  }
  if (params.settled !== true || !isBranch(params) || !now.holds) return now
  const found = findContradiction(execution, { reading, claim: { params }, now })
  return found === undefined ? now : { holds: false, observed: found.text }
}

function holdsByWords({ history }: EngineExecution, reading: ScreenReading, params: Expect): boolean {
  const earlier = history.earlier.map(({ hierarchy }) => hierarchy)
  return observeClaim(reading.hierarchy, params, { earlier, language: 'same' }).holds
}

const NO_STREAKS = { held: 0, heldSettled: 0, missedSettled: 0 }

/** Dismisses a known obstruction, which could also hide a node that must be absent. */
async function dismissCover(execution: EngineExecution, params: Expect, progress: ExpectProgress): Promise<boolean> {
  const { last } = progress
  if (last === undefined || (last.observation.holds && params.present)) return false
  if (!(await dismissObstruction(execution, last.reading))) return false
  Object.assign(progress, NO_STREAKS)
  return true
}

/** A confirmation in progress may exceed the time limit. */
function isTimeOver(execution: EngineExecution, { timeoutMs, stableReads }: Expect, progress: ExpectProgress): boolean {
  const lateMs = execution.now() - progress.startedMs - timeoutMs
  if (lateMs < 0) return false
  return progress.heldSettled === 0 || lateMs > stableReads * CONFIRM_MS
}

const CONFIRM_MS = 3000

function toHeldData(execution: EngineExecution, progress: ExpectProgress, notes: StepNotes): StepData {
  const { last } = progress
  if (last?.observation.found !== undefined) {
    recordTarget({ reading: last.reading, ...last.observation.found }, notes)
  } else if (last !== undefined) {
    notes.before = last.reading
  }
  return { observed: last?.observation.observed ?? '', ...formatTally(execution, progress) }
}

function conclude(
  execution: EngineExecution,
  { params, progress, notes }: { params: Expect; progress: ExpectProgress; notes: StepNotes },
): StepData {
  const { last } = progress
  if (last === undefined) throw toUnreadableFailure(execution, progress)
  const stillLoading = isLoading(last.reading)
  if (progress.held >= params.stableReads && params.present) {
    return { ...toHeldData(execution, progress, notes), loading: String(stillLoading) }
  }
  notes.before = last.reading
  const { observed, holds } = last.observation
  const data = {
    observed,
    ...formatTally(execution, progress),
    timeout_ms: String(Math.round(params.timeoutMs)),
    ...(stillLoading && { loading: 'true' }),
  }
  const facts = { data, seen: last.reading }
  if (!holds) return fail('VERIFY_FAILED', `The expectation does not hold; observed: ${observed}.`, facts)
  const message = 'The expectation held, but not in enough good readings in a row.'
  return fail('VERIFY_INDETERMINATE', message, facts)
}

function fail(...failure: ConstructorParameters<typeof StepFailure>): never {
  throw new StepFailure(...failure)
}

function toUnreadableFailure(execution: EngineExecution, progress: ExpectProgress): StepFailure {
  const { kind = 'unknown', text = '' } = progress.fault ?? {}
  const detail = text === '' ? {} : { detail: text.slice(0, 500) }
  const data = { kind, ...detail, ...formatTally(execution, progress) }
  return new StepFailure('VERIFY_INDETERMINATE', 'The screen could not be read.', { data })
}

function formatTally(execution: EngineExecution, { good, failed, startedMs }: ExpectProgress): StepData {
  return {
    good_reads: String(good),
    failed_reads: String(failed),
    elapsed_ms: String(Math.round(execution.now() - startedMs)),
  }
}
