import { type Reader, sql, type Tx } from '../db/db.ts'
import type { Row } from '../db/row.ts'

/** What was done to a device, in terms of the screen it was done on. */
export interface ObservedStepBody {
  readonly kind:
    | 'tap'
    | 'long_press'
    | 'scroll'
    | 'slide'
    | 'key'
    | 'text'
    | 'open_app'
    | 'close_app'
    | 'open_uri'
  /** The package in front. */
  readonly app: string
  /** The node acted on, by its path in the tree before; for text, the field. */
  readonly node_path?: string | undefined
  /** What was typed, as it may be kept; absent for passwords. */
  readonly text?: string | undefined
  readonly secret?: boolean | undefined
  readonly submit?: boolean | undefined
  readonly key?: string | undefined
  readonly direction?: 'up' | 'down' | 'left' | 'right' | undefined
  readonly point?: { readonly x: number; readonly y: number } | undefined
  readonly activity?: string | undefined
  readonly effect?: 'local_state' | 'side_effect' | undefined
}

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
