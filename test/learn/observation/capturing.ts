import { randomUUID } from 'node:crypto'
import type { z } from 'zod'
import type { IncomingActionEvent } from '@apprentice/contracts/learn/observation.ts'
import type { StoredObservation } from '../../../src/store/capture/observations.ts'
import { listObservations } from '../../../src/store/capture/observations.ts'
import type { Daemon } from '../../kit/daemon.ts'

export type SentEvent = z.input<typeof IncomingActionEvent>

let minted = 0

/** An action as an adapter sends it; each one happens a second after the one before. */
export function anEvent(sessionId: string, parts: Partial<SentEvent> = {}): SentEvent {
  minted += 1
  return {
    event_id: randomUUID(),
    learn_session_id: sessionId,
    adapter_kind: 'wrapper_receipt',
    action_label: 'Open the settings',
    created_at: new Date(Date.UTC(2026, 2, 1, 12) + minted * 1000).toISOString(),
    ...parts,
  }
}

export const send = (
  daemon: Daemon,
  sessionId: string,
  events: readonly SentEvent[],
  batch: { batch_request_id?: string; token?: string } = {},
) =>
  daemon.post(
    `/api/learn/sessions/${sessionId}/observations`,
    { batch_request_id: batch.batch_request_id ?? randomUUID(), adapter_id: 'test', events },
    batch.token,
  )

/** Sends that many plain actions and tells their ids, in the order they happened. */
export async function capture(daemon: Daemon, sessionId: string, count: number): Promise<string[]> {
  const events = Array.from({ length: count }, () => anEvent(sessionId))
  const reply = await send(daemon, sessionId, events)
  if (reply.statusCode !== 202) throw new Error(reply.body)
  return events.map((event) => event.event_id)
}

export const stored = (daemon: Daemon, sessionId: string): StoredObservation[] =>
  daemon.system.store.read((reader) => listObservations(reader, sessionId))
