import type { AdapterKind, BoundaryKind, ObservationScope } from '@apprentice/contracts/learn/observation.ts'
import { listBoundaries } from '../../store/capture/boundaries.ts'
import type { Reader } from '../../store/db/db.ts'
import type { StoredSession } from '../../store/sessions/learn-sessions.ts'
import { listObservedKinds } from '../../store/capture/observations.ts'
import { ADAPTER_FACTS } from './adapters.ts'
import { getMinimumRedaction } from './redaction.ts'

/** What a session observes and how it is redacted, in the form a status banner displays. */
export function buildObservationScope(reader: Reader, session: StoredSession): ObservationScope {
  const { learn_session_id, observation_mode: scope } = session
  const boundaries = listBoundaries(reader, learn_session_id)
  const findLastTime = (...kinds: BoundaryKind[]) =>
    boundaries.findLast((boundary) => kinds.includes(boundary.kind))?.created_at
  const capture_state = toCaptureState(session)
  const stopped_at = capture_state === 'stopped' ? findLastTime('stop', 'cancel') : undefined
  return {
    learn_session_id,
    adapters_active: capture_state === 'capturing' ? session.adapters_armed : [],
    data_classes_observed: listDataClasses(reader, learn_session_id),
    redaction_modes: listRedactionModes(session),
    scope,
    target_app_whitelist: session.target_app_whitelist,
    off_target_events_dropped: session.off_target_events_dropped,
    session_id: learn_session_id,
    observation_mode: scope === 'none' ? 'none' : 'watch_actions',
    capture_state,
    active_runtime: toActiveRuntime(session),
    started_at: findLastTime('start') ?? session.created_at,
    ...(stopped_at === undefined ? {} : { stopped_at }),
    schema_version: 1,
  }
}

export function listDataClasses(reader: Reader, sessionId: string): string[] {
  // The column holds only kinds that passed the contract.
  const kinds = listObservedKinds(reader, sessionId) as AdapterKind[]
  return kinds.map((kind) => ADAPTER_FACTS[kind].data_class).toSorted()
}

function toCaptureState({ state }: StoredSession): ObservationScope['capture_state'] {
  if (state === 'idle' || state === 'armed') return 'idle'
  return state === 'capturing' || state === 'paused' ? state : 'stopped'
}

/** The minimum redaction of each armed adapter kind. An event may request a stricter one. */
function listRedactionModes(session: StoredSession): ObservationScope['redaction_modes'] {
  return Object.fromEntries(
    session.adapters_armed.map((kind) => [kind, getMinimumRedaction(kind, session.text_capture_consent)]),
  )
}

function toActiveRuntime(session: StoredSession): ObservationScope['active_runtime'] {
  if (session.state !== 'capturing' || session.observation_mode === 'none') return 'none'
  return session.observation_mode === 'inside_agent' ? 'openclaw_native' : 'bridge_observer'
}
