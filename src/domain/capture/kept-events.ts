import type { WorkflowBoundary } from '@apprentice/contracts/learn/observation.ts'
import { listBoundaries } from '../../store/capture/boundaries.ts'
import type { Reader } from '../../store/db/db.ts'
import { listObservations, type StoredObservation } from '../../store/capture/observations.ts'

/** What lies between the session's trim marks, in the order it happened. Trimming deletes nothing. */
export function listKeptEvents(reader: Reader, sessionId: string): StoredObservation[] {
  return withinTrim(listObservations(reader, sessionId), listBoundaries(reader, sessionId))
}

/** The last mark of each kind counts; a mark whose event is gone no longer bounds anything. */
export function withinTrim<Event extends { readonly event_id: string }>(
  events: readonly Event[],
  boundaries: readonly WorkflowBoundary[],
): Event[] {
  const place = (kind: 'trim_start' | 'trim_end'): number => {
    const mark = boundaries.findLast((boundary) => boundary.kind === kind)
    return events.findIndex((event) => event.event_id === mark?.source_event_id)
  }
  const first = Math.max(place('trim_start'), 0)
  const last = place('trim_end')
  return events.slice(first, last === -1 ? undefined : last + 1)
}
