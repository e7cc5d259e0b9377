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

/**
 * The only pen. Writes that arrive in one turn of the event loop share one IMMEDIATE transaction, a savepoint
 * each, so a failing one rolls back alone and all of them pay for one sync to disk. Nobody is answered, and no
 * listener told, before the shared commit.
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
    const savepoint = writer.transaction((work: (tx: Tx) => unknown) => work(this.#tx))
    const shared = writer.transaction((batch: Pending[]) => {
      for (const pending of batch) settle(pending, savepoint)
    })
    this.#flush = (batch) => shared.immediate(batch)
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
      if (this.#pending.push(pending) === 1) setImmediate(() => this.#commit())
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

function settle(pending: Pending, savepoint: (work: Pending['work']) => unknown): void {
  try {
    pending.value = savepoint(pending.work)
    pending.failed = false
  } catch (error) {
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
export function recall<T>(reader: Reader, key: string, work: () => T): T {
  if (reader.db.inTransaction) return work()
  const at = sql(reader, 'PRAGMA data_version').pluck().get()
  let memory = memories.get(reader.db)
  if (memory === undefined || memory.at !== at || memory.known.size >= memoryLimit) {
    memories.set(reader.db, (memory = { at, known: new Map() }))
  }
  if (!memory.known.has(key)) memory.known.set(key, work())
  return memory.known.get(key) as T
}
