import type { FSWatcher } from 'node:fs'
import { dirname } from 'node:path'
import {
  MAX_PACKAGES,
  type PackageFolder,
  type PackageText,
  type ScenePackageRoot,
  watchFolder,
} from '../files/scene-packages.ts'
import { type RegisteredScene, SceneCatalog } from '../knowledge/scenes/catalog.ts'
import { type PackageOnDisk, readScenePackage } from './read-scene-package.ts'

/** Changes within this time are read together. */
const DEBOUNCE_MS = 200
/** A folder that cannot be watched is listed again at most this often. */
const RECHECK_MS = 2000
/** A package that changes while it is read is read again, but not for ever. */
const MAX_ROUNDS = 5

interface SceneLibraryDeps {
  /** Called with the first catalog and with each that differs from the one before. */
  readonly onChanged: (catalog: SceneCatalog) => void
}

interface KnownPackage extends PackageOnDisk {
  /** Changes when the folder is replaced by another one. */
  readonly inode: number
}

/** The scene packages of all roots. Only packages whose folders have changed are read again. */
export class SceneLibrary {
  readonly #roots: readonly ScenePackageRoot[]
  readonly #onChanged: SceneLibraryDeps['onChanged']
  /** By the absolute folder of the package. */
  readonly #packages = new Map<string, KnownPackage>()
  readonly #watchers = new Map<string, FSWatcher>()
  /** Packages to be read again. */
  readonly #changed = new Set<string>()
  /** Roots whose packages are to be listed again. */
  readonly #unlisted: Set<ScenePackageRoot>
  #catalog: SceneCatalog | undefined
  #refreshing: Promise<SceneCatalog> | undefined
  #pending: NodeJS.Timeout | undefined
  #recheckedMs = 0
  #closed = false

  constructor(roots: readonly ScenePackageRoot[], { onChanged }: SceneLibraryDeps) {
    this.#roots = roots
    this.#onChanged = onChanged
    this.#unlisted = new Set(roots)
  }

  get roots(): string[] {
    return this.#roots.map(({ root }) => root)
  }

  /** The scenes as they are now. */
  async catalog(): Promise<SceneCatalog> {
    this.#recheckUnwatched()
    const isCurrent = this.#unlisted.size === 0 && this.#changed.size === 0
    if (this.#catalog !== undefined && isCurrent) return this.#catalog
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined
    })
    return this.#refreshing
  }

  /** Reads a file of a scene's package, such as its script. */
  read({ root, folder }: Pick<RegisteredScene, 'root' | 'folder'>, path: string): Promise<PackageText> {
    return this.#find(root).read(folder, path)
  }

  /** The absolute folder of a scene's package. */
  locate({ root, folder }: Pick<RegisteredScene, 'root' | 'folder'>): string {
    return this.#find(root).absolute(folder)
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#pending)
    for (const watcher of this.#watchers.values()) watcher.close()
    this.#watchers.clear()
  }

  #find(root: string): ScenePackageRoot {
    const found = this.#roots.find((one) => one.root === root)
    if (found === undefined) throw new Error('Not a root of scenes.')
    return found
  }

  async #refresh(): Promise<SceneCatalog> {
    for (let round = 0; round < MAX_ROUNDS && (this.#unlisted.size > 0 || this.#changed.size > 0); round += 1) {
      const roots = [...this.#unlisted]
      this.#unlisted.clear()
      for (const root of roots) await this.#list(root)
      const changed = [...this.#changed]
      this.#changed.clear()
      await Promise.all(changed.map((place) => this.#read(place)))
    }
    const before = this.#catalog
    const catalog = new SceneCatalog([...this.#packages.values()])
    this.#catalog = catalog
    if (!this.#closed && (before === undefined || toState(before) !== toState(catalog))) this.#onChanged(catalog)
    return catalog
  }

  async #list(root: ScenePackageRoot): Promise<void> {
    // The folder is watched before it is listed, so that no change is lost between the two.
    this.#watch(root.folder, () => this.#unlisted.add(root))
    const folders = await root.listFolders().catch(() => new Map<string, PackageFolder>())
    const places = new Map([...folders].map(([folder, found]) => [root.absolute(folder), { folder, ...found }]))
    this.#forgetMissing(root, places)
    let count = 0
    for (const [place, { folder, inode, has_manifest }] of places) {
      if (has_manifest) count += 1
      if (has_manifest && count > MAX_PACKAGES) {
        this.#forget(place)
        this.#packages.set(place, { ...refuseExcess(root, folder), inode: -1 })
      } else if (!has_manifest) {
        // A manifest may be written into it later.
        this.#forget(place)
        this.#watch(place, () => this.#unlisted.add(root))
      } else if (this.#packages.get(place)?.inode !== inode) {
        this.#packages.set(place, { ...(await this.#readWatched(root, folder)), inode })
      }
    }
  }

  #forgetMissing(root: ScenePackageRoot, places: ReadonlyMap<string, unknown>): void {
    for (const [place, known] of this.#packages) {
      if (known.root === root.root && !places.has(place)) this.#forget(place)
    }
    for (const folder of this.#watchers.keys()) {
      if (dirname(folder) === root.folder && !places.has(folder)) this.#unwatch(folder)
    }
  }

  async #read(place: string): Promise<void> {
    const known = this.#packages.get(place)
    if (known === undefined) return
    const root = this.#find(known.root)
    if (!(await root.hasManifest(known.folder))) this.#unlisted.add(root)
    else this.#packages.set(place, { ...(await this.#readWatched(root, known.folder)), inode: known.inode })
  }

  async #readWatched(root: ScenePackageRoot, folder: string): Promise<PackageOnDisk> {
    const place = root.absolute(folder)
    const onChanged = (): void => {
      if (this.#packages.has(place)) this.#changed.add(place)
      else this.#unlisted.add(root)
    }
    // Folders may have been replaced, and a watch stays with the one that is gone.
    this.#unwatch(place)
    this.#watch(place, onChanged)
    let read = await readScenePackage(root, folder)
    const isNew = read.watched.map((one) => this.#watch(one, onChanged))
    // What changed in a folder before it was watched.
    if (isNew.includes(true)) read = await readScenePackage(root, folder)
    return read
  }

  #forget(place: string): void {
    this.#unwatch(place)
    this.#packages.delete(place)
    this.#changed.delete(place)
  }

  #unwatch(place: string): void {
    for (const folder of [place, ...(this.#packages.get(place)?.watched ?? [])]) {
      this.#watchers.get(folder)?.close()
      this.#watchers.delete(folder)
    }
  }

  /** Returns whether the folder was not watched before. */
  #watch(folder: string, onChanged: () => void): boolean {
    if (this.#closed || this.#watchers.has(folder)) return false
    const watcher = watchFolder(folder, () => {
      onChanged()
      this.#scheduleRefresh()
    })
    if (watcher === undefined) return false
    this.#watchers.set(folder, watcher)
    watcher.on('close', () => {
      if (this.#watchers.get(folder) === watcher) this.#watchers.delete(folder)
    })
    return true
  }

  #scheduleRefresh(): void {
    if (this.#closed) return
    clearTimeout(this.#pending)
    this.#pending = setTimeout(() => void this.catalog().catch(() => undefined), DEBOUNCE_MS).unref()
  }

  #recheckUnwatched(): void {
    const nowMs = performance.now()
    if (nowMs - this.#recheckedMs < RECHECK_MS) return
    this.#recheckedMs = nowMs
    for (const root of this.#roots) if (!this.#watchers.has(root.folder)) this.#unlisted.add(root)
  }
}

/** A package that is not read, because its root has too many. */
const refuseExcess = ({ root }: ScenePackageRoot, folder: string): PackageOnDisk => ({
  root,
  folder,
  declared_id: undefined,
  watched: [],
  result: {
    problems: [{ file: 'scene.toml', reason: `is not read: its root has more than ${MAX_PACKAGES} packages` }],
  },
})

/** A text that differs if any scene or refusal does. */
const toState = ({ scenes, refusals }: SceneCatalog): string =>
  JSON.stringify([scenes.map(({ digest, root, folder, warnings }) => [digest, root, folder, warnings]), refusals])
