import type { ObservedAction } from '../../knowledge/steps/observed-step.ts'
import { json, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { defineTable, type InsertOf } from '../db/table.ts'

/** What an observed action did on the device. */
export const observedSteps = defineTable(
  'observed_steps',
  { event_id: text(), learn_session_id: text(), body: json<ObservedAction>() },
  { key: ['event_id'] },
)

export function insertObservedStep(tx: Tx, step: InsertOf<typeof observedSteps>): void {
  observedSteps.insert(tx, step)
}

export function findObservedAction(reader: Reader, eventId: string): ObservedAction | undefined {
  return observedSteps.find(reader, eventId)?.body
}

export function updateObservedActivity(tx: Tx, eventId: string, activity: string): void {
  const found = observedSteps.find(tx, eventId)
  if (found !== undefined) observedSteps.update(tx, { ...found, body: { ...found.body, activity } })
}

export function deleteObservedStep(tx: Tx, eventId: string): void {
  sql(tx, 'DELETE FROM observed_steps WHERE event_id = ?').run(eventId)
}

export function deleteObservedSteps(tx: Tx, sessionId: string): void {
  sql(tx, 'DELETE FROM observed_steps WHERE learn_session_id = ?').run(sessionId)
}
