import type { AmbiguityPolicy, SourceOfTruth } from '@apprentice/contracts/projects/bindings.ts'
import { columns, list, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { defineTable, type RowOf } from '../db/table.ts'

export const projectBindings = defineTable(
  'project_bindings',
  {
    project_id: text(),
    ...columns(list(), 'aliases', 'bucket_ids', 'preferred_doc_types'),
    ...columns(list(), 'sharepoint_refs', 'onedrive_refs', 'teams_refs'),
    source_of_truth: text<SourceOfTruth>(),
    ambiguity_policy: text<AmbiguityPolicy>(),
    ...columns(text(), 'created_at', 'updated_at'),
  },
  { key: ['project_id'], constants: { schema_version: 1 } },
)

export type ProjectBindingRow = RowOf<typeof projectBindings>

export function listBindings(reader: Reader): ProjectBindingRow[] {
  return sql(reader, 'SELECT * FROM project_bindings ORDER BY project_id').all().map(projectBindings.decode)
}

export const findBinding = (reader: Reader, projectId: string): ProjectBindingRow | undefined =>
  projectBindings.find(reader, projectId)

export function upsertBinding(tx: Tx, row: ProjectBindingRow): void {
  projectBindings.upsert(tx, row)
}

export function deleteBinding(tx: Tx, projectId: string): void {
  sql(tx, 'DELETE FROM project_bindings WHERE project_id = ?').run(projectId)
}
