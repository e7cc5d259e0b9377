import { Figures } from './figures.ts'
import type { HealthProbe } from './health-probe.ts'
import type { AttackPlan } from './plan.ts'

const PROGRESS_MS = 10_000
const MAX_STUCK = 50

/** One run of the attack: its plan, its figures, and how far it has come. */
export class Attack {
  readonly figures = new Figures()
  readonly plan: AttackPlan
  readonly probe: HealthProbe
  readonly #say: (line: string) => void
  readonly #startedAt = Date.now()
  readonly #stuck: string[] = []
  #saidAt = 0

  constructor(plan: AttackPlan, probe: HealthProbe, say: (line: string) => void) {
    this.plan = plan
    this.probe = probe
    this.#say = say
  }

  get seconds(): number {
    return Math.round((Date.now() - this.#startedAt) / 1000)
  }

  /** Whether the time of the plan is used up. */
  get isOver(): boolean {
    const isOver = Date.now() - this.#startedAt > this.plan.time_limit_ms
    if (isOver && this.figures.counts['out_of_time'] === undefined) {
      this.figures.count('out_of_time')
      this.figures.fault('the attack did not end in its time')
    }
    return isOver
  }

  /** Says how far it is, every few seconds. */
  progress(what: string, done: number): void {
    if (Date.now() - this.#saidAt < PROGRESS_MS) return
    this.#saidAt = Date.now()
    this.#say(`${this.seconds} s: ${done} ${what}, ${this.figures.faults.length} faults`)
  }

  say(line: string): void {
    this.#say(`${this.seconds} s: ${line}`)
  }

  /** Work that did not end after the attack. */
  stuck(what: string): void {
    if (this.#stuck.length < MAX_STUCK) this.#stuck.push(what)
    this.figures.fault(`stuck: ${what}`)
  }

  /** An acknowledged write that is not in the database, or a write that is there in part or twice. */
  lost(what: string): void {
    this.figures.count('acknowledged_writes_lost')
    this.figures.fault(`lost: ${what}`)
  }

  summarize(): object {
    return { acknowledged_writes_lost: 0, ...this.figures.summarize(), stuck: this.#stuck }
  }
}
