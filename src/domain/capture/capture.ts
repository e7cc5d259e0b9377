import type { AdapterKind, BoundarySource } from '@apprentice/contracts/learn/observation.ts'
import { Failure } from '../../failure/failure.ts'
import type { StoredSession } from '../../store/sessions/learn-sessions.ts'
import { appendTrace } from '../../store/capture/traces.ts'
import type { CommandContext } from '../command/context.ts'
import { recordReceipt, recordSessionEvent } from '../command/ledger.ts'
import { type AdapterRules, chooseAdapters } from './adapters.ts'
import { listKeptEvents } from './kept-events.ts'
import { assertCanMove, assertState } from '../sessions/session-machine.ts'
import { getOwnSession, markBoundary, moveSession } from '../sessions/session-moves.ts'
import { toTrace } from './trace.ts'

export interface StartOptions {
  readonly requested_adapters?: readonly AdapterKind[] | undefined
  readonly text_capture_consent?: boolean | undefined
  readonly source?: BoundarySource | undefined
  readonly device_serial?: string | undefined
}

export function startCapture(
  act: CommandContext,
  sessionId: string,
  { requested_adapters, rules, ...options }: StartOptions & { rules: AdapterRules },
): StoredSession {
  const found = getOwnSession(act, sessionId)
  const chain =
    found.state === 'idle' ? (['armed', 'capturing'] as const) : (['capturing'] as const)
  assertState(found.state, ['idle', 'armed'])
  const session = { ...found, device_serial: options.device_serial ?? found.device_serial }
  const adapters = chooseAdapters(act, session, { requested: requested_adapters, rules })
  const start_boundary_ref = markBoundary(act, sessionId, { kind: 'start', source: options.source })
  const started = moveSession(act, session, chain, {
    changes: {
      adapters_armed: adapters,
      text_capture_consent: options.text_capture_consent ?? false,
      start_boundary_ref,
      active_observation_batch_ids: [...session.active_observation_batch_ids, act.newId()],
    },
  })
  recordSessionEvent(act, sessionId, 'learn.capture.started', {
    payload: { adapter_count: adapters.length, adapters },
  })
  if (adapters.length > 0) recordArmed(act, sessionId, adapters)
  recordReceipt(act, 'learn.capture.started', {
    learn_session_id: sessionId,
    from_state: found.state,
    to_state: 'capturing',
    summary: `Capture started with ${adapters.length} adapters.`,
  })
  return started
}

export function pauseCapture(act: CommandContext, sessionId: string, reason?: string): StoredSession {
  const session = getOwnSession(act, sessionId)
  assertCanMove(session.state, 'paused')
  markBoundary(act, sessionId, { kind: 'pause' })
  const paused = moveSession(act, session, ['paused'], reason === undefined ? {} : { reason })
  recordSessionEvent(act, sessionId, 'learn.capture.paused', {
    payload: { reason: reason ?? 'requested' },
  })
  recordReceipt(act, 'learn.capture.paused', {
    learn_session_id: sessionId,
    from_state: session.state,
    to_state: 'paused',
    summary: 'Capture paused.',
    ...(reason === undefined ? {} : { reason }),
  })
  return paused
}

export function resumeCapture(act: CommandContext, sessionId: string, rules: AdapterRules): StoredSession {
  const session = getOwnSession(act, sessionId)
  assertState(session.state, ['paused'])
  const adapters = chooseAdapters(act, session, {
    requested: session.adapters_armed.length === 0 ? undefined : session.adapters_armed,
    rules,
  })
  markBoundary(act, sessionId, { kind: 'resume' })
  const resumed = moveSession(act, session, ['capturing'], {
    changes: {
      adapters_armed: adapters,
      active_observation_batch_ids: [...session.active_observation_batch_ids, act.newId()],
    },
  })
  recordSessionEvent(act, sessionId, 'learn.capture.started', {
    payload: { adapter_count: adapters.length, adapters, resumed: true },
  })
  recordReceipt(act, 'learn.capture.resumed', {
    learn_session_id: sessionId,
    from_state: 'paused',
    to_state: 'capturing',
    summary: `Capture resumed with ${adapters.length} adapters.`,
  })
  return resumed
}

export type StopNextAction = 'cancel' | 'review_captured' | 'generate_proposal'

export interface StopResult {
  readonly session: StoredSession
  readonly captured_event_count: number
  readonly captured_trace_ids: string[]
  readonly next_action: StopNextAction
}

/** What was kept becomes one trace; nothing kept, no trace. */
export function stopCapture(act: CommandContext, sessionId: string): StopResult {
  const session = getOwnSession(act, sessionId)
  if (!['idle', 'armed', 'capturing', 'paused'].includes(session.state)) {
    throw new Failure('CAPTURE_ALREADY_STOPPED', `The session is already ${session.state}.`)
  }
  assertCanMove(session.state, 'stopped')
  const kept = listKeptEvents(act.tx, sessionId)
  const trace_id = kept.length === 0 ? undefined : act.newId()
  if (trace_id !== undefined) {
    appendTrace(act.tx, {
      trace_id,
      owner_user_id: session.owner_user_id,
      learn_session_id: sessionId,
      body: JSON.stringify(toTrace(act, session, { trace_id, kept })),
      created_at: act.now,
    })
  }
  const stop_boundary_ref = markBoundary(act, sessionId, { kind: 'stop' })
  const captured_trace_ids = trace_id === undefined ? [] : [trace_id]
  const stopped = moveSession(act, session, ['stopped'], {
    changes: {
      stop_boundary_ref,
      captured_event_count: kept.length,
      active_trace_ids: [...session.active_trace_ids, ...captured_trace_ids],
    },
  })
  recordSessionEvent(act, sessionId, 'learn.capture.stopped', {
    payload: { captured_event_count: kept.length, captured_trace_ids },
  })
  recordReceipt(act, 'learn.capture.stopped', {
    learn_session_id: sessionId,
    from_state: session.state,
    to_state: 'stopped',
    summary: `Capture stopped with ${kept.length} actions kept.`,
  })
  return {
    session: stopped,
    captured_event_count: kept.length,
    captured_trace_ids,
    next_action: afterStop(stopped),
  }
}

function afterStop(session: StoredSession): StopNextAction {
  if (session.captured_event_count === 0 && session.active_trace_ids.length === 0) return 'cancel'
  if (session.build_policy === 'ask_before_build' || session.execution_mode === 'strict') {
    return 'review_captured'
  }
  return 'generate_proposal'
}

function recordArmed(act: CommandContext, sessionId: string, adapters: readonly AdapterKind[]): void {
  recordReceipt(act, 'learn.observation.armed', {
    learn_session_id: sessionId,
    summary: `Observing through ${adapters.join(', ')}.`,
    details: { adapters },
  })
}
