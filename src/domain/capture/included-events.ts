import type { WorkflowBoundary } from '@apprentice/contracts/learn/observation.ts'
import { listBoundaries } from '../../store/capture/boundaries.ts'
import type { Reader } from '../../store/db/db.ts'
import { listObservations, type StoredObservation } from '../../store/capture/observations.ts'

/** The events inside the trim marks, in chronological order. Trimming deletes nothing. */
export function listIncludedEvents(reader: Reader, sessionId: string): StoredObservation[] {
  return selectWithinTrim(listObservations(reader, sessionId), listBoundaries(reader, sessionId))
}

/** The last mark of each kind is effective. A mark whose event was deleted has no effect. */
export function selectWithinTrim<Event extends { readonly event_id: string }>(
  events: readonly Event[],
  boundaries: readonly WorkflowBoundary[],
): Event[] {
  const indexOfMark = (kind: 'trim_start' | 'trim_end'): number => {
    const mark = boundaries.findLast((boundary) => boundary.kind === kind)
    return events.findIndex((event) => event.event_id === mark?.source_event_id)
  }
  const first = Math.max(indexOfMark('trim_start'), 0)
  const last = indexOfMark('trim_end')
  return events.slice(first, last === -1 ? undefined : last + 1)
}
