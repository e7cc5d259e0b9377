import Database from 'better-sqlite3'
import { existsSync, lstatSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Generation, GenerationUnreadable, readGeneration } from '../home/generation.ts'
import { linkTree, moveEntry } from '../home/set-aside.ts'
import type { Reader } from '../store/db/db.ts'
import { type DatabaseIdentity, findIdentity } from '../store/db/identity.ts'
import { listProjectionCursors } from '../store/projections/projection-cursors.ts'

export const DATABASE_NAME = 'apprentice.db'
const DATABASE_FILES = [DATABASE_NAME, `${DATABASE_NAME}-wal`, `${DATABASE_NAME}-shm`]
/** Folders that only a database can explain. */
const TRACES = ['system', 'evidence', 'skill-files', 'imports', 'reports', 'connector-files', 'documents']

/** The database of a home as it was found. An empty one has never been used by a daemon. */
export type FoundDatabase = 'missing' | 'empty' | { readonly identity: DatabaseIdentity | undefined }

/** The home had a database that is missing or lacks commits. */
export class DatabaseLost extends Error {
  constructor(home: string, reason: string) {
    super(`${reason} In the home: ${describeEntries(home)}. Nothing was changed.`)
  }
}

/** Says why the database is not the one that the home had. Returns undefined if it is, or if the home never had one. */
export function findLoss(home: string): string | undefined {
  const found = readDatabase(join(home, DATABASE_NAME))
  try {
    return compareDatabase(found, readGeneration(home)) ?? findUnexplained(home, found)
  } catch (error) {
    if (error instanceof GenerationUnreadable) return error.message
    throw error
  }
}

/** The decision of `findLoss` about a home that remembers its database. */
export function compareDatabase(found: FoundDatabase, remembered: Generation | undefined): string | undefined {
  if (remembered === undefined) return undefined
  const had = `This home had a database with ${remembered.commit_count} commits`
  if (found === 'missing') return `${had}, and ${DATABASE_NAME} is missing.`
  if (found === 'empty') return `${had}, and ${DATABASE_NAME} is empty.`
  const { identity } = found
  if (identity === undefined || identity.database_id !== remembered.database_id) {
    return `${had}, and ${DATABASE_NAME} is another one.`
  }
  if (identity.generation !== remembered.generation || identity.commit_count < remembered.commit_count) {
    return `${had}, and ${DATABASE_NAME} with its log has only ${identity.commit_count} of them.`
  }
  return undefined
}

/** Files that a database wrote are in a home without one. */
function findUnexplained(home: string, found: FoundDatabase): string | undefined {
  if (typeof found !== 'string') return undefined
  const trace = TRACES.find((name) => hasFiles(join(home, name)))
  return trace === undefined
    ? undefined
    : `The folder ${trace} belongs to a database, and ${DATABASE_NAME} is ${found}.`
}

/**
 * Keeps what an empty or older database would remove: moves the projections to a folder `lost/<time>`, and links
 * everything else that was stored there, because an older database still needs some of it. Returns the folder.
 */
export function setAsideLost(home: string, now: string): string {
  const folder = join(home, 'lost', now.replaceAll(':', '-'))
  moveEntry(home, 'system', folder)
  if (typeof readDatabase(join(home, DATABASE_NAME)) === 'string') {
    for (const name of DATABASE_FILES) moveEntry(home, name, folder)
  }
  for (const name of TRACES) linkTree(join(home, name), join(folder, name))
  return folder
}

/** Opens the database read-only, so that its log is not folded in before the decision. */
function readDatabase(file: string): FoundDatabase {
  if (!existsSync(file)) return 'missing'
  if (statSync(file).size === 0) return 'empty'
  const db = new Database(file, { readonly: true })
  try {
    const identity = hasTable(db, 'database_identity') ? findIdentity({ db }) : undefined
    const isUsed = identity !== undefined || (hasTable(db, 'mirror_cursors') && listProjectionCursors({ db }).size > 0)
    return isUsed ? { identity } : 'empty'
  } finally {
    db.close()
  }
}

const hasTable = (db: Reader['db'], name: string): boolean =>
  db.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(name) !== undefined

function hasFiles(folder: string): boolean {
  const entries = existsSync(folder) ? readdirSync(folder, { recursive: true, withFileTypes: true }) : []
  return entries.some((entry) => !entry.isDirectory())
}

function describeEntries(home: string): string {
  const names = [...DATABASE_FILES, ...TRACES, 'skills', 'workspace'].filter((name) => existsSync(join(home, name)))
  return names.length === 0 ? 'nothing else' : names.map((name) => describeEntry(home, name)).join(', ')
}

function describeEntry(home: string, name: string): string {
  const path = join(home, name)
  const found = lstatSync(path)
  if (!found.isDirectory()) return `${name} (${found.size} bytes)`
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => !entry.isDirectory())
  return `${name} (${files.length} files)`
}
