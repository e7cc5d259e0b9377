import type {
  Execution,
  ResultEnvelope,
  StepResult,
} from '@apprentice/contracts/devices/execution.ts'
import type { CommandContext } from '../domain/command/context.ts'
import {
  type Ending,
  leasedAway,
  recordStep,
  settleExecution,
  startExecution,
  startStep,
} from '../domain/devices/executions.ts'
import { followEnd, followStart, followStep } from '../domain/runs/follow-run.ts'
import { keepingFor } from '../domain/runs/kept-results.ts'
import { findExecution } from '../store/devices/executions.ts'
import type { Job } from '../store/command/jobs.ts'
import type { JobHandler } from './handler.ts'
import type { RunnerDeps } from './runner.ts'

/** What an execution needs while a device works on it. */
export interface ExecutionContext {
  readonly serial: string
  readonly execution_id: string
  readonly owner_user_id: string
  /** What is left of the caller's time. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
  onStepStarted(step: { readonly id: string; readonly type: string }): Promise<void>
  onStepFinished(step: StepResult): Promise<void>
}

/** The hands: they do the steps and tell how it went. They never see the database. */
export type ExecutionRunner = (
  execution: Execution,
  performance: ExecutionContext,
) => Promise<ResultEnvelope>

export interface ExecutionDeps {
  /** Told, in seconds, how long each execution was in its lane. */
  readonly waited: (seconds: number) => void
  /** Of this installation: hashes of what was read are made with it. */
  readonly outputKey: () => string
}

/** Executions run once: one that the daemon went away under is reported, never repeated. */
export function deviceExecutions(
  edges: RunnerDeps,
  perform: ExecutionRunner,
  { waited, outputKey }: ExecutionDeps,
): JobHandler {
  return {
    resume: 'interrupt',
    started: (ctx, job) => {
      startExecution(ctx, job.job_id)
      followStart(ctx, job.job_id)
    },
    run: async (job, signal) => {
      const row = edges.store.read((reader) => findExecution(reader, job.job_id))
      if (row === undefined) throw new Error(`No row for execution ${job.job_id}.`)
      const now = edges.clock()
      waited((now.getTime() - Date.parse(row.queued_at)) / 1000)
      const refused = edges.store.read((reader) => leasedAway(reader, row, now.toISOString()))
      if (refused !== undefined) return refused
      const note = noteFor(edges, job)
      const keeping = edges.store.read((reader) => keepingFor(reader, job.job_id, outputKey))
      const envelope = await perform(row.payload, {
        serial: row.serial,
        execution_id: row.execution_id,
        owner_user_id: row.owner_user_id,
        timeoutMs: Math.max(0, Date.parse(row.deadline_at) - now.getTime()),
        signal,
        onStepStarted: (step) => note((ctx) => startStep(ctx, job.job_id, step)),
        onStepFinished: (step) =>
          note((ctx) => {
            const kept = keeping.step(step)
            recordStep(ctx, job.job_id, kept.result)
            followStep(ctx, job.job_id, kept)
          }),
      })
      return keeping.envelope(envelope)
    },
    settled: (ctx, job) => {
      settleExecution(ctx, job.job_id, endingOf(job))
      followEnd(ctx, job.job_id)
    },
  }
}

/**
 * Writes what became of steps, in their order, without keeping the phone waiting for the disk: that the execution
 * has begun is on disk by then, which is what keeps it from being done twice. A note that is lost ends it.
 */
function noteFor(
  edges: RunnerDeps,
  job: Job,
): (work: (ctx: CommandContext) => void) => Promise<void> {
  let lost: { readonly error: unknown } | undefined
  return async (work) => {
    if (lost !== undefined) throw lost.error
    edges.store
      .write((tx) => work(actFor(edges, tx, job)))
      .catch((error: unknown) => {
        lost = { error }
      })
  }
}

function actFor(edges: RunnerDeps, tx: CommandContext['tx'], job: Job): CommandContext {
  return {
    tx,
    now: edges.clock().toISOString(),
    actor: { kind: 'system', user_id: 'system' },
    correlation_id: job.correlation_id,
    newId: edges.newId,
  }
}

function endingOf({ state, result }: Job): Ending {
  switch (state) {
    case 'succeeded': {
      // The handler's own result, read back from its row.
      const envelope = result as ResultEnvelope
      return { state: envelope.status === 'success' ? 'succeeded' : 'failed', envelope }
    }
    case 'cancelled':
      return { state, errorCode: 'EXECUTION_CANCELLED', error: 'The execution was cancelled.' }
    case 'expired':
      return {
        state: 'failed',
        errorCode: 'RESULT_ENVELOPE_TIMEOUT',
        error: 'The time given ran out before the execution was through.',
      }
    case 'interrupted':
      return {
        state,
        errorCode: 'EXECUTION_INTERRUPTED',
        error: 'The daemon stopped while this ran; what it did is unknown.',
      }
    case 'failed':
    case 'queued':
    case 'running':
      return {
        state: 'failed',
        errorCode: 'INTERNAL_ERROR',
        error: 'The execution failed on our side.',
      }
  }
}
