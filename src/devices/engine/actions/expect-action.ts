import type { ParamsOf } from './action-params.ts'
import type { EngineRun } from '../engine-run.ts'
import { type Observation, observe } from './expectation.ts'
import { clearTheWay } from '../in-the-way.ts'
import { LoadingWait, isLoading } from '../loading-wait.ts'
import type { Look, ScreenReading } from '../screen-reading.ts'
import type { StepNotes } from '../step-evidence.ts'
import { type StepData, StepFailure } from '../step-failure.ts'
import { noted } from '../target-lookup.ts'

type Expect = ParamsOf<'expect'>

/** What was seen so far. */
interface Watch {
  readonly startedMs: number
  good: number
  failed: number
  /** Good readings in a row on which it held; with and without those of a loading screen. */
  held: number
  heldSettled: number
  /** Good readings in a row, of a screen that is not loading, on which it did not. */
  missedSettled: number
  last?: { readonly observation: Observation; readonly reading: ScreenReading }
  fault?: Exclude<Look, { ok: true }>
}

/**
 * Watches until enough good readings in a row agree that it is as expected, or the time is over. What a
 * screen shows while it is loading counts only at the end, and its absence there not at all.
 */
export async function expectOnScreen(
  run: EngineRun,
  params: Expect,
  notes: StepNotes,
): Promise<StepData> {
  const watch: Watch = { startedMs: run.now(), good: 0, failed: 0, ...nothingYet }
  const loading = new LoadingWait(run)
  for (;;) {
    await lookOnce(run, params, watch)
    if (watch.heldSettled >= params.stableReads) {
      return { ...held(run, watch, notes), ...goingOn(params, true) }
    }
    if (isQuestion(params) && watch.missedSettled >= params.stableReads) {
      return { observed: watch.last?.observation.observed ?? '', ...goingOn(params, false) }
    }
    if (await isUncovered(run, params, watch)) continue
    if (isOver(run, params, watch)) {
      const enough = params.present && watch.held >= params.stableReads
      if (!enough && loading.isWorthIt(watch.last?.reading)) await loading.pause()
      else if (isQuestion(params)) return { ...tally(run, watch), ...goingOn(params, false) }
      else return conclude(run, { params, watch, notes })
    } else {
      run.lastError = watch.good > 0 ? 'VERIFY_FAILED' : 'VERIFY_INDETERMINATE'
      await run.sleep(POLL_MS)
    }
  }
}

/** Asked only to know where to go on: that it does not hold is an answer like the other. */
const isQuestion = ({ skipTo, elseSkipTo }: Expect): boolean =>
  skipTo !== undefined || elseSkipTo !== undefined

function goingOn(params: Expect, holds: boolean): StepData {
  if (!isQuestion(params)) return {}
  const next = holds ? params.skipTo : params.elseSkipTo
  return { held: String(holds), ...(next !== undefined && { skip_to: next }) }
}

const POLL_MS = 200

async function lookOnce(run: EngineRun, params: Expect, watch: Watch): Promise<void> {
  const look = await run.look()
  if (!look.ok) {
    watch.failed += 1
    watch.fault = look
    Object.assign(watch, nothingYet)
    return
  }
  const { reading } = look
  const observation = observe(reading.hierarchy, params)
  watch.good += 1
  watch.last = { observation, reading }
  watch.held = observation.holds ? watch.held + 1 : 0
  const settled = !isLoading(reading)
  watch.heldSettled = observation.holds && settled ? watch.heldSettled + 1 : 0
  watch.missedSettled = !observation.holds && settled ? watch.missedSettled + 1 : 0
}

const nothingYet = { held: 0, heldSettled: 0, missedSettled: 0 }

/** What lies over a screen also hides what should not be on it. */
async function isUncovered(run: EngineRun, params: Expect, watch: Watch): Promise<boolean> {
  const { last } = watch
  if (last === undefined || (last.observation.holds && params.present)) return false
  if (!(await clearTheWay(run, last.reading))) return false
  Object.assign(watch, nothingYet)
  return true
}

/** A confirmation that is under way may outlast the time. */
function isOver(run: EngineRun, { timeoutMs, stableReads }: Expect, watch: Watch): boolean {
  const lateMs = run.now() - watch.startedMs - timeoutMs
  if (lateMs < 0) return false
  return watch.heldSettled === 0 || lateMs > stableReads * CONFIRM_MS
}

const CONFIRM_MS = 3000

function held(run: EngineRun, watch: Watch, notes: StepNotes): StepData {
  const { last } = watch
  if (last?.observation.found !== undefined) {
    noted({ reading: last.reading, ...last.observation.found }, notes)
  } else if (last !== undefined) {
    notes.before = last.reading
  }
  return { observed: last?.observation.observed ?? '', ...tally(run, watch) }
}

function conclude(
  run: EngineRun,
  { params, watch, notes }: { params: Expect; watch: Watch; notes: StepNotes },
): StepData {
  const { last } = watch
  if (last === undefined) throw unreadable(run, watch)
  const stillLoading = isLoading(last.reading)
  if (watch.held >= params.stableReads && params.present) {
    return { ...held(run, watch, notes), loading: String(stillLoading) }
  }
  notes.before = last.reading
  const { observed, holds } = last.observation
  const data = {
    observed,
    ...tally(run, watch),
    timeout_ms: String(Math.round(params.timeoutMs)),
    ...(stillLoading && { loading: 'true' }),
  }
  const facts = { data, seen: last.reading }
  if (!holds) return fail('VERIFY_FAILED', `It is not as expected: ${observed}.`, facts)
  const message = 'It was as expected, but not in enough good readings in a row.'
  return fail('VERIFY_INDETERMINATE', message, facts)
}

function fail(...failure: ConstructorParameters<typeof StepFailure>): never {
  throw new StepFailure(...failure)
}

function unreadable(run: EngineRun, watch: Watch): StepFailure {
  const { kind = 'unknown', text = '' } = watch.fault ?? {}
  const detail = text === '' ? {} : { detail: text.slice(0, 500) }
  const data = { kind, ...detail, ...tally(run, watch) }
  return new StepFailure('VERIFY_INDETERMINATE', 'The screen could not be read.', { data })
}

function tally(run: EngineRun, { good, failed, startedMs }: Watch): StepData {
  return {
    good_reads: String(good),
    failed_reads: String(failed),
    elapsed_ms: String(Math.round(run.now() - startedMs)),
  }
}
