import type { CleanupReason } from '@apprentice/contracts/learn/cleanups.ts'
import { type CommandContext, DAEMON_ACTOR, writeAs, writePatientlyAs } from '../domain/command/context.ts'
import { planCleanup, recordCleanup } from '../domain/validation/cleanup.ts'
import { readDraft, type DraftUnderTest } from '../domain/validation/draft-under-test.ts'
import {
  cancelOpenRun,
  failRun,
  finishRun,
  findOpenRun,
  type InstallPrivately,
  recordTests,
} from '../domain/validation/finish-run.ts'
import { cancelInterruptedRuns } from '../domain/validation/interrupted-runs.ts'
import { buildCanary, type Rehearsal, type RehearsalPart, buildRehearsal } from '../domain/validation/rehearsal.ts'
import { type EndedPart, endTests, isVerified, readResults, stepTests } from '../domain/validation/rehearsal-tests.ts'
import {
  closeRehearsal,
  findNextPart,
  findRehearsalBreach,
  queueRehearsal,
} from '../domain/validation/rehearsal-record.ts'
import type { TestResult } from '../domain/proposals/validation-run-record.ts'
import { isQuick, runSuite } from '../domain/validation/run-tests.ts'
import { readSelection, type Selection } from '../domain/validation/test-selection.ts'
import { Failure } from '../failure/failure.ts'
import { type ExecutionRow, findExecution } from '../store/devices/executions.ts'
import type { Job } from '../store/command/jobs.ts'
import { findRun } from '../store/validation/validation-runs.ts'
import { type JobHandler, jobOrigin } from './handler.ts'
import type { JobRunner, RunnerDeps } from './runner.ts'

export interface ValidationDeps {
  readonly jobs: Pick<JobRunner, 'waitUntilSettled' | 'cancel'>
  /** Starts the installation of a passed draft if its session installs automatically. */
  readonly install?: InstallPrivately | undefined
}

/** Executes validation runs. A run that a restart interrupts is cancelled, not resumed. */
export function validationRuns(deps: RunnerDeps, validation: ValidationDeps): JobHandler {
  return {
    resume: 'interrupt',
    run: async (job, signal) => {
      await new ValidationExecution(deps, validation, job).run(signal)
    },
    onSettled: (ctx, { job_id, state }) => {
      // Only for runs that the execution could not end itself.
      if (state === 'failed' || state === 'succeeded') failRun(ctx, job_id)
      else cancelOpenRun(ctx, job_id, `job_${state}`)
    },
  }
}

/** Cancels the runs that the last stop of the daemon interrupted. Call before jobs start. */
export function cancelInterruptedValidation(deps: RunnerDeps): Promise<number> {
  const correlation_id = `start:${deps.newId()}`
  return writeAs(deps, { actor: DAEMON_ACTOR, correlation_id }, cancelInterruptedRuns)
}

const POLL_MS = 100

/** Executes one run. The results of a suite are recorded before the next one starts. */
class ValidationExecution {
  readonly #deps: RunnerDeps
  readonly #validation: ValidationDeps
  readonly #job: Job

  constructor(deps: RunnerDeps, validation: ValidationDeps, job: Job) {
    this.#deps = deps
    this.#validation = validation
    this.#job = job
  }

  async run(signal: AbortSignal): Promise<void> {
    const plan = await this.#write((ctx) => this.#readPlan(ctx))
    if (plan === null) return
    const { draft, selection } = plan
    let breach: string | undefined
    for (const suite of selection.suites) {
      signal.throwIfAborted()
      if (isQuick(suite)) {
        const tests = this.#deps.store.read((reader) => runSuite(reader, suite, draft, selection))
        if (!(await this.#record(tests))) return
      } else if (suite !== 'lint') {
        const rehearsal = (suite === 'rehearsal' ? buildRehearsal : buildCanary)(draft, this.#job.job_id)
        const result = await this.#rehearse(draft, rehearsal, signal)
        if (result === 'ended') return
        breach ??= result.breach
      }
    }
    await this.#finish(breach)
  }

  #readPlan(ctx: CommandContext): { draft: DraftUnderTest; selection: Selection } | null {
    const open = findOpenRun(ctx, this.#job.job_id)
    if (open === undefined) return null
    const draft = readDraft(ctx.tx, open.proposal, open.run.inputs)
    return { draft, selection: readSelection(open.run.selected_tests, draft) }
  }

  /** Executes a rehearsal, records its tests and undoes its changes. */
  async #rehearse(
    draft: DraftUnderTest,
    rehearsal: Rehearsal | undefined,
    signal: AbortSignal,
  ): Promise<{ breach?: string | undefined } | 'ended'> {
    if (rehearsal === undefined) return (await this.#record([NOT_COMPILED_TEST])) ? {} : 'ended'
    try {
      const executed = await this.#executeParts(draft, rehearsal, signal)
      if (executed === 'ended') return 'ended'
      const { ended, breach, refused } = executed
      const tests = refused === undefined ? endTests(draft, rehearsal, ended) : [toNotStartedTest(refused)]
      if (!(await this.#record(tests))) return 'ended'
      return breach === undefined && rehearsal.kind === 'rehearsal' ? await this.#cleanUp(draft, signal) : { breach }
    } finally {
      await this.#write((ctx) => closeRehearsal(ctx, this.#job.job_id, rehearsal))
    }
  }

  /** Undoes the changes of a rehearsal if that is due, or leaves a task for a person. */
  async #cleanUp(draft: DraftUnderTest, signal: AbortSignal): Promise<{ breach?: string | undefined } | 'ended'> {
    const { job_id } = this.#job
    const plan = await this.#write((ctx) => planCleanup(ctx, job_id))
    const record = async (failed?: CleanupReason) =>
      (await this.#write((ctx) => recordCleanup(ctx, job_id, failed))) ? {} : ('ended' as const)
    if (plan.kind === 'none') return {}
    if (plan.kind === 'person') return await record('no_cleanup_inputs')
    const { rehearsal } = plan
    try {
      const executed = await this.#executeParts(draft, rehearsal, signal)
      if (executed === 'ended' || executed.breach !== undefined) return executed
      const isDone = executed.refused === undefined && executed.ended.at(-1)?.execution?.state === 'succeeded'
      if (!isDone) return await record('cleanup_failed')
      return await record(isVerified(executed.ended) ? undefined : 'not_verified')
    } finally {
      await this.#write((ctx) => closeRehearsal(ctx, job_id, rehearsal))
    }
  }

  /** Executes the parts of a rehearsal one after the other, as a run does. */
  async #executeParts(
    draft: DraftUnderTest,
    rehearsal: Rehearsal,
    signal: AbortSignal,
  ): Promise<{ ended: EndedPart[]; breach?: string | undefined; refused?: Failure } | 'ended'> {
    const ended: EndedPart[] = []
    let breach: string | undefined
    for (let position: number | undefined = 0; position !== undefined;) {
      const part: RehearsalPart | undefined = rehearsal.parts[position]
      if (part === undefined) break
      const queued = await this.#queue(rehearsal, position)
      if (queued === null) return 'ended'
      if (queued instanceof Failure) return { ended, breach, refused: queued }
      if (!(await this.#watch(draft, { rehearsal, part, executionId: queued }, signal))) return 'ended'
      const execution = this.#findExecution(queued)
      ended.push({ part, execution })
      breach ??= this.#deps.store.read((reader) => findRehearsalBreach(reader, queued) ?? null) ?? undefined
      position = breach === undefined ? findNextPart(rehearsal, position, execution) : undefined
    }
    return { ended, breach }
  }

  /** Records the tests of each step while an execution runs. Returns false if the run has ended. */
  async #watch(
    draft: DraftUnderTest,
    { executionId, ...where }: { rehearsal: Rehearsal; part: RehearsalPart; executionId: string },
    signal: AbortSignal,
  ): Promise<boolean> {
    try {
      for (let recorded = 0; ;) {
        const settled = await this.#validation.jobs.waitUntilSettled(executionId, POLL_MS)
        signal.throwIfAborted()
        const row = this.#findExecution(executionId)
        const results = settled === undefined ? (row?.step_results ?? []) : readResults(row)
        // The steps of a clean-up are no tests of the draft.
        const tests = where.rehearsal.kind === 'cleanup' ? [] : stepTests(draft, where, results)
        const isNew = tests.length > recorded || settled !== undefined
        const isOpen = isNew ? await this.#record(tests) : this.#isOpen()
        if (!isOpen) return false
        recorded = tests.length
        if (settled !== undefined) return true
      }
    } finally {
      // A run that was cancelled must not leave its execution on the device.
      if (await this.#validation.jobs.cancel(executionId))
        await this.#validation.jobs.waitUntilSettled(executionId, STOP_TIMEOUT_MS)
    }
  }

  async #queue(rehearsal: Rehearsal, position: number): Promise<string | Failure | null> {
    try {
      return await this.#write((ctx) => queueRehearsal(ctx, this.#job.job_id, { rehearsal, position }) ?? null)
    } catch (error) {
      if (error instanceof Failure) return error
      throw error
    }
  }

  #findExecution(executionId: string): ExecutionRow | undefined {
    return this.#deps.store.read((reader) => findExecution(reader, executionId) ?? null) ?? undefined
  }

  #isOpen(): boolean {
    return this.#deps.store.read((reader) => findRun(reader, this.#job.job_id)?.completed_at === undefined)
  }

  /** If the installation is refused, the run is finished without it and the draft stays in review. */
  async #finish(breach: string | undefined): Promise<void> {
    const { install } = this.#validation
    const { job_id } = this.#job
    try {
      await this.#write((ctx) => finishRun(ctx, job_id, { breach, install }))
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      this.#deps.log.warn({ err: error, job_id }, 'a passed draft was not installed')
      await this.#write((ctx) => finishRun(ctx, job_id, { breach }))
    }
  }

  /** Returns false if the run has ended. */
  #record(tests: readonly TestResult[]): Promise<boolean> {
    return this.#write((ctx) => recordTests(ctx, this.#job.job_id, tests))
  }

  #write<T>(work: (ctx: CommandContext) => T): Promise<T> {
    return writePatientlyAs(this.#deps, jobOrigin(this.#job), work)
  }
}

const STOP_TIMEOUT_MS = 5000

const NOT_COMPILED_TEST: TestResult = {
  test_case_id: 'action:begin',
  label: 'The recipe can be run',
  result: 'skipped',
  details: 'The recipe could not be compiled, so nothing was executed.',
}

const toNotStartedTest = ({ code, message }: Failure): TestResult => ({
  test_case_id: 'action:begin',
  label: 'The recipe can be run',
  result: 'failed',
  details: `${code}: ${message}`,
})
