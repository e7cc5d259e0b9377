import type { FSWatcher } from 'node:fs'
import { readRoot, type ReadRoot, SkillCatalog } from '../knowledge/skill-format/catalog.ts'
import { Failure } from '../failure/failure.ts'
import { SkillRootFolder } from '../files/skill-roots.ts'
import { chooseModes } from '../home/private-files.ts'

/** Changes within this time are reported together. */
const DEBOUNCE_MS = 200

interface CachedRoot {
  readonly stamp: string | undefined
  readonly read: ReadRoot
}

/** The parsed registries of all roots. A registry is read again only when its file has changed. */
export class SkillRootCache {
  readonly folders: readonly SkillRootFolder[]
  readonly #onChanged: (roots: readonly string[]) => void
  readonly #cached = new Map<SkillRootFolder, CachedRoot>()
  readonly #watchers = new Map<SkillRootFolder, FSWatcher>()
  /** The stamps of the registries when a change was last reported. */
  #reported = new Map<SkillRootFolder, string | undefined>()
  #catalog: SkillCatalog | undefined
  #pending: NodeJS.Timeout | undefined
  #closed = false

  /** The first root is the home. `onChanged` is called when another program has changed registries. */
  constructor(roots: readonly string[], onChanged: (roots: readonly string[]) => void) {
    const [home = ''] = roots
    this.folders = [...new Set(roots)].map((root) => new SkillRootFolder(root, chooseModes(home, root)))
    this.#onChanged = onChanged
  }

  /** Returns all skills, as the registries are now. */
  async catalog(): Promise<SkillCatalog> {
    const fresh = await Promise.all(this.folders.map((folder) => this.#refresh(folder)))
    if (this.#catalog === undefined || fresh.includes(true)) {
      const first = this.#catalog === undefined
      this.#catalog = new SkillCatalog(this.folders.flatMap((one) => this.read(one) ?? []))
      if (first) this.#markReported()
    }
    this.#watch()
    return this.#catalog
  }

  /** Like `catalog`, after a write of the daemon itself, which is not reported. */
  async catalogAfterWriting(): Promise<SkillCatalog> {
    const catalog = await this.catalog()
    this.#markReported()
    return catalog
  }

  /** Returns what was last read from a root. */
  read(folder: SkillRootFolder): ReadRoot | undefined {
    return this.#cached.get(folder)?.read
  }

  /** Returns the folder of a root, or of the first root if none is named. */
  folder(root: string | undefined): SkillRootFolder {
    const found = root === undefined ? this.folders[0] : this.folders.find((one) => one.root === root)
    if (found !== undefined) return found
    throw new Failure('INVALID_REQUEST', 'root is not one of the configured skill roots.', {
      details: { field: 'root' },
    })
  }

  assertReadable(folder: SkillRootFolder): void {
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

  /** Returns whether the registry was read again. */
  async #refresh(folder: SkillRootFolder): Promise<boolean> {
    const { root, registryPath } = folder
    let stamp: string | undefined
    let found: { text?: string | undefined; problem?: string | undefined }
    try {
      stamp = folder.readStamp()
      const cached = this.#cached.get(folder)
      if (cached !== undefined && cached.stamp === stamp) return false
      const text = await folder.readRegistry()
      found = { text, problem: text === undefined ? this.#describeMissing(folder) : undefined }
    } catch (error) {
      found = { problem: (error as Error).message }
    }
    this.#cached.set(folder, { stamp, read: readRoot({ root, registryPath, ...found }) })
    return true
  }

  /** The first root belongs to the daemon and may be empty. The other roots are configured and need a registry. */
  #describeMissing(folder: SkillRootFolder): string | undefined {
    return folder === this.folders[0] ? undefined : 'The root has no registry.'
  }

  #watch(): void {
    for (const folder of this.folders) {
      if (this.#closed || this.#watchers.has(folder)) continue
      const watcher = folder.watch(() => this.#scheduleReport())
      if (watcher === undefined) continue
      this.#watchers.set(folder, watcher)
      watcher.on('close', () => this.#watchers.delete(folder))
    }
  }

  #scheduleReport(): void {
    clearTimeout(this.#pending)
    if (!this.#closed) this.#pending = setTimeout(() => void this.#report(), DEBOUNCE_MS).unref()
  }

  async #report(): Promise<void> {
    await this.catalog()
    const changed = [...this.#cached].filter(([folder, { stamp }]) => this.#reported.get(folder) !== stamp)
    this.#markReported()
    if (changed.length > 0 && !this.#closed) this.#onChanged(changed.map(([{ root }]) => root))
  }

  #markReported(): void {
    this.#reported = new Map([...this.#cached].map(([folder, { stamp }]) => [folder, stamp]))
  }
}
