import type { StoredSession } from '../../store/sessions/learn-sessions.ts'
import type { StoredObservation } from '../../store/capture/observations.ts'
import { listBoundaries } from '../../store/capture/boundaries.ts'
import type { CommandContext } from '../command/context.ts'

/** Builds a trace of a capture in the same format as execution traces. */
export function buildCaptureTrace(
  ctx: CommandContext,
  session: StoredSession,
  { trace_id, events }: { trace_id: string; events: readonly StoredObservation[] },
) {
  const goal = listBoundaries(ctx.tx, session.learn_session_id).findLast((boundary) => boundary.kind === 'mark_goal')
  const app = session.target_app_family ?? events.find((event) => event.app_family)?.app_family ?? 'unknown'
  const first = Date.parse(events[0]?.created_at ?? ctx.now)
  const last = Date.parse(events.at(-1)?.created_at ?? ctx.now)
  return {
    trace_id,
    capability_id: `observed.${app}`,
    app_id: app,
    goal: goal?.label ?? '',
    surfaces_attempted: [...new Set(events.map(getSurface))],
    steps: events.map((event) => ({
      step_id: event.event_id,
      action_label: event.action_label,
      surface: getSurface(event),
      ...(event.before_state_ref === undefined ? {} : { state_before_ref: event.before_state_ref }),
      ...(event.after_state_ref === undefined ? {} : { state_after_ref: event.after_state_ref }),
      success: true,
    })),
    verification_results: [],
    fallback_used: false,
    user_takeover: false,
    success: true,
    elapsed_ms: Math.max(0, last - first),
    created_at: ctx.now,
    schema_version: 1,
  }
}

const getSurface = (event: StoredObservation): string => event.control_surface ?? 'raw_ui'
