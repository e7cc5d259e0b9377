import { cpSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import Database from 'better-sqlite3'
import type { Command } from 'commander'
import { readConfig } from '../config/config.ts'
import { reportFailures } from './terminal/connection.ts'

/** Saved beside the database. The other files of a home are projections, which a start writes again. */
const SAVED_ENTRIES = ['settings.json', 'blocked-terms.txt', 'secrets', 'evidence', 'skills', 'workspace'] as const

export function addBackupCommand(program: Command): void {
  program
    .command('backup <folder>')
    .summary('copy the home to an empty folder')
    .description('Copies the home to an empty folder. Works while the daemon runs.')
    .action((folder: string) =>
      reportFailures(async () => {
        const { home } = readConfig()
        const saved = backup(home, resolve(folder))
        process.stdout.write(`Saved ${saved.join(', ')} to ${resolve(folder)}.\n`)
      }),
    )
}

/** Returns the names of the saved files and folders. */
export function backup(home: string, folder: string): string[] {
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    throw new Error('The backup folder must be empty or new.')
  }
  const source = join(home, 'apprentice.db')
  if (!existsSync(source)) throw new Error('There is no database in this home.')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const db = new Database(source, { readonly: true })
  try {
    // One read transaction: the copy is consistent while the daemon writes.
    db.prepare('VACUUM INTO ?').run(join(folder, 'apprentice.db'))
  } finally {
    db.close()
  }
  const found = SAVED_ENTRIES.filter((name) => existsSync(join(home, name)))
  for (const name of found) cpSync(join(home, name), join(folder, name), { recursive: true })
  return ['apprentice.db', ...found]
}
