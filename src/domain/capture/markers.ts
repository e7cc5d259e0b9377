import type { WorkflowBoundary } from '@apprentice/contracts/learn/observation.ts'
import { Failure } from '../../failure/failure.ts'
import { listBoundaries } from '../../store/capture/boundaries.ts'
import type { StoredSession } from '../../store/sessions/learn-sessions.ts'
import {
  findLastObservation,
  findObservation,
  listObservations,
} from '../../store/capture/observations.ts'
import type { CommandContext } from '../command/context.ts'
import { countKeptEvents, eventNotFound } from './captured-events.ts'
import { assertState } from '../sessions/session-machine.ts'
import { getOwnSession, markBoundary, saveSession } from '../sessions/session-moves.ts'

export interface Marker {
  readonly kind: 'mark_goal' | 'mark_step'
  readonly label: string
  readonly step_kind_hint?: WorkflowBoundary['step_kind_hint']
  /** The last action taken in, unless another is named. */
  readonly at_event_id?: string | undefined
}

export function markMoment(
  act: CommandContext,
  sessionId: string,
  { at_event_id, ...marker }: Marker,
): StoredSession {
  const session = getOwnSession(act, sessionId)
  assertState(session.state, ['capturing', 'paused'])
  if (at_event_id !== undefined) assertKnownEvent(act, sessionId, at_event_id)
  const source_event_id = at_event_id ?? findLastObservation(act.tx, sessionId)?.event_id
  markBoundary(act, sessionId, { ...marker, source_event_id })
  return saveSession(act, session)
}

export interface Trim {
  readonly trim_kind: 'trim_start' | 'trim_end'
  /** The first or the last action that still counts. */
  readonly to_event_id: string
}

/** Moves a bound of what counts. Nothing is deleted, and a later trim of the same kind replaces this one. */
export function trimCapture(
  act: CommandContext,
  sessionId: string,
  { trim_kind: kind, to_event_id }: Trim,
): StoredSession {
  const session = getOwnSession(act, sessionId)
  assertState(session.state, ['paused', 'stopped', 'reviewing'])
  assertKnownEvent(act, sessionId, to_event_id)
  assertNotCrossing(act, sessionId, { kind, to_event_id })
  const ref = markBoundary(act, sessionId, { kind, source_event_id: to_event_id })
  return saveSession(act, {
    ...session,
    ...(kind === 'trim_start' ? { start_boundary_ref: ref } : { stop_boundary_ref: ref }),
    captured_event_count: countKeptEvents(act.tx, sessionId),
  })
}

function assertKnownEvent(act: CommandContext, sessionId: string, eventId: string): void {
  if (findObservation(act.tx, sessionId, eventId) === undefined) throw eventNotFound(eventId)
}

function assertNotCrossing(
  act: CommandContext,
  sessionId: string,
  { kind, to_event_id }: { kind: Trim['trim_kind']; to_event_id: string },
): void {
  const other = kind === 'trim_start' ? 'trim_end' : 'trim_start'
  const mark = listBoundaries(act.tx, sessionId).findLast((boundary) => boundary.kind === other)
  const order = listObservations(act.tx, sessionId).map((event) => event.event_id)
  const far = order.findIndex((id) => id === mark?.source_event_id)
  if (far === -1) return
  const near = order.indexOf(to_event_id)
  if (kind === 'trim_start' ? near <= far : near >= far) return
  throw new Failure('INVALID_REQUEST', 'to_event_id: the start would pass the end.', {
    details: { field: 'to_event_id' },
  })
}
