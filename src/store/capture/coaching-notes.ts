import type { CoachingNote } from '@apprentice/contracts/learn/coaching.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { bindable, insertInto, present, type Row } from '../db/row.ts'

const columns = [
  'note_id',
  'learn_session_id',
  'kind',
  'said',
  'source_event_id',
  'created_at',
] as const

export function appendCoachingNote(tx: Tx, { schema_version: _, ...note }: CoachingNote): void {
  sql(tx, insertInto('coaching_notes', columns)).run(
    bindable({ source_event_id: undefined, ...note }),
  )
}

/** In the order they were said. */
export function listCoachingNotes(reader: Reader, sessionId: string): CoachingNote[] {
  return sql(reader, 'SELECT * FROM coaching_notes WHERE learn_session_id = ? ORDER BY position')
    .all(sessionId)
    .map((row) => {
      const { position: _, ...note } = present(row as Row)
      return { ...note, schema_version: 1 } as unknown as CoachingNote
    })
}

export function deleteCoachingNotes(tx: Tx, sessionId: string): void {
  sql(tx, 'DELETE FROM coaching_notes WHERE learn_session_id = ?').run(sessionId)
}
