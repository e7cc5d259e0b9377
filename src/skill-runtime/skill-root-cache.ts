import type { FSWatcher } from 'node:fs'
import { readRoot, type ReadRoot, SkillCatalog } from '../knowledge/skill-format/catalog.ts'
import { Failure } from '../failure/failure.ts'
import { SkillRootFolder } from '../files/skill-roots.ts'

/** Changes that come close together are told once. */
const DEBOUNCE_MS = 200

interface Kept {
  readonly stamp: string | undefined
  readonly read: ReadRoot
}

/** The registries of all roots. Each is read once, and again only when it has changed. */
export class SkillRootCache {
  readonly folders: readonly SkillRootFolder[]
  readonly #changed: (roots: readonly string[]) => void
  readonly #kept = new Map<SkillRootFolder, Kept>()
  readonly #watchers = new Map<SkillRootFolder, FSWatcher>()
  /** The state of the registries everybody knows of. */
  #told = new Map<SkillRootFolder, string | undefined>()
  #catalog: SkillCatalog | undefined
  #pending: NodeJS.Timeout | undefined
  #closed = false

  /** `changed` is told when somebody else has changed registries. */
  constructor(roots: readonly string[], changed: (roots: readonly string[]) => void) {
    this.folders = [...new Set(roots)].map((root) => new SkillRootFolder(root))
    this.#changed = changed
  }

  /** All skills, as the registries are now. */
  async catalog(): Promise<SkillCatalog> {
    const fresh = await Promise.all(this.folders.map((folder) => this.#refresh(folder)))
    if (this.#catalog === undefined || fresh.includes(true)) {
      const first = this.#catalog === undefined
      this.#catalog = new SkillCatalog(this.folders.flatMap((one) => this.read(one) ?? []))
      if (first) this.#markTold()
    }
    this.#watch()
    return this.#catalog
  }

  /** As `catalog`, after a change of our own: nobody needs to be told of it. */
  async catalogAfterWriting(): Promise<SkillCatalog> {
    const catalog = await this.catalog()
    this.#markTold()
    return catalog
  }

  /** What was last read of a root. */
  read(folder: SkillRootFolder): ReadRoot | undefined {
    return this.#kept.get(folder)?.read
  }

  /** The root of that name, or the first. */
  folder(root: string | undefined): SkillRootFolder {
    const found =
      root === undefined ? this.folders[0] : this.folders.find((one) => one.root === root)
    if (found !== undefined) return found
    throw new Failure('INVALID_REQUEST', 'This is none of the skill roots.', {
      details: { field: 'root' },
    })
  }

  demandReadable(folder: SkillRootFolder): void {
    const problem = this.read(folder)?.problem
    if (problem === undefined) return
    throw new Failure('REGISTRY_READ_FAILED', problem, {
      details: { registryPath: folder.registryPath },
    })
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#pending)
    for (const watcher of this.#watchers.values()) watcher.close()
  }

  /** Whether something was read anew. */
  async #refresh(folder: SkillRootFolder): Promise<boolean> {
    const { root, registryPath } = folder
    let stamp: string | undefined
    let found: { text?: string | undefined; problem?: string | undefined }
    try {
      stamp = await folder.stamp()
      const kept = this.#kept.get(folder)
      if (kept !== undefined && kept.stamp === stamp) return false
      const text = await folder.registry()
      found = { text, problem: text === undefined ? this.#absence(folder) : undefined }
    } catch (error) {
      found = { problem: (error as Error).message }
    }
    this.#kept.set(folder, { stamp, read: readRoot({ root, registryPath, ...found }) })
    return true
  }

  /** The first root is the daemon's own and may be empty; another one was named for what is in it. */
  #absence(folder: SkillRootFolder): string | undefined {
    return folder === this.folders[0] ? undefined : 'There is no registry.'
  }

  #watch(): void {
    for (const folder of this.folders) {
      if (this.#closed || this.#watchers.has(folder)) continue
      const watcher = folder.watch(() => this.#notice())
      if (watcher === undefined) continue
      this.#watchers.set(folder, watcher)
      watcher.on('close', () => this.#watchers.delete(folder))
    }
  }

  #notice(): void {
    clearTimeout(this.#pending)
    if (!this.#closed) this.#pending = setTimeout(() => void this.#tell(), DEBOUNCE_MS).unref()
  }

  async #tell(): Promise<void> {
    await this.catalog()
    const changed = [...this.#kept].filter(
      ([folder, { stamp }]) => this.#told.get(folder) !== stamp,
    )
    this.#markTold()
    if (changed.length > 0 && !this.#closed) this.#changed(changed.map(([{ root }]) => root))
  }

  #markTold(): void {
    this.#told = new Map([...this.#kept].map(([folder, { stamp }]) => [folder, stamp]))
  }
}
