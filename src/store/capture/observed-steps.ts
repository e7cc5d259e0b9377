import type { ObservedAction } from '../../knowledge/steps/observed-step.ts'
import { json, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { defineTable } from '../db/table.ts'

/** What an observed action did on the device. */
export const observedSteps = defineTable(
  'observed_steps',
  { event_id: text(), learn_session_id: text(), body: json<ObservedAction>() },
  { key: ['event_id'] },
)

export interface ObservedStepRow {
  readonly event_id: string
  readonly learn_session_id: string
  readonly step: ObservedAction
}

export function insertObservedStep(
  tx: Tx,
  { event_id, learn_session_id, step }: ObservedStepRow,
): void {
  observedSteps.insert(tx, { event_id, learn_session_id, body: step })
}

export function findObservedStep(reader: Reader, eventId: string): ObservedStepRow | undefined {
  const row = observedSteps.find(reader, eventId)
  if (row === undefined) return undefined
  const { event_id, learn_session_id, body } = row
  return { event_id, learn_session_id, step: body }
}

export function deleteObservedStep(tx: Tx, eventId: string): void {
  sql(tx, 'DELETE FROM observed_steps WHERE event_id = ?').run(eventId)
}

export function deleteObservedSteps(tx: Tx, sessionId: string): void {
  sql(tx, 'DELETE FROM observed_steps WHERE learn_session_id = ?').run(sessionId)
}
