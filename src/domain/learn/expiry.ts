import { Failure } from '../../failure/failure.ts'
import { findLearnSession, listSessionsEnteredBefore, type SessionStatus } from '../../store/sessions/learn-sessions.ts'
import type { Reader } from '../../store/db/db.ts'
import { type CommandContext, asSystem } from '../command/context.ts'
import { pauseCapture } from '../capture/capture.ts'
import { cancelSession } from './end-session.ts'

const HOUR_MS = 3_600_000
const STATE_LIMITS = [
  { state: 'idle', after_ms: HOUR_MS },
  { state: 'armed', after_ms: HOUR_MS },
  { state: 'capturing', after_ms: 4 * HOUR_MS },
] as const

/** Whether the session has been in its state for longer than the limit of that state. */
export function isExpired(session: Pick<SessionStatus, 'state' | 'state_entered_at'>, now: string): boolean {
  const limit = STATE_LIMITS.find(({ state }) => state === session.state)
  return limit !== undefined && Date.parse(now) - Date.parse(session.state_entered_at) >= limit.after_ms
}

/** Pauses an expired capture and cancels an expired session in an earlier state. */
export function expireSession(ctx: CommandContext, session: SessionStatus): void {
  const system = asSystem(ctx, session.owner_user_id)
  if (session.state === 'capturing') pauseCapture(system, session.learn_session_id, 'capture_timeout')
  else cancelSession(system, session.learn_session_id, 'session_timeout')
}

/** The session if it belongs to the caller and has expired. */
export function findExpiredSession(
  reader: Reader,
  sessionId: string,
  { user_id, now }: { user_id: string; now: string },
) {
  const session = findLearnSession(reader, sessionId)
  const own = session !== undefined && session.owner_user_id === user_id
  return own && isExpired(session, now) ? session : undefined
}

export const sessionTimeout = (session: SessionStatus): Failure =>
  new Failure(
    'SESSION_TIMEOUT',
    session.state === 'capturing'
      ? 'The capture reached its time limit and was paused; resume it to continue.'
      : 'The session was not started in time and was cancelled.',
    { details: { state: session.state === 'capturing' ? 'paused' : 'cancelled' } },
  )

/** Expires all overdue sessions. Returns their number. */
export function expireOverdueSessions(ctx: CommandContext): number {
  const overdue = STATE_LIMITS.flatMap(({ state, after_ms }) =>
    listSessionsEnteredBefore(ctx.tx, state, new Date(Date.parse(ctx.now) - after_ms).toISOString()),
  )
  for (const session of overdue) expireSession(ctx, session)
  return overdue.length
}
