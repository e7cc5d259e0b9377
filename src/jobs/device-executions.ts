import type { Execution, ResultEnvelope, StepResult } from '@apprentice/contracts/devices/execution.ts'
import { type CommandContext, writeDeferredAs } from '../domain/command/context.ts'
import {
  type ExecutionEnding,
  findStartRefusal,
  recordStep,
  settleExecution,
  startExecution,
  startStep,
} from '../domain/devices/executions.ts'
import { recordRunStarted, recordRunStep, recordRunStepStarted } from '../domain/runs/record-run.ts'
import { recordRunSettled } from '../domain/runs/settle-run.ts'
import { findResultRedactor } from '../domain/runs/result-redactor.ts'
import { findExecution } from '../store/devices/executions.ts'
import { findPartByExecution } from '../store/runs/run-parts.ts'
import type { Job } from '../store/command/jobs.ts'
import { type JobHandler, jobOrigin } from './handler.ts'
import { traceWork } from '../traces/traces.ts'
import type { RunnerDeps } from './runner.ts'
import { StepSpans } from './step-spans.ts'

/** What the runner of an execution is given beside the execution itself. */
export interface ExecutionContext {
  readonly serial: string
  readonly execution_id: string
  readonly owner_user_id: string
  /** The time that remains until the caller's deadline. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
  onStepStarted(step: { readonly id: string; readonly type: string }): Promise<void>
  onStepFinished(step: StepResult): Promise<void>
}

/** Runs the steps of an execution on its device. It has no access to the database. */
export type ExecutionRunner = (execution: Execution, context: ExecutionContext) => Promise<ResultEnvelope>

export interface ExecutionDeps {
  /** Gets the seconds that each execution waited in the queue of its device. */
  readonly observeWait: (seconds: number) => void
  /** The key of this installation for hashes of output values. */
  readonly outputKey: () => string
}

/** Runs each execution at most once: one that a stop of the daemon interrupted is reported, never repeated. */
export function deviceExecutions(
  deps: RunnerDeps,
  runOnDevice: ExecutionRunner,
  { observeWait, outputKey }: ExecutionDeps,
): JobHandler {
  const runExecution = traceExecutions(deps, runOnDevice)
  return {
    resume: 'interrupt',
    startsAtOnce: true,
    // The next part of a run precedes other executions.
    mayContinue: (reader, job) => findPartByExecution(reader, job.job_id) !== undefined,
    onStarted: (ctx, job) => {
      startExecution(ctx, job.job_id)
      recordRunStarted(ctx, job.job_id)
    },
    run: async (job, signal) => {
      const row = deps.store.read((reader) => findExecution(reader, job.job_id))
      if (row === undefined) throw new Error(`No row for execution ${job.job_id}.`)
      const now = deps.clock()
      observeWait((now.getTime() - Date.parse(row.queued_at)) / 1000)
      const refused = deps.store.read((reader) => findStartRefusal(reader, row, now.toISOString()))
      if (refused !== undefined) return refused
      const writeStep = createStepWriter(deps, job)
      const redactor = deps.store.read((reader) => findResultRedactor(reader, job.job_id, outputKey))
      const envelope = await runExecution(row.payload, {
        serial: row.serial,
        execution_id: row.execution_id,
        owner_user_id: row.owner_user_id,
        // The deadline of a run may be later than the limit of one of its executions.
        timeoutMs: Math.min(row.payload.timeoutMs, Math.max(0, Date.parse(row.deadline_at) - now.getTime())),
        signal,
        onStepStarted: (step) =>
          writeStep((ctx) => {
            startStep(ctx, job.job_id, step)
            recordRunStepStarted(ctx, job.job_id, step)
          }),
        onStepFinished: (step) =>
          writeStep((ctx) => {
            const redacted = redactor.step(step)
            recordStep(ctx, job.job_id, redacted.result)
            recordRunStep(ctx, job.job_id, redacted)
          }),
      })
      return redactor.envelope(envelope)
    },
    onSettled: (ctx, job) => {
      settleExecution(ctx, job.job_id, toEnding(job))
      recordRunSettled(ctx, job.job_id)
    },
  }
}

/** Runs each execution and each of its steps in a span of its own. */
const traceExecutions =
  ({ traces }: RunnerDeps, run: ExecutionRunner): ExecutionRunner =>
  (execution, context) => {
    const { serial, execution_id } = context
    const attributes = { 'apprentice.execution_id': execution_id, 'apprentice.serial': serial }
    return traceWork(traces, { name: 'execution', attributes }, async (span) => {
      const steps = new StepSpans(traces)
      try {
        const envelope = await run(execution, {
          ...context,
          onStepStarted: (step) => {
            steps.start(step)
            return context.onStepStarted(step)
          },
          onStepFinished: (step) => {
            steps.end(step)
            return context.onStepFinished(step)
          },
        })
        if (envelope.status !== 'success') span?.fail(envelope.errorCode ?? 'EXECUTION_FAILED')
        return envelope
      } finally {
        steps.endAll()
      }
    })
  }

/**
 * Writes step results in order without making the phone wait for the disk. The start of the execution is already on
 * disk, which prevents a second execution. Steps are committed together with the next one or with the end of the
 * execution if these follow within milliseconds. A failed write ends the execution at its next step.
 */
function createStepWriter(deps: RunnerDeps, job: Job): (work: (ctx: CommandContext) => void) => Promise<void> {
  let failed: { readonly error: unknown } | undefined
  return async (work) => {
    if (failed !== undefined) throw failed.error
    writeDeferredAs(deps, jobOrigin(job), work).catch((error: unknown) => {
      failed = { error }
    })
  }
}

function toEnding({ state, result }: Job): ExecutionEnding {
  switch (state) {
    case 'succeeded': {
      // Written by `run` above, read back from the job row.
      const envelope = result as ResultEnvelope
      return { state: envelope.status === 'success' ? 'succeeded' : 'failed', envelope }
    }
    case 'cancelled':
      return { state, errorCode: 'EXECUTION_CANCELLED', error: 'The execution was cancelled.' }
    case 'expired':
      return {
        state: 'failed',
        errorCode: 'RESULT_ENVELOPE_TIMEOUT',
        error: 'The execution did not finish before its deadline.',
      }
    case 'interrupted':
      return {
        state,
        errorCode: 'EXECUTION_INTERRUPTED',
        error:
          (result as { readonly explanation?: string } | undefined)?.explanation ??
          'The daemon stopped during the execution; its effects are unknown.',
      }
    case 'failed':
    case 'queued':
    case 'running':
      return {
        state: 'failed',
        errorCode: 'INTERNAL_ERROR',
        error: 'The execution failed because of an internal error.',
      }
  }
}
