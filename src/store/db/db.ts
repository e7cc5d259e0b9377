import Database from 'better-sqlite3'
import { Failure } from '../../failure/failure.ts'
import { findStorageCode, isStorageError } from '../../failure/storage-failure.ts'

declare const writing: unique symbol

/** Can read committed state. */
export interface Reader {
  readonly db: Database.Database
}

/** Can also write. Exists only inside `write()`; functions that change rows require it. */
export interface Tx extends Reader {
  readonly [writing]: true
}

type Sync<T> = T extends PromiseLike<unknown> ? never : T

interface Pending {
  work: (tx: Tx) => unknown
  value?: unknown
  error?: unknown
  failed: boolean
  /** Whether it waits for room when the disk is full, and is not rejected. */
  readonly isPatient: boolean
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

const BUSY_TIMEOUT_MS = 5000
/** How many event-loop turns a commit waits at most for more writes. */
const MAX_TURNS = 3
/** How long a deferred write waits at most for another write. */
const DEFER_MS = 10
/** How long after a failed commit the next one is tried. */
const RETRY_MS = 500
/** Changes nothing but the number of commits. */
const PROBE_DISK = 'UPDATE database_identity SET commit_count = commit_count'

/**
 * The only writer. Writes queued in the same event-loop turn share one IMMEDIATE transaction and so one sync to disk.
 * Their promises settle, and listeners are called, after the commit. A write that throws leaves no changes: if it has
 * changed nothing, only its own promise is rejected; otherwise the transaction is rolled back and all its writes run
 * again, each in its own savepoint. So a write may run twice and must not have effects outside the database.
 */
export class Store {
  readonly #writer: Database.Database
  readonly #reader: Database.Database
  readonly #tx: Tx
  readonly #listeners = new Set<() => void>()
  readonly #flush: Flush
  #lastWork: Pending | undefined
  #onCounted: ((commitCount: number) => void) | undefined
  #pending: Pending[] = []
  /** Patient writes that wait for room, in their order. */
  #parked: Pending[] = []
  #trouble: StoreTrouble | undefined
  #retry: NodeJS.Timeout | undefined
  /** Whether the pending writes are to be committed in this turn or one of the next. */
  #isGathering = false
  #deferred: NodeJS.Timeout | undefined
  #isImpatient = false
  #closed = false

  private constructor(writer: Database.Database, reader: Database.Database) {
    this.#writer = writer
    this.#reader = reader
    // The brand exists only in the types. No other place creates a Tx.
    this.#tx = { db: writer } as Tx
    this.#flush = createFlush(this.#tx)
  }

  static open(file: string, sync: 'full' | 'normal'): Store {
    const writer = new Database(file)
    // First, because switching to WAL can wait for a lock.
    writer.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`)
    writer.pragma('journal_mode = WAL')
    // Explicit, because better-sqlite3 is compiled to use NORMAL in WAL mode.
    writer.pragma(`synchronous = ${sync.toUpperCase()}`)
    writer.pragma('foreign_keys = ON')
    // Overwrites deleted content with zeros.
    writer.pragma('secure_delete = ON')
    // Keeps the journals of savepoints in memory. By default, those over 64 KiB are written to a file.
    writer.pragma('temp_store = MEMORY')
    // Checkpoints after about 64 MB, so that pages that change often are copied into the database less often.
    writer.pragma('wal_autocheckpoint = 16000')
    const level = sync === 'full' ? 2 : 1
    if (writer.pragma('synchronous', { simple: true }) !== level) {
      throw new Error(`SQLite did not accept synchronous = ${sync.toUpperCase()}.`)
    }
    const reader = new Database(file)
    reader.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`)
    reader.pragma('query_only = ON')
    return new Store(writer, reader)
  }

  read<T>(work: (reader: Reader) => Sync<T>): Sync<T> {
    return work({ db: this.#reader })
  }

  write<T>(work: (tx: Tx) => Sync<T>): Promise<Sync<T>> {
    const written = this.#enqueue(work, false)
    this.#startGathering()
    return written
  }

  /**
   * As `write`, but while the disk is full it waits for room. Such writes are committed in their order. It is for work
   * that nobody would repeat, such as the end of a job. When the store closes, those that wait are rejected.
   */
  writePatiently<T>(work: (tx: Tx) => Sync<T>): Promise<Sync<T>> {
    const written = this.#enqueue(work, true)
    this.#startGathering()
    return written
  }

  /**
   * As `writePatiently`, for work that nobody waits for. It is committed with the next other write, or alone after a few
   * milliseconds. All writes are committed in the order of the calls.
   */
  writeDeferred<T>(work: (tx: Tx) => Sync<T>): Promise<Sync<T>> {
    const written = this.#enqueue(work, true)
    if (!this.#isGathering && this.#pending.length > 0) {
      this.#deferred ??= setTimeout(() => this.#startGathering(), DEFER_MS)
    }
    return written
  }

  /** Rejects the writes that wait for room, and lets no other wait. Called when the daemon stops. */
  endPatience(): void {
    this.#isImpatient = true
    const error = new Failure(this.#trouble?.code ?? 'STORE_UNAVAILABLE', 'The daemon stops before there was room.')
    for (const pending of this.#parked.splice(0)) pending.reject(error)
  }

  /** Why the last commit failed. Undefined when the store can be written. */
  get trouble(): StoreTrouble | undefined {
    return this.#trouble
  }

  #enqueue<T>(work: (tx: Tx) => Sync<T>, isPatient: boolean): Promise<Sync<T>> {
    if (this.#closed) return Promise.reject(new Error('The store is closed.'))
    return new Promise((resolve, reject) => {
      const pending: Pending = {
        work,
        failed: false,
        isPatient,
        resolve: resolve as Pending['resolve'],
        reject,
      }
      // Behind the others that wait, so that their order stays.
      if (isPatient && this.#parked.length > 0) this.#parked.push(pending)
      else this.#pending.push(pending)
    })
  }

  /**
   * From now on runs `work` at the end of each transaction, so that what follows from its writes is committed with them.
   * It may run twice. If it fails, only its own changes are rolled back. Returns a function that ends this.
   */
  endCommitsWith(work: (tx: Tx) => void, onFailed: (error: unknown) => void): () => void {
    this.#lastWork = { work, isPatient: false, failed: false, resolve: () => undefined, reject: onFailed }
    return () => {
      this.#lastWork = undefined
    }
  }

  /** Calls `listener` after each commit. It must not throw. Returns a function that removes it. */
  onCommit(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /**
   * From now on counts the commits that change something in `database_identity`. Calls `listener` with the number after
   * each of them, before anyone is told of the commit. It must not throw.
   */
  countCommits(listener: (commitCount: number) => void): void {
    this.#onCounted = listener
  }

  /**
   * Copies the log into the database file and empties it, so that the file alone is current and no page of deleted rows
   * stays in the log. Returns false if another connection reads at the moment, or the disk is full.
   */
  foldLog(): boolean {
    this.#writer.pragma('busy_timeout = 0')
    try {
      const [result] = this.#writer.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[]
      return result?.busy === 0
    } catch (error) {
      // There is no room to fold it in. Nothing is lost: the log has all commits.
      if (isStorageError(error)) return false
      throw error
    } finally {
      this.#writer.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`)
    }
  }

  /** The writing connection, for migrations before the first write. */
  get schema(): Database.Database {
    return this.#writer
  }

  close(): void {
    if (this.#closed) return
    clearTimeout(this.#retry)
    this.endPatience()
    this.#closed = true
    this.#commit()
    this.foldLog()
    this.#reader.close()
    this.#writer.close()
  }

  #startGathering(): void {
    const seen = this.#pending.length
    if (this.#isGathering || seen === 0) return
    this.#isGathering = true
    setImmediate(() => this.#gather(seen, MAX_TURNS))
  }

  /** Commits a single write at once. While several are queued and their number grows, waits for one more turn. */
  #gather(seen: number, turns: number): void {
    const found = this.#pending.length
    if (found > seen && turns > 0) setImmediate(() => this.#gather(found, turns - 1))
    else this.#commit()
  }

  #commit(): void {
    this.#isGathering = false
    clearTimeout(this.#deferred)
    this.#deferred = undefined
    if (this.#pending.length === 0) return
    const batch = this.#lastWork === undefined ? this.#pending : [...this.#pending, this.#lastWork]
    this.#pending = []
    try {
      const commitCount = this.#flush(batch, this.#onCounted !== undefined)
      if (commitCount !== undefined) this.#onCounted?.(commitCount)
    } catch (error) {
      for (const pending of batch) this.#fail(pending, error)
      return
    }
    if (!batch.some(({ failed, error }) => failed && isStorageError(error))) this.#trouble = undefined
    for (const pending of batch) {
      if (pending.failed) this.#fail(pending, pending.error)
      else pending.resolve(pending.value)
    }
    for (const listener of this.#listeners) listener()
  }

  #fail(pending: Pending, error: unknown): void {
    const code = findStorageCode(error)
    if (code !== undefined) {
      this.#trouble = { code }
      this.#retry ??= setTimeout(() => this.#tryAgain(), RETRY_MS).unref()
    }
    if (code !== undefined && pending.isPatient && !this.#isImpatient) this.#parked.push(pending)
    else pending.reject(error)
  }

  /** Commits what waits for room, or else a change of nothing, to see whether there is room. */
  #tryAgain(): void {
    this.#retry = undefined
    if (this.#closed) return
    // The log may be much larger than the pages that it changes, so folding it in makes room.
    if (this.#trouble?.code === 'STORAGE_FULL') this.foldLog()
    const parked = this.#parked
    this.#parked = []
    this.#pending.unshift(...parked)
    if (this.#trouble !== undefined && this.#pending.length === 0) {
      this.write((tx) => void sql(tx, PROBE_DISK).run()).catch(() => undefined)
    }
    this.#commit()
  }
}

/** Why the store cannot be written. */
export interface StoreTrouble {
  readonly code: 'STORAGE_FULL' | 'STORE_UNAVAILABLE'
}

/** Thrown to roll back a transaction in which a failed write has changed rows. */
class PartialWrite extends Error {}

/** Commits a batch. Returns the number of commits so far if it is counted and the batch changed something. */
type Flush = (batch: Pending[], counted: boolean) => number | undefined

const COUNT_COMMIT = 'UPDATE database_identity SET commit_count = commit_count + 1 RETURNING commit_count'

function createFlush(tx: Tx): Flush {
  const { db } = tx
  const changes = db.prepare('SELECT total_changes()').pluck()
  let isCounted = false
  let commitCount: number | undefined
  const countCommit = (before: unknown): void => {
    if (isCounted && changes.get() !== before) commitCount = sql(tx, COUNT_COMMIT, 'values').get() as number
  }
  const together = db.transaction((batch: Pending[]) => {
    const start = changes.get()
    let before = start
    for (const pending of batch) {
      settle(pending, tx)
      const after = changes.get()
      if (pending.failed && after !== before) throw new PartialWrite()
      before = after
    }
    countCommit(start)
  })
  const savepoint = db.transaction((pending: Pending) => {
    settle(pending, tx)
    if (pending.failed) throw new PartialWrite()
  })
  const apart = db.transaction((batch: Pending[]) => {
    const start = changes.get()
    for (const pending of batch) runOrRollBack(() => savepoint(pending))
    countCommit(start)
  })
  return (batch, counted) => {
    isCounted = counted
    commitCount = undefined
    const rolledBack = runOrRollBack(() => together.immediate(batch))
    if (rolledBack && batch.length > 1) apart.immediate(batch)
    return commitCount
  }
}

/** Returns true if the transaction was rolled back because of a partial write. */
function runOrRollBack(work: () => void): boolean {
  try {
    work()
    return false
  } catch (error) {
    if (error instanceof PartialWrite) return true
    throw error
  }
}

function settle(pending: Pending, tx: Tx): void {
  try {
    pending.value = pending.work(tx)
    pending.failed = false
  } catch (error) {
    // After some errors, such as a full disk, SQLite has already rolled back the whole transaction.
    if (!tx.db.inTransaction) throw error
    pending.failed = true
    pending.error = error
  }
}

/** How a statement returns a row: as an object, as an array of its columns, or as its first column alone. */
type RowMode = 'objects' | 'arrays' | 'values'
type Statements = Record<RowMode, Map<string, Database.Statement>>

const statements = new WeakMap<Database.Database, Statements>()
/** More than the number of statements in the source. It bounds the texts that are composed at run time. */
const STATEMENT_LIMIT = 1000

/** A prepared statement. The connection keeps it for the next call; if there are too many, it drops the oldest. */
export function sql({ db }: Reader, text: string, mode: RowMode = 'objects'): Database.Statement {
  let known = statements.get(db)
  if (known === undefined) {
    known = { objects: new Map(), arrays: new Map(), values: new Map() }
    statements.set(db, known)
  }
  return known[mode].get(text) ?? prepare(db, text, { mode, known: known[mode] })
}

function prepare(
  db: Database.Database,
  text: string,
  { mode, known }: { mode: RowMode; known: Map<string, Database.Statement> },
): Database.Statement {
  const statement = db.prepare(text)
  if (mode === 'arrays') statement.raw()
  if (mode === 'values') statement.pluck()
  if (known.size >= STATEMENT_LIMIT) {
    const [oldest] = known.keys()
    if (oldest !== undefined) known.delete(oldest)
  }
  known.set(text, statement)
  return statement
}
