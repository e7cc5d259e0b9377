import { insertLearnedExecution, type ExecutionSteps } from '../../store/devices/execution-steps.ts'
import type { ExecutionRow } from '../../store/devices/executions.ts'
import type { StoredSession } from '../../store/sessions/learn-sessions.ts'
import { appendTrace, findTrace } from '../../store/capture/traces.ts'
import type { CommandContext } from '../command/context.ts'
import { recordReceipt, recordSessionEvent } from '../command/ledger.ts'
import { markBoundary, moveSession } from '../sessions/session-moves.ts'

/** An execution that is over, with what was kept of it. */
export interface PastRun {
  readonly execution: ExecutionRow
  readonly kept: ExecutionSteps
  readonly goal: string
}

/** A trace has the id of its execution, so that what was kept is found by it. */
export const traceIdOf = ({ execution }: PastRun): string => execution.execution_id

/** Writes past runs down as traces, each once. */
export function keepAsTraces(ctx: CommandContext, runs: readonly PastRun[]): void {
  for (const run of runs) {
    if (findTrace(ctx.tx, traceIdOf(run)) === undefined) appendTrace(ctx.tx, traceOf(ctx, run))
  }
}

/**
 * Takes an armed session to where a capture of these runs would have brought it. Nothing was captured now, so the
 * marks are the daemon's own.
 */
export function fillWithRuns(
  ctx: CommandContext,
  armed: StoredSession,
  { runs, goal }: { runs: readonly PastRun[]; goal: string },
): StoredSession {
  const { learn_session_id } = armed
  const source = 'system_inferred' as const
  const start_boundary_ref = markBoundary(ctx, learn_session_id, { kind: 'start', source })
  if (goal !== '') markBoundary(ctx, learn_session_id, { kind: 'mark_goal', source, label: goal })
  const stop_boundary_ref = markBoundary(ctx, learn_session_id, { kind: 'stop', source })
  const captured_trace_ids = runs.map(traceIdOf)
  for (const { execution } of runs) {
    insertLearnedExecution(ctx.tx, learn_session_id, execution.execution_id)
  }
  const stopped = moveSession(ctx, armed, ['capturing', 'stopped'], {
    reason: 'past_runs',
    changes: { start_boundary_ref, stop_boundary_ref, active_trace_ids: captured_trace_ids },
  })
  recordSessionEvent(ctx, learn_session_id, 'learn.capture.stopped', {
    payload: { captured_event_count: 0, captured_trace_ids, past_runs: true },
  })
  recordReceipt(ctx, 'learn.capture.stopped', {
    learn_session_id,
    from_state: 'armed',
    to_state: 'stopped',
    summary: `Filled with ${runs.length} past runs.`,
    details: { captured_trace_ids },
  })
  return stopped
}

function traceOf(ctx: CommandContext, run: PastRun) {
  const { execution, kept, goal } = run
  const trace_id = traceIdOf(run)
  const app = kept.steps.find((step) => step.app !== '')?.app ?? 'unknown'
  const began = Date.parse(execution.started_at ?? execution.queued_at)
  const body = {
    trace_id,
    capability_id: `observed.${app}`.slice(0, 160),
    app_id: app,
    goal,
    surfaces_attempted: ['raw_ui'],
    steps: kept.steps.map((step) => ({
      step_id: step.event_id,
      action_label: step.action_label,
      surface: 'raw_ui',
      ...(step.before_ref === undefined ? {} : { state_before_ref: step.before_ref }),
      ...(step.after_ref === undefined ? {} : { state_after_ref: step.after_ref }),
      success: true,
    })),
    verification_results: [],
    fallback_used: false,
    user_takeover: false,
    success: execution.state === 'succeeded',
    elapsed_ms: Math.max(0, Date.parse(execution.settled_at ?? ctx.now) - began),
    execution_id: execution.execution_id,
    created_at: ctx.now,
    schema_version: 1,
  }
  return {
    trace_id,
    owner_user_id: execution.owner_user_id,
    body: JSON.stringify(body),
    created_at: ctx.now,
  }
}
