import { Failure } from '../../failure/failure.ts'
import {
  findLearnSession,
  listSessionsLeftIn,
  type SessionStatus,
} from '../../store/sessions/learn-sessions.ts'
import type { Reader } from '../../store/db/db.ts'
import { type CommandContext, asSystem } from '../command/context.ts'
import { pauseCapture } from '../capture/capture.ts'
import { cancelSession } from './end-session.ts'

const hourMs = 3_600_000
const limits = [
  { state: 'idle', after_ms: hourMs },
  { state: 'armed', after_ms: hourMs },
  { state: 'capturing', after_ms: 4 * hourMs },
] as const

/** Has the session been left in its state for longer than that state allows? */
export function isExpired(
  session: Pick<SessionStatus, 'state' | 'state_entered_at'>,
  now: string,
): boolean {
  const limit = limits.find(({ state }) => state === session.state)
  return (
    limit !== undefined && Date.parse(now) - Date.parse(session.state_entered_at) >= limit.after_ms
  )
}

/** Moves a lapsed session on: a capture is paused, anything earlier cancelled. */
export function expireSession(ctx: CommandContext, session: SessionStatus): void {
  const system = asSystem(ctx, session.owner_user_id)
  if (session.state === 'capturing')
    pauseCapture(system, session.learn_session_id, 'capture_timeout')
  else cancelSession(system, session.learn_session_id, 'session_timeout')
}

/** The lapsed session the caller is about to use, if it is one. */
export function findExpired(reader: Reader, sessionId: string, asked: { by: string; now: string }) {
  const session = findLearnSession(reader, sessionId)
  const own = session !== undefined && session.owner_user_id === asked.by
  return own && isExpired(session, asked.now) ? session : undefined
}

export const expiredFailure = (session: SessionStatus): Failure =>
  new Failure(
    'SESSION_TIMEOUT',
    session.state === 'capturing'
      ? 'The capture ran too long and was paused; resume it to go on.'
      : 'The session was left too long and was cancelled.',
    { details: { state: session.state === 'capturing' ? 'paused' : 'cancelled' } },
  )

/** Every session past its time. Returns how many were moved. */
export function sweepLapsedSessions(ctx: CommandContext): number {
  const lapsed = limits.flatMap(({ state, after_ms }) =>
    listSessionsLeftIn(ctx.tx, state, new Date(Date.parse(ctx.now) - after_ms).toISOString()),
  )
  for (const session of lapsed) expireSession(ctx, session)
  return lapsed.length
}
