import { listBoundariesSince } from '../../store/capture/boundaries.ts'
import type { Reader } from '../../store/db/db.ts'
import { findLearnSession, listSessionIds } from '../../store/sessions/learn-sessions.ts'
import { countPartUpTo } from '../../store/projections/projection-cursors.ts'
import { listObservationsSince, type StoredObservation } from '../../store/capture/observations.ts'
import { logProjection, type Projection } from '../engine/projection.ts'

const observedEvents = logProjection({
  path: 'learning/observations/<learn_session_id>/events.jsonl',
  keys: listSessionIds,
  touched: ({ sessions }) => sessions,
  rows: (reader, id, span) =>
    listObservationsSince(reader, id, span).map(({ position, entry }) => ({
      position,
      entry: withMarks(entry),
    })),
  count: (reader, id, upTo) => countPartUpTo(reader, 'observations', id, upTo),
  // A person may forget a single action at any time.
  shrinks: () => true,
})

/** The marks go with what they bound, whether or not their rows outlive the purge. */
const boundaries = logProjection({
  path: 'learning/observations/<learn_session_id>/boundaries.jsonl',
  keys: listSessionIds,
  touched: ({ sessions }) => sessions,
  rows: (reader, id, span) => (isPurged(reader, id) ? [] : listBoundariesSince(reader, id, span)),
  count: (reader, id, upTo) =>
    isPurged(reader, id) ? 0 : countPartUpTo(reader, 'boundaries', id, upTo),
  shrinks: () => true,
})

export const observationMirrors: readonly Projection[] = [observedEvents, boundaries]

function withMarks({ ingest_seq, batch_id, received_at, ...event }: StoredObservation): object {
  return { ...event, _ec: { ingest_seq, batch_id, received_at } }
}

const isPurged = (reader: Reader, id: string): boolean =>
  findLearnSession(reader, id)?.observations_purged_at !== undefined
