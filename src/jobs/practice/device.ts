import { setTimeout as pause } from 'node:timers/promises'
import { toSearchScreen, type SearchScreen } from '../../knowledge/goal-search/search-screen.ts'
import {
  describePlannedAction,
  type PlannedAction,
  startApp,
  stopApp,
} from '../../knowledge/goal-search/planned-actions.ts'
import { countTouches, dispatchActions } from '../../domain/practice/practice-dispatch.ts'
import type { Goal } from '../../knowledge/goal-search/goal/goal.ts'
import { recordPracticeProgress } from '../../domain/practice/practice-record.ts'
import { mergeClosedWays } from '../../domain/practice/search-report.ts'
import { type CommandContext, systemActor, writePatientlyAs } from '../../domain/command/context.ts'
import { Failure } from '../../failure/failure.ts'
import { listGoalWords } from '../../knowledge/goal-search/goal/goal.ts'
import { measureCoverage, splitWords } from '../../knowledge/goal-search/goal/words.ts'
import { findJob } from '../../store/command/jobs.ts'
import { findExecution } from '../../store/devices/executions.ts'
import { findPractice, type PracticeRow } from '../../store/practice/practices.ts'
import type { AdapterRules } from '../../domain/capture/adapters.ts'
import type { Lessons } from '../lessons.ts'
import type { EvidencePort, ScreenReader } from '../ports.ts'
import type { JobRunner, RunnerDeps } from '../runner.ts'

/** Thrown when a practice cannot continue. */
export class PracticeStopped extends Error {
  readonly reason: 'actions' | 'time' | 'moved_on' | 'device' | 'policy'

  constructor(reason: PracticeStopped['reason'], message = reason as string) {
    super(message)
    this.reason = reason
  }
}

export interface PracticeDeps extends RunnerDeps {
  readonly jobs: Pick<JobRunner, 'waitUntilSettled' | 'cancel'>
  readonly readScreen: ScreenReader
  readonly evidence: EvidencePort
  readonly lessons: Lessons
  /** Waits for the phone. Default: in real time. */
  readonly sleep?: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined
  readonly rules: AdapterRules
}

/** One transaction of a practice. The daemon acts for the owner. */
export function writePractice<T>(
  deps: RunnerDeps,
  { practice_id, owner_user_id }: PracticeRow,
  work: (ctx: CommandContext) => T,
): Promise<T> {
  const { authority } = deps.store.read((reader) => findJob(reader, practice_id)) ?? {}
  const actor = systemActor(owner_user_id, authority)
  return writePatientlyAs(deps, { actor, correlation_id: practice_id }, work)
}

const POLL_MS = 250
const CANCEL_TIMEOUT_MS = 5000
const SETTLE_MS = 150
const MAX_READINGS = 40
/** The number of equal readings after which a loading screen counts as settled. */
const LOADING_REPEATS = 6

/** The phone of one practice. Each action is counted, checked by the policy and queued as an execution. */
export class PracticeDevice {
  readonly #deps: PracticeDeps
  readonly #signal: AbortSignal
  readonly #goal: Goal
  readonly #apps: readonly string[]
  readonly #entered = new Set<string>()
  #practice: PracticeRow

  constructor(
    deps: PracticeDeps,
    parts: {
      readonly practice: PracticeRow
      readonly goal: Goal
      readonly apps: readonly string[]
      readonly signal: AbortSignal
    },
  ) {
    this.#deps = deps
    this.#practice = parts.practice
    this.#goal = parts.goal
    this.#apps = parts.apps
    this.#signal = parts.signal
  }

  /** Stops all entered apps. */
  stopApps(): Promise<boolean> {
    return this.execute(...this.#listStopActions())
  }

  restartApp(): Promise<boolean> {
    return this.execute(...this.#listStopActions(), startApp(this.#practice.application_id))
  }

  #listStopActions(): PlannedAction[] {
    return [...new Set([this.#practice.application_id, ...this.#entered])].map(stopApp)
  }

  /** Whether a screen belongs to an app that may be used. */
  isAllowed(app: string): boolean {
    return this.#apps.includes(app)
  }

  get remainingActions(): number {
    return this.#practice.max_actions - this.#practice.actions_used
  }

  /** Returns false when an action failed or the policy refused it. */
  async execute(...actions: readonly PlannedAction[]): Promise<boolean> {
    this.#signal.throwIfAborted()
    const executionId = await this.#dispatch(actions).catch((error: unknown) => {
      if (!(error instanceof Failure) || error.code !== 'POLICY_DENIED') throw error
      return { refusal: error.message }
    })
    if (typeof executionId === 'object') return this.#close(actions, executionId.refusal)
    try {
      for (;;) {
        const settled = await this.#deps.jobs.waitUntilSettled(executionId, POLL_MS)
        this.#signal.throwIfAborted()
        if (settled !== undefined) return await this.#hasSucceeded(executionId, actions)
      }
    } finally {
      if (await this.#deps.jobs.cancel(executionId)) {
        await this.#deps.jobs.waitUntilSettled(executionId, CANCEL_TIMEOUT_MS)
      }
    }
  }

  /** Reads the screen until it has settled. */
  async readScreen(): Promise<SearchScreen> {
    const { serial, owner_user_id: principal, policy } = this.#practice
    const signal = this.#signal
    let before: string | undefined
    for (let same = 0, count = 1; ; count += 1) {
      this.#checkTime()
      const { loading, ...reading } = await this.#deps.readScreen(serial, { principal, signal })
      const result = toSearchScreen(reading, { goal: this.#goal, policy, apps: this.#apps })
      if (this.#apps.includes(result.place.app)) this.#entered.add(result.place.app)
      same = result.screen.state === before ? same + 1 : 0
      before = result.screen.state
      // A static level bar looks like a progress bar, so a loading screen that does not change counts as settled.
      if (same >= (loading ? LOADING_REPEATS : 1) || count === MAX_READINGS) return result
      await this.#settle()
    }
  }

  async #settle(): Promise<void> {
    if (this.#deps.sleep === undefined) await pause(SETTLE_MS)
    else await this.#deps.sleep(SETTLE_MS, this.#signal)
  }

  async #dispatch(actions: readonly PlannedAction[]): Promise<string> {
    this.#checkTime()
    const touches = countTouches(actions)
    if (touches > this.remainingActions) throw new PracticeStopped('actions')
    const { practice_id } = this.#practice
    const dispatched = await writePractice(this.#deps, this.#practice, (ctx) => {
      const known = findPractice(ctx.tx, practice_id) ?? this.#practice
      // Counted before execution: after a crash an action may count twice, but never too few.
      const actions_used = known.actions_used + touches
      const practice = recordPracticeProgress(ctx, practice_id, { actions_used })
      return practice === undefined ? null : { practice, executionId: dispatchActions(ctx, practice, actions) }
    })
    if (dispatched === null) throw new PracticeStopped('moved_on')
    this.#practice = dispatched.practice
    return dispatched.executionId
  }

  async #hasSucceeded(executionId: string, actions: readonly PlannedAction[]): Promise<boolean> {
    const row = this.#deps.store.read((reader) => findExecution(reader, executionId) ?? null)
    if (row?.state === 'succeeded') return true
    const { errorCode = 'DEVICE_LOST', error } = row?.envelope ?? {}
    if (errorCode === 'POLICY_DENIED') {
      const refused = row?.step_results.find(({ data }) => data['error'] === errorCode)
      return this.#close(actions, refused?.data['message'] ?? error ?? errorCode)
    }
    if (/^(?:DEVICE_|ADB_|NO_DEVICES)/.test(errorCode ?? '')) {
      throw new PracticeStopped('device', `${errorCode}: ${error ?? ''}`)
    }
    return false
  }

  /** Records what a profile of the operator refused. If it refuses the app, the practice ends. */
  async #close(actions: readonly PlannedAction[], reason: string): Promise<false> {
    const { practice_id } = this.#practice
    const label = actions.map(describePlannedAction).find((text) => text !== '') ?? ''
    const leads_to_goal = measureCoverage(listGoalWords(this.#goal), splitWords(label)) > 0
    const way = { label: label.slice(0, 240), reason: reason.slice(0, 240), ...(leads_to_goal && { leads_to_goal }) }
    await writePractice(this.#deps, this.#practice, (ctx) => {
      const known = findPractice(ctx.tx, practice_id)?.closed_ways ?? []
      recordPracticeProgress(ctx, practice_id, { closed_ways: mergeClosedWays([...known, way]) })
    })
    if (actions.some(({ type }) => type === 'open_app')) throw new PracticeStopped('policy', reason)
    return false
  }

  #checkTime(): void {
    const isLate = this.#deps.clock().toISOString() > this.#practice.deadline_at
    if (isLate) throw new PracticeStopped('time')
  }
}
