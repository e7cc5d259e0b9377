import { ACTING_TYPES, type Action } from '@apprentice/contracts/devices/action.ts'
import type { ScreenReading } from '../../devices/engine/screen-reading.ts'
import type { StepEvidence as SeenStep } from '../../devices/engine/step-evidence.ts'
import { executedStep, type StepEvidence } from '../../devices/recording/step-evidence.ts'
import { decideEffect } from '../../knowledge/verification/effect.ts'

/** A step that was done, and how many looks had been taken by then. */
interface Done {
  readonly action: Action
  readonly seen: SeenStep
  readonly at_ms: number
  readonly looks: number
}

/** A step with the screens before and after it. */
export interface WitnessedStep {
  readonly action: Action
  readonly password: boolean
  readonly evidence: StepEvidence
  readonly before: ScreenReading | undefined
  readonly after: ScreenReading | undefined
}

/** Fewer steps than this are no workflow, and nobody learns from them. */
const fewestSteps = 2

/** Could somebody learn from this? Known before anything is done. */
export const isWorthWitnessing = (actions: readonly Action[]): boolean =>
  actions.filter(({ type }) => ACTING_TYPES.has(type)).length >= fewestSteps

/**
 * Remembers what an execution saw of its own accord: it never has the phone look an extra time. What a step led to is
 * what the next one found, which is also when the screen had come to rest.
 */
export class StepRecorder {
  readonly #isWanted: boolean
  readonly #looks: ScreenReading[] = []
  readonly #done: Done[] = []

  /** One that nobody wants sees nothing. */
  constructor(isWanted: boolean) {
    this.#isWanted = isWanted
  }

  saw(reading: ScreenReading): void {
    if (this.#isWanted) this.#looks.push(reading)
  }

  did(action: Action, seen: SeenStep, at_ms: number): void {
    if (!this.#isWanted || !ACTING_TYPES.has(action.type)) return
    this.#done.push({ action, seen, at_ms, looks: this.#looks.length })
  }

  /** Nothing was looked at since the last thing that was done. */
  get lacksEnding(): boolean {
    const last = this.#done.at(-1)
    return last !== undefined && last.seen.after === undefined && last.looks >= this.#looks.length
  }

  steps(): WitnessedStep[] {
    return this.#done.flatMap((done, at) => {
      const [before, after] = [this.#before(at), this.#after(at)]
      const { action, seen } = done
      const evidence = executedStep(action, {
        at_ms: done.at_ms,
        before: before && { hierarchy: before.hierarchy, captured_at: before.captured_at },
        after: after && { hierarchy: after.hierarchy, captured_at: after.captured_at },
        node: seen.node,
        point: seen.point,
        effect: decideEffect(seen.effect).effect,
      })
      return evidence === undefined
        ? []
        : [{ action, password: seen.password === true, evidence, before, after }]
    })
  }

  /** What the step itself found, else the last look since the step before it. */
  #before(at: number): ScreenReading | undefined {
    const done = this.#done[at]
    if (done === undefined || done.seen.before !== undefined) return done?.seen.before
    return this.#lookBetween(this.#done[at - 1]?.looks ?? 0, done.looks)
  }

  #after(at: number): ScreenReading | undefined {
    const done = this.#done[at]
    if (done === undefined) return undefined
    const next = this.#done[at + 1]
    const seen = this.#lookBetween(done.looks, next?.looks ?? this.#looks.length)
    return (
      (next === undefined ? undefined : this.#laterThan(done, next.seen.before)) ??
      seen ??
      done.seen.after
    )
  }

  #laterThan(done: Done, reading: ScreenReading | undefined): ScreenReading | undefined {
    return reading !== undefined && this.#looks.indexOf(reading) >= done.looks ? reading : undefined
  }

  #lookBetween(from: number, to: number): ScreenReading | undefined {
    return this.#looks.slice(from, to).at(-1)
  }
}
