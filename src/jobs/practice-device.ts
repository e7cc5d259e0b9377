import {
  seenScreen,
  type ScreenLook,
  type SeenScreen,
} from '../knowledge/goal-search/seen-screen.ts'
import { type PlannedAction, startApp, stopApp } from '../knowledge/goal-search/planned-edits.ts'
import { dispatchActions } from '../domain/practice/dispatch.ts'
import type { Goal } from '../knowledge/goal-search/goal.ts'
import { notePractice } from '../domain/practice/practice-record.ts'
import type { CommandContext } from '../domain/command/context.ts'
import { findExecution } from '../store/devices/executions.ts'
import type { PracticeRow } from '../store/practice/practices.ts'
import { findPractice } from '../store/practice/practices.ts'
import type { JobRunner, RunnerDeps } from './runner.ts'

/** Why a practice goes no further. */
export class PracticeOver extends Error {
  readonly why: 'actions' | 'time' | 'moved_on' | 'device'

  constructor(why: PracticeOver['why'], message = why as string) {
    super(message)
    this.why = why
  }
}

export type Look = (
  serial: string,
  looking: { readonly principal: string; readonly signal: AbortSignal },
) => Promise<ScreenLook & { readonly loading: boolean }>

export interface PracticePort {
  readonly jobs: Pick<JobRunner, 'settled' | 'cancel'>
  readonly look: Look
}

const glanceMs = 250
const stopMs = 5000
const settleMs = 150
const readings = 40
/** As many equal readings as a screen needs that says it is loading. */
const loadingRest = 6

/** The phone of one practice: each action is counted, asked of the policy and done in the phone's lane. */
export class PracticeDevice {
  readonly #edges: RunnerDeps
  readonly #hands: PracticePort
  readonly #signal: AbortSignal
  readonly #goal: Goal
  readonly #apps: readonly string[]
  readonly #entered = new Set<string>()
  #practice: PracticeRow

  constructor(
    edges: RunnerDeps,
    hands: PracticePort,
    parts: {
      readonly practice: PracticeRow
      readonly goal: Goal
      readonly apps: readonly string[]
      readonly signal: AbortSignal
    },
  ) {
    this.#edges = edges
    this.#hands = hands
    this.#practice = parts.practice
    this.#goal = parts.goal
    this.#apps = parts.apps
    this.#signal = parts.signal
  }

  /** Everything that was entered is stopped; the next start is a fresh one. */
  stopAll(): Promise<boolean> {
    return this.act(...this.#stops())
  }

  /** Starts the app anew. */
  startAnew(): Promise<boolean> {
    return this.act(...this.#stops(), startApp(this.#practice.application_id))
  }

  #stops(): PlannedAction[] {
    return [...new Set([this.#practice.application_id, ...this.#entered])].map(stopApp)
  }

  get left(): number {
    return this.#practice.max_actions - this.#practice.actions_used
  }

  /** Did it all; false when the device or the policy did not let it. */
  async act(...actions: readonly PlannedAction[]): Promise<boolean> {
    this.#signal.throwIfAborted()
    const executionId = await this.#dispatch(actions)
    try {
      for (;;) {
        const settled = await this.#hands.jobs.settled(executionId, glanceMs)
        this.#signal.throwIfAborted()
        if (settled !== undefined) return this.#succeeded(executionId)
      }
    } finally {
      if (await this.#hands.jobs.cancel(executionId)) {
        await this.#hands.jobs.settled(executionId, stopMs)
      }
    }
  }

  /** The screen once it has come to rest. */
  async look(): Promise<SeenScreen> {
    const { serial, owner_user_id: principal, policy } = this.#practice
    const signal = this.#signal
    let before: string | undefined
    for (let same = 0, reading = 1; ; reading += 1) {
      this.#checkTime()
      const { loading, ...look } = await this.#hands.look(serial, { principal, signal })
      const seen = seenScreen(look, { goal: this.#goal, policy, apps: this.#apps })
      if (this.#apps.includes(seen.place.app)) this.#entered.add(seen.place.app)
      same = seen.screen.state === before ? same + 1 : 0
      before = seen.screen.state
      // A bar that shows a level looks like one that shows work; it does not move on.
      if (same >= (loading ? loadingRest : 1) || reading === readings) return seen
      await pause(settleMs)
    }
  }

  async #dispatch(actions: readonly PlannedAction[]): Promise<string> {
    this.#checkTime()
    if (actions.length > this.left) throw new PracticeOver('actions')
    const { practice_id } = this.#practice
    const dispatched = await this.#write((ctx) => {
      const known = findPractice(ctx.tx, practice_id) ?? this.#practice
      // Counted before it is done: what is lost in between is rather counted too often than not.
      const actions_used = known.actions_used + actions.length
      const practice = notePractice(ctx, practice_id, { actions_used })
      return practice === undefined
        ? null
        : { practice, executionId: dispatchActions(ctx, practice, actions) }
    })
    if (dispatched === null) throw new PracticeOver('moved_on')
    this.#practice = dispatched.practice
    return dispatched.executionId
  }

  #succeeded(executionId: string): boolean {
    const row = this.#edges.store.read((reader) => findExecution(reader, executionId) ?? null)
    if (row?.state === 'succeeded') return true
    const { errorCode = 'DEVICE_LOST', error } = row?.envelope ?? {}
    if (/^(?:DEVICE_|ADB_|NO_DEVICES)/.test(errorCode ?? '')) {
      throw new PracticeOver('device', `${errorCode}: ${error ?? ''}`)
    }
    return false
  }

  #checkTime(): void {
    const late = this.#edges.clock().toISOString() > this.#practice.deadline_at
    if (late) throw new PracticeOver('time')
  }

  #write<T>(work: (ctx: CommandContext) => T): Promise<T> {
    return writeAs(this.#edges, this.#practice.practice_id, work)
  }
}

/** One transaction of the work, in the daemon's own name. */
export function writeAs<T>(
  { store, clock, newId }: RunnerDeps,
  correlation_id: string,
  work: (ctx: CommandContext) => T,
): Promise<T> {
  return store.write((tx) => {
    const actor = { kind: 'system', user_id: 'system' } as const
    return work({ tx, now: clock().toISOString(), actor, correlation_id, newId }) as never
  })
}

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
