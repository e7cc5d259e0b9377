import { readdirSync } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { SECRETS_FOLDER } from './manifest.ts'

/** Files that are named by their content and only added or removed. */
export const CONTENT_FOLDERS = ['evidence', 'skill-files', 'imports', 'reports', 'connector-files', 'documents']
/** Written again by a start, of one process only, or what a lost database left. */
const NOT_SAVED = /^(?:apprentice\.db.*|generation\.json|daemon\..*|lost|\.restore|scene-results|document-work|system)$/
/** The files of installed skills are the only ones under `system` that a person may edit. */
export const INSTALLED_FOLDER = 'system/learning/installed'

/** A file of a home, and what decides whether it has changed. */
export interface HomeFile {
  readonly path: string
  readonly executable: boolean
  readonly bytes: number
  readonly changed_ms: number
}

/** The entries of a home, besides the database and the content folders, that a copy has. */
export const listOtherEntries = (home: string, withSecrets: boolean): string[] =>
  readdirSync(home).filter(
    (name) => !NOT_SAVED.test(name) && !CONTENT_FOLDERS.includes(name) && (withSecrets || name !== SECRETS_FOLDER),
  )

/** The file, or all files below the folder. Files that disappear meanwhile are left out; links are not followed. */
export async function* listFiles(home: string, path: string): AsyncGenerator<HomeFile> {
  const found = await lstat(join(home, path)).catch(() => undefined)
  if (found?.isFile() === true) {
    yield { path, executable: (found.mode & 0o100) !== 0, bytes: found.size, changed_ms: found.mtimeMs }
  }
  if (found?.isDirectory() !== true) return
  for (const name of await readdir(join(home, path)).catch(() => [])) yield* listFiles(home, posix.join(path, name))
}
