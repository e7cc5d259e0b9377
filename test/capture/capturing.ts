import { randomUUID } from 'node:crypto'
import type { z } from 'zod'
import type { IncomingActionEvent } from '@apprentice/contracts/learn/observation.ts'
import type { StoredObservation } from '../../src/store/capture/observations.ts'
import { listObservations } from '../../src/store/capture/observations.ts'
import type { Daemon } from '../kit/daemon.ts'

export type SentEvent = z.input<typeof IncomingActionEvent>

let eventCount = 0

/** An event as an adapter sends it. Each event is one second later than the one before. */
export function makeEvent(sessionId: string, parts: Partial<SentEvent> = {}): SentEvent {
  eventCount += 1
  return {
    event_id: randomUUID(),
    learn_session_id: sessionId,
    adapter_kind: 'wrapper_receipt',
    action_label: 'Open the settings',
    created_at: new Date(Date.UTC(2026, 2, 1, 12) + eventCount * 1000).toISOString(),
    ...parts,
  }
}

export const sendEvents = (
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

/** Sends `count` events and returns their ids in chronological order. */
export async function captureEvents(daemon: Daemon, sessionId: string, count: number): Promise<string[]> {
  const events = Array.from({ length: count }, () => makeEvent(sessionId))
  const reply = await sendEvents(daemon, sessionId, events)
  if (reply.statusCode !== 202) throw new Error(reply.body)
  return events.map((event) => event.event_id)
}

export const listStored = (daemon: Daemon, sessionId: string): StoredObservation[] =>
  daemon.system.store.read((reader) => listObservations(reader, sessionId))
