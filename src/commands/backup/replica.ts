import { existsSync, readdirSync, rmSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { version } from '../../config/version.ts'
import { DATABASE_NAME } from '../../daemon/database-loss.ts'
import { lockFile } from '../../home/home-lock.ts'
import {
  ensureFileSync,
  isInside,
  makeFolder,
  makeFolderSync,
  replaceFileSync,
  syncFolder,
} from '../../home/private-files.ts'
import { type DatabaseIdentity, findIdentity } from '../../store/db/identity.ts'
import { type BackupFile, computeDigest, copyWithDigest } from './manifest.ts'
import { listPages, writeChanges } from './database-pages.ts'
import {
  isReplica,
  listPieces,
  locateManifest,
  locatePiece,
  type PageCopy,
  readReplica,
  type ReplicaManifest,
} from './replica-manifest.ts'
import { assembleReplica } from './replica-source.ts'
import { CONTENT_FOLDERS, type HomeFile, INSTALLED_FOLDER, listFiles, listOtherEntries } from './saved-files.ts'

/** After so many files of changes, or when they are half as large as the database, the whole database is stored again. */
const MAX_CHANGES = 256
const LARGEST_SHARE = 0.5
/** What the folder has before the first update ends. */
const OWN_ENTRIES = /^(?:\.lock.*|\.staging|objects)$/
/** The number of pages that SQLite copies at once: all, so that no writer can make it start over. */
const ALL_PAGES = 0x7f_ff_ff_ff

export interface ReplicaOptions {
  readonly withSecrets: boolean
  /** Litestream keeps the database at this address, so that only the files are copied. */
  readonly litestream?: string
}

/** What an update has copied. */
export interface ReplicaUpdate {
  readonly commit_count: number
  readonly pages: number
  readonly files: number
  readonly bytes: number
}

interface KnownFile {
  readonly file: BackupFile
  /** Unknown after the replica was opened. */
  readonly changed_ms?: number
}

interface CopiedDatabase {
  readonly database: ReplicaManifest['database']
  readonly pages: number
  readonly bytes: number
}

type DescribedCopy = DatabaseIdentity & { readonly page_size: number }

/** A folder that holds a copy of a home, as it was at the last update. A cut-off update leaves the one before it. */
export class Replica {
  readonly #home: string
  readonly #folder: string
  readonly #options: ReplicaOptions
  readonly #unlock: () => void
  #manifest: ReplicaManifest | undefined
  /** One digest for each page of the database of the last update. */
  #digests: Buffer = Buffer.alloc(0)
  #known = new Map<string, KnownFile>()

  private constructor(home: string, folder: string, options: ReplicaOptions, unlock: () => void) {
    this.#home = home
    this.#folder = folder
    this.#options = options
    this.#unlock = unlock
  }

  /** Opens a replica of this home, or a new one in an empty folder. */
  static async open(home: string, folder: string, options: ReplicaOptions): Promise<Replica> {
    if (isInside(home, folder)) throw new Error('The folder of the replica must be outside the home.')
    if (!isReplica(folder) && existsSync(folder) && readdirSync(folder).some((name) => !OWN_ENTRIES.test(name))) {
      throw new Error('The folder must be empty, new, or hold a replica of this home.')
    }
    makeFolderSync(folder)
    const unlock = lockFile(join(folder, '.lock'))
    if (unlock === undefined) throw new Error('Another process replicates to this folder.')
    const replica = new Replica(home, folder, options, unlock)
    try {
      await replica.#continue()
      return replica
    } catch (error) {
      unlock()
      throw error
    }
  }

  close(): void {
    this.#unlock()
  }

  /** Copies what has changed since the last update. Returns undefined if nothing has. */
  async update(now: string): Promise<ReplicaUpdate | undefined> {
    const before = this.#manifest
    const files = new Map<string, KnownFile>()
    let copied = { files: 0, bytes: 0 }
    const add = async (names: readonly string[]): Promise<void> => {
      for (const name of names) {
        for await (const found of listFiles(this.#home, name)) {
          if (files.has(found.path)) continue
          const stored = await this.#keep(found)
          if (stored === undefined) continue
          files.set(found.path, stored)
          if (this.#known.get(found.path)?.file !== stored.file) {
            copied = { files: copied.files + 1, bytes: copied.bytes + stored.file.bytes }
          }
        }
      }
    }
    // Before and after the database: a file that its rows name exists at one of these times at least.
    await add(CONTENT_FOLDERS)
    const { database, pages, bytes } = await this.#copyDatabase()
    await add([...CONTENT_FOLDERS, ...listOtherEntries(this.#home, this.#options.withSecrets), INSTALLED_FOLDER])
    const isSame = database === before?.database && copied.files === 0 && files.size === before.files.length
    this.#known = files
    if (isSame) return undefined
    this.#manifest = {
      format: 1,
      updated_at: now,
      program_version: version,
      with_secrets: this.#options.withSecrets,
      database,
      files: [...files.values()].map(({ file }) => file).toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    }
    replaceFileSync(locateManifest(this.#folder), `${JSON.stringify(this.#manifest)}\n`)
    this.#removePieces(before === undefined ? [] : listPieces(before))
    return { commit_count: database.commit_count, pages, files: copied.files, bytes: copied.bytes + bytes }
  }

  /** Reads and verifies what the folder holds, and removes what a cut-off update has left. */
  async #continue(): Promise<void> {
    const { staging, copy } = this.#paths
    rmSync(staging, { recursive: true, force: true })
    makeFolderSync(staging)
    if (!isReplica(this.#folder)) return
    const manifest = readReplica(this.#folder)
    const { database } = manifest
    const found = readIdentity(join(this.#home, DATABASE_NAME))
    if (found.database_id !== database.database_id) {
      throw new Error('The folder holds a replica of another database. Choose an empty folder.')
    }
    if (found.generation === database.generation && found.commit_count < database.commit_count) {
      throw new Error(
        'The replica has changes that the database of this home lacks. Restore it, or choose an empty folder.',
      )
    }
    if ('base' in database && this.#options.litestream === undefined) {
      await assembleReplica(this.#folder, copy)
      this.#digests = (await listPages(copy, database.page_size)).digests
      rmSync(copy)
    }
    this.#manifest = manifest
    this.#known = new Map(manifest.files.map((file) => [file.path, { file }]))
    this.#removePieces(this.#listStored())
  }

  /** Stores a file, unless it has not changed. Returns undefined if it has disappeared. */
  async #keep({ path, executable, bytes, changed_ms }: HomeFile): Promise<KnownFile | undefined> {
    const source = join(this.#home, path)
    const { piece } = this.#paths
    const known = this.#known.get(path)
    try {
      if (known?.file.bytes === bytes && (known.file.executable ?? false) === executable) {
        if (known.changed_ms === changed_ms) return known
        if ((await computeDigest(source)) === known.file.sha256) return { file: known.file, changed_ms }
      }
      const copied = await copyWithDigest(source, piece, false)
      await this.#store(piece, copied.sha256)
      return { file: { path, ...copied, ...(executable ? { executable } : {}) }, changed_ms }
    } catch (error) {
      rmSync(piece, { force: true })
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw error
    }
  }

  async #copyDatabase(): Promise<CopiedDatabase> {
    const { litestream } = this.#options
    const source = join(this.#home, DATABASE_NAME)
    const before = this.#manifest?.database
    const found = readIdentity(source)
    const isSame = before?.commit_count === found.commit_count && before.generation === found.generation
    if (litestream !== undefined) {
      const database = isSame && 'litestream' in before ? before : { ...found, litestream }
      return { database, pages: 0, bytes: 0 }
    }
    if (isSame && 'base' in before) return { database: before, pages: 0, bytes: 0 }
    return this.#copyPages(source, before !== undefined && 'base' in before ? before : undefined)
  }

  /** Copies the database, and stores the pages that have changed, or all of it. */
  async #copyPages(source: string, before: PageCopy | undefined): Promise<CopiedDatabase> {
    const { copy, piece } = this.#paths
    ensureFileSync(copy)
    const db = new Database(source, { readonly: true })
    try {
      await db.backup(copy, { progress: () => ALL_PAGES })
    } finally {
      db.close()
    }
    try {
      const described = describeCopy(copy)
      const changed = before?.page_size === described.page_size && (await this.#storeChanges(described, before))
      return changed || (await this.#storeWhole(described))
    } finally {
      rmSync(copy, { force: true })
      rmSync(piece, { force: true })
    }
  }

  /** Returns undefined if it is better to store the whole database again. */
  async #storeChanges(described: DescribedCopy, before: PageCopy): Promise<CopiedDatabase | undefined> {
    const { copy, piece: target } = this.#paths
    const options = { pageSize: described.page_size, known: this.#digests, target }
    const { list, pages, piece } = await writeChanges(copy, options)
    const { digests, sha256, bytes } = list
    const changes = [...before.changes, piece]
    const size = changes.reduce((sum, one) => sum + one.bytes, 0)
    if (changes.length > MAX_CHANGES || size > bytes * LARGEST_SHARE) return undefined
    await this.#store(target, piece.sha256)
    this.#digests = digests
    return { database: { ...described, sha256, bytes, base: before.base, changes }, pages, bytes: piece.bytes }
  }

  async #storeWhole(described: DescribedCopy): Promise<CopiedDatabase> {
    const { copy } = this.#paths
    const { digests, sha256, bytes } = await listPages(copy, described.page_size)
    await this.#store(copy, sha256)
    this.#digests = digests
    const database = { ...described, sha256, bytes, base: { sha256, bytes }, changes: [] }
    return { database, pages: bytes / described.page_size, bytes }
  }

  /** Where files are written before they are complete. */
  get #paths(): { readonly staging: string; readonly copy: string; readonly piece: string } {
    const staging = join(this.#folder, '.staging')
    return { staging, copy: join(staging, DATABASE_NAME), piece: join(staging, 'piece') }
  }

  /** Gives a complete file its name. It is on disk when the promise resolves. */
  async #store(file: string, sha256: string): Promise<void> {
    const target = locatePiece(this.#folder, sha256)
    const handle = await open(file, 'r+')
    try {
      await handle.sync()
    } finally {
      await handle.close()
    }
    await makeFolder(dirname(target))
    await rename(file, target)
    await syncFolder(dirname(target))
  }

  #removePieces(stored: readonly string[]): void {
    const named = new Set(this.#manifest === undefined ? [] : listPieces(this.#manifest))
    for (const sha256 of stored) if (!named.has(sha256)) rmSync(locatePiece(this.#folder, sha256), { force: true })
  }

  #listStored(): string[] {
    const objects = join(this.#folder, 'objects')
    return existsSync(objects) ? readdirSync(objects).flatMap((name) => readdirSync(join(objects, name))) : []
  }
}

function readIdentity(file: string): DatabaseIdentity {
  if (!existsSync(file)) throw new Error('There is no database in this home.')
  const db = new Database(file, { readonly: true })
  try {
    const identity = findIdentity({ db })
    if (identity === undefined) throw new Error('The database was never used by this version; start the daemon once.')
    const { database_id, generation, commit_count } = identity
    return { database_id, generation, commit_count }
  } finally {
    db.close()
  }
}

/** Makes a copied database one file without a log. Returns what it is. */
function describeCopy(file: string): DescribedCopy {
  const db = new Database(file)
  try {
    db.pragma('journal_mode = DELETE')
    const page_size = Number(db.pragma('page_size', { simple: true }))
    const identity = findIdentity({ db })
    if (identity === undefined) throw new Error('The copied database has no identity.')
    const { database_id, generation, commit_count } = identity
    return { database_id, generation, commit_count, page_size }
  } finally {
    db.close()
  }
}
