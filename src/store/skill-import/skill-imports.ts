import type { LearnPartialDeploymentState } from '@apprentice/contracts/learn/runtime.ts'
import type { PageQuery } from '@apprentice/contracts/base/page.ts'
import type {
  ImportedSkillRecord,
  ImportSource,
  ImportState,
  SkillCompatibilityReport,
} from '@apprentice/contracts/skills/import-record.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { listOwnedPage } from '../db/owned-page.ts'
import { bindable, blankRow, insertInto, present, type Row } from '../db/row.ts'

/** An import with its upload and all that only the daemon keeps of it. */
export interface ImportRow extends Omit<
  ImportedSkillRecord,
  'retry_count' | 'retry_counts' | 'compatibility_report_ref' | 'schema_version'
> {
  readonly owner_user_id: string
  readonly retry_scan: number
  readonly retry_stage: number
  readonly retry_install: number
  readonly attempts: number
  readonly notes?: string | undefined
  readonly temp_artifact_ref?: string | undefined
  readonly byte_size?: number | undefined
  readonly artifact_deleted_at?: string | undefined
  readonly report?: SkillCompatibilityReport | undefined
  readonly saga_id?: string | undefined
  readonly partial_deployment?: LearnPartialDeploymentState | undefined
  readonly migrated: boolean
}

const columns = [
  'import_id',
  'owner_user_id',
  'source',
  'skill_name',
  'source_ref_kind',
  'source_ref',
  'original_filename',
  'stage_state',
  'retry_scan',
  'retry_stage',
  'retry_install',
  'attempts',
  'last_error_code',
  'skill_pack',
  'notes',
  'requires_adapter',
  'temp_artifact_ref',
  'content_hash_sha256',
  'byte_size',
  'temp_artifact_expires_at',
  'artifact_deleted_at',
  'report',
  'proposal_id',
  'ability_id',
  'saga_id',
  'assigned_namespace',
  'tool_shadowing_check',
  'visibility',
  'partial_deployment',
  'migrated',
  'created_at',
  'updated_at',
] as const
const blank = blankRow(columns)
const updateText = `UPDATE skill_imports SET ${columns.map((name) => `${name} = @${name}`).join(', ')}
  WHERE import_id = @import_id`

export function insertImport(tx: Tx, row: ImportRow): void {
  sql(tx, insertInto('skill_imports', columns)).run(bound(row))
}

export function updateImport(tx: Tx, row: ImportRow): void {
  const { changes } = sql(tx, updateText).run(bound(row))
  if (changes !== 1) throw new Error(`No row for import ${row.import_id}.`)
}

export function deleteImport(tx: Tx, importId: string): void {
  sql(tx, 'DELETE FROM skill_imports WHERE import_id = ?').run(importId)
}

export function findImport(reader: Reader, importId: string): ImportRow | undefined {
  return one(sql(reader, 'SELECT * FROM skill_imports WHERE import_id = ?').get(importId))
}

export function findImportOfUpload(reader: Reader, ref: string): ImportRow | undefined {
  return one(sql(reader, 'SELECT * FROM skill_imports WHERE temp_artifact_ref = ?').get(ref))
}

/** The import a proposal was made from, if it was made from one. */
export function findImportOfProposal(reader: Reader, proposalId: string): ImportRow | undefined {
  return one(sql(reader, 'SELECT * FROM skill_imports WHERE proposal_id = ?').get(proposalId))
}

export function listImports(
  reader: Reader,
  owner: string,
  query: PageQuery & { state?: ImportState | undefined; source?: ImportSource | undefined },
): { imports: ImportRow[]; total: number } {
  const filter = { stage_state: query.state, source: query.source }
  const rows = { table: 'skill_imports', order: 'created_at DESC, rowid DESC', owner, filter }
  const found = listOwnedPage(reader, rows, query)
  return { imports: found.rows.map(toImport), total: found.total }
}

/** Of all users, oldest first. */
export function listAllImports(reader: Reader): ImportRow[] {
  return sql(reader, 'SELECT * FROM skill_imports ORDER BY created_at, import_id')
    .all()
    .map(toImport)
}

export function listImportsIn(
  reader: Reader,
  states: readonly ImportState[],
): { import_id: string; owner_user_id: string }[] {
  const places = states.map(() => '?').join(', ')
  return sql(
    reader,
    `SELECT import_id, owner_user_id FROM skill_imports WHERE stage_state IN (${places})
      ORDER BY created_at, import_id`,
  ).all(...states) as { import_id: string; owner_user_id: string }[]
}

/** Those whose upload was kept as long as it may be, in these states. */
export function listOverdueImports(
  reader: Reader,
  { now, states, limit }: { now: string; states: readonly ImportState[]; limit: number },
): ImportRow[] {
  const places = states.map(() => '?').join(', ')
  return sql(
    reader,
    `SELECT * FROM skill_imports
      WHERE temp_artifact_expires_at IS NOT NULL AND temp_artifact_expires_at <= ?
        AND stage_state IN (${places}) ORDER BY temp_artifact_expires_at LIMIT ?`,
  )
    .all(now, ...states, limit)
    .map(toImport)
}

/** Whether these bytes came in before with another import that still stands. */
export function wasImportedBefore(reader: Reader, sha256: string, importId: string): boolean {
  return (
    sql(
      reader,
      `SELECT 1 FROM skill_imports WHERE content_hash_sha256 = ? AND import_id <> ?
        AND stage_state NOT IN ('discarded', 'expired', 'rejected', 'upload_pending') LIMIT 1`,
    ).get(sha256, importId) !== undefined
  )
}

/** Namespaces of other imports that still stand. */
export function listNamespaces(reader: Reader, importId: string): string[] {
  return sql(
    reader,
    `SELECT assigned_namespace FROM skill_imports
      WHERE assigned_namespace IS NOT NULL AND import_id <> ?
        AND stage_state NOT IN ('discarded', 'expired', 'rejected', 'scan_failed')`,
  )
    .all(importId)
    .map((row) => String((row as Row)['assigned_namespace']))
}

const one = (row: unknown): ImportRow | undefined => (row === undefined ? undefined : toImport(row))

function bound({ report, partial_deployment, ...row }: ImportRow): Row {
  return bindable({
    ...blank,
    ...row,
    report: report === undefined ? undefined : JSON.stringify(report),
    partial_deployment:
      partial_deployment === undefined ? undefined : JSON.stringify(partial_deployment),
  })
}

function toImport(row: unknown): ImportRow {
  const fields = present(row as Row)
  for (const name of ['report', 'partial_deployment']) {
    const text = fields[name]
    if (typeof text === 'string') fields[name] = JSON.parse(text)
  }
  fields['requires_adapter'] = fields['requires_adapter'] === 1
  fields['migrated'] = fields['migrated'] === 1
  return fields as unknown as ImportRow
}
