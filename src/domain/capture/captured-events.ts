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
import { listKeptEvents } from './kept-events.ts'
import { getOwnSession, markBoundary, saveSession } from '../sessions/session-moves.ts'

export interface CapturedPage {
  readonly events: StoredObservation[]
  readonly boundaries: WorkflowBoundary[]
  readonly total: number
}

/** What was captured, in the order it happened; what lies outside the trim marks only when asked for. */
export function listCaptured(
  reader: Reader,
  sessionId: string,
  { include_trimmed, ...paging }: PageQuery & { include_trimmed: boolean },
): CapturedPage {
  const boundaries = listBoundaries(reader, sessionId)
  if (include_trimmed || !boundaries.some(isTrim)) {
    const events = listObservationPage(reader, sessionId, paging)
    return { events, boundaries, total: countObservations(reader, sessionId) }
  }
  const kept = listKeptEvents(reader, sessionId)
  const from = (paging.page - 1) * paging.page_size
  return { events: kept.slice(from, from + paging.page_size), boundaries, total: kept.length }
}

export function countKeptEvents(reader: Reader, sessionId: string): number {
  return listBoundaries(reader, sessionId).some(isTrim)
    ? listKeptEvents(reader, sessionId).length
    : countObservations(reader, sessionId)
}

/** Forgets one action. Once a proposal is made of them it is too late. */
export function deleteCaptured(ctx: CommandContext, sessionId: string, eventId: string): void {
  const session = getOwnSession(ctx, sessionId)
  if (session.proposal_id !== undefined) {
    throw new Failure(
      'INVALID_LEARN_STATE_TRANSITION',
      'A proposal was already made of what was captured; delete the session instead.',
      { details: { state: session.state } },
    )
  }
  if (findObservation(ctx.tx, sessionId, eventId) === undefined) throw eventNotFound(eventId)
  const refs = moveTrims(ctx, sessionId, eventId)
  deleteObservation(ctx.tx, sessionId, eventId)
  const captured_event_count = countKeptEvents(ctx.tx, sessionId)
  saveSession(ctx, { ...session, ...refs, captured_event_count })
  recordSessionEvent(ctx, sessionId, 'learn.observation.changed', { payload: { deleted: 1 } })
}

/** Whether the raw capture outlives its seven days. */
export function retainCaptured(
  ctx: CommandContext,
  sessionId: string,
  retain: boolean,
): StoredSession {
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
 * A mark on the action about to go moves to its neighbour inside, or what was trimmed away would come back. The
 * only action inside has no neighbour; its marks then bound nothing.
 */
function moveTrims(
  ctx: CommandContext,
  sessionId: string,
  eventId: string,
): Partial<StoredSession> {
  const boundaries = listBoundaries(ctx.tx, sessionId)
  const kept = listKeptEvents(ctx.tx, sessionId)
  const holds = (kind: 'trim_start' | 'trim_end'): boolean =>
    boundaries.findLast((boundary) => boundary.kind === kind)?.source_event_id === eventId
  const move = (kind: 'trim_start' | 'trim_end', to: StoredObservation | undefined) =>
    to === undefined || !holds(kind)
      ? undefined
      : markBoundary(ctx, sessionId, { kind, source_event_id: to.event_id })
  if (kept.length < 2) return {}
  const start_boundary_ref = move('trim_start', kept[1])
  const stop_boundary_ref = move('trim_end', kept.at(-2))
  return {
    ...(start_boundary_ref === undefined ? {} : { start_boundary_ref }),
    ...(stop_boundary_ref === undefined ? {} : { stop_boundary_ref }),
  }
}

const isTrim = ({ kind }: WorkflowBoundary): boolean => kind === 'trim_start' || kind === 'trim_end'
