import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { migrationsFolder } from '../config/paths.ts'
import { CommitRecord, findLastGeneration, type Generation } from '../home/generation.ts'
import { ensureFileSync, restrictFileSync } from '../home/private-files.ts'
import { Store } from '../store/db/db.ts'
import { findIdentity, upsertIdentity } from '../store/db/identity.ts'
import { migrate } from '../store/db/migrate.ts'
import { DATABASE_NAME, DatabaseLost, findLoss, setAsideLost } from './database-loss.ts'

/** A log that was not written to for this long is folded in. */
const QUIET_MS = 1000

interface DatabaseDeps {
  readonly clock: () => Date
  readonly newId: () => string
  readonly log: Pick<Logger, 'warn'>
  /** Whether to go on without what the database of the home has lost. */
  readonly acceptLoss: boolean
}

export interface OpenDatabase {
  readonly store: Store
  readonly close: () => void
}

/** Opens the database of the home. Refuses if it is not the one that the home had. */
export async function openDatabase({ home, sync }: Config, deps: DatabaseDeps): Promise<OpenDatabase> {
  const hasLost = acceptLossOrRefuse(home, deps)
  const file = join(home, DATABASE_NAME)
  // SQLite gives its log files the mode of the database.
  ensureFileSync(file)
  // A read-only connection leaves them as the umask made them.
  for (const suffix of ['-wal', '-shm']) restrictFileSync(file + suffix)
  const store = Store.open(file, sync)
  try {
    migrate(store.schema, migrationsFolder)
    const identity = await identify(store, { home, newId: deps.newId, hasLost })
    const log = new CountedLog(store, new CommitRecord(home, identity), sync)
    return { store, close: () => log.close() }
  } catch (error) {
    store.close()
    throw error
  }
}

/** Returns whether a loss was accepted. */
function acceptLossOrRefuse(home: string, { acceptLoss, clock, log }: DatabaseDeps): boolean {
  const reason = findLoss(home)
  if (reason === undefined) return false
  if (!acceptLoss) throw new DatabaseLost(home, reason)
  const folder = setAsideLost(home, clock().toISOString())
  log.warn({ folder }, 'the loss of a database was accepted; what it left is kept in this folder')
  return true
}

/** Gives a new database its identity, and one that goes on after a loss another generation. */
async function identify(
  store: Store,
  { home, newId, hasLost }: { home: string; newId: () => string; hasLost: boolean },
): Promise<Generation> {
  const found = store.read(findIdentity)
  if (found !== undefined && !hasLost) return found
  const generation = Math.max(found?.generation ?? 0, findLastGeneration(home)) + 1
  const identity = { database_id: found?.database_id ?? newId(), generation, commit_count: found?.commit_count ?? 0 }
  await store.write((tx) => upsertIdentity(tx, identity))
  return identity
}

/** Records the number of commits in the home, and folds the log in when nothing was committed for a moment. */
class CountedLog {
  readonly #store: Store
  readonly #record: CommitRecord
  readonly #timer: NodeJS.Timeout
  #commitCount: number | undefined

  constructor(store: Store, record: CommitRecord, sync: Config['sync']) {
    this.#store = store
    this.#record = record
    this.#timer = setTimeout(() => this.#fold(), QUIET_MS).unref()
    store.countCommits((commitCount) => {
      this.#commitCount = commitCount
      // With `normal` a power cut may lose commits, so their number is recorded when the log was folded in.
      if (sync === 'full') this.#write()
      this.#timer.refresh()
    })
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#store.close()
    this.#write()
    this.#record.sync()
    this.#record.close()
  }

  #fold(): void {
    if (this.#store.foldLog()) {
      this.#write()
      this.#record.sync()
    } else this.#timer.refresh()
  }

  #write(): void {
    if (this.#commitCount === undefined) return
    try {
      this.#record.record(this.#commitCount)
    } catch {
      // The number is written again after the next commit.
    }
  }
}
