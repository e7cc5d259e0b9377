import { z } from 'zod'
import type { WorkflowBoundary } from '@apprentice/contracts/learn/observation.ts'
import type { WorkflowMark } from '../../knowledge/interpret/draft/workflow.ts'
import { listBoundaries } from '../../store/capture/boundaries.ts'
import type { Reader } from '../../store/db/db.ts'
import type { StoredSession } from '../../store/sessions/learn-sessions.ts'
import { countObservations, type StoredObservation } from '../../store/capture/observations.ts'
import { findTrace, type TraceRow } from '../../store/capture/traces.ts'
import { listIncludedEvents } from './included-events.ts'

/** One action, either captured in this session or read from the trace of an earlier execution. */
export interface DemonstratedAction extends Pick<
  StoredObservation,
  'event_id' | 'app_family' | 'target_ref' | 'action_label' | 'caused_state_change'
> {
  readonly adapter_kind: StoredObservation['adapter_kind'] | 'trace'
  readonly control_surface?: string | undefined
}

/** The input of a draft. */
export interface Demonstration {
  readonly steps: readonly DemonstratedAction[]
  readonly marks: readonly WorkflowMark[]
  readonly goal?: string | undefined
  /** The traces the steps come from. A draft requires at least one. */
  readonly source_trace_ids: readonly string[]
}

export function readDemonstration(reader: Reader, session: StoredSession): Demonstration {
  const sessionId = session.learn_session_id
  const included = listIncludedEvents(reader, sessionId)
  const traces = session.active_trace_ids.map((id) => findTrace(reader, id)).filter((trace) => trace !== undefined)
  const own = included.length === 0 ? [] : traces.filter((trace) => trace.learn_session_id === sessionId)
  const earlier = traces
    .filter((trace) => trace.learn_session_id !== sessionId)
    .map(readTrace)
    .filter((trace) => trace.steps.length > 0)
  const boundaries = listBoundaries(reader, sessionId)
  const goal =
    boundaries.findLast(({ kind }) => kind === 'mark_goal')?.label ??
    earlier.findLast((trace) => trace.goal !== '')?.goal
  return {
    steps: [...earlier.flatMap((trace) => trace.steps), ...included.map(toStep)],
    marks: listStepMarks(boundaries, included),
    goal,
    source_trace_ids: [...earlier, ...own].map((trace) => trace.trace_id),
  }
}

/** Whether `readDemonstration` would find a trace with steps, without reading all events. */
export function hasDemonstration(reader: Reader, session: StoredSession): boolean {
  const sessionId = session.learn_session_id
  const captured = countObservations(reader, sessionId) > 0
  return session.active_trace_ids.some((id) => {
    const trace = findTrace(reader, id)
    if (trace === undefined) return false
    return trace.learn_session_id === sessionId ? captured : readTrace(trace).steps.length > 0
  })
}

function toStep(event: StoredObservation): DemonstratedAction {
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

/** The marks of the user. Marks on trimmed events are left out; a later name of the same step replaces the earlier. */
function listStepMarks(
  boundaries: readonly WorkflowBoundary[],
  included: readonly StoredObservation[],
): WorkflowMark[] {
  const includedIds = new Set(included.map((event) => event.event_id))
  return boundaries
    .filter(({ kind, label }) => kind === 'mark_step' && label !== undefined)
    .filter(({ source }) => source !== 'system_inferred')
    .filter(({ source_event_id: at }) => at === undefined || includedIds.has(at))
    .filter((mark, at, marks) => !marks.slice(at + 1).some((later) => isRename(mark, later)))
    .map(({ label = '', step_kind_hint = 'action', source_event_id }) => ({
      label,
      kind: step_kind_hint,
      after_event_id: source_event_id,
    }))
}

const isRename = (mark: WorkflowBoundary, later: WorkflowBoundary): boolean =>
  mark.source_event_id !== undefined &&
  mark.source_event_id === later.source_event_id &&
  mark.step_kind_hint === later.step_kind_hint

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
      caused_state_change: z.boolean().optional(),
      success: z.boolean().default(true),
    }),
  ),
})

/** Failed steps of an earlier execution are left out. */
function readTrace({ trace_id, body }: TraceRow) {
  const trace = TraceBody.parse(JSON.parse(body))
  const app = trace.app_id === 'unknown' ? undefined : trace.app_id
  const steps = trace.steps
    .filter((step) => step.success)
    .map((step): DemonstratedAction => ({
      event_id: step.step_id,
      adapter_kind: 'trace',
      app_family: app,
      action_label: step.action_label,
      control_surface: step.surface,
      // Only two equal state references prove that nothing changed; a trace may lack them.
      caused_state_change:
        step.caused_state_change ??
        (step.state_after_ref === undefined || step.state_after_ref !== step.state_before_ref),
    }))
  return { trace_id, goal: trace.goal.trim(), steps }
}
