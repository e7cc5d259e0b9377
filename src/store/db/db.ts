import Database from 'better-sqlite3'

declare const writing: unique symbol

/** Can read committed state. */
export interface Reader {
  readonly db: Database.Database
}

/** Exists only inside `write()`; functions that change rows demand it. */
export interface Tx extends Reader {
  readonly [writing]: true
}

type Sync<T> = T extends PromiseLike<unknown> ? never : T

interface Pending {
  work: (tx: Tx) => unknown
  value?: unknown
  error?: unknown
  failed: boolean
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

const mostTurns = 3

/**
 * The only pen. Writes that arrive in one turn of the event loop share one IMMEDIATE transaction, so all of them pay
 * for one sync to disk. Nobody is answered, and no listener told, before the shared commit. A write that fails leaves
 * nothing behind: most fail before they change anything; if one has, all of them are undone and done again with a
 * savepoint each. So what `write` is given may run twice, and must touch nothing but the database.
 */
export class Store {
  readonly #writer: Database.Database
  readonly #reader: Database.Database
  readonly #tx: Tx
  readonly #listeners = new Set<() => void>()
  readonly #flush: (batch: Pending[]) => void
  #pending: Pending[] = []
  #closed = false

  private constructor(writer: Database.Database, reader: Database.Database) {
    this.#writer = writer
    this.#reader = reader
    // The brand exists only in types; this is the one place that grants it.
    this.#tx = { db: writer } as Tx
    this.#flush = flushing(this.#tx)
  }

  static open(file: string, sync: 'full' | 'normal'): Store {
    const writer = new Database(file)
    // First, because switching to WAL can itself meet a lock.
    writer.pragma('busy_timeout = 5000')
    writer.pragma('journal_mode = WAL')
    // Said outright: the library falls back to NORMAL in WAL mode by itself.
    writer.pragma(`synchronous = ${sync.toUpperCase()}`)
    writer.pragma('foreign_keys = ON')
    // What is forgotten is overwritten, not only unlinked.
    writer.pragma('secure_delete = ON')
    // What a savepoint may have to undo stays in memory; by default more than 64 KiB of it goes to a file.
    writer.pragma('temp_store = MEMORY')
    // About 64 MB of log: pages that change again and again are copied into the database less often.
    writer.pragma('wal_autocheckpoint = 16000')
    const wanted = sync === 'full' ? 2 : 1
    if (writer.pragma('synchronous', { simple: true }) !== wanted) {
      throw new Error('The database does not keep the durability asked for.')
    }
    const reader = new Database(file)
    reader.pragma('busy_timeout = 5000')
    reader.pragma('query_only = ON')
    return new Store(writer, reader)
  }

  read<T>(work: (reader: Reader) => Sync<T>): Sync<T> {
    return work({ db: this.#reader })
  }

  write<T>(work: (tx: Tx) => Sync<T>): Promise<Sync<T>> {
    if (this.#closed) return Promise.reject(new Error('The store is closed.'))
    return new Promise((resolve, reject) => {
      const pending: Pending = {
        work,
        failed: false,
        resolve: resolve as Pending['resolve'],
        reject,
      }
      if (this.#pending.push(pending) === 1) setImmediate(() => this.#gather(1, mostTurns))
    })
  }

  /** Called after each shared commit. A listener answers for its own errors. */
  onCommit(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** For schema changes at start, before anyone writes. */
  get schema(): Database.Database {
    return this.#writer
  }

  close(): void {
    if (this.#closed) return
    this.#commit()
    this.#closed = true
    this.#reader.close()
    this.#writer.pragma('wal_checkpoint(TRUNCATE)')
    this.#writer.close()
  }

  /** One alone is committed at once. Where several came, more may be on their way: looks again while the line grows. */
  #gather(seen: number, turns: number): void {
    const found = this.#pending.length
    if (found > seen && turns > 0) setImmediate(() => this.#gather(found, turns - 1))
    else this.#commit()
  }

  #commit(): void {
    const batch = this.#pending
    if (batch.length === 0) return
    this.#pending = []
    try {
      this.#flush(batch)
    } catch (error) {
      for (const pending of batch) pending.reject(error)
      return
    }
    for (const pending of batch) {
      if (pending.failed) pending.reject(pending.error)
      else pending.resolve(pending.value)
    }
    for (const listener of this.#listeners) listener()
  }
}

class LeftHalfDone extends Error {}

function flushing(tx: Tx): (batch: Pending[]) => void {
  const { db } = tx
  const changes = db.prepare('SELECT total_changes()').pluck()
  const together = db.transaction((batch: Pending[]) => {
    let before = changes.get()
    for (const pending of batch) {
      settle(pending, tx)
      const after = changes.get()
      if (pending.failed && after !== before) throw new LeftHalfDone()
      before = after
    }
  })
  const savepoint = db.transaction((pending: Pending) => {
    settle(pending, tx)
    if (pending.failed) throw new LeftHalfDone()
  })
  const apart = db.transaction((batch: Pending[]) => {
    for (const pending of batch) unlessHalfDone(() => savepoint(pending))
  })
  return (batch) => {
    const undone = unlessHalfDone(() => together.immediate(batch))
    if (undone && batch.length > 1) apart.immediate(batch)
  }
}

function unlessHalfDone(work: () => void): boolean {
  try {
    work()
    return false
  } catch (error) {
    if (error instanceof LeftHalfDone) return true
    throw error
  }
}

function settle(pending: Pending, tx: Tx): void {
  try {
    pending.value = pending.work(tx)
    pending.failed = false
  } catch (error) {
    // After some errors, a full disk for one, SQLite has undone the whole transaction by itself.
    if (!tx.db.inTransaction) throw error
    pending.failed = true
    pending.error = error
  }
}

const statements = new WeakMap<Database.Database, Map<string, Database.Statement>>()

/** A prepared statement, kept for the life of its connection. */
export function sql({ db }: Reader, text: string): Database.Statement {
  let known = statements.get(db)
  if (known === undefined) statements.set(db, (known = new Map()))
  let statement = known.get(text)
  if (statement === undefined) known.set(text, (statement = db.prepare(text)))
  return statement
}

interface Memory {
  readonly at: unknown
  readonly known: Map<string, unknown>
}

const memories = new WeakMap<Database.Database, Memory>()
const memoryLimit = 1000

/**
 * What `work` finds, until anyone changes the database. `key` names all it depends on. Whoever asks gets the same
 * object, so nobody may change it. Inside a transaction nothing is remembered: the pen sees its own changes.
 */
export function cached<T>(reader: Reader, key: string, work: () => T): T {
  if (reader.db.inTransaction) return work()
  const at = sql(reader, 'PRAGMA data_version').pluck().get()
  let memory = memories.get(reader.db)
  if (memory === undefined || memory.at !== at || memory.known.size >= memoryLimit) {
    memories.set(reader.db, (memory = { at, known: new Map() }))
  }
  if (!memory.known.has(key)) memory.known.set(key, work())
  return memory.known.get(key) as T
}
