import { type Reader, sql, type Tx } from '../db/db.ts'

export interface ObservedText {
  readonly text_hmac: string
  readonly number: number
}

export function listObservedTexts(reader: Reader, sessionId: string): ObservedText[] {
  return sql(
    reader,
    'SELECT text_hmac, number FROM observed_texts WHERE learn_session_id = ? ORDER BY number',
  ).all(sessionId) as ObservedText[]
}

export function insertObservedText(tx: Tx, sessionId: string, text: ObservedText): void {
  sql(tx, 'INSERT INTO observed_texts (learn_session_id, text_hmac, number) VALUES (?, ?, ?)').run(
    sessionId,
    text.text_hmac,
    text.number,
  )
}
