import { integer, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
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
    /** The import whose unpacked bundle contains the file. */
    staged_ref: text().optional(),
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
