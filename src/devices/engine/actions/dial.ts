import type { NodeMatcher } from '@apprentice/contracts/devices/matcher.ts'
import type { UiNode } from '../../../screen/hierarchy.ts'
import { isNear, shownNumber } from '../../../screen/shown-number.ts'
import type { ParamsOf } from './action-params.ts'
import type { EngineRun } from '../engine-run.ts'
import { type Known, findAgain } from './found-again.ts'
import { clearTheWay } from '../in-the-way.ts'
import { LoadingWait } from '../loading-wait.ts'
import { retrying } from '../retrying.ts'
import type { FoundNode, ScreenReading } from '../screen-reading.ts'
import { readScreen } from '../screen-reads.ts'
import { type StepNotes, describeNode, shownLabel } from '../step-evidence.ts'
import { StepFailure } from '../step-failure.ts'
import { findNow, resolveOn, unresolved } from '../target-lookup.ts'

export type AdjustUntil = ParamsOf<'adjust_until'>

/** What a control shows, and the screen it was read from. */
export interface Shown {
  readonly value: number
  readonly reading: ScreenReading
}

interface Reading {
  /** The number before; absent: whatever is shown will do. */
  readonly before?: number
  readonly awaited?: number | undefined
  readonly withinMs?: number
}

export type Hindrance = 'no_change' | 'passed' | 'limit' | 'no_way' | 'out_of_range'

/** A control that shows a number, and everything that was done to it so far. */
export class Dial {
  readonly run: EngineRun
  readonly params: AdjustUntil
  readonly notes: StepNotes
  adjustments = 0
  #known: Known | undefined

  constructor(run: EngineRun, params: AdjustUntil, notes: StepNotes) {
    this.run = run
    this.params = params
    this.notes = notes
  }

  get left(): number {
    return this.params.maxAdjustments - this.adjustments
  }

  isThere({ value }: Shown): boolean {
    return isNear(value, this.params.target, this.params.tolerance)
  }

  /** Reads the number before anything is touched. */
  start(): Promise<Shown> {
    return retrying(this.run, this.params.retry, async () => {
      const target = this.#targetOf(this.params.value)
      const { reading, node, fallback } = await findNow(this.run, target, this.notes)
      this.#remember(fallback)
      this.#known = { target, node, reading }
      return { value: numberOf(node, reading), reading }
    })
  }

  /** Finds a part to touch on the screen the number was read from, or on a later one. */
  async part(matcher: NodeMatcher, { reading }: Shown): Promise<FoundNode> {
    const { run, notes, params } = this
    const target = this.#targetOf(matcher)
    const before = notes.before
    let offered: ScreenReading | undefined = reading
    const found = await retrying(run, params.retry, async () => {
      const seen = offered
      offered = undefined
      return seen === undefined ? findNow(run, target, notes) : resolveOn(seen, target)
    })
    if (before !== undefined) notes.before = before
    notes.node = describeNode(found.node)
    this.#remember(found.fallback)
    return found
  }

  /** Reads until the number has changed, or is the awaited one; else answers where it came to rest. */
  async readAfter({ before, awaited, withinMs = CHANGE_MS }: Reading): Promise<Shown> {
    const { run } = this
    const startedMs = run.now()
    const loading = new LoadingWait(run)
    const isDone = (value: number) =>
      awaited === undefined
        ? before === undefined || !isNear(value, before)
        : isNear(value, awaited)
    let last: Shown | undefined
    for (let look = 1; ; look += 1) {
      const reading = await readScreen(run)
      this.notes.after = reading
      const seen = this.#valueOn(reading)
      if (typeof seen === 'number') {
        last = { value: seen, reading }
        if (isDone(seen)) return last
      } else if (await clearTheWay(run, reading)) {
        continue
      }
      if (loading.isWorthIt(reading)) {
        await loading.pause()
      } else if (look < MIN_LOOKS || run.now() - startedMs < withinMs) {
        await run.sleep(POLL_MS)
      } else {
        if (last?.reading === reading) return last
        throw seen
      }
    }
  }

  failure({ value }: Shown, hindrance: Hindrance): StepFailure {
    const { target } = this.params
    const data = {
      read: String(value),
      target: String(target),
      adjustments: String(this.adjustments),
      reason: hindrance,
    }
    const message = `It shows ${value} instead of ${target}: ${EXPLAINED[hindrance]}.`
    return new StepFailure('CONTROL_CONVERGENCE_FAILED', message, { data })
  }

  #targetOf(matcher: NodeMatcher) {
    const { container, strict } = this.params
    return { matcher, container, strict }
  }

  /** A node found by its own matcher says nothing about how another one was found. */
  #remember(fallback: number | undefined): void {
    if (fallback !== undefined) this.notes.fallback = fallback
  }

  #valueOn(reading: ScreenReading): number | StepFailure {
    const known = this.#known
    const node = known && findAgain(reading, known)
    if (known === undefined || node === undefined) {
      return unresolved({ kind: 'missing', error: 'NODE_NOT_FOUND' }, reading)
    }
    this.#known = { ...known, node, reading }
    return shownNumber(shownLabel(node)) ?? notNumeric(node, reading)
  }
}

/** What no touch has changed by then will hardly change. */
const CHANGE_MS = 2000
const MIN_LOOKS = 3
const POLL_MS = 250

const EXPLAINED: Readonly<Record<Hindrance, string>> = {
  no_change: 'touching it twice changed nothing',
  passed: 'its steps pass the number both ways',
  limit: 'it was touched as often as allowed',
  no_way: 'nothing moves it in that direction',
  out_of_range: 'no place on the slider gives it',
}

function numberOf(node: UiNode, reading: ScreenReading): number {
  const value = shownNumber(shownLabel(node))
  if (value === undefined) throw notNumeric(node, reading)
  return value
}

/** A value may be shown as dashes until it is known. */
function notNumeric(node: UiNode, seen: ScreenReading): StepFailure {
  return new StepFailure('VALIDATOR_MISMATCH', 'What was found shows no number.', {
    retryable: true,
    data: { raw_text: shownLabel(node), validator: 'number' },
    seen,
  })
}
