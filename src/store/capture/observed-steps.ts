import { type Reader, sql, type Tx } from '../db/db.ts'
import type { ObservedStepBody } from '../../knowledge/interpret/read/evidence.ts'
import type { Row } from '../db/row.ts'

export interface ObservedStepRow {
  readonly event_id: string
  readonly learn_session_id: string
  readonly step: ObservedStepBody
}

export function insertObservedStep(tx: Tx, row: ObservedStepRow): void {
  sql(tx, 'INSERT INTO observed_steps (event_id, learn_session_id, body) VALUES (?, ?, ?)').run(
    row.event_id,
    row.learn_session_id,
    JSON.stringify(row.step),
  )
}

export function findObservedStep(reader: Reader, eventId: string): ObservedStepRow | undefined {
  const row = sql(reader, 'SELECT * FROM observed_steps WHERE event_id = ?').get(eventId)
  if (row === undefined) return undefined
  const { event_id, learn_session_id, body } = row as Row
  return {
    event_id: String(event_id),
    learn_session_id: String(learn_session_id),
    step: JSON.parse(String(body)) as ObservedStepBody,
  }
}

export function deleteObservedStep(tx: Tx, eventId: string): void {
  sql(tx, 'DELETE FROM observed_steps WHERE event_id = ?').run(eventId)
}

export function deleteObservedSteps(tx: Tx, sessionId: string): void {
  sql(tx, 'DELETE FROM observed_steps WHERE learn_session_id = ?').run(sessionId)
}
