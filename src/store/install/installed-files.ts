import { flag, integer, text } from '../db/columns.ts'
import { STAGED_FILES_FILE } from '../../knowledge/bundle-scan/draft-file-names.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { listStrings } from '../db/queries.ts'
import { defineTable, type RowOf } from '../db/table.ts'

export type FilePlace = 'canonical' | 'projected'

/** The files of each version as they must be on disk. */
export const installedFiles = defineTable(
  'installed_files',
  {
    ability_id: text(),
    version: integer(),
    place: text<FilePlace>(),
    /** Relative to the folder of the skill. */
    path: text(),
    sha256: text(),
    /** Empty if `staged_ref` is present. */
    content: text(),
    /** The import that the file came with. Its content is in the store of skill files. */
    staged_ref: text().optional(),
    executable: flag().optional(),
  },
  { key: ['ability_id', 'version', 'place', 'path'] },
)

export type InstalledFileRow = RowOf<typeof installedFiles>

export function insertInstalledFile(tx: Tx, file: InstalledFileRow): void {
  installedFiles.insert(tx, file)
}

export function listInstalledFiles(
  reader: Reader,
  { ability_id, version, place }: Pick<InstalledFileRow, 'ability_id' | 'version' | 'place'>,
): InstalledFileRow[] {
  return sql(
    reader,
    `SELECT * FROM installed_files WHERE ability_id = ? AND version = ? AND place = ?
     ORDER BY path`,
  )
    .all(ability_id, version, place)
    .map(installedFiles.decode)
}

/** The digests of imported files that an installed version, or an import that may still be installed, needs. */
export function listStoredSkillFiles(reader: Reader): string[] {
  return listStrings(
    reader,
    `SELECT sha256 FROM installed_files WHERE staged_ref IS NOT NULL
     UNION
     SELECT file.value ->> 'sha256' FROM draft_files AS draft
       JOIN skill_imports AS import ON import.import_id = draft.content ->> 'import_id',
       json_each(draft.content, '$.files') AS file
      WHERE draft.name = '${STAGED_FILES_FILE}' AND import.stage_state NOT IN ('rejected', 'discarded', 'expired')`,
  )
}
