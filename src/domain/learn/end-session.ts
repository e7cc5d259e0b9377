import { deleteBoundaries } from '../../store/capture/boundaries.ts'
import { deleteCoachingNotes } from '../../store/capture/coaching-notes.ts'
import { deleteSessionEvents } from '../../store/command/events.ts'
import { deleteLearnedExecutions } from '../../store/devices/execution-steps.ts'
import { deleteLearnSession, type StoredSession } from '../../store/sessions/learn-sessions.ts'
import { deleteObservations } from '../../store/capture/observations.ts'
import { deleteSessionPractices } from '../../store/practice/practices.ts'
import { deleteShownApps } from '../../store/capture/shown-apps.ts'
import { deleteSessionTraces } from '../../store/capture/traces.ts'
import type { CommandContext } from '../command/context.ts'
import { recordEvent, recordReceipt, recordSessionEvent } from '../command/ledger.ts'
import { cancelSessionProposal } from '../proposals/moves.ts'
import { assertCanMove, assertState, terminalStates } from '../sessions/session-machine.ts'
import { getOwnSession, markBoundary, moveSession } from '../sessions/session-moves.ts'

export function cancelSession(act: CommandContext, sessionId: string, reason?: string): StoredSession {
  const session = getOwnSession(act, sessionId)
  assertCanMove(session.state, 'cancelled')
  markBoundary(act, sessionId, { kind: 'cancel' })
  const why = reason === undefined ? {} : { reason }
  const cancelled = moveSession(act, session, ['cancelled'], why)
  cancelSessionProposal(act, session)
  recordSessionEvent(act, sessionId, 'learn.session.cancelled', { payload: why })
  recordReceipt(act, 'learn.session.cancelled', {
    learn_session_id: sessionId,
    from_state: session.state,
    to_state: 'cancelled',
    summary: 'Session cancelled.',
    ...why,
  })
  return cancelled
}

/** An ended session, or one that never led to a proposal, can be forgotten; its receipts stay. */
export function deleteSession(act: CommandContext, sessionId: string): void {
  const session = getOwnSession(act, sessionId)
  if (session.proposal_id !== undefined) assertState(session.state, terminalStates)
  else if (!terminalStates.includes(session.state)) cancelSession(act, sessionId, 'deleted')
  deleteObservations(act.tx, sessionId)
  deleteSessionPractices(act.tx, sessionId)
  deleteCoachingNotes(act.tx, sessionId)
  deleteShownApps(act.tx, sessionId)
  deleteBoundaries(act.tx, sessionId)
  deleteSessionEvents(act.tx, sessionId)
  deleteSessionTraces(act.tx, sessionId)
  deleteLearnedExecutions(act.tx, sessionId)
  deleteLearnSession(act.tx, sessionId)
  recordEvent(act, `learn/${sessionId}`, 'learn.session.deleted')
  recordReceipt(act, 'learn.session.deleted', {
    learn_session_id: sessionId,
    from_state: session.state,
    summary: 'Session deleted with everything it captured.',
  })
}
