import type { LearnPartialDeploymentState } from '@apprentice/contracts/learn/runtime.ts'
import type { PageQuery } from '@apprentice/contracts/base/page.ts'
import type {
  ImportedSkillRecord,
  ImportSource,
  ImportState,
  SkillCompatibilityReport,
} from '@apprentice/contracts/skills/import-record.ts'
import { columns, flag, integer, json, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { listOwnedPage, listStrings } from '../db/queries.ts'
import { defineTable, type RowOf } from '../db/table.ts'

/** Imported skill bundles, with their uploads and states. */
export const skillImports = defineTable(
  'skill_imports',
  {
    import_id: text(),
    owner_user_id: text(),
    source: text<ImportSource>(),
    skill_name: text(),
    source_ref_kind: text<ImportedSkillRecord['source_ref_kind']>(),
    source_ref: text(),
    original_filename: text().optional(),
    stage_state: text<ImportState>(),
    ...columns(integer(), 'retry_scan', 'retry_stage', 'retry_install'),
    /** The number of jobs that were started for the import. It is part of their ids. */
    attempts: integer(),
    ...columns(text().optional(), 'last_error_code', 'skill_pack', 'notes'),
    requires_adapter: flag(),
    /** The upload, while its bytes are stored. */
    temp_artifact_ref: text().optional(),
    content_hash_sha256: text().optional(),
    byte_size: integer().optional(),
    temp_artifact_expires_at: text().optional(),
    artifact_deleted_at: text().optional(),
    report: json<SkillCompatibilityReport>().optional(),
    ...columns(text().optional(), 'proposal_id', 'ability_id', 'saga_id', 'assigned_namespace'),
    tool_shadowing_check: text<ImportedSkillRecord['tool_shadowing_check']>(),
    visibility: text<ImportedSkillRecord['visibility']>(),
    partial_deployment: json<LearnPartialDeploymentState>().optional(),
    migrated: flag(),
    created_at: text(),
    updated_at: text(),
  },
  { key: ['import_id'] },
)

export type ImportRow = RowOf<typeof skillImports>

export function insertImport(tx: Tx, row: ImportRow): void {
  skillImports.insert(tx, row)
}

export function updateImport(tx: Tx, row: ImportRow): void {
  if (!skillImports.update(tx, row)) throw new Error(`No row for import ${row.import_id}.`)
}

export function deleteImport(tx: Tx, importId: string): void {
  sql(tx, 'DELETE FROM skill_imports WHERE import_id = ?').run(importId)
}

export function findImport(reader: Reader, importId: string): ImportRow | undefined {
  return skillImports.find(reader, importId)
}

export function findImportByUpload(reader: Reader, ref: string): ImportRow | undefined {
  return skillImports.decodeOptional(sql(reader, 'SELECT * FROM skill_imports WHERE temp_artifact_ref = ?').get(ref))
}

/** The import that a proposal was made from. */
export function findImportByProposal(reader: Reader, proposalId: string): ImportRow | undefined {
  return skillImports.decodeOptional(sql(reader, 'SELECT * FROM skill_imports WHERE proposal_id = ?').get(proposalId))
}

export function listImports(
  reader: Reader,
  owner: string,
  query: PageQuery & { state?: ImportState | undefined; source?: ImportSource | undefined },
): { imports: ImportRow[]; total: number } {
  const filter = { stage_state: query.state, source: query.source }
  const order = 'created_at DESC, rowid DESC'
  const listing = { table: skillImports.name, order, owner, filter }
  const { rows, total } = listOwnedPage(reader, listing, query)
  return { imports: rows.map(skillImports.decode), total }
}

/** The imports of all users, oldest first. */
export function listAllImports(reader: Reader): ImportRow[] {
  return sql(reader, 'SELECT * FROM skill_imports ORDER BY created_at, import_id').all().map(skillImports.decode)
}

const importOwner = skillImports.only('import_id', 'owner_user_id')

export function listImportsIn(
  reader: Reader,
  states: readonly ImportState[],
): { import_id: string; owner_user_id: string }[] {
  return sql(
    reader,
    `SELECT ${importOwner.select} FROM skill_imports
      WHERE stage_state IN (SELECT value FROM json_each(?)) ORDER BY created_at, import_id`,
  )
    .all(JSON.stringify(states))
    .map(importOwner.decode)
}

/** Imports in these states whose upload has expired. */
export function listOverdueImports(
  reader: Reader,
  { now, states, limit }: { now: string; states: readonly ImportState[]; limit: number },
): ImportRow[] {
  return sql(
    reader,
    `SELECT * FROM skill_imports
      WHERE temp_artifact_expires_at IS NOT NULL AND temp_artifact_expires_at <= ?
        AND stage_state IN (SELECT value FROM json_each(?))
      ORDER BY temp_artifact_expires_at LIMIT ?`,
  )
    .all(now, JSON.stringify(states), limit)
    .map(skillImports.decode)
}

/** Whether another import has the same bytes and was not discarded, expired or rejected. */
export function wasImportedBefore(reader: Reader, sha256: string, importId: string): boolean {
  return (
    sql(
      reader,
      `SELECT 1 FROM skill_imports WHERE content_hash_sha256 = ? AND import_id <> ?
        AND stage_state NOT IN ('discarded', 'expired', 'rejected', 'upload_pending') LIMIT 1`,
    ).get(sha256, importId) !== undefined
  )
}

/** The namespaces that other imports use. */
export function listNamespaces(reader: Reader, importId: string): string[] {
  return listStrings(
    reader,
    `SELECT assigned_namespace FROM skill_imports
      WHERE assigned_namespace IS NOT NULL AND import_id <> ?
        AND stage_state NOT IN ('discarded', 'expired', 'rejected', 'scan_failed')`,
    importId,
  )
}
