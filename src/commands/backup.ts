import { cpSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import Database from 'better-sqlite3'
import type { Command } from 'commander'
import { readConfig } from '../config/config.ts'
import { report } from './terminal/connection.ts'

/** What a home needs to live again; mirrors are rebuilt from the database by themselves. */
const beside = [
  'settings.json',
  'blocked-terms.txt',
  'secrets',
  'evidence',
  'skills',
  'workspace',
] as const

export function addBackupCommand(program: Command): void {
  program
    .command('backup <folder>')
    .description('copy the home to an empty folder, consistently, even while the daemon runs')
    .action((folder: string) =>
      report(async () => {
        const { home } = readConfig()
        const saved = backup(home, resolve(folder))
        process.stdout.write(`Saved ${saved.join(', ')} to ${resolve(folder)}.\n`)
      }),
    )
}

/** Returns what was saved. */
export function backup(home: string, folder: string): string[] {
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    throw new Error('The backup folder must be empty or new.')
  }
  const source = join(home, 'apprentice.db')
  if (!existsSync(source)) throw new Error('There is no database in this home.')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const db = new Database(source, { readonly: true })
  try {
    // One read transaction: a consistent picture while the daemon goes on writing.
    db.prepare('VACUUM INTO ?').run(join(folder, 'apprentice.db'))
  } finally {
    db.close()
  }
  const found = beside.filter((name) => existsSync(join(home, name)))
  for (const name of found) cpSync(join(home, name), join(folder, name), { recursive: true })
  return ['apprentice.db', ...found]
}
