import type { NodeMatcher } from '@apprentice/contracts/devices/matcher.ts'
import type { UiNode } from '../../../../screen/tree/hierarchy.ts'
import { isNear, parseDisplayedNumber } from '../../../../screen/displayed-number.ts'
import type { ActionParams } from '../action-params.ts'
import type { EngineExecution } from '../../engine-execution.ts'
import { type TrackedNode, findTrackedNode } from '../tracked-node.ts'
import { dismissObstruction } from '../../obstruction.ts'
import { LoadingWait } from '../../loading-wait.ts'
import { withRetry } from '../../retry.ts'
import type { FoundNode, ScreenReading } from '../../screen-reading.ts'
import { readScreen } from '../../read-screen.ts'
import { type StepNotes, describeNode, readDisplayedLabel } from '../../step-evidence.ts'
import { StepFailure } from '../../step-failure.ts'
import { findOnCurrentScreen, recordFallback, resolveOnReading, toUnresolvedFailure } from '../../target-lookup.ts'

export type AdjustUntil = ActionParams<'adjust_until'>

/** The parameters with the number to reach. It is not a number if words are to be reached. */
export type Adjustment = AdjustUntil & { readonly target: number }

/** The number a control displays, and the screen it was read from. */
export interface DisplayedValue {
  readonly value: number
  readonly reading: ScreenReading
}

/** What a control displays, and the screen it was read from. */
export interface DisplayedLabel {
  readonly label: string
  readonly reading: ScreenReading
}

interface ReadOptions {
  /** The number before the touch. If absent, any number is accepted. */
  readonly before?: number
  readonly awaited?: number | undefined
  readonly withinMs?: number
}

export type AdjustmentObstacle = 'no_change' | 'passed' | 'limit' | 'no_way' | 'out_of_range' | 'cycle'

/** A control that displays a number, and the number of adjustments made so far. */
export class AdjustableControl {
  readonly execution: EngineExecution
  readonly params: Adjustment
  readonly notes: StepNotes
  adjustments = 0
  #tracked: TrackedNode | undefined

  constructor(execution: EngineExecution, params: AdjustUntil, notes: StepNotes) {
    this.execution = execution
    this.params = { ...params, target: params.target ?? Number.NaN }
    this.notes = notes
  }

  get remaining(): number {
    return this.params.maxAdjustments - this.adjustments
  }

  isAtTarget({ value }: DisplayedValue): boolean {
    return isNear(value, this.params.target, this.params.tolerance)
  }

  /** Reads the number before anything is touched. */
  readInitialValue(): Promise<DisplayedValue> {
    return withRetry(this.execution, this.params.retry, async () => {
      const target = this.#toTarget(this.params.value)
      const { reading, node } = await findOnCurrentScreen(this.execution, target, this.notes)
      this.#tracked = { target, node, reading }
      return { value: readNumber(node, reading), reading }
    })
  }

  /** Reads what the node shows before anything is touched. */
  readInitialLabel(): Promise<DisplayedLabel> {
    return withRetry(this.execution, this.params.retry, async () => {
      const target = this.#toTarget(this.params.value)
      const { reading, node } = await findOnCurrentScreen(this.execution, target, this.notes)
      this.#tracked = { target, node, reading }
      return { label: readDisplayedLabel(node), reading }
    })
  }

  /** Reads until the node shows something else than `before`. Returns what it shows in the end. */
  async readChangedLabel(before: string): Promise<DisplayedLabel> {
    const startedMs = this.execution.now()
    for (let readings = 1; ; readings += 1) {
      const reading = await readScreen(this.execution)
      this.notes.after = reading
      const node = this.findValue(reading)
      const label = node && readDisplayedLabel(node)
      const isOver = readings >= MIN_READINGS && this.execution.now() - startedMs >= CHANGE_MS
      if (label !== undefined && (label !== before || isOver)) return { label, reading }
      if (label === undefined && (await dismissObstruction(this.execution, reading))) continue
      if (isOver) throw toUnresolvedFailure({ kind: 'missing', error: 'NODE_NOT_FOUND' }, reading)
      await this.execution.sleep(POLL_MS)
    }
  }

  /** Finds a part of the control on the screen the number was read from, or on a later one. */
  async findPart(matcher: NodeMatcher, { reading }: Pick<DisplayedValue, 'reading'>): Promise<FoundNode> {
    const { execution, notes, params } = this
    const target = this.#toTarget(matcher)
    const before = notes.before
    let reusable: ScreenReading | undefined = reading
    const found = await withRetry(execution, params.retry, async () => {
      const given = reusable
      reusable = undefined
      return given === undefined ? findOnCurrentScreen(execution, target, notes) : resolveOnReading(given, target)
    })
    if (before !== undefined) notes.before = before
    notes.node = describeNode(found.node)
    recordFallback(found, this.notes)
    return found
  }

  /** Reads until the number has changed or is the awaited one. After `withinMs` returns the last number. */
  async readValue({ before, awaited, withinMs = CHANGE_MS }: ReadOptions): Promise<DisplayedValue> {
    const { execution } = this
    const startedMs = execution.now()
    const loading = new LoadingWait(execution)
    const isDone = (value: number) =>
      awaited === undefined ? before === undefined || !isNear(value, before) : isNear(value, awaited)
    let last: DisplayedValue | undefined
    for (let readings = 1; ; readings += 1) {
      const reading = await readScreen(execution)
      this.notes.after = reading
      const value = this.#readValueOn(reading)
      if (typeof value === 'number') {
        last = { value, reading }
        if (isDone(value)) return last
      } else if (await dismissObstruction(execution, reading)) {
        continue
      }
      if (loading.shouldWait(reading)) {
        await loading.pause()
      } else if (readings < MIN_READINGS || execution.now() - startedMs < withinMs) {
        await execution.sleep(POLL_MS)
      } else {
        if (last?.reading === reading) return last
        throw value
      }
    }
  }

  toFailure({ value }: { readonly value: number | string }, reason: AdjustmentObstacle): StepFailure {
    const target = this.params.targetText ?? String(this.params.target)
    const data = {
      read: String(value),
      target,
      adjustments: String(this.adjustments),
      reason,
    }
    const message = `The control shows ${value} instead of ${target}: ${EXPLANATIONS[reason]}.`
    return new StepFailure('CONTROL_CONVERGENCE_FAILED', message, { data })
  }

  #toTarget(matcher: NodeMatcher) {
    const { container, strict } = this.params
    return { matcher, container, strict }
  }

  /** The node that shows the number, on another reading. */
  findValue(reading: ScreenReading): UiNode | undefined {
    const node = this.#tracked && findTrackedNode(reading, this.#tracked)
    if (this.#tracked !== undefined && node !== undefined) this.#tracked = { ...this.#tracked, node, reading }
    return node
  }

  #readValueOn(reading: ScreenReading): number | StepFailure {
    const node = this.findValue(reading)
    if (node === undefined) return toUnresolvedFailure({ kind: 'missing', error: 'NODE_NOT_FOUND' }, reading)
    return parseDisplayedNumber(readDisplayedLabel(node)) ?? toNotNumericFailure(node, reading)
  }
}

/** A number that has not changed by then is taken as unchanged. */
const CHANGE_MS = 2000
const MIN_READINGS = 3
const POLL_MS = 250

const EXPLANATIONS: Readonly<Record<AdjustmentObstacle, string>> = {
  no_change: 'two touches changed nothing',
  passed: 'its steps pass the number in both directions',
  limit: 'the maximum number of adjustments is reached',
  no_way: 'no button or slider moves it in that direction',
  out_of_range: 'no position on the slider gives the number',
  cycle: 'all its values were shown',
}

function readNumber(node: UiNode, reading: ScreenReading): number {
  const value = parseDisplayedNumber(readDisplayedLabel(node))
  if (value === undefined) throw toNotNumericFailure(node, reading)
  return value
}

/** Retryable, because apps display dashes until the value is known. */
function toNotNumericFailure(node: UiNode, seen: ScreenReading): StepFailure {
  return new StepFailure('VALIDATOR_MISMATCH', 'The node shows no number.', {
    retryable: true,
    data: { raw_text: readDisplayedLabel(node), validator: 'number' },
    seen,
  })
}
