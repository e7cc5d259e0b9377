import { integer, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { defineTable } from '../db/table.ts'

/** Texts typed without consent: a salted hash and the number that replaces the text, never the text itself. */
export const observedTexts = defineTable(
  'observed_texts',
  { learn_session_id: text(), text_hmac: text(), number: integer() },
  { key: ['learn_session_id', 'text_hmac'] },
)

const observedText = observedTexts.only('text_hmac', 'number')
export type ObservedText = ReturnType<typeof observedText.decode>

export function listObservedTexts(reader: Reader, sessionId: string): ObservedText[] {
  return sql(reader, 'SELECT * FROM observed_texts WHERE learn_session_id = ? ORDER BY number')
    .all(sessionId)
    .map(observedText.decode)
}

export function insertObservedText(tx: Tx, sessionId: string, observed: ObservedText): void {
  observedTexts.insert(tx, { ...observed, learn_session_id: sessionId })
}
