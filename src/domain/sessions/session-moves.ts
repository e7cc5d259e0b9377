import type { BoundaryKind, BoundarySource, WorkflowBoundary } from '@apprentice/contracts/learn/observation.ts'
import type { LearnSessionState } from '@apprentice/contracts/learn/session.ts'
import { Failure } from '../../failure/failure.ts'
import { appendBoundary } from '../../store/capture/boundaries.ts'
import { listSessionsInStates, type StoredSession, updateLearnSession } from '../../store/sessions/learn-sessions.ts'
import type { CommandContext } from '../command/context.ts'
import { recordSessionEvent } from '../command/ledger.ts'
import { isDaemonUser, readOwnSession } from './session-access.ts'
import { assertCanMove, SETTLED_STATES, type SlotRule, listSlotStates } from './session-machine.ts'

/** As `readOwnSession`, for the actor of a command. */
export function getOwnSession(ctx: CommandContext, sessionId: string): StoredSession {
  return readOwnSession(ctx.tx, sessionId, ctx.actor.user_id)
}

/**
 * Moves a session through a chain of legal transitions in one command. All transitions are checked first, the row
 * is written once with the last state, and each transition records its own timeline event.
 */
export function moveSession(
  ctx: CommandContext,
  session: StoredSession,
  chain: readonly LearnSessionState[],
  options: { reason?: string; changes?: Partial<StoredSession> } = {},
): StoredSession {
  const last = chain.at(-1)
  if (last === undefined) throw new Error('moveSession requires at least one state.')
  assertCanMove(session.state, ...chain)
  const moved = saveSession(ctx, { ...session, ...options.changes, ...enterState(ctx, session, last) }, session)
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

/** Saves a change that keeps the state. `before` is the session as it was read, if known. */
export function saveSession(ctx: CommandContext, session: StoredSession, before?: StoredSession): StoredSession {
  const saved: StoredSession = {
    ...session,
    updated_at: ctx.now,
    archived_at: undefined,
    revision: session.revision + 1,
  }
  updateLearnSession(ctx.tx, saved, before)
  return saved
}

/** `except` is the session that needs the slot; it may occupy the slot already. */
export function assertSlotFree(
  ctx: CommandContext,
  owner: string,
  rule: SlotRule,
  except?: Pick<StoredSession, 'learn_session_id'>,
): void {
  if (isDaemonUser(owner)) return
  const active = listSessionsInStates(ctx.tx, owner, listSlotStates(rule)).find(
    ({ learn_session_id }) => learn_session_id !== except?.learn_session_id,
  )
  if (active === undefined) return
  const active_session_id = active.learn_session_id
  throw new Failure('LEARN_SESSION_ALREADY_ACTIVE', 'Another learn session is active.', {
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

/** Returns the reference that sessions store for a boundary. */
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

function enterState(ctx: CommandContext, session: StoredSession, to: LearnSessionState): Partial<StoredSession> {
  const captured = session.state === 'capturing' ? Date.parse(ctx.now) - Date.parse(session.state_entered_at) : 0
  return {
    state: to,
    state_entered_at: ctx.now,
    capture_accumulated_ms: session.capture_accumulated_ms + captured,
    terminal_at: SETTLED_STATES.includes(to) ? ctx.now : undefined,
  }
}
