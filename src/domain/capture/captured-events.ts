import type { WorkflowBoundary } from '@apprentice/contracts/learn/observation.ts'
import type { PageQuery } from '@apprentice/contracts/base/page.ts'
import { Failure } from '../../failure/failure.ts'
import { listBoundaries } from '../../store/capture/boundaries.ts'
import type { Reader } from '../../store/db/db.ts'
import type { StoredSession } from '../../store/sessions/learn-sessions.ts'
import {
  countObservations,
  deleteObservation,
  findObservation,
  listObservationPage,
  type StoredObservation,
} from '../../store/capture/observations.ts'
import type { CommandContext } from '../command/context.ts'
import { recordSessionEvent } from '../command/ledger.ts'
import { listIncludedEvents } from './included-events.ts'
import { getOwnSession, markBoundary, saveSession } from '../sessions/session-moves.ts'

export interface CapturedPage {
  readonly events: StoredObservation[]
  readonly boundaries: WorkflowBoundary[]
  readonly total: number
}

/** Captured events in chronological order. Events outside the trim marks are listed only with `include_trimmed`. */
export function listCapturedEvents(
  reader: Reader,
  sessionId: string,
  { include_trimmed, ...paging }: PageQuery & { include_trimmed: boolean },
): CapturedPage {
  const boundaries = listBoundaries(reader, sessionId)
  if (include_trimmed || !boundaries.some(isTrim)) {
    const events = listObservationPage(reader, sessionId, paging)
    return { events, boundaries, total: countObservations(reader, sessionId) }
  }
  const included = listIncludedEvents(reader, sessionId)
  const from = (paging.page - 1) * paging.page_size
  return {
    events: included.slice(from, from + paging.page_size),
    boundaries,
    total: included.length,
  }
}

export function countIncludedEvents(reader: Reader, sessionId: string): number {
  return listBoundaries(reader, sessionId).some(isTrim)
    ? listIncludedEvents(reader, sessionId).length
    : countObservations(reader, sessionId)
}

/** Deletes one captured event. Not possible once the session has a proposal. */
export function deleteCapturedEvent(ctx: CommandContext, sessionId: string, eventId: string): void {
  const session = getOwnSession(ctx, sessionId)
  if (session.proposal_id !== undefined) {
    throw new Failure(
      'INVALID_LEARN_STATE_TRANSITION',
      'The session already has a proposal; delete the session instead.',
      { details: { state: session.state } },
    )
  }
  if (findObservation(ctx.tx, sessionId, eventId) === undefined) throw eventNotFound(eventId)
  const refs = moveTrimMarks(ctx, sessionId, eventId)
  deleteObservation(ctx.tx, sessionId, eventId)
  const captured_event_count = countIncludedEvents(ctx.tx, sessionId)
  saveSession(ctx, { ...session, ...refs, captured_event_count })
  recordSessionEvent(ctx, sessionId, 'learn.observation.changed', { payload: { deleted: 1 } })
}

/** Sets whether the captured events are exempt from the purge. */
export function setRetention(ctx: CommandContext, sessionId: string, retain: boolean): StoredSession {
  const session = getOwnSession(ctx, sessionId)
  const saved = saveSession(ctx, { ...session, retain_observations: retain })
  recordSessionEvent(ctx, sessionId, 'learn.session.changed', {
    payload: { retain_observations: retain },
  })
  return saved
}

export const eventNotFound = (eventId: string): Failure =>
  new Failure('OBSERVATION_EVENT_NOT_FOUND', `No observed event ${eventId} in this session.`)

/**
 * Moves trim marks from an event that will be deleted to its neighbour inside the range. Without this, trimmed events
 * would be included again. If the event is the only one in the range, its marks have no effect any more.
 */
function moveTrimMarks(ctx: CommandContext, sessionId: string, eventId: string): Partial<StoredSession> {
  const boundaries = listBoundaries(ctx.tx, sessionId)
  const included = listIncludedEvents(ctx.tx, sessionId)
  const holds = (kind: 'trim_start' | 'trim_end'): boolean =>
    boundaries.findLast((boundary) => boundary.kind === kind)?.source_event_id === eventId
  const move = (kind: 'trim_start' | 'trim_end', to: StoredObservation | undefined) =>
    to === undefined || !holds(kind) ? undefined : markBoundary(ctx, sessionId, { kind, source_event_id: to.event_id })
  if (included.length < 2) return {}
  const start_boundary_ref = move('trim_start', included[1])
  const stop_boundary_ref = move('trim_end', included.at(-2))
  return {
    ...(start_boundary_ref === undefined ? {} : { start_boundary_ref }),
    ...(stop_boundary_ref === undefined ? {} : { stop_boundary_ref }),
  }
}

const isTrim = ({ kind }: WorkflowBoundary): boolean => kind === 'trim_start' || kind === 'trim_end'
