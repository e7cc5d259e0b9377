import type { AdapterKind } from '@apprentice/contracts/learn/observation.ts'
import { listSessionsMissingAdapters } from '../../store/capture/adapters.ts'
import { findLearnSession, type StoredSession } from '../../store/sessions/learn-sessions.ts'
import { type CommandContext, asSystem } from '../command/context.ts'
import { recordSessionEvent } from '../command/ledger.ts'
import { listHealthyKinds } from './adapters.ts'
import { pauseCapture } from './capture.ts'
import { saveSession } from '../sessions/session-moves.ts'

/**
 * Finds captures whose armed adapters are no longer healthy. A capture continues with its remaining adapters and is
 * paused if none remains. Returns the number of affected sessions.
 */
export function handleLostAdapters(ctx: CommandContext): number {
  // Adapters of every phase count: a phase that was disabled later does not disarm an adapter.
  const healthy = listHealthyKinds(ctx.tx, ctx.now, { max_phase: 3 })
  const ids = listSessionsMissingAdapters(ctx.tx, [...healthy])
  for (const id of ids) {
    const session = findLearnSession(ctx.tx, id)
    if (session !== undefined) removeLostAdapters(ctx, session, healthy)
  }
  return ids.length
}

function removeLostAdapters(ctx: CommandContext, session: StoredSession, healthy: ReadonlySet<AdapterKind>): void {
  const system = asSystem(ctx, session.owner_user_id)
  const { learn_session_id: id, adapters_armed } = session
  const remaining = adapters_armed.filter((kind) => healthy.has(kind))
  for (const kind of adapters_armed) {
    if (!healthy.has(kind)) recordSessionEvent(system, id, 'error', { payload: toLossPayload(kind) })
  }
  if (remaining.length > 0) {
    saveSession(system, { ...session, adapters_armed: remaining })
    recordSessionEvent(system, id, 'learn.observation.changed', {
      payload: { adapters: remaining },
    })
  } else {
    // adapters_armed is not changed: resuming requires the same adapters to be healthy again.
    pauseCapture(system, id, 'adapter_lost')
  }
}

const toLossPayload = (kind: AdapterKind) => ({
  code: 'ADAPTER_UNAVAILABLE',
  message: `The ${kind} adapter is no longer available; its events are not captured.`,
  retryable: true,
})
