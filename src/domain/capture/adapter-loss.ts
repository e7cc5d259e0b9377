import type { AdapterKind } from '@apprentice/contracts/learn/observation.ts'
import { listSessionsMissingAdapters } from '../../store/capture/adapters.ts'
import { findLearnSession, type StoredSession } from '../../store/sessions/learn-sessions.ts'
import { type CommandContext, asSystem } from '../command/context.ts'
import { recordSessionEvent } from '../command/ledger.ts'
import { healthyKinds } from './adapters.ts'
import { pauseCapture } from './capture.ts'
import { saveSession } from '../sessions/session-moves.ts'

/**
 * Every capture an armed adapter was lost to, by its own word or by its silence. The capture goes on with the
 * adapters that are left and pauses when none is. Returns how many sessions lost one.
 */
export function sweepLostAdapters(ctx: CommandContext): number {
  // A phase switched off later does not take an armed adapter away; only its health does.
  const healthy = healthyKinds(ctx.tx, ctx.now, { max_phase: 3 })
  const ids = listSessionsMissingAdapters(ctx.tx, [...healthy])
  for (const id of ids) {
    const session = findLearnSession(ctx.tx, id)
    if (session !== undefined) loseAdapters(ctx, session, healthy)
  }
  return ids.length
}

function loseAdapters(
  ctx: CommandContext,
  session: StoredSession,
  healthy: ReadonlySet<AdapterKind>,
): void {
  const system = asSystem(ctx, session.owner_user_id)
  const { learn_session_id: id, adapters_armed } = session
  const left = adapters_armed.filter((kind) => healthy.has(kind))
  for (const kind of adapters_armed) {
    if (!healthy.has(kind)) recordSessionEvent(system, id, 'error', { payload: lossOf(kind) })
  }
  if (left.length > 0) {
    saveSession(system, { ...session, adapters_armed: left })
    recordSessionEvent(system, id, 'learn.observation.changed', { payload: { adapters: left } })
  } else {
    // What was armed stays on record: to resume is to wait for these, never to arm others instead.
    pauseCapture(system, id, 'adapter_lost')
  }
}

const lossOf = (kind: AdapterKind) => ({
  code: 'ADAPTER_UNAVAILABLE',
  message: `The ${kind} adapter was lost; what it would have seen is not captured.`,
  retryable: true,
})
