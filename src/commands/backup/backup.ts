import { existsSync, readdirSync } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import Database from 'better-sqlite3'
import type { Command } from 'commander'
import { readConfig } from '../../config/config.ts'
import { version } from '../../config/version.ts'
import { DATABASE_NAME } from '../../daemon/database-loss.ts'
import { ensureFileSync, isInside, makeFolderSync, replaceFileSync } from '../../home/private-files.ts'
import { findIdentity } from '../../store/db/identity.ts'
import { printResult, reportFailures } from '../terminal/connection.ts'
import { type BackupFile, type BackupManifest, computeDigest, copyWithDigest, MANIFEST_NAME } from './manifest.ts'
import { CONTENT_FOLDERS, INSTALLED_FOLDER, listFiles, listOtherEntries } from './saved-files.ts'

export interface BackupOptions {
  readonly withSecrets: boolean
}

export function addBackupCommand(program: Command): void {
  program
    .command('backup <folder>')
    .summary('copy the home to an empty folder')
    .description('Copies the home to an empty folder. Works while the daemon runs.')
    .option('--with-secrets', 'also copy the admin token and the keys of this installation')
    .option('--json', 'print JSON')
    .action((folder: string, options: Partial<BackupOptions> & { readonly json?: boolean }) =>
      reportFailures(async () => {
        const { withSecrets = false } = options
        const { files } = await backup(readConfig().home, resolve(folder), { withSecrets })
        const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
        const secrets = withSecrets ? 'with' : 'without'
        const saved = { folder: resolve(folder), files: files.length, bytes, with_secrets: withSecrets }
        printResult(options, saved, () => {
          return `Saved ${files.length} files (${bytes} bytes), ${secrets} secrets, to ${saved.folder}.`
        })
      }),
    )
}

/** Copies what a start needs. Returns the manifest, which is written last. */
export async function backup(home: string, folder: string, { withSecrets }: BackupOptions): Promise<BackupManifest> {
  if (existsSync(folder) && readdirSync(folder).length > 0) throw new Error('The backup folder must be empty or new.')
  if (isInside(home, folder)) throw new Error('The backup folder must be outside the home.')
  if (!existsSync(join(home, DATABASE_NAME))) throw new Error('There is no database in this home.')
  makeFolderSync(folder)
  const copy = new HomeCopy(home, folder)
  // Before and after the database: a file that its rows name exists at one of these times at least.
  for (const name of CONTENT_FOLDERS) await copy.add(name)
  const database = copyDatabase(home, folder)
  for (const name of CONTENT_FOLDERS) await copy.add(name)
  for (const name of listOtherEntries(home, withSecrets)) await copy.add(name)
  await copy.add(INSTALLED_FOLDER)
  await copy.list(DATABASE_NAME)
  const manifest: BackupManifest = {
    format: 1,
    created_at: new Date().toISOString(),
    program_version: version,
    database,
    with_secrets: withSecrets,
    files: copy.files,
  }
  replaceFileSync(join(folder, MANIFEST_NAME), `${JSON.stringify(manifest, null, 2)}\n`)
  return manifest
}

/** Returns the identity of the copied database. */
function copyDatabase(home: string, folder: string): BackupManifest['database'] {
  const file = join(folder, DATABASE_NAME)
  // `VACUUM INTO` accepts an empty file, and this one is for its owner alone.
  ensureFileSync(file)
  const db = new Database(join(home, DATABASE_NAME), { readonly: true })
  try {
    // One read transaction: the copy is consistent while the daemon writes.
    db.prepare('VACUUM INTO ?').run(file)
  } finally {
    db.close()
  }
  const copied = new Database(file, { readonly: true })
  try {
    const identity = findIdentity({ db: copied })
    if (identity === undefined) throw new Error('The database was never used by this version; start the daemon once.')
    const { database_id, generation, commit_count } = identity
    return { database_id, generation, commit_count }
  } finally {
    copied.close()
  }
}

/** Copies files of a home one by one. Files that disappear meanwhile are left out; links are not followed. */
class HomeCopy {
  readonly #home: string
  readonly #folder: string
  readonly #files = new Map<string, BackupFile>()

  constructor(home: string, folder: string) {
    this.#home = home
    this.#folder = folder
  }

  get files(): BackupFile[] {
    return [...this.#files.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1))
  }

  /** Copies a file, or a folder with everything in it, except what was copied before. */
  async add(path: string): Promise<void> {
    for await (const { path: file, executable } of listFiles(this.#home, path)) {
      if (!this.#files.has(file)) await this.#copy(file, executable)
    }
  }

  /** Lists a file that is already in the folder. */
  async list(path: string): Promise<void> {
    const { size: bytes } = await lstat(join(this.#folder, path))
    this.#files.set(path, { path, bytes, sha256: await computeDigest(join(this.#folder, path)) })
  }

  async #copy(path: string, executable: boolean): Promise<void> {
    try {
      const copied = await copyWithDigest(join(this.#home, path), join(this.#folder, path), executable)
      this.#files.set(path, { path, ...copied, ...(executable ? { executable } : {}) })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
}
