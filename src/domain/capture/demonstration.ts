import { z } from 'zod'
import type { WorkflowBoundary } from '@apprentice/contracts/learn/observation.ts'
import type { StepMark } from '../../knowledge/interpret/draft/workflow.ts'
import { listBoundaries } from '../../store/capture/boundaries.ts'
import type { Reader } from '../../store/db/db.ts'
import type { StoredSession } from '../../store/sessions/learn-sessions.ts'
import { countObservations, type StoredObservation } from '../../store/capture/observations.ts'
import { findTrace, type TraceRow } from '../../store/capture/traces.ts'
import { listKeptEvents } from './kept-events.ts'

/** One action that was seen, whether captured here or taken from an earlier run's trace. */
export interface ShownStep {
  readonly event_id: string
  readonly adapter_kind: string
  readonly app_family?: string | undefined
  readonly target_ref?: string | undefined
  readonly action_label: string
  readonly control_surface?: string | undefined
  readonly caused_state_change: boolean
}

/** All that a draft may be made from. */
export interface Demonstration {
  readonly steps: readonly ShownStep[]
  readonly marks: readonly StepMark[]
  readonly goal?: string | undefined
  /** The traces the steps come from; how many there are decides whether a draft may be made. */
  readonly source_trace_ids: readonly string[]
}

export function readDemonstration(reader: Reader, session: StoredSession): Demonstration {
  const sessionId = session.learn_session_id
  const kept = listKeptEvents(reader, sessionId)
  const traces = session.active_trace_ids
    .map((id) => findTrace(reader, id))
    .filter((trace) => trace !== undefined)
  const own =
    kept.length === 0 ? [] : traces.filter((trace) => trace.learn_session_id === sessionId)
  const earlier = traces
    .filter((trace) => trace.learn_session_id !== sessionId)
    .map(readTrace)
    .filter((trace) => trace.steps.length > 0)
  const boundaries = listBoundaries(reader, sessionId)
  const goal =
    boundaries.findLast(({ kind }) => kind === 'mark_goal')?.label ??
    earlier.findLast((trace) => trace.goal !== '')?.goal
  return {
    steps: [...earlier.flatMap((trace) => trace.steps), ...kept.map(toStep)],
    marks: stepMarks(boundaries, kept),
    goal,
    source_trace_ids: [...earlier, ...own].map((trace) => trace.trace_id),
  }
}

/** Is there anything to draft from? As `readDemonstration` would find, without reading every action. */
export function hasDemonstration(reader: Reader, session: StoredSession): boolean {
  const sessionId = session.learn_session_id
  const captured = countObservations(reader, sessionId) > 0
  return session.active_trace_ids.some((id) => {
    const trace = findTrace(reader, id)
    if (trace === undefined) return false
    return trace.learn_session_id === sessionId ? captured : readTrace(trace).steps.length > 0
  })
}

function toStep(event: StoredObservation): ShownStep {
  const { event_id, adapter_kind, app_family, target_ref, action_label } = event
  const { control_surface, caused_state_change } = event
  return {
    event_id,
    adapter_kind,
    app_family,
    target_ref,
    action_label,
    control_surface,
    caused_state_change,
  }
}

/** What the person marked. A mark on an action that was trimmed away went with it. */
function stepMarks(
  boundaries: readonly WorkflowBoundary[],
  kept: readonly StoredObservation[],
): StepMark[] {
  const counts = new Set(kept.map((event) => event.event_id))
  return boundaries
    .filter(({ kind, label }) => kind === 'mark_step' && label !== undefined)
    .filter(({ source }) => source !== 'system_inferred')
    .filter(({ source_event_id: at }) => at === undefined || counts.has(at))
    .map(({ label = '', step_kind_hint = 'action', source_event_id }) => ({
      label,
      kind: step_kind_hint,
      after_event_id: source_event_id,
    }))
}

const TraceBody = z.object({
  app_id: z.string().optional(),
  goal: z.string().default(''),
  steps: z.array(
    z.object({
      step_id: z.string(),
      action_label: z.string(),
      surface: z.string().optional(),
      state_before_ref: z.string().optional(),
      state_after_ref: z.string().optional(),
      success: z.boolean().default(true),
    }),
  ),
})

/** Failed steps of an earlier run show nothing worth learning. */
function readTrace({ trace_id, body }: TraceRow) {
  const trace = TraceBody.parse(JSON.parse(body))
  const app = trace.app_id === 'unknown' ? undefined : trace.app_id
  const steps = trace.steps
    .filter((step) => step.success)
    .map((step): ShownStep => ({
      event_id: step.step_id,
      adapter_kind: 'trace',
      app_family: app,
      action_label: step.action_label,
      control_surface: step.surface,
      // A run's trace does not always say; two equal screens are the only proof that nothing changed.
      caused_state_change:
        step.state_after_ref === undefined || step.state_after_ref !== step.state_before_ref,
    }))
  return { trace_id, goal: trace.goal.trim(), steps }
}
