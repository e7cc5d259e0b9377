import type { ImportState } from '@apprentice/contracts/skills/import-record.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { bindable, insertInto, present, type Row } from '../db/row.ts'

export interface ImportMove {
  readonly import_id: string
  readonly from_state?: ImportState | undefined
  readonly to_state: ImportState
  readonly actor: 'system' | 'user' | 'reviewer' | 'repair_engine'
  readonly reason?: string | undefined
  readonly correlation_id: string
  readonly created_at: string
}

const columns = [
  'import_id',
  'from_state',
  'to_state',
  'actor',
  'reason',
  'correlation_id',
  'created_at',
] as const

export function appendImportMove(tx: Tx, move: ImportMove): void {
  sql(tx, insertInto('skill_import_events', columns)).run(
    bindable({ from_state: undefined, reason: undefined, ...move }),
  )
}

export function listImportMovesSince(
  reader: Reader,
  { after, limit }: { after: number; limit: number },
): { position: number; entry: ImportMove }[] {
  return sql(
    reader,
    'SELECT * FROM skill_import_events WHERE position > ? ORDER BY position LIMIT ?',
  )
    .all(after, limit)
    .map(toMove)
}

function toMove(row: unknown): { position: number; entry: ImportMove } {
  const { position, ...fields } = present(row as Row)
  return { position: Number(position), entry: { ...fields, schema_version: 1 } as never }
}
