import type { ElementBounds, ElementMark } from '@apprentice/contracts/learn/elements.ts'
import { columns, json, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { defineTable } from '../db/table.ts'

/** Elements on kept screens that the person pointed at. */
export const elementMarks = defineTable(
  'element_marks',
  {
    ...columns(text(), 'mark_id', 'learn_session_id'),
    kind: text<ElementMark['kind']>(),
    event_id: text(),
    screen: text<ElementMark['screen']>(),
    ...columns(text(), 'node_path', 'label'),
    name: text().optional(),
    value_type: text<NonNullable<ElementMark['value_type']>>().optional(),
    evidence_ref: text(),
    bounds: json<ElementBounds>().optional(),
    created_at: text(),
  },
  { key: ['mark_id'], constants: { schema_version: 1 } },
)

export function insertElementMark(tx: Tx, mark: ElementMark): void {
  elementMarks.insert(tx, mark)
}

export function findElementMark(reader: Reader, markId: string): ElementMark | undefined {
  return elementMarks.find(reader, markId)
}

/** In the order in which they were made. */
export function listElementMarks(reader: Reader, sessionId: string): ElementMark[] {
  return sql(reader, 'SELECT * FROM element_marks WHERE learn_session_id = ? ORDER BY rowid')
    .all(sessionId)
    .map(elementMarks.decode)
}

export function deleteElementMark(tx: Tx, markId: string): void {
  sql(tx, 'DELETE FROM element_marks WHERE mark_id = ?').run(markId)
}

export function deleteElementMarks(tx: Tx, sessionId: string): void {
  sql(tx, 'DELETE FROM element_marks WHERE learn_session_id = ?').run(sessionId)
}
