import type { ImportState } from '@apprentice/contracts/skills/import-record.ts'
import { integer, text } from '../db/columns.ts'
import type { Reader, Tx } from '../db/db.ts'
import { listSince, type Positioned, type Span } from '../db/queries.ts'
import { defineTable, type InsertOf } from '../db/table.ts'

/** Every state change of every import. */
export const skillImportEvents = defineTable(
  'skill_import_events',
  {
    position: integer().notInserted(),
    import_id: text(),
    from_state: text<ImportState>().optional(),
    to_state: text<ImportState>(),
    actor: text<'system' | 'user' | 'reviewer' | 'repair_engine'>(),
    reason: text().optional(),
    correlation_id: text(),
    created_at: text(),
  },
  { key: ['position'], constants: { schema_version: 1 } },
)

export type ImportMove = InsertOf<typeof skillImportEvents>

export function appendImportMove(tx: Tx, move: ImportMove): void {
  skillImportEvents.insert(tx, move)
}

const importMove = skillImportEvents.without('position')

export function listImportMovesSince(reader: Reader, span: Span): Positioned<ImportMove>[] {
  return listSince(reader, skillImportEvents.name, importMove, span)
}
