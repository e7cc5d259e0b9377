import type { CommandContext } from '../domain/command/context.ts'
import { readDraft, type DraftUnderTest } from '../domain/validation/draft-under-test.ts'
import {
  abandonRun,
  breakRun,
  concludeRun,
  findOpenRun,
  type InstallPrivately,
  noteTests,
} from '../domain/validation/finish-run.ts'
import { closeLeftRuns } from '../domain/validation/left-runs.ts'
import { canaryOf, type Rehearsal, rehearsalOf } from '../domain/validation/rehearsal.ts'
import { endTests, stepTests } from '../domain/validation/rehearsal-tests.ts'
import { beginRehearsal, breachIn, forgetRehearsed } from '../domain/validation/rehearse.ts'
import type { TestResult } from '../domain/proposals/validation-run-record.ts'
import { isQuick, runSuite } from '../domain/validation/run-tests.ts'
import { readSelection, type Selection } from '../domain/validation/test-selection.ts'
import { Failure } from '../failure/failure.ts'
import { findExecution } from '../store/devices/executions.ts'
import type { Job } from '../store/command/jobs.ts'
import { findRun } from '../store/validation/validation-runs.ts'
import type { JobHandler } from './handler.ts'
import type { JobRunner, RunnerDeps } from './runner.ts'

export interface ValidationDeps {
  readonly jobs: Pick<JobRunner, 'settled' | 'cancel'>
  /** Called when a draft passed whose owner wants it installed without being asked. */
  readonly install?: InstallPrivately | undefined
}

/** Runs tests of drafts. A run the daemon went away under is over: it is never taken up again by itself. */
export function validationRuns(edges: RunnerDeps, staff: ValidationDeps): JobHandler {
  return {
    resume: 'interrupt',
    run: async (job, signal) => {
      await new ValidationWork(edges, staff, job).run(signal)
    },
    settled: (ctx, { job_id, state }) => {
      // The work ends its run by itself; here only where it could not.
      if (state === 'failed' || state === 'succeeded') breakRun(ctx, job_id)
      else abandonRun(ctx, job_id, `job_${state}`)
    },
  }
}

/** Before anything runs: ends the runs that a daemon before this one left behind. */
export function closeLeftValidation({ store, clock, newId }: RunnerDeps): Promise<number> {
  const actor = { kind: 'system', user_id: 'system' } as const
  return store.write((tx) =>
    closeLeftRuns({
      tx,
      now: clock().toISOString(),
      actor,
      correlation_id: `start:${newId()}`,
      newId,
    }),
  )
}

const glanceMs = 100

/** One run, from its first test to its verdict. Each test is on record before the next begins. */
class ValidationWork {
  readonly #edges: RunnerDeps
  readonly #staff: ValidationDeps
  readonly #job: Job

  constructor(edges: RunnerDeps, staff: ValidationDeps, job: Job) {
    this.#edges = edges
    this.#staff = staff
    this.#job = job
  }

  async run(signal: AbortSignal): Promise<void> {
    const begun = await this.#write((ctx) => this.#begin(ctx))
    if (begun === null) return
    const { draft, selection } = begun
    let breach: string | undefined
    for (const suite of selection.suites) {
      signal.throwIfAborted()
      if (isQuick(suite)) {
        const tests = this.#edges.store.read((reader) => runSuite(reader, suite, draft, selection))
        if (!(await this.#note(tests))) return
      } else if (suite !== 'lint') {
        const rehearsal = (suite === 'rehearsal' ? rehearsalOf : canaryOf)(draft, this.#job.job_id)
        const ended = await this.#perform(draft, rehearsal, signal)
        if (ended === 'over') return
        breach ??= ended.breach
      }
    }
    await this.#conclude(breach)
  }

  #begin(ctx: CommandContext): { draft: DraftUnderTest; selection: Selection } | null {
    const open = findOpenRun(ctx, this.#job.job_id)
    if (open === undefined) return null
    const draft = readDraft(ctx.tx, open.proposal, open.run.inputs)
    return { draft, selection: readSelection(open.run.selected_tests, draft) }
  }

  /** Does something on a phone and tells each step as it is done. */
  async #perform(
    draft: DraftUnderTest,
    rehearsal: Rehearsal | undefined,
    signal: AbortSignal,
  ): Promise<{ breach?: string | undefined } | 'over'> {
    if (rehearsal === undefined) return (await this.#note([notCompiled])) ? {} : 'over'
    const queued = await this.#queue(rehearsal)
    if (queued === null) return 'over'
    if (queued instanceof Failure) return (await this.#note([notBegun(queued)])) ? {} : 'over'
    try {
      for (let told = 0; ;) {
        const settled = await this.#staff.jobs.settled(queued, glanceMs)
        signal.throwIfAborted()
        const tests = this.#stepsOf(draft, rehearsal, queued)
        const goesOn = tests.length > told ? await this.#note(tests) : this.#isOpen()
        if (!goesOn) return 'over'
        told = tests.length
        if (settled !== undefined) return await this.#performed(draft, rehearsal, queued)
      }
    } finally {
      // A run that is over has nothing more to do on the phone.
      if (await this.#staff.jobs.cancel(queued)) await this.#staff.jobs.settled(queued, stopMs)
      await this.#write((ctx) => forgetRehearsed(ctx, queued, rehearsal))
    }
  }

  async #queue(rehearsal: Rehearsal): Promise<string | Failure | null> {
    try {
      return await this.#write((ctx) => beginRehearsal(ctx, this.#job.job_id, rehearsal) ?? null)
    } catch (error) {
      if (error instanceof Failure) return error
      throw error
    }
  }

  #stepsOf(draft: DraftUnderTest, rehearsal: Rehearsal, executionId: string): TestResult[] {
    const row = this.#edges.store.read((reader) => findExecution(reader, executionId) ?? null)
    return stepTests(draft, rehearsal, row?.step_results ?? [])
  }

  async #performed(
    draft: DraftUnderTest,
    rehearsal: Rehearsal,
    executionId: string,
  ): Promise<{ breach?: string | undefined } | 'over'> {
    const { store } = this.#edges
    const row = store.read((reader) => findExecution(reader, executionId) ?? null)
    const breach = store.read((reader) => breachIn(reader, executionId) ?? null)
    const results = row?.envelope?.stepResults ?? row?.step_results ?? []
    const tests = [
      ...stepTests(draft, rehearsal, results),
      ...endTests(draft, rehearsal, row?.envelope),
    ]
    return (await this.#note(tests)) ? { breach: breach ?? undefined } : 'over'
  }

  #isOpen(): boolean {
    return this.#edges.store.read(
      (reader) => findRun(reader, this.#job.job_id)?.completed_at === undefined,
    )
  }

  /** An install that is refused leaves the draft tested and to be reviewed. */
  async #conclude(breach: string | undefined): Promise<void> {
    const { install } = this.#staff
    const { job_id } = this.#job
    try {
      await this.#write((ctx) => concludeRun(ctx, job_id, { breach, install }))
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      this.#edges.log.warn({ err: error, job_id }, 'a draft that passed was not installed')
      await this.#write((ctx) => concludeRun(ctx, job_id, { breach }))
    }
  }

  /** False once the run is over. */
  #note(tests: readonly TestResult[]): Promise<boolean> {
    return this.#write((ctx) => noteTests(ctx, this.#job.job_id, tests))
  }

  #write<T>(work: (ctx: CommandContext) => T): Promise<T> {
    const { store, clock, newId } = this.#edges
    return store.write((tx) => {
      const ctx: CommandContext = {
        tx,
        now: clock().toISOString(),
        actor: { kind: 'system', user_id: 'system' },
        correlation_id: this.#job.correlation_id,
        newId,
      }
      return work(ctx) as never
    })
  }
}

const stopMs = 5000

const notCompiled: TestResult = {
  test_case_id: 'action:begin',
  label: 'The recipe can be run',
  result: 'skipped',
  details: 'It could not be compiled, so nothing was run.',
}

const notBegun = ({ code, message }: Failure): TestResult => ({
  test_case_id: 'action:begin',
  label: 'The recipe can be run',
  result: 'failed',
  details: `${code}: ${message}`,
})
