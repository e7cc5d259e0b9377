import { readdirSync, renameSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import Database from 'better-sqlite3'
import type { Command } from 'commander'
import { readConfig } from '../../config/config.ts'
import { migrationsFolder } from '../../config/paths.ts'
import { DATABASE_NAME } from '../../daemon/database-loss.ts'
import { prepareHome } from '../../home/close-home.ts'
import { findLastGeneration, writeGeneration } from '../../home/generation.ts'
import { HomeLocked, lockHome } from '../../home/home-lock.ts'
import { makeFolderSync, makeTemporaryFolder, syncFolderSync } from '../../home/private-files.ts'
import { moveEntry } from '../../home/set-aside.ts'
import { Store } from '../../store/db/db.ts'
import { findIdentity, upsertIdentity } from '../../store/db/identity.ts'
import { assertKnownMigrations } from '../../store/db/migrate.ts'
import { hintCommand } from '../terminal/command-hint.ts'
import { printResult, reportFailures } from '../terminal/connection.ts'
import { EXIT_CODES } from '../terminal/exit-codes.ts'
import type { BackupOptions } from './backup.ts'
import {
  BackupInvalid,
  type BackupSource,
  copyVerified,
  readManifest,
  SECRETS_FOLDER,
  verifyFiles,
} from './manifest.ts'
import { assembleReplica } from './replica-source.ts'
import { isReplica } from './replica-manifest.ts'

const STAGING_FOLDER = '.restore'
/** Entries of a home that a restore does not replace. */
const KEPT = /^(?:daemon\..*|generation\.json|lost|\.restore|\.gitignore|README\.md)$/

export function addRestoreCommand(program: Command): void {
  program
    .command('restore <folder>')
    .summary('replace the home by a backup or a replica')
    .description(
      'Verifies a backup, or a replica that replicate has written, and replaces the home by it. What was in the home is kept in its folder lost.',
    )
    .option('--with-secrets', 'also replace the admin token and the keys by those of the backup')
    .option('--json', 'print JSON')
    .action((folder: string, options: Partial<BackupOptions> & { readonly json?: boolean }) =>
      reportFailures(async () => {
        const { withSecrets = false } = options
        const { home } = readConfig()
        try {
          const { files, aside } = await restore(resolve(folder), home, { withSecrets, now: new Date().toISOString() })
          printResult(options, { home, files, aside }, () =>
            [
              `Restored ${files} files to ${home}. What was there before is in ${aside}.`,
              `Start the daemon with ${hintCommand('serve')}.`,
            ].join('\n'),
          )
        } catch (error) {
          if (!(error instanceof HomeLocked)) throw error
          process.stderr.write(`apprentice: ${error.message} Stop it first.\n`)
          process.exitCode = EXIT_CODES.homeLocked
        }
      }),
    )
}

interface RestoreOptions extends BackupOptions {
  readonly now: string
}

interface Restored {
  readonly files: number
  readonly aside: string
}

/**
 * Replaces a home by a verified backup. Nothing of the home changes before everything was verified and copied. From the
 * first change to the last, the generation file names a database that is not there, so that no daemon starts on half of
 * a home; a second restore finishes the work.
 */
export async function restore(folder: string, home: string, options: RestoreOptions): Promise<Restored> {
  if (!isReplica(folder)) {
    return restoreFrom({ manifest: readManifest(folder), locate: (path) => join(folder, path) }, home, options)
  }
  const scratch = await makeTemporaryFolder('apprentice-restore-')
  try {
    return await restoreFrom(await assembleReplica(folder, join(scratch, DATABASE_NAME)), home, options)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

async function restoreFrom(
  source: BackupSource,
  home: string,
  { withSecrets, now }: RestoreOptions,
): Promise<Restored> {
  const { manifest } = source
  if (withSecrets && !manifest.with_secrets) throw new BackupInvalid('The backup was made without secrets.')
  await verifyFiles(source)
  verifyDatabase(source)
  prepareHome(home)
  const unlock = lockHome(home)
  try {
    const generation = Math.max(manifest.database.generation, findLastGeneration(home)) + 1
    const files = await stageFiles(source, home, withSecrets)
    await setGeneration(join(home, STAGING_FOLDER, DATABASE_NAME), generation)
    writeGeneration(home, { ...manifest.database, generation })
    const aside = join(home, 'lost', now.replaceAll(':', '-'))
    replaceEntries(home, { aside, replacesSecrets: withSecrets })
    return { files, aside }
  } finally {
    unlock()
  }
}

function verifyDatabase({ manifest: { database }, locate }: BackupSource): void {
  const db = new Database(locate(DATABASE_NAME), { readonly: true })
  try {
    const damage = String(db.pragma('quick_check', { simple: true }))
    if (damage !== 'ok') throw new BackupInvalid(`The database of the backup is damaged: ${damage}.`)
    assertKnownMigrations(db, migrationsFolder)
    if (findIdentity({ db })?.database_id !== database.database_id) {
      throw new BackupInvalid('The database of the backup is not the one that its manifest names.')
    }
  } finally {
    db.close()
  }
}

/** Copies the backup next to what it will replace. Returns the number of files. */
async function stageFiles(source: BackupSource, home: string, withSecrets: boolean): Promise<number> {
  const staging = join(home, STAGING_FOLDER)
  rmSync(staging, { recursive: true, force: true })
  makeFolderSync(staging)
  const files = source.manifest.files.filter(({ path }) => withSecrets || !path.startsWith(`${SECRETS_FOLDER}/`))
  for (const file of files) await copyVerified(source, file, join(staging, file.path))
  return files.length
}

async function setGeneration(file: string, generation: number): Promise<void> {
  const store = Store.open(file, 'full')
  try {
    await store.write((tx) => {
      const identity = findIdentity(tx)
      if (identity !== undefined) upsertIdentity(tx, { ...identity, generation })
    })
  } finally {
    store.close()
  }
}

/** Moves the entries of the home aside and the staged ones in their place. The database leaves first and comes last. */
function replaceEntries(home: string, { aside, replacesSecrets }: { aside: string; replacesSecrets: boolean }): void {
  const staging = join(home, STAGING_FOLDER)
  const isReplaced = (name: string) => !KEPT.test(name) && (replacesSecrets || name !== SECRETS_FOLDER)
  for (const name of sortDatabase(readdirSync(home).filter(isReplaced), 'first')) moveEntry(home, name, aside)
  for (const name of sortDatabase(readdirSync(staging), 'last')) renameSync(join(staging, name), join(home, name))
  syncFolderSync(home)
  rmSync(staging, { recursive: true, force: true })
}

function sortDatabase(names: readonly string[], place: 'first' | 'last'): string[] {
  const [database, others] = [
    names.filter((name) => name.startsWith(DATABASE_NAME)),
    names.filter((name) => !name.startsWith(DATABASE_NAME)),
  ]
  return place === 'first' ? [...database, ...others] : [...others, ...database]
}
