import { findLearnSession } from '../../store/sessions/learn-sessions.ts'
import { findLastObservation, replaceObservation, type StoredObservation } from '../../store/capture/observations.ts'
import { findObservedAction, updateObservedActivity } from '../../store/capture/observed-steps.ts'
import type { CommandContext } from '../command/context.ts'
import { recordSessionEvent } from '../command/ledger.ts'

/** The screen that a captured step led to, read again once it had settled. */
export interface SettledScreen extends Required<Pick<StoredObservation, 'after_state_ref' | 'caused_state_change'>> {
  readonly event_id: string
  readonly activity: string | undefined
}

/** Replaces the screen after the last captured step. False if a later step was captured or the capture has ended. */
export function saveSettledScreen(ctx: CommandContext, sessionId: string, screen: SettledScreen): boolean {
  const { event_id, after_state_ref, caused_state_change, activity } = screen
  const session = findLearnSession(ctx.tx, sessionId)
  const last = findLastObservation(ctx.tx, sessionId)
  if (session?.state !== 'capturing' || last?.event_id !== event_id || last.redaction_mode === 'hash_only') return false
  // The target of a step without a screen before it is in the screen after it.
  if (last.before_state_ref === undefined && findObservedAction(ctx.tx, event_id)?.node_path !== undefined) return false
  replaceObservation(ctx.tx, { ...last, after_state_ref, caused_state_change })
  if (activity !== undefined) updateObservedActivity(ctx.tx, event_id, activity)
  recordSessionEvent(ctx, sessionId, 'learn.observation.changed', { payload: { settled: event_id } })
  return true
}
