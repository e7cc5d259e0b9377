import type { AdapterKind, BoundarySource } from '@apprentice/contracts/learn/observation.ts'
import { Failure } from '../../failure/failure.ts'
import type { StoredSession } from '../../store/sessions/learn-sessions.ts'
import { appendTrace } from '../../store/capture/traces.ts'
import type { CommandContext } from '../command/context.ts'
import { recordReceipt, recordSessionEvent } from '../command/ledger.ts'
import { type AdapterRules, chooseAdapters, dropSourceless } from './adapters.ts'
import { listIncludedEvents } from './included-events.ts'
import { assertDeviceAvailable } from '../devices/leases.ts'
import { assertCanMove, assertState } from '../sessions/session-machine.ts'
import { getOwnSession, markBoundary, moveSession } from '../sessions/session-moves.ts'
import { buildCaptureTrace } from './trace.ts'

export interface StartOptions {
  readonly requested_adapters?: readonly AdapterKind[] | undefined
  readonly text_capture_consent?: boolean | undefined
  readonly source?: BoundarySource | undefined
  readonly device_serial?: string | undefined
}

export function startCapture(
  ctx: CommandContext,
  sessionId: string,
  { requested_adapters, rules, ...options }: StartOptions & { rules: AdapterRules },
): StoredSession {
  const found = getOwnSession(ctx, sessionId)
  const chain = found.state === 'idle' ? (['armed', 'capturing'] as const) : (['capturing'] as const)
  assertState(found.state, ['idle', 'armed'])
  const session = { ...found, device_serial: options.device_serial ?? found.device_serial }
  assertBoundDeviceAvailable(ctx, session)
  const adapters = chooseAdapters(ctx, session, { requested: requested_adapters, rules })
  const start_boundary_ref = markBoundary(ctx, sessionId, { kind: 'start', source: options.source })
  const started = moveSession(ctx, session, chain, {
    changes: {
      adapters_armed: adapters,
      text_capture_consent: options.text_capture_consent ?? false,
      start_boundary_ref,
      active_observation_batch_ids: [...session.active_observation_batch_ids, ctx.newId()],
    },
  })
  recordSessionEvent(ctx, sessionId, 'learn.capture.started', {
    payload: { adapter_count: adapters.length, adapters },
  })
  if (adapters.length > 0) recordArmedReceipt(ctx, sessionId, adapters)
  recordReceipt(ctx, 'learn.capture.started', {
    learn_session_id: sessionId,
    from_state: found.state,
    to_state: 'capturing',
    summary: `Capture started with ${adapters.length} adapters.`,
  })
  return started
}

/** A capture keeps its device for its user, so it must not begin while the device is kept for another. */
function assertBoundDeviceAvailable(ctx: CommandContext, { device_serial }: StoredSession): void {
  if (device_serial === undefined) return
  assertDeviceAvailable(ctx.tx, device_serial, { user_id: ctx.actor.user_id, now: ctx.now })
}

export function pauseCapture(ctx: CommandContext, sessionId: string, reason?: string): StoredSession {
  const session = getOwnSession(ctx, sessionId)
  assertCanMove(session.state, 'paused')
  markBoundary(ctx, sessionId, { kind: 'pause' })
  const paused = moveSession(ctx, session, ['paused'], reason === undefined ? {} : { reason })
  recordSessionEvent(ctx, sessionId, 'learn.capture.paused', {
    payload: { reason: reason ?? 'requested' },
  })
  recordReceipt(ctx, 'learn.capture.paused', {
    learn_session_id: sessionId,
    from_state: session.state,
    to_state: 'paused',
    summary: 'Capture paused.',
    ...(reason === undefined ? {} : { reason }),
  })
  return paused
}

export function resumeCapture(ctx: CommandContext, sessionId: string, rules: AdapterRules): StoredSession {
  const session = getOwnSession(ctx, sessionId)
  assertState(session.state, ['paused'])
  assertBoundDeviceAvailable(ctx, session)
  const armed = dropSourceless(ctx, session.adapters_armed, rules)
  const adapters = chooseAdapters(ctx, session, { requested: armed.length === 0 ? undefined : armed, rules })
  markBoundary(ctx, sessionId, { kind: 'resume' })
  const resumed = moveSession(ctx, session, ['capturing'], {
    changes: {
      adapters_armed: adapters,
      active_observation_batch_ids: [...session.active_observation_batch_ids, ctx.newId()],
    },
  })
  recordSessionEvent(ctx, sessionId, 'learn.capture.started', {
    payload: { adapter_count: adapters.length, adapters, resumed: true },
  })
  recordReceipt(ctx, 'learn.capture.resumed', {
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

/** Creates one trace from the included events, or none if there are no events. */
export function stopCapture(ctx: CommandContext, sessionId: string): StopResult {
  const session = getOwnSession(ctx, sessionId)
  if (!['idle', 'armed', 'capturing', 'paused'].includes(session.state)) {
    throw new Failure('CAPTURE_ALREADY_STOPPED', `The session is already ${session.state}.`)
  }
  assertCanMove(session.state, 'stopped')
  const included = listIncludedEvents(ctx.tx, sessionId)
  const trace_id = included.length === 0 ? undefined : ctx.newId()
  if (trace_id !== undefined) {
    appendTrace(ctx.tx, {
      trace_id,
      owner_user_id: session.owner_user_id,
      learn_session_id: sessionId,
      body: JSON.stringify(buildCaptureTrace(ctx, session, { trace_id, events: included })),
      created_at: ctx.now,
    })
  }
  const stop_boundary_ref = markBoundary(ctx, sessionId, { kind: 'stop' })
  const captured_trace_ids = trace_id === undefined ? [] : [trace_id]
  const stopped = moveSession(ctx, session, ['stopped'], {
    changes: {
      stop_boundary_ref,
      captured_event_count: included.length,
      active_trace_ids: [...session.active_trace_ids, ...captured_trace_ids],
    },
  })
  recordSessionEvent(ctx, sessionId, 'learn.capture.stopped', {
    payload: { captured_event_count: included.length, captured_trace_ids },
  })
  recordReceipt(ctx, 'learn.capture.stopped', {
    learn_session_id: sessionId,
    from_state: session.state,
    to_state: 'stopped',
    summary: `Capture stopped with ${included.length} actions.`,
  })
  return {
    session: stopped,
    captured_event_count: included.length,
    captured_trace_ids,
    next_action: chooseNextAction(stopped),
  }
}

function chooseNextAction(session: StoredSession): StopNextAction {
  if (session.captured_event_count === 0 && session.active_trace_ids.length === 0) return 'cancel'
  if (session.build_policy === 'ask_before_build' || session.execution_mode === 'strict') {
    return 'review_captured'
  }
  return 'generate_proposal'
}

function recordArmedReceipt(ctx: CommandContext, sessionId: string, adapters: readonly AdapterKind[]): void {
  recordReceipt(ctx, 'learn.observation.armed', {
    learn_session_id: sessionId,
    summary: `Observing through ${adapters.join(', ')}.`,
    details: { adapters },
  })
}
