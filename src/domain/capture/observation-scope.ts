import type {
  AdapterKind,
  BoundaryKind,
  ObservationScope,
} from '@apprentice/contracts/learn/observation.ts'
import { listBoundaries } from '../../store/capture/boundaries.ts'
import type { Reader } from '../../store/db/db.ts'
import type { StoredSession } from '../../store/sessions/learn-sessions.ts'
import { listObservedKinds } from '../../store/capture/observations.ts'
import { adapterFacts } from './adapters.ts'
import { weakestMode } from './redaction.ts'

/** What is observed, how it is redacted, and the flags a banner reads. */
export function observationScope(reader: Reader, session: StoredSession): ObservationScope {
  const { learn_session_id, observation_mode: scope } = session
  const boundaries = listBoundaries(reader, learn_session_id)
  const lastOf = (...kinds: BoundaryKind[]) =>
    boundaries.findLast((boundary) => kinds.includes(boundary.kind))?.created_at
  const capture_state = captureState(session)
  const stopped_at = capture_state === 'stopped' ? lastOf('stop', 'cancel') : undefined
  return {
    learn_session_id,
    adapters_active: capture_state === 'capturing' ? session.adapters_armed : [],
    data_classes_observed: dataClasses(reader, learn_session_id),
    redaction_modes: redactionModes(session),
    scope,
    target_app_whitelist: session.target_app_whitelist,
    off_target_events_dropped: session.off_target_events_dropped,
    session_id: learn_session_id,
    observation_mode: scope === 'none' ? 'none' : 'watch_actions',
    capture_state,
    active_runtime: activeRuntime(session),
    started_at: lastOf('start') ?? session.created_at,
    ...(stopped_at === undefined ? {} : { stopped_at }),
    schema_version: 1,
  }
}

export function dataClasses(reader: Reader, sessionId: string): string[] {
  // The column holds only kinds that passed the contract.
  const kinds = listObservedKinds(reader, sessionId) as AdapterKind[]
  return kinds.map((kind) => adapterFacts[kind].data_class).toSorted()
}

function captureState({ state }: StoredSession): ObservationScope['capture_state'] {
  if (state === 'idle' || state === 'armed') return 'idle'
  return state === 'capturing' || state === 'paused' ? state : 'stopped'
}

/** The weakest redaction each armed kind is held to; an event may always ask for more. */
function redactionModes(session: StoredSession): ObservationScope['redaction_modes'] {
  return Object.fromEntries(
    session.adapters_armed.map((kind) => [kind, weakestMode(kind, session.text_capture_consent)]),
  )
}

function activeRuntime(session: StoredSession): ObservationScope['active_runtime'] {
  if (session.state !== 'capturing' || session.observation_mode === 'none') return 'none'
  return session.observation_mode === 'inside_agent' ? 'openclaw_native' : 'bridge_observer'
}
