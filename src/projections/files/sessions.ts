import type { Reader } from '../../store/db/db.ts'
import { getLastStreamSeq, listTimelineSince } from '../../store/command/events.ts'
import {
  findLearnSession,
  listSessionIds,
  toPublicSession,
  type StoredSession,
} from '../../store/sessions/learn-sessions.ts'
import { countPartUpTo, listSessionIdsByArchive } from '../../store/projections/projection-cursors.ts'
import { formatDocument } from '../engine/json-text.ts'
import { documentProjection, logProjection, type Projection } from '../engine/projection.ts'

/** A session has a file in one of two folders, depending on whether it is archived. */
const sessions = documentProjection({
  path: 'learning/sessions/<learn_session_id>.json',
  keys: (reader) => listSessionIdsByArchive(reader, false),
  touched: ({ sessions }) => sessions,
  render: (reader, id) => render(reader, id, false),
})

const archivedSessions = documentProjection({
  path: 'learning/archived/sessions/<learn_session_id>.json',
  keys: (reader) => listSessionIdsByArchive(reader, true),
  touched: ({ sessions }) => sessions,
  render: (reader, id) => render(reader, id, true),
})

const sessionEvents = logProjection({
  path: 'learning/session_events/<learn_session_id>.jsonl',
  keys: listSessionIds,
  touched: ({ sessions }) => sessions,
  rows: listTimelineSince,
  count: (reader, id, upTo) => countPartUpTo(reader, 'timeline', id, upTo),
  shrinks: ({ kinds }) => kinds.has('learn.session.deleted'),
})

export const sessionProjections: readonly Projection[] = [sessions, archivedSessions, sessionEvents]

function render(reader: Reader, id: string, archived: boolean): string | undefined {
  const session = findLearnSession(reader, id)
  if (session === undefined || (session.archived_at !== undefined) !== archived) return undefined
  return formatDocument({
    ...toPublicSession(session),
    _ec: collectInternalFields(reader, session),
  })
}

/** Fields that are not part of the API. The redaction salt is a secret and stays in the database. */
function collectInternalFields(reader: Reader, session: StoredSession): object {
  return {
    owner_user_id: session.owner_user_id,
    state_entered_at: session.state_entered_at,
    capture_accumulated_ms: session.capture_accumulated_ms,
    terminal_at: session.terminal_at,
    archived_at: session.archived_at,
    observations_purged_at: session.observations_purged_at,
    retain_observations: session.retain_observations,
    text_capture_consent: session.text_capture_consent,
    ask_before_build: session.ask_before_build,
    allow_private_install: session.allow_private_install,
    requested_safe_target_ref: session.requested_safe_target_ref,
    adapters_armed: session.adapters_armed,
    revision: session.revision,
    event_seq: getLastStreamSeq(reader, `learn/${session.learn_session_id}`),
    captured_event_count: session.captured_event_count,
    off_target_events_dropped: session.off_target_events_dropped,
  }
}
