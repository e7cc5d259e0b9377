import { deleteBoundaries } from '../../store/capture/boundaries.ts'
import { deleteCoachingNotes } from '../../store/capture/coaching-notes.ts'
import { deleteSessionEvents } from '../../store/command/events.ts'
import { deleteLearnedExecutions } from '../../store/devices/execution-steps.ts'
import { deleteLearnSession, type StoredSession } from '../../store/sessions/learn-sessions.ts'
import { deleteObservations } from '../../store/capture/observations.ts'
import { deleteSessionPractices } from '../../store/practice/practices.ts'
import { deleteDemonstratedApps } from '../../store/capture/demonstrated-apps.ts'
import { deleteSessionTraces } from '../../store/capture/traces.ts'
import type { CommandContext } from '../command/context.ts'
import { recordEvent, recordReceipt, recordSessionEvent } from '../command/ledger.ts'
import { cancelSessionProposal } from '../proposals/moves.ts'
import { assertCanMove, assertState, TERMINAL_STATES } from '../sessions/session-machine.ts'
import { getOwnSession, markBoundary, moveSession } from '../sessions/session-moves.ts'

export function cancelSession(ctx: CommandContext, sessionId: string, reason?: string): StoredSession {
  const session = getOwnSession(ctx, sessionId)
  assertCanMove(session.state, 'cancelled')
  markBoundary(ctx, sessionId, { kind: 'cancel' })
  const detail = reason === undefined ? {} : { reason }
  const cancelled = moveSession(ctx, session, ['cancelled'], detail)
  cancelSessionProposal(ctx, session)
  recordSessionEvent(ctx, sessionId, 'learn.session.cancelled', { payload: detail })
  recordReceipt(ctx, 'learn.session.cancelled', {
    learn_session_id: sessionId,
    from_state: session.state,
    to_state: 'cancelled',
    summary: 'Session cancelled.',
    ...detail,
  })
  return cancelled
}

/** Deletes a terminal session, or one without a proposal. Its receipts stay. */
export function deleteSession(ctx: CommandContext, sessionId: string): void {
  const session = getOwnSession(ctx, sessionId)
  if (session.proposal_id !== undefined) assertState(session.state, TERMINAL_STATES)
  else if (!TERMINAL_STATES.includes(session.state)) cancelSession(ctx, sessionId, 'deleted')
  deleteObservations(ctx.tx, sessionId)
  deleteSessionPractices(ctx.tx, sessionId)
  deleteCoachingNotes(ctx.tx, sessionId)
  deleteDemonstratedApps(ctx.tx, sessionId)
  deleteBoundaries(ctx.tx, sessionId)
  deleteSessionEvents(ctx.tx, sessionId)
  deleteSessionTraces(ctx.tx, sessionId)
  deleteLearnedExecutions(ctx.tx, sessionId)
  deleteLearnSession(ctx.tx, sessionId)
  recordEvent(ctx, `learn/${sessionId}`, 'learn.session.deleted')
  recordReceipt(ctx, 'learn.session.deleted', {
    learn_session_id: sessionId,
    from_state: session.state,
    summary: 'Session deleted with everything it captured.',
  })
}
