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
      entry: withInternalFields(entry),
    })),
  count: (reader, id, upTo) => countPartUpTo(reader, 'observations', id, upTo),
  // A user may delete a single observation at any time.
  shrinks: () => true,
})

/** The file is removed when the observations are purged, even if the rows remain. */
const boundaries = logProjection({
  path: 'learning/observations/<learn_session_id>/boundaries.jsonl',
  keys: listSessionIds,
  touched: ({ sessions }) => sessions,
  rows: (reader, id, span) => (isPurged(reader, id) ? [] : listBoundariesSince(reader, id, span)),
  count: (reader, id, upTo) => (isPurged(reader, id) ? 0 : countPartUpTo(reader, 'boundaries', id, upTo)),
  shrinks: () => true,
})

export const observationProjections: readonly Projection[] = [observedEvents, boundaries]

function withInternalFields({ ingest_seq, batch_id, received_at, ...event }: StoredObservation): object {
  return { ...event, _ec: { ingest_seq, batch_id, received_at } }
}

const isPurged = (reader: Reader, id: string): boolean =>
  findLearnSession(reader, id)?.observations_purged_at !== undefined
