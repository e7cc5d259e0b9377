import { setImmediate } from 'node:timers/promises'
import { listIncludedEvents } from '../../domain/capture/included-events.ts'
import { canAccessSession } from '../../domain/sessions/session-access.ts'
import type { ContentFiles } from '../../files/content-files.ts'
import type { EvidencePort, RecordedTraces } from '../../jobs/ports.ts'
import type { ObservedStep, ObservedTrace } from '../../knowledge/steps/observed-step.ts'
import { type Hierarchy, parseHierarchyInTurns } from '../../screen/tree/hierarchy.ts'
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
    const steps = this.#store.read((reader) => listCaptureSteps(reader, sessionId, owner))
    const [trace] = await this.#loadScreens([{ trace_id: sessionId, steps }], owner)
    return trace ?? { trace_id: sessionId, steps: [] }
  }

  /** As `readSession`, but the screens stay in their files. */
  openSession(sessionId: string, owner: string): RecordedTraces {
    return this.#store.read((reader) => this.#open(reader, listSessionTraces(reader, sessionId, owner), owner))
  }

  /** As `openSession`, with the capture that is still running. It becomes a trace only when it stops. */
  openRunningSession(sessionId: string, owner: string): RecordedTraces {
    return this.#store.read((reader) => {
      const steps = listCaptureSteps(reader, sessionId, owner)
      const traces = [...listSessionTraces(reader, sessionId, owner), { trace_id: sessionId, steps }]
      return this.#open(reader, traces, owner)
    })
  }

  /** The traces of past executions of the owner. Executions without stored steps are omitted. */
  openExecutions(ids: readonly string[], owner: string): RecordedTraces {
    return this.#store.read((reader) => {
      const traces = ids
        .map((trace_id) => ({ trace_id, steps: listExecutionSteps(reader, trace_id, owner) }))
        .filter(({ steps }) => steps.length > 0)
      return this.#open(reader, traces, owner)
    })
  }

  #open(reader: Reader, traces: readonly ObservedTrace[], owner: string): RecordedTraces {
    const refs = traces.flatMap(({ steps }) => steps.flatMap(({ before_ref, after_ref }) => [before_ref, after_ref]))
    const files = [...new Set(refs)].flatMap((ref) => {
      const sha256 = findTreeDigest(reader, ref, owner)
      return ref === undefined || sha256 === undefined ? [] : [[ref, this.#files.locate(sha256)] as const]
    })
    return { traces, files: Object.fromEntries(files) }
  }

  /** Adds the trees to steps that have only references to them. Other work gets its turn after each tree. */
  async #loadScreens(traces: readonly ObservedTrace[], owner: string): Promise<ObservedTrace[]> {
    const trees = new Map<string, Hierarchy | undefined>()
    const refs = traces.flatMap(({ steps }) => steps.flatMap(({ before_ref, after_ref }) => [before_ref, after_ref]))
    for (const ref of new Set(refs)) {
      if (ref === undefined) continue
      trees.set(ref, await this.#readTree(ref, owner))
      await setImmediate()
    }
    const addScreens = (step: ObservedStep): ObservedStep => ({
      ...step,
      before: trees.get(step.before_ref ?? ''),
      after: trees.get(step.after_ref ?? ''),
    })
    return traces.map(({ trace_id, steps }) => ({ trace_id, steps: steps.map(addScreens) }))
  }

  async #readTree(ref: string, owner: string): Promise<Hierarchy | undefined> {
    const sha256 = this.#store.read((reader) => findTreeDigest(reader, ref, owner) ?? null)
    const bytes = sha256 === null ? undefined : await this.#files.read(sha256)
    const parsed = bytes && (await parseHierarchyInTurns(bytes))
    return parsed?.ok === true ? parsed.hierarchy : undefined
  }
}

/** The digest of a kept screen. Undefined if it was deleted or belongs to somebody else. */
function findTreeDigest(reader: Reader, ref: string | undefined, owner: string): string | undefined {
  const id = /^evidence:(.+)$/.exec(ref ?? '')?.[1]
  const row = id === undefined ? undefined : findEvidence(reader, id)
  return row?.owner_user_id === owner ? row.sha256 : undefined
}

function listCaptureSteps(reader: Reader, sessionId: string, owner: string): ObservedStep[] {
  const session = findLearnSession(reader, sessionId)
  if (session === undefined || !canAccessSession(session, owner)) return []
  return toObservedSteps(reader, sessionId, listIncludedEvents(reader, sessionId))
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
