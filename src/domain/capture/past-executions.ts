import { insertLearnedExecution, type ExecutionSteps } from '../../store/devices/execution-steps.ts'
import type { ExecutionRow } from '../../store/devices/executions.ts'
import type { StoredSession } from '../../store/sessions/learn-sessions.ts'
import { appendTrace, findTrace } from '../../store/capture/traces.ts'
import type { CommandContext } from '../command/context.ts'
import { recordReceipt, recordSessionEvent } from '../command/ledger.ts'
import { markBoundary, moveSession } from '../sessions/session-moves.ts'

/** A finished execution with its stored steps. */
export interface PastExecution {
  readonly execution: ExecutionRow
  readonly evidence: ExecutionSteps
  readonly goal: string
}

/** A trace has the same id as its execution, so that the stored steps can be found. */
export const getTraceId = ({ execution }: PastExecution): string => execution.execution_id

/** Stores each execution as a trace unless it has one already. */
export function saveAsTraces(ctx: CommandContext, executions: readonly PastExecution[]): void {
  for (const past of executions) {
    if (findTrace(ctx.tx, getTraceId(past)) === undefined) {
      appendTrace(ctx.tx, buildTrace(ctx, past))
    }
  }
}

/** Moves an armed session to `stopped` as if the executions had been captured in it. */
export function fillFromPastExecutions(
  ctx: CommandContext,
  armed: StoredSession,
  { executions, goal }: { executions: readonly PastExecution[]; goal: string },
): StoredSession {
  for (const { execution } of executions) {
    insertLearnedExecution(ctx.tx, armed.learn_session_id, execution.execution_id)
  }
  const captured_trace_ids = executions.map(getTraceId)
  return fillFromTraces(ctx, armed, { captured_trace_ids, goal, what: `${executions.length} past executions` })
}

/**
 * Moves an armed session to `stopped` as if stored traces had been captured in it. Its boundaries have the source
 * `system_inferred` because nothing was captured.
 */
export function fillFromTraces(
  ctx: CommandContext,
  armed: StoredSession,
  { captured_trace_ids, goal, what }: { captured_trace_ids: string[]; goal: string; what: string },
): StoredSession {
  const { learn_session_id } = armed
  const source = 'system_inferred' as const
  const start_boundary_ref = markBoundary(ctx, learn_session_id, { kind: 'start', source })
  if (goal !== '') markBoundary(ctx, learn_session_id, { kind: 'mark_goal', source, label: goal })
  const stop_boundary_ref = markBoundary(ctx, learn_session_id, { kind: 'stop', source })
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
    summary: `Filled with ${what}.`,
    details: { captured_trace_ids },
  })
  return stopped
}

function buildTrace(ctx: CommandContext, past: PastExecution) {
  const { execution, evidence, goal } = past
  const trace_id = getTraceId(past)
  const app = evidence.steps.find((step) => step.app !== '')?.app ?? 'unknown'
  const startedAt = Date.parse(execution.started_at ?? execution.queued_at)
  const body = {
    trace_id,
    capability_id: `observed.${app}`.slice(0, 160),
    app_id: app,
    goal,
    surfaces_attempted: ['raw_ui'],
    steps: evidence.steps.map((step) => ({
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
    elapsed_ms: Math.max(0, Date.parse(execution.settled_at ?? ctx.now) - startedAt),
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
