import { toImportedSkillRecord } from '../../domain/skill-import/record/import-record.ts'
import type { Reader } from '../../store/db/db.ts'
import { countRowsUpTo } from '../../store/projections/projection-cursors.ts'
import { listImportMovesSince } from '../../store/skill-import/skill-import-events.ts'
import { findImport, type ImportRow, listAllImports } from '../../store/skill-import/skill-imports.ts'
import { formatDocument } from '../engine/json-text.ts'
import { documentProjection, logProjection, type Projection, SINGLE_KEY } from '../engine/projection.ts'

const current = documentProjection({
  path: 'skills/imports/imports_current.json',
  touched: ({ imports }) => (imports.size === 0 ? [] : [SINGLE_KEY]),
  render: (reader) => {
    const rows = listAllImports(reader)
    return rows.length === 0 ? undefined : formatDocument({ imports: rows.map(toEntry), schema_version: 1 })
  },
})

function toEntry(row: ImportRow) {
  const { owner_user_id, temp_artifact_ref, byte_size, artifact_deleted_at, saga_id } = row
  const _ec = { owner_user_id, temp_artifact_ref, byte_size, artifact_deleted_at, saga_id }
  return { ...toImportedSkillRecord(row), _ec }
}

const reports = documentProjection({
  path: 'skills/imports/reports/<import_id>.json',
  keys: (reader: Reader) =>
    listAllImports(reader)
      .filter(({ report }) => report !== undefined)
      .map(({ import_id }) => import_id),
  touched: ({ imports }) => imports,
  render: (reader, id) => {
    const report = findImport(reader, id)?.report
    return report && formatDocument(report)
  },
})

const moves = logProjection({
  path: 'skills/imports/import-events.jsonl',
  rows: (reader, _key, span) => listImportMovesSince(reader, span),
  count: (reader, _key, upTo) => countRowsUpTo(reader, 'skill_import_events', upTo),
  shrinks: () => false,
})

export const skillImportProjections: readonly Projection[] = [current, reports, moves]
