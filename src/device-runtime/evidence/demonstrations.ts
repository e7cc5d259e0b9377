import { listIncludedEvents } from '../../domain/capture/included-events.ts'
import { canAccessSession } from '../../domain/sessions/session-access.ts'
import type { ContentFiles } from '../../files/content-files.ts'
import type { EvidencePort } from '../../jobs/ports.ts'
import type { ObservedStep, ObservedTrace } from '../../knowledge/steps/observed-step.ts'
import { type Hierarchy, parseHierarchy } from '../../screen/tree/hierarchy.ts'
import { findEvidence } from '../../store/capture/evidence.ts'
import { listObservations, type StoredObservation } from '../../store/capture/observations.ts'
import { findObservedAction } from '../../store/capture/observed-steps.ts'
import { findTrace } from '../../store/capture/traces.ts'
import type { Reader, Store } from '../../store/db/db.ts'
import { findExecutionSteps } from '../../store/devices/execution-steps.ts'
import { findLearnSession } from '../../store/sessions/learn-sessions.ts'

/** Loads the observed steps of demonstrations and past executions with their screens. */
export class Demonstrations implements EvidencePort {
  readonly #store: Store
  readonly #files: ContentFiles

  constructor(store: Store, files: ContentFiles) {
    this.#store = store
    this.#files = files
  }

  /** The traces of a session, oldest first. Traces without a device are omitted. */
  async readSession(sessionId: string, owner: string): Promise<ObservedTrace[]> {
    return this.#loadScreens(
      this.#store.read((reader) => listSessionTraces(reader, sessionId, owner)),
      owner,
    )
  }

  /** The capture of a session with its screens, also while it is running. */
  async readCapture(sessionId: string, owner: string): Promise<ObservedTrace> {
    const steps = this.#store.read((reader) => {
      const session = findLearnSession(reader, sessionId)
      if (session === undefined || !canAccessSession(session, owner)) return []
      return toObservedSteps(reader, sessionId, listIncludedEvents(reader, sessionId))
    })
    const [trace] = await this.#loadScreens([{ trace_id: sessionId, steps }], owner)
    return trace ?? { trace_id: sessionId, steps: [] }
  }

  /** The traces of past executions of the owner. Executions without stored steps are omitted. */
  async readExecutions(ids: readonly string[], owner: string): Promise<ObservedTrace[]> {
    const traces = this.#store.read((reader) =>
      ids
        .map((trace_id) => ({ trace_id, steps: listExecutionSteps(reader, trace_id, owner) }))
        .filter(({ steps }) => steps.length > 0),
    )
    return this.#loadScreens(traces, owner)
  }

  /** Adds the trees to steps that have only references to them. */
  async #loadScreens(traces: readonly ObservedTrace[], owner: string): Promise<ObservedTrace[]> {
    const trees = new Map<string, Promise<Hierarchy | undefined>>()
    const loadTree = async (ref: string | undefined): Promise<Hierarchy | undefined> => {
      if (ref === undefined) return undefined
      const loading = trees.get(ref) ?? this.#readTree(ref, owner)
      trees.set(ref, loading)
      return loading
    }
    const loadStep = async (step: ObservedStep): Promise<ObservedStep> => {
      const [before, after] = await Promise.all([loadTree(step.before_ref), loadTree(step.after_ref)])
      return { ...step, before, after }
    }
    return Promise.all(
      traces.map(async ({ trace_id, steps }) => ({
        trace_id,
        steps: await Promise.all(steps.map(loadStep)),
      })),
    )
  }

  async #readTree(ref: string, owner: string): Promise<Hierarchy | undefined> {
    const id = /^evidence:(.+)$/.exec(ref)?.[1]
    const row = id && this.#store.read((reader) => findEvidence(reader, id) ?? null)
    if (!row || row.owner_user_id !== owner) return undefined
    const bytes = await this.#files.read(row.sha256)
    const parsed = bytes && parseHierarchy(bytes)
    return parsed?.ok === true ? parsed.hierarchy : undefined
  }
}

function listSessionTraces(reader: Reader, sessionId: string, owner: string): ObservedTrace[] {
  const session = findLearnSession(reader, sessionId)
  if (session === undefined || !canAccessSession(session, owner)) return []
  return session.active_trace_ids
    .map((trace_id) => ({ trace_id, steps: listSteps(reader, { trace_id, sessionId, owner }) }))
    .filter(({ steps }) => steps.length > 0)
}

/** The capture of the session itself is used as trimmed now, an earlier one as its trace lists it. */
function listSteps(
  reader: Reader,
  { trace_id, sessionId, owner }: { trace_id: string; sessionId: string; owner: string },
): ObservedStep[] {
  const trace = findTrace(reader, trace_id)
  if (trace === undefined || trace.owner_user_id !== owner) return []
  if (!trace.learn_session_id) return listExecutionSteps(reader, trace_id, owner)
  const events =
    trace.learn_session_id === sessionId
      ? listIncludedEvents(reader, sessionId)
      : selectTraceEvents(listObservations(reader, trace.learn_session_id), trace.body)
  return toObservedSteps(reader, trace_id, events)
}

function toObservedSteps(reader: Reader, trace_id: string, events: readonly StoredObservation[]): ObservedStep[] {
  return events.flatMap((event) => {
    const action = findObservedAction(reader, event.event_id)
    if (action === undefined) return []
    const { event_id, action_label, caused_state_change, created_at } = event
    const { before_state_ref: before_ref, after_state_ref: after_ref } = event
    const description = { event_id, trace_id, action_label, caused_state_change, created_at }
    return [{ ...action, ...description, before_ref, after_ref }]
  })
}

/** The trace of an execution has the id of the execution. */
function listExecutionSteps(reader: Reader, trace_id: string, owner: string): ObservedStep[] {
  const stored = findExecutionSteps(reader, trace_id)
  if (stored?.owner_user_id !== owner) return []
  return stored.steps.map(({ action_id: _id, target: _target, ...step }) => ({ ...step, trace_id }))
}

function selectTraceEvents(events: readonly StoredObservation[], body: string): StoredObservation[] {
  const { steps } = JSON.parse(body) as { steps: { step_id: string }[] }
  const included = new Set(steps.map(({ step_id }) => step_id))
  return events.filter(({ event_id }) => included.has(event_id))
}
