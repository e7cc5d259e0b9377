import type { WorkflowBoundary } from '@apprentice/contracts/learn/observation.ts'
import { Failure } from '../../failure/failure.ts'
import { listBoundaries } from '../../store/capture/boundaries.ts'
import type { StoredSession } from '../../store/sessions/learn-sessions.ts'
import { findLastObservation, findObservation, listObservations } from '../../store/capture/observations.ts'
import type { CommandContext } from '../command/context.ts'
import { countIncludedEvents, eventNotFound } from './captured-events.ts'
import { assertState } from '../sessions/session-machine.ts'
import { getOwnSession, markBoundary, saveSession } from '../sessions/session-moves.ts'

export interface Marker {
  readonly kind: 'mark_goal' | 'mark_step'
  readonly label: string
  readonly step_kind_hint?: WorkflowBoundary['step_kind_hint']
  /** Default: the last stored event. */
  readonly at_event_id?: string | undefined
}

export function addMarker(ctx: CommandContext, sessionId: string, { at_event_id, ...marker }: Marker): StoredSession {
  const session = getOwnSession(ctx, sessionId)
  assertState(session.state, ['capturing', 'paused'])
  if (at_event_id !== undefined) assertKnownEvent(ctx, sessionId, at_event_id)
  const source_event_id = at_event_id ?? findLastObservation(ctx.tx, sessionId)?.event_id
  markBoundary(ctx, sessionId, { ...marker, source_event_id })
  return saveSession(ctx, session)
}

export interface Trim {
  readonly trim_kind: 'trim_start' | 'trim_end'
  /** The first (trim_start) or last (trim_end) event of the range. */
  readonly to_event_id: string
}

/** Sets the start or end of the included range. Nothing is deleted. A later trim of the same kind replaces this one. */
export function trimCapture(
  ctx: CommandContext,
  sessionId: string,
  { trim_kind: kind, to_event_id }: Trim,
): StoredSession {
  const session = getOwnSession(ctx, sessionId)
  assertState(session.state, ['paused', 'stopped', 'reviewing'])
  assertKnownEvent(ctx, sessionId, to_event_id)
  assertNotCrossing(ctx, sessionId, { kind, to_event_id })
  const ref = markBoundary(ctx, sessionId, { kind, source_event_id: to_event_id })
  return saveSession(ctx, {
    ...session,
    ...(kind === 'trim_start' ? { start_boundary_ref: ref } : { stop_boundary_ref: ref }),
    captured_event_count: countIncludedEvents(ctx.tx, sessionId),
  })
}

function assertKnownEvent(ctx: CommandContext, sessionId: string, eventId: string): void {
  if (findObservation(ctx.tx, sessionId, eventId) === undefined) throw eventNotFound(eventId)
}

function assertNotCrossing(
  ctx: CommandContext,
  sessionId: string,
  { kind, to_event_id }: { kind: Trim['trim_kind']; to_event_id: string },
): void {
  const other = kind === 'trim_start' ? 'trim_end' : 'trim_start'
  const mark = listBoundaries(ctx.tx, sessionId).findLast((boundary) => boundary.kind === other)
  const order = listObservations(ctx.tx, sessionId).map((event) => event.event_id)
  const otherIndex = order.findIndex((id) => id === mark?.source_event_id)
  if (otherIndex === -1) return
  const index = order.indexOf(to_event_id)
  if (kind === 'trim_start' ? index <= otherIndex : index >= otherIndex) return
  throw new Failure('INVALID_REQUEST', 'to_event_id would move the trim start past the trim end.', {
    details: { field: 'to_event_id' },
  })
}
