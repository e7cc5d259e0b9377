import type { CommandContext } from '../domain/command/context.ts'
import { assertFree } from '../domain/devices/leases.ts'
import { expectedText } from '../knowledge/skill-script/declared-verification.ts'
import type { RunSetting } from '../knowledge/skill-script/environment.ts'
import {
  cutShort,
  getSkillRun,
  keepOutput,
  type KeptOutput,
  notePrinted,
  type PrintedPiece,
  settleSkillRun,
} from '../domain/skill-runs/follow-run.ts'
import { frameOf } from '../knowledge/skill-script/frame.ts'
import { FrameReader } from '../knowledge/skill-script/frame-reader.ts'
import {
  type EndedProcess,
  judgeRun,
  type RuntimeReading,
  type Verdict,
} from '../knowledge/skill-script/judge.ts'
import { planRun, type SkillPlan } from '../knowledge/skill-script/plan-run.ts'
import { readFromSteps, readOnScreen } from '../knowledge/skill-script/runtime-reading.ts'
import type { SkillSource } from '../knowledge/skill-script/skill-source.ts'
import { beginSkillRun } from '../domain/skill-runs/start-run.ts'
import { WordWatch } from '../knowledge/skill-script/word-watch.ts'
import { Failure } from '../failure/failure.ts'
import { type ExecutionRow, findExecution } from '../store/devices/executions.ts'
import type { Job } from '../store/command/jobs.ts'
import {
  listSkillRunCalls,
  listStartedSkillRuns,
  type SkillRunRow,
} from '../store/skill-runs/skill-runs.ts'
import type { JobHandler } from './handler.ts'
import type { JobRunner, RunnerDeps } from './runner.ts'
import { Printer } from './skill-run-printer.ts'

export interface RunFollower {
  readonly owner_user_id: string
  readonly signal: AbortSignal
  onPrinted(stream: PrintedPiece['stream'], text: string): void
}

/** How a run went, and what is kept of what it printed. */
export interface PerformedRun extends KeptOutput {
  readonly process: EndedProcess | 'stopped'
}

/** The hands: they start programs and look at phones. They never see the database. */
export interface SkillRunPort extends SkillSource {
  /** Refuses what cannot be started: a script that is not there, an agent that is not installed. */
  check(plan: SkillPlan): Promise<RunSetting['agent']>
  perform(setting: RunSetting, follower: RunFollower): Promise<PerformedRun>
  /** The labels that are on the screen of a device now. */
  labels(serial: string, principal: string): Promise<readonly string[]>
  /** Ends what a daemon before this one left running. */
  endLeft(runId: string): Promise<void>
  /** Removes what is kept of runs long past. */
  tidy(): Promise<void>
}

type Lanes = Pick<JobRunner, 'cancel' | 'settled'>

/** Scripts run once: one that the daemon went away under is reported, never repeated. */
export function skillRuns(edges: RunnerDeps, hands: SkillRunPort, lanes: Lanes): JobHandler {
  return {
    resume: 'interrupt',
    started: (ctx, { job_id }) => beginSkillRun(ctx, getSkillRun(ctx.tx, job_id)),
    run: (job, signal) => new SkillRunWork(edges, { hands, lanes }, job).run(signal),
    settled: (ctx, job) => settleSkillRun(ctx, job.job_id, endingOf(job)),
  }
}

/** Before anything runs: ends the scripts a daemon before this one left running, and tidies their logs. */
export async function endLeftSkillRuns(
  { store, log }: Pick<RunnerDeps, 'store' | 'log'>,
  hands: Pick<SkillRunPort, 'endLeft' | 'tidy'>,
): Promise<void> {
  for (const { run_id } of store.read(listStartedSkillRuns)) {
    log.debug({ run_id }, 'a skill was running when the daemon went away')
    await hands.endLeft(run_id)
  }
  await hands.tidy()
}

const stopMs = 3000

interface SkillRunDeps {
  readonly hands: SkillRunPort
  readonly lanes: Lanes
}

class SkillRunWork {
  readonly #edges: RunnerDeps
  readonly #staff: SkillRunDeps
  readonly #job: Job

  constructor(edges: RunnerDeps, staff: SkillRunDeps, job: Job) {
    this.#edges = edges
    this.#staff = staff
    this.#job = job
  }

  async run(signal: AbortSignal): Promise<Verdict> {
    const row = this.#edges.store.read((reader) => getSkillRun(reader, this.#job.job_id))
    try {
      const setting = await this.#settingOf(row)
      return await this.#perform(row, setting, signal)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      return { state: 'failed', outcome: cutShort(error.code, error.message) }
    }
  }

  /** Read anew: what was asked for may have waited, and the skill may have changed meanwhile. */
  async #settingOf(row: SkillRunRow): Promise<RunSetting> {
    const { store, clock } = this.#edges
    const asked = { user_id: row.owner_user_id, now: clock().toISOString() }
    store.read((reader) => {
      if (row.serial !== undefined) assertFree(reader, row.serial, asked)
    })
    const skill = await this.#staff.hands.find(row.skill_id)
    if (skill === undefined) throw new Failure('SKILL_NOT_FOUND', `No skill ${row.skill_id}.`)
    const plan = planRun(skill, { lenient: true })
    const { run_id, serial, operator_package, timeout_ms } = row
    const agent = await this.#staff.hands.check(plan)
    return { run_id, plan, args: row.arguments, serial, operator_package, timeout_ms, agent }
  }

  async #perform(row: SkillRunRow, setting: RunSetting, signal: AbortSignal): Promise<Verdict> {
    const frame = new FrameReader()
    const words = new WordWatch(row.expect_contains)
    const printer = new Printer((pieces) =>
      this.#write((ctx) => notePrinted(ctx, row.run_id, pieces)),
    )
    const { process, ...output } = await this.#staff.hands.perform(setting, {
      owner_user_id: row.owner_user_id,
      signal,
      onPrinted: (stream, text) => {
        printer.add(stream, text)
        if (stream === 'stderr') return
        frame.push(text)
        words.push(text)
      },
    })
    await printer.flush()
    await this.#write((ctx) => keepOutput(ctx, row.run_id, output))
    const calls = await this.#endCalls(row.run_id)
    signal.throwIfAborted()
    if (process === 'stopped') throw new Error('A run was stopped that nobody stopped.')
    const { plan, args } = setting
    const expected = expectedText(plan.manifest.contract, args)
    const wanted = row.runtime_verification && process.exit_code === 0 ? expected : undefined
    return judgeRun({
      manifest: plan.manifest,
      args,
      process,
      frame: frameOf(frame.end(), { skill_id: row.skill_id, source: sourceOf(plan) }),
      contains: words.found,
      last_call_failure: failureOf(calls.at(-1)),
      reading: wanted === undefined ? undefined : await this.#read(row, calls, wanted),
    })
  }

  /** What the script had begun on a device does not go on without it. */
  async #endCalls(runId: string): Promise<ExecutionRow[]> {
    const { store } = this.#edges
    for (const id of store.read((reader) => listSkillRunCalls(reader, runId))) {
      if (await this.#staff.lanes.cancel(id)) await this.#staff.lanes.settled(id, stopMs)
    }
    return store.read((reader) =>
      listSkillRunCalls(reader, runId).flatMap((id) => findExecution(reader, id) ?? []),
    )
  }

  async #read(
    row: SkillRunRow,
    calls: readonly ExecutionRow[],
    expected: string,
  ): Promise<RuntimeReading> {
    const serial = row.serial ?? calls.at(-1)?.serial
    const recorded = readFromSteps(
      calls.flatMap(({ step_results }) => step_results),
      expected,
    )
    const blind: RuntimeReading = { status: 'unreadable', by: 'screen' }
    if (serial === undefined) return { ...blind, message: 'No device was used, so none was read.' }
    try {
      const seen = readOnScreen(await this.#staff.hands.labels(serial, row.owner_user_id), expected)
      return seen.status === 'verified' ? seen : (recorded ?? seen)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      return recorded ?? { ...blind, message: `The device could not be read: ${error.message}` }
    }
  }

  #write(work: (ctx: CommandContext) => void): Promise<void> {
    const { store, clock, newId } = this.#edges
    return store.write((tx) =>
      work({
        tx,
        now: clock().toISOString(),
        actor: { kind: 'system', user_id: 'system' },
        correlation_id: this.#job.correlation_id,
        newId,
      }),
    )
  }
}

const sourceOf = ({ manifest: { agent } }: SkillPlan) =>
  agent === undefined
    ? ({ kind: 'script' } as const)
    : ({ kind: 'agent', agentCli: agent.cli } as const)

const failureOf = (call: ExecutionRow | undefined): string | undefined =>
  call === undefined || call.state === 'succeeded'
    ? undefined
    : (call.envelope?.errorCode ?? call.envelope?.error ?? call.state).slice(0, 120)

function endingOf({ state, result }: Job): Parameters<typeof settleSkillRun>[2] {
  switch (state) {
    case 'succeeded':
      // The handler's own verdict, read back from its row.
      return result as Verdict
    case 'cancelled':
      return { state, outcome: cutShort('SKILL_RUN_CANCELLED', 'The run was taken back.') }
    case 'interrupted':
      return {
        state,
        outcome: cutShort(
          'SKILL_RUN_INTERRUPTED',
          'The daemon stopped while this ran; what it did is unknown.',
        ),
      }
    case 'expired':
    case 'failed':
    case 'queued':
    case 'running':
      return {
        state: 'failed',
        outcome: cutShort('INTERNAL_ERROR', 'The run failed on our side.'),
      }
  }
}
