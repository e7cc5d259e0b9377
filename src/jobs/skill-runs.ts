import { type CommandContext, writePatientlyAs } from '../domain/command/context.ts'
import { assertDeviceAvailable } from '../domain/devices/leases.ts'
import { decideWork } from '../domain/policies/applied-policy.ts'
import { findExpectedText } from '../knowledge/skill-script/declared-verification.ts'
import type { RunSetting } from '../knowledge/skill-script/run-environment.ts'
import {
  buildFailedOutcome,
  getSkillRun,
  saveOutput,
  recordOutputChunks,
  settleSkillRun,
} from '../domain/skill-runs/skill-run-record.ts'
import { parseFrame } from '../knowledge/skill-script/frame.ts'
import { FrameReader } from '../knowledge/skill-script/frame-reader.ts'
import { judgeRun, type RuntimeCheck, type SkillRunVerdict } from '../knowledge/skill-script/verdict.ts'
import { planRun, type SkillPlan } from '../knowledge/skill-script/skill-plan.ts'
import { checkRecordedReads, checkLabels } from '../knowledge/skill-script/runtime-check.ts'
import { beginSkillRun } from '../domain/skill-runs/skill-run-start.ts'
import { OutputSearch } from '../knowledge/skill-script/output-search.ts'
import { Failure } from '../failure/failure.ts'
import { type ExecutionRow, findExecution } from '../store/devices/executions.ts'
import type { Job } from '../store/command/jobs.ts'
import { listSkillRunCalls, listStartedSkillRuns, type SkillRunRow } from '../store/skill-runs/skill-runs.ts'
import { type JobHandler, jobOrigin } from './handler.ts'
import { OutputBatcher } from './output-batcher.ts'
import type { SkillRunPort } from './ports.ts'
import type { JobRunner, RunnerDeps } from './runner.ts'

export interface SkillRunDeps extends RunnerDeps {
  readonly skillRuns: SkillRunPort
  readonly jobs: Pick<JobRunner, 'cancel' | 'waitUntilSettled'>
}

/** The jobs of skill runs. A script that was running when the daemon stopped is recorded as interrupted, not repeated. */
export function skillRunJobs(deps: SkillRunDeps): JobHandler {
  return {
    resume: 'interrupt',
    onStarted: (ctx, { job_id }) => beginSkillRun(ctx, getSkillRun(ctx.tx, job_id)),
    run: (job, signal) => new SkillRunWork(deps, job).run(signal),
    onSettled: (ctx, job) => settleSkillRun(ctx, job.job_id, toEnding(job)),
  }
}

/** At startup, ends the scripts that an earlier daemon started and removes old logs. */
export async function endInterruptedSkillRuns(
  { store, log }: Pick<RunnerDeps, 'store' | 'log'>,
  port: Pick<SkillRunPort, 'endInterrupted' | 'tidy'>,
): Promise<void> {
  for (const { run_id } of store.read(listStartedSkillRuns)) {
    log.debug({ run_id }, 'ending a skill run that was running when the daemon stopped')
    await port.endInterrupted(run_id)
  }
  await port.tidy()
}

const CANCEL_TIMEOUT_MS = 3000

class SkillRunWork {
  readonly #deps: SkillRunDeps
  readonly #job: Job

  constructor(deps: SkillRunDeps, job: Job) {
    this.#deps = deps
    this.#job = job
  }

  async run(signal: AbortSignal): Promise<SkillRunVerdict> {
    const row = this.#deps.store.read((reader) => getSkillRun(reader, this.#job.job_id))
    try {
      const setting = await this.#prepare(row)
      return await this.#runScript(row, setting, signal)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      return { state: 'failed', outcome: buildFailedOutcome(error.code, error.message) }
    }
  }

  /** Checks the lease, the profiles and the skill again, because both may have changed while the run was queued. */
  async #prepare(row: SkillRunRow): Promise<RunSetting> {
    const { store, clock } = this.#deps
    const caller = { user_id: row.owner_user_id, now: clock().toISOString() }
    store.read((reader) => {
      if (row.serial !== undefined) assertDeviceAvailable(reader, row.serial, caller)
      const work = { capabilities: [], packages: [], serial: row.serial, now: caller.now }
      const decision = decideWork(reader, this.#job.authority, work)
      if (!decision.allowed) throw new Failure(decision.code, decision.message)
    })
    const skill = await this.#deps.skillRuns.findSkill(row.skill_id)
    if (skill === undefined) throw new Failure('SKILL_NOT_FOUND', `No skill ${row.skill_id}.`)
    const plan = planRun(skill, { lenient: true })
    const { run_id, serial, operator_package, timeout_ms } = row
    const agent = await this.#deps.skillRuns.check(plan)
    const trace = this.#deps.traces?.active()?.context
    return { run_id, plan, args: row.arguments, serial, operator_package, timeout_ms, trace, agent }
  }

  async #runScript(row: SkillRunRow, setting: RunSetting, signal: AbortSignal): Promise<SkillRunVerdict> {
    const frame = new FrameReader()
    const search = new OutputSearch(row.expect_contains)
    const batcher = new OutputBatcher((chunks) => this.#write((ctx) => recordOutputChunks(ctx, row.run_id, chunks)))
    const { process, ...output } = await this.#deps.skillRuns.run(setting, {
      owner_user_id: row.owner_user_id,
      signal,
      onPrinted: (stream, text) => {
        batcher.add(stream, text)
        if (stream === 'stderr') return
        frame.push(text)
        search.push(text)
      },
    })
    await batcher.flush()
    await this.#write((ctx) => saveOutput(ctx, row.run_id, output))
    const calls = await this.#endCalls(row.run_id)
    signal.throwIfAborted()
    if (process === 'stopped') throw new Error('The script was stopped without an abort signal.')
    const { plan, args } = setting
    const expected = findExpectedText(plan.manifest.contract, args)
    const toVerify = row.runtime_verification && process.exit_code === 0 ? expected : undefined
    return judgeRun({
      manifest: plan.manifest,
      args,
      process,
      frame: parseFrame(frame.end(), { skill_id: row.skill_id, source: toResultSource(plan) }),
      contains: search.found,
      last_call_failure: readFailure(calls.at(-1)),
      check: toVerify === undefined ? undefined : await this.#verify(row, calls, toVerify),
    })
  }

  /** Cancels executions of the script that are still running. */
  async #endCalls(runId: string): Promise<ExecutionRow[]> {
    const { store } = this.#deps
    for (const id of store.read((reader) => listSkillRunCalls(reader, runId))) {
      if (await this.#deps.jobs.cancel(id)) await this.#deps.jobs.waitUntilSettled(id, CANCEL_TIMEOUT_MS)
    }
    return store.read((reader) => listSkillRunCalls(reader, runId).flatMap((id) => findExecution(reader, id) ?? []))
  }

  async #verify(row: SkillRunRow, calls: readonly ExecutionRow[], expected: string): Promise<RuntimeCheck> {
    const serial = row.serial ?? calls.at(-1)?.serial
    const recorded = checkRecordedReads(
      calls.flatMap(({ step_results }) => step_results),
      expected,
    )
    const unreadable: RuntimeCheck = { status: 'unreadable', by: 'screen' }
    if (serial === undefined) return { ...unreadable, message: 'The run used no device.' }
    try {
      const seen = checkLabels(await this.#deps.skillRuns.readLabels(serial, row.owner_user_id), expected)
      return seen.status === 'verified' ? seen : (recorded ?? seen)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      return recorded ?? { ...unreadable, message: `The device could not be read: ${error.message}` }
    }
  }

  #write(work: (ctx: CommandContext) => void): Promise<void> {
    return writePatientlyAs(this.#deps, jobOrigin(this.#job), work)
  }
}

const toResultSource = ({ manifest: { agent } }: SkillPlan) =>
  agent === undefined ? ({ kind: 'script' } as const) : ({ kind: 'agent', agentCli: agent.cli } as const)

const readFailure = (call: ExecutionRow | undefined): string | undefined =>
  call === undefined || call.state === 'succeeded'
    ? undefined
    : (call.envelope?.errorCode ?? call.envelope?.error ?? call.state).slice(0, 120)

function toEnding({ state, result }: Job): Parameters<typeof settleSkillRun>[2] {
  switch (state) {
    case 'succeeded':
      // The handler returned this verdict.
      return result as SkillRunVerdict
    case 'cancelled':
      return {
        state,
        outcome: buildFailedOutcome('SKILL_RUN_CANCELLED', 'The skill run was cancelled.'),
      }
    case 'interrupted':
      return {
        state,
        outcome: buildFailedOutcome(
          'SKILL_RUN_INTERRUPTED',
          'The daemon stopped during the skill run. What the script did is unknown.',
        ),
      }
    case 'expired':
    case 'failed':
    case 'queued':
    case 'running':
      return {
        state: 'failed',
        outcome: buildFailedOutcome('INTERNAL_ERROR', 'The skill run failed because of an internal error.'),
      }
  }
}
