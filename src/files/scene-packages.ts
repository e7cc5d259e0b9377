import { createHash } from 'node:crypto'
import { type FSWatcher, watch } from 'node:fs'
import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'

const MANIFEST = 'scene.toml'
/** Further packages of a root are refused, by their names the last. */
export const MAX_PACKAGES = 2000
/** The largest files that are read, by the end of their names. */
const MAX_BYTES: readonly (readonly [end: string, bytes: number])[] = [
  ['.toml', 256 * 1024],
  ['', 1024 * 1024],
]
const MISSING_CODES: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'])

/** A file of a package, or why it cannot be used, as the end of a sentence that starts with its path. */
export type PackageText = { readonly text: string; readonly sha256: string } | { readonly problem: string }

export interface PackageFolder {
  /** Changes when the folder is replaced by another one. */
  readonly inode: number
  readonly has_manifest: boolean
}

interface ResolvedPath {
  readonly file: string
  readonly size: number
  readonly isFile: boolean
  readonly isFolder: boolean
}

/** A folder whose subfolders may be scene packages. */
export class ScenePackageRoot {
  readonly root: string
  /** The folder of the packages, relative to the root; empty if it is the root. */
  readonly #packages: string

  constructor(root: string, packages: string) {
    this.root = root
    this.#packages = packages
  }

  get folder(): string {
    return join(this.root, this.#packages)
  }

  /** The folders that may be packages, by their paths relative to the root. */
  async listFolders(): Promise<Map<string, PackageFolder>> {
    const entries = (await readdir(this.folder, { withFileTypes: true }).catch(ignoreMissing)) ?? []
    const names = entries.filter((one) => one.isDirectory() && !one.name.startsWith('.')).map(({ name }) => name)
    const found = names.toSorted().map(async (name) => {
      const folder = this.#packages === '' ? name : `${this.#packages}/${name}`
      const status = await stat(this.absolute(folder)).catch(ignoreMissing)
      const one = { inode: status?.ino ?? 0, has_manifest: await this.hasManifest(folder) }
      return [folder, one] as const
    })
    return new Map(await Promise.all(found))
  }

  async hasManifest(folder: string): Promise<boolean> {
    const found = await stat(join(this.absolute(folder), MANIFEST)).catch(ignoreMissing)
    return found?.isFile() === true
  }

  absolute(folder: string): string {
    return join(this.root, ...folder.split('/'))
  }

  /** Reads a file of a package. Links that lead out of the package are refused. */
  async read(folder: string, path: string): Promise<PackageText> {
    const found = await this.#resolve(folder, path)
    if ('problem' in found) return found
    if (!found.isFile) return { problem: 'is not a file' }
    const [, limit = 0] = MAX_BYTES.find(([end]) => path.endsWith(end)) ?? []
    if (found.size > limit) return { problem: `is larger than ${limit / 1024} KiB` }
    const bytes = await readFile(found.file)
    try {
      const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
      return { text, sha256: createHash('sha256').update(bytes).digest('hex') }
    } catch {
      return { problem: 'is not UTF-8 text' }
    }
  }

  /** Why a path is no folder of the package. Undefined if it is one. */
  async findFolderProblem(folder: string, path: string): Promise<string | undefined> {
    const found = await this.#resolve(folder, path)
    if ('problem' in found) return found.problem
    return found.isFolder ? undefined : 'is not a folder'
  }

  /** The folders of a package in which the given files are. */
  listFileFolders(folder: string, paths: readonly string[]): string[] {
    const base = this.absolute(folder)
    return [...new Set([base, ...paths.map((path) => dirname(join(base, ...path.split('/'))))])]
  }

  async #resolve(folder: string, path: string): Promise<ResolvedPath | { readonly problem: string }> {
    const base = this.absolute(folder)
    const file = await realpath(join(base, ...path.split('/'))).catch(ignoreMissing)
    const top = await realpath(base).catch(ignoreMissing)
    if (file === undefined || top === undefined) return { problem: 'does not exist' }
    const inside = relative(top, file)
    if (inside === '..' || inside.startsWith(`..${sep}`)) return { problem: 'leads out of the package' }
    const found = await stat(file)
    return { file, size: found.size, isFile: found.isFile(), isFolder: found.isDirectory() }
  }
}

/** Calls `onChanged` when something in a folder changes. Undefined if it cannot be watched. */
export function watchFolder(folder: string, onChanged: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(folder, { persistent: false }, onChanged)
    watcher.on('error', () => watcher.close())
    return watcher
  } catch {
    return undefined
  }
}

/** Returns undefined for a missing file and throws any other error. */
function ignoreMissing(error: unknown): undefined {
  const { code } = error as NodeJS.ErrnoException
  if (code !== undefined && MISSING_CODES.has(code)) return undefined
  throw error
}
