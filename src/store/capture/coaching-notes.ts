import type { CoachingNote } from '@apprentice/contracts/learn/coaching.ts'
import { integer, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { defineTable } from '../db/table.ts'

/** Hints and constraints that a person gives while an agent acts. */
export const coachingNotes = defineTable(
  'coaching_notes',
  {
    position: integer().notInserted(),
    note_id: text(),
    learn_session_id: text(),
    kind: text<CoachingNote['kind']>(),
    said: text(),
    source_event_id: text().optional(),
    created_at: text(),
  },
  { key: ['position'], constants: { schema_version: 1 } },
)

const coachingNote = coachingNotes.without('position')

export function appendCoachingNote(tx: Tx, note: CoachingNote): void {
  coachingNotes.insert(tx, note)
}

/** In the order in which they were given. */
export function listCoachingNotes(reader: Reader, sessionId: string): CoachingNote[] {
  return sql(reader, 'SELECT * FROM coaching_notes WHERE learn_session_id = ? ORDER BY position')
    .all(sessionId)
    .map(coachingNote.decode)
}

export function deleteCoachingNotes(tx: Tx, sessionId: string): void {
  sql(tx, 'DELETE FROM coaching_notes WHERE learn_session_id = ?').run(sessionId)
}
