import { publicImport } from '../../domain/skill-import/record/import-record.ts'
import type { Reader } from '../../store/db/db.ts'
import { countRowsUpTo } from '../../store/projections/projection-cursors.ts'
import { listImportMovesSince } from '../../store/skill-import/skill-import-events.ts'
import {
  findImport,
  type ImportRow,
  listAllImports,
} from '../../store/skill-import/skill-imports.ts'
import { documentText } from '../engine/json-text.ts'
import { documentProjection, logProjection, type Projection, only } from '../engine/projection.ts'

const current = documentProjection({
  path: 'skills/imports/imports_current.json',
  touched: ({ imports }) => (imports.size === 0 ? [] : [only]),
  render: (reader) => {
    const rows = listAllImports(reader)
    return rows.length === 0
      ? undefined
      : documentText({ imports: rows.map(shown), schema_version: 1 })
  },
})

function shown(row: ImportRow) {
  const { owner_user_id, temp_artifact_ref, byte_size, artifact_deleted_at, saga_id } = row
  const own = { owner_user_id, temp_artifact_ref, byte_size, artifact_deleted_at, saga_id }
  return { ...publicImport(row), _ec: own }
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
    return report && documentText(report)
  },
})

const moves = logProjection({
  path: 'skills/imports/import-events.jsonl',
  rows: (reader, _key, span) => listImportMovesSince(reader, span),
  count: (reader, _key, upTo) => countRowsUpTo(reader, 'skill_import_events', upTo),
  shrinks: () => false,
})

export const skillImportMirrors: readonly Projection[] = [current, reports, moves]
