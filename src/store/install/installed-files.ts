import { type Reader, sql, type Tx } from '../db/db.ts'
import { bindable, insertInto } from '../db/row.ts'

export type FilePlace = 'canonical' | 'projected'

/** A file of a version, as it must be on disk. */
export interface InstalledFileRow {
  readonly ability_id: string
  readonly version: number
  readonly place: FilePlace
  /** Below the skill's folder. */
  readonly path: string
  readonly sha256: string
  /** Empty when it is with an unpacked bundle. */
  readonly content: string
  /** The import whose unpacked bundle has the content. */
  readonly staged_ref?: string | null | undefined
}

const columns = [
  'ability_id',
  'version',
  'place',
  'path',
  'sha256',
  'content',
  'staged_ref',
] as const

export function insertInstalledFile(tx: Tx, file: InstalledFileRow): void {
  sql(tx, insertInto('installed_files', columns)).run(bindable({ staged_ref: undefined, ...file }))
}

export function listInstalledFiles(
  reader: Reader,
  { ability_id, version, place }: Pick<InstalledFileRow, 'ability_id' | 'version' | 'place'>,
): InstalledFileRow[] {
  return sql(
    reader,
    `SELECT * FROM installed_files WHERE ability_id = ? AND version = ? AND place = ?
     ORDER BY path`,
  ).all(ability_id, version, place) as InstalledFileRow[]
}
