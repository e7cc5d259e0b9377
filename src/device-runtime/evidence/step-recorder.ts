import { ACTING_TYPES, type Action } from '@apprentice/contracts/devices/action.ts'
import type { ScreenReading } from '../../devices/engine/screen-reading.ts'
import type { StepEvidence } from '../../devices/engine/step-evidence.ts'
import { type CapturedStep, toCapturedStep } from '../../devices/recording/captured-step.ts'
import { decideEffect } from '../../knowledge/verification/effect.ts'

/** A step of an execution with the readings before and after it. */
export interface ExecutedStep extends CapturedStep {
  readonly action_id: string
  /** The engine typed into a password field. */
  readonly password: boolean
  readonly before: ScreenReading | undefined
  readonly after: ScreenReading | undefined
}

interface CompletedAction {
  readonly action: Action
  readonly evidence: StepEvidence
  readonly at_ms: number
  /** Number of readings before the end of the action. */
  readonly readings: number
}

/** Shorter executions are not learned from. */
const MIN_STEPS = 2

export const isWorthRecording = (actions: readonly Action[]): boolean =>
  actions.filter(({ type }) => ACTING_TYPES.has(type)).length >= MIN_STEPS

/**
 * Records the actions and readings of an execution. It causes no readings of its own. The reading before
 * an action is also the one after the previous action, because the screen had settled by then.
 */
export class StepRecorder {
  readonly isEnabled: boolean
  readonly #readings: ScreenReading[] = []
  readonly #actions: CompletedAction[] = []

  constructor(isEnabled: boolean) {
    this.isEnabled = isEnabled
  }

  addReading(reading: ScreenReading): void {
    if (this.isEnabled) this.#readings.push(reading)
  }

  addAction(action: Action, evidence: StepEvidence, at_ms: number): void {
    if (!this.isEnabled || !ACTING_TYPES.has(action.type)) return
    this.#actions.push({ action, evidence, at_ms, readings: this.#readings.length })
  }

  /** Whether there is no reading after the last action. */
  get lacksLastReading(): boolean {
    const last = this.#actions.at(-1)
    if (last === undefined || last.evidence.after !== undefined) return false
    return last.readings >= this.#readings.length
  }

  toSteps(): ExecutedStep[] {
    return this.#actions.flatMap(({ action, evidence, at_ms }, at) => {
      const [before, after] = [this.#findBefore(at), this.#findAfter(at)]
      const { node, point, end } = evidence
      const { effect } = decideEffect(evidence.effect)
      const step = toCapturedStep(action, { at_ms, before, after, node, point, end, effect })
      if (step === undefined) return []
      const password = evidence.password === true
      return [{ ...step, action_id: action.id, password, before, after }]
    })
  }

  /** The reading of the action itself, otherwise the last one since the previous action. */
  #findBefore(at: number): ScreenReading | undefined {
    const completed = this.#actions[at]
    if (completed === undefined || completed.evidence.before !== undefined) {
      return completed?.evidence.before
    }
    return this.#findLast(this.#actions[at - 1]?.readings ?? 0, completed.readings)
  }

  #findAfter(at: number): ScreenReading | undefined {
    const completed = this.#actions[at]
    if (completed === undefined) return undefined
    const next = this.#actions[at + 1]
    const last = this.#findLast(completed.readings, next?.readings ?? this.#readings.length)
    const beforeNext = next && this.#ifLater(completed, next.evidence.before)
    return beforeNext ?? last ?? completed.evidence.after
  }

  #ifLater(completed: CompletedAction, reading: ScreenReading | undefined): ScreenReading | undefined {
    if (reading === undefined) return undefined
    return this.#readings.indexOf(reading) >= completed.readings ? reading : undefined
  }

  #findLast(from: number, to: number): ScreenReading | undefined {
    return this.#readings.slice(from, to).at(-1)
  }
}
