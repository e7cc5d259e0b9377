import { parseHierarchy, type Hierarchy } from '../../screen/hierarchy.ts'
import type { EvidencedRun, EvidencedStep } from '../../knowledge/interpret/read/evidence.ts'
import { listKeptEvents } from '../../domain/capture/kept-events.ts'
import { isTheirs } from '../../domain/sessions/session-access.ts'
import type { EvidenceFiles } from '../../files/evidence-files.ts'
import type { Reader, Store } from '../../store/db/db.ts'
import { findEvidence } from '../../store/capture/evidence.ts'
import { findExecutionSteps } from '../../store/devices/execution-steps.ts'
import { findLearnSession } from '../../store/sessions/learn-sessions.ts'
import { listObservations, type StoredObservation } from '../../store/capture/observations.ts'
import { findObservedStep } from '../../store/capture/observed-steps.ts'
import type { ObservedStepBody } from '../../knowledge/interpret/read/evidence.ts'
import { findTrace } from '../../store/capture/traces.ts'

/** An action that was seen on a device, before its screens are read from disk. */
interface SeenAction extends Pick<EvidencedStep, 'event_id' | 'action_label' | 'created_at'> {
  readonly step: ObservedStepBody
  readonly trace_id: string
  readonly before_ref?: string | undefined
  readonly after_ref?: string | undefined
}

interface SeenRun {
  readonly trace_id: string
  readonly actions: readonly SeenAction[]
}

/** Brings the actions of a session together with the screens that were kept around them. */
export class Demonstrations {
  readonly #store: Store
  readonly #files: EvidenceFiles

  constructor(store: Store, files: EvidenceFiles) {
    this.#store = store
    this.#files = files
  }

  /** One run per demonstration of the session, the oldest first; none where no device was watched. */
  async ofSession(sessionId: string, owner: string): Promise<EvidencedRun[]> {
    return this.#withTrees(
      this.#store.read((reader) => seenRuns(reader, sessionId, owner)),
      owner,
    )
  }

  /** The same for past executions of the owner; those nothing was kept of are left out. */
  async ofExecutions(ids: readonly string[], owner: string): Promise<EvidencedRun[]> {
    const seen = this.#store.read((reader) =>
      ids
        .map((trace_id) => ({ trace_id, actions: keptActions(reader, trace_id, owner) }))
        .filter(({ actions }) => actions.length > 0),
    )
    return this.#withTrees(seen, owner)
  }

  async #withTrees(seen: readonly SeenRun[], owner: string): Promise<EvidencedRun[]> {
    const trees = new Map<string, Promise<Hierarchy | undefined>>()
    const treeOf = (ref: string | undefined): Promise<Hierarchy | undefined> => {
      if (ref === undefined) return Promise.resolve(undefined)
      const known = trees.get(ref) ?? this.#read(ref, owner)
      trees.set(ref, known)
      return known
    }
    return Promise.all(
      seen.map(async ({ trace_id, actions }) => ({
        trace_id,
        steps: await Promise.all(actions.map((action) => evidenced(action, treeOf))),
      })),
    )
  }

  async #read(ref: string, owner: string): Promise<Hierarchy | undefined> {
    const id = /^evidence:(.+)$/.exec(ref)?.[1]
    const row = id && this.#store.read((reader) => findEvidence(reader, id) ?? null)
    if (!row || row.owner_user_id !== owner) return undefined
    const bytes = await this.#files.read(row.sha256)
    const read = bytes && parseHierarchy(bytes.toString('utf8'))
    return read?.ok === true ? read.hierarchy : undefined
  }
}

async function evidenced(
  { step, before_ref, after_ref, ...marks }: SeenAction,
  treeOf: (ref: string | undefined) => Promise<Hierarchy | undefined>,
): Promise<EvidencedStep> {
  const [before, after] = await Promise.all([treeOf(before_ref), treeOf(after_ref)])
  return {
    ...(step as Pick<EvidencedStep, 'kind' | 'app'>),
    ...marks,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  }
}

function seenRuns(reader: Reader, sessionId: string, owner: string): SeenRun[] {
  const session = findLearnSession(reader, sessionId)
  if (session === undefined || !isTheirs(session, owner)) return []
  return session.active_trace_ids
    .map((trace_id) => ({ trace_id, actions: actionsOf(reader, { trace_id, sessionId, owner }) }))
    .filter(({ actions }) => actions.length > 0)
}

/** The session's own capture as it is trimmed now; an earlier one as it was when its trace was made. */
function actionsOf(
  reader: Reader,
  { trace_id, sessionId, owner }: { trace_id: string; sessionId: string; owner: string },
): SeenAction[] {
  const trace = findTrace(reader, trace_id)
  if (trace === undefined || trace.owner_user_id !== owner) return []
  // A column without a value is null here.
  if (!trace.learn_session_id) return keptActions(reader, trace_id, owner)
  const events =
    trace.learn_session_id === sessionId
      ? listKeptEvents(reader, sessionId)
      : ofTrace(listObservations(reader, trace.learn_session_id), trace.body)
  return events.flatMap((event) => {
    const found = findObservedStep(reader, event.event_id)
    if (found === undefined) return []
    const { event_id, action_label, created_at } = event
    const { before_state_ref: before_ref, after_state_ref: after_ref } = event
    const refs = { before_ref, after_ref }
    return [{ event_id, action_label, created_at, step: found.step, trace_id, ...refs }]
  })
}

/** What was kept of a past execution; its trace has its id. */
function keptActions(reader: Reader, trace_id: string, owner: string): SeenAction[] {
  const kept = findExecutionSteps(reader, trace_id)
  if (kept?.owner_user_id !== owner) return []
  return kept.steps.map(
    ({ event_id, action_label, created_at, before_ref, after_ref, ...step }) => {
      const { action_id: _a, target: _t, caused_state_change: _c, ...body } = step
      const marks = { event_id, action_label, created_at, trace_id }
      return { ...marks, step: body, before_ref, after_ref }
    },
  )
}

function ofTrace(events: readonly StoredObservation[], body: string): StoredObservation[] {
  const { steps } = JSON.parse(body) as { steps: { step_id: string }[] }
  const kept = new Set(steps.map(({ step_id }) => step_id))
  return events.filter(({ event_id }) => kept.has(event_id))
}
