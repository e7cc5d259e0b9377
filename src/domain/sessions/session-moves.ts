import type {
  BoundaryKind,
  BoundarySource,
  WorkflowBoundary,
} from '@apprentice/contracts/learn/observation.ts'
import type { LearnSessionState } from '@apprentice/contracts/learn/session.ts'
import { Failure } from '../../failure/failure.ts'
import { appendBoundary } from '../../store/capture/boundaries.ts'
import {
  findLearnSession,
  listSessionsInStates,
  type StoredSession,
  updateLearnSession,
} from '../../store/sessions/learn-sessions.ts'
import type { CommandContext } from '../command/context.ts'
import { recordSessionEvent } from '../command/ledger.ts'
import { isTheirs, minerUser } from './session-access.ts'
import { assertCanMove, settledStates, type SlotRule, slotStates } from './session-machine.ts'

/** The caller's session, or the same answer an unknown id gets. */
export function getOwnSession(ctx: CommandContext, sessionId: string): StoredSession {
  const session = findLearnSession(ctx.tx, sessionId)
  if (session === undefined || !isTheirs(session, ctx.actor.user_id)) {
    throw sessionNotFound(sessionId)
  }
  return session
}

export const sessionNotFound = (sessionId: string): Failure =>
  new Failure('LEARN_SESSION_NOT_FOUND', `No learn session ${sessionId}.`)

/**
 * Takes a session along a chain of legal hops in one command: all hops are checked first, the row is written
 * once with the last state, and each hop leaves its own timeline entry.
 */
export function moveSession(
  ctx: CommandContext,
  session: StoredSession,
  chain: readonly LearnSessionState[],
  options: { reason?: string; changes?: Partial<StoredSession> } = {},
): StoredSession {
  const last = chain.at(-1)
  if (last === undefined) throw new Error('A move needs at least one hop.')
  assertCanMove(session.state, ...chain)
  const moved = saveSession(
    ctx,
    { ...session, ...options.changes, ...entering(ctx, session, last) },
    session,
  )
  let from = session.state
  for (const to of chain) {
    recordSessionEvent(ctx, session.learn_session_id, 'learn.session.state_changed', {
      from_state: from,
      to_state: to,
      payload: { from, to, ...(options.reason === undefined ? {} : { reason: options.reason }) },
    })
    from = to
  }
  return moved
}

/** Writes a change that is not a move. `before` is the session as it was read, if that is known. */
export function saveSession(
  ctx: CommandContext,
  session: StoredSession,
  before?: StoredSession,
): StoredSession {
  const saved: StoredSession = {
    ...session,
    updated_at: ctx.now,
    archived_at: undefined,
    revision: session.revision + 1,
  }
  updateLearnSession(ctx.tx, saved, before)
  return saved
}

/** `except` is the session that wants the slot, which may hold it already. */
export function assertSlotFree(
  ctx: CommandContext,
  owner: string,
  rule: SlotRule,
  except?: Pick<StoredSession, 'learn_session_id'>,
): void {
  if (owner === minerUser) return
  const active = listSessionsInStates(ctx.tx, owner, slotStates(rule)).find(
    ({ learn_session_id }) => learn_session_id !== except?.learn_session_id,
  )
  if (active === undefined) return
  const active_session_id = active.learn_session_id
  throw new Failure('LEARN_SESSION_ALREADY_ACTIVE', 'Another learn session is under way.', {
    details: { active_session_id },
    beside: { active_session_id },
  })
}

export interface BoundaryParts {
  kind: BoundaryKind
  source?: BoundarySource | undefined
  label?: string | undefined
  source_event_id?: string | undefined
  step_kind_hint?: WorkflowBoundary['step_kind_hint']
}

/** Returns the reference sessions keep of a boundary. */
export function markBoundary(ctx: CommandContext, sessionId: string, parts: BoundaryParts): string {
  const boundary_id = ctx.newId()
  const { source = ctx.actor.kind === 'user' ? 'api_call' : 'system_inferred', ...rest } = parts
  appendBoundary(ctx.tx, {
    boundary_id,
    learn_session_id: sessionId,
    source,
    ...rest,
    created_at: ctx.now,
    schema_version: 1,
  })
  const ref = `boundary:${boundary_id}`
  recordSessionEvent(ctx, sessionId, 'learn.boundary.marked', {
    ref,
    payload: { kind: parts.kind },
  })
  return ref
}

function entering(
  ctx: CommandContext,
  session: StoredSession,
  to: LearnSessionState,
): Partial<StoredSession> {
  const captured =
    session.state === 'capturing' ? Date.parse(ctx.now) - Date.parse(session.state_entered_at) : 0
  return {
    state: to,
    state_entered_at: ctx.now,
    capture_accumulated_ms: session.capture_accumulated_ms + captured,
    terminal_at: settledStates.includes(to) ? ctx.now : undefined,
  }
}
