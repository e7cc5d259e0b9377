import { randomUUID } from 'node:crypto'
import { type FSWatcher, statSync, watch } from 'node:fs'
import { lstat, readdir, readFile, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { type FileModes, makeFolder, SHARED, writeNewFile } from '../home/private-files.ts'

const REGISTRY_NAME = 'skills-registry.json'
/** Larger files are not read. */
const MAX_FILE_BYTES = 8 * 1024 * 1024
const MAX_DEPTH = 6
/** Temporary folders of new skills. */
const TEMPORARY = /^\.apprentice-new-/

export interface NewFile {
  readonly path: string
  readonly content: string
  readonly executable?: true
}

/** A skill root: a folder that contains `skills/`. Paths in its registry are relative to the root. */
export class SkillRootFolder {
  readonly root: string
  readonly #skills: string
  readonly #modes: FileModes

  constructor(root: string, modes: FileModes = SHARED) {
    this.root = root
    this.#modes = modes
    this.#skills = join(root, 'skills')
  }

  get registryPath(): string {
    return join(this.#skills, REGISTRY_NAME)
  }

  absolute(path: string): string {
    return join(this.root, ...path.split('/'))
  }

  /**
   * Returns a value that changes with the registry file. Returns undefined if there is no file. Synchronous, because each
   * lookup asks, and another thread takes far longer to answer than the file system.
   */
  readStamp(): string | undefined {
    try {
      const { ino, size, mtimeMs, ctimeMs } = statSync(this.registryPath, { throwIfNoEntry: false }) ?? {}
      return ino === undefined ? undefined : `${ino}:${size}:${mtimeMs}:${ctimeMs}`
    } catch (error) {
      return ignoreMissing(error)
    }
  }

  /** Returns undefined if there is no registry. */
  async readRegistry(): Promise<string | undefined> {
    return readFile(this.registryPath, 'utf8').catch(ignoreMissing)
  }

  /** Reads a file of the root. Returns undefined if it does not exist, is too large or is outside the root. */
  async readText(path: string): Promise<string | undefined> {
    const file = await this.#resolveFile(path)
    if (file === undefined) return undefined
    const { size } = await stat(file)
    return size > MAX_FILE_BYTES ? undefined : readFile(file, 'utf8')
  }

  /** Lists the paths that do not exist or lead out of the root. */
  async listMissing(paths: readonly string[]): Promise<string[]> {
    const found = await Promise.all(paths.map((path) => this.#resolveFile(path)))
    return paths.filter((_, at) => found[at] === undefined)
  }

  async has(name: string): Promise<boolean> {
    return (await lstat(join(this.#skills, name)).catch(ignoreMissing)) !== undefined
  }

  /** Lists the folders with a skill.json, as paths relative to the root. */
  async listManifestFolders(): Promise<string[]> {
    const found: string[] = []
    const visit = async (folder: string, depth: number): Promise<void> => {
      const entries = await readdir(folder, { withFileTypes: true }).catch(ignoreMissing)
      for (const entry of entries ?? []) {
        if (entry.isFile() && entry.name === 'skill.json' && depth > 0) found.push(folder)
        const isSkipped = entry.name.startsWith('.') || entry.name === 'node_modules'
        if (entry.isDirectory() && !isSkipped && depth < MAX_DEPTH) {
          if (depth > 0 || entry.name !== 'generated') {
            await visit(join(folder, entry.name), depth + 1)
          }
        }
      }
    }
    await visit(this.#skills, 0)
    return found.map((folder) => relative(this.root, folder).split(sep).join('/')).toSorted()
  }

  /** Reads every file under `skills/generated`, keyed by its path relative to `skills/`. */
  async readGenerated(): Promise<Map<string, string>> {
    const texts = new Map<string, string>()
    const visit = async (folder: string): Promise<void> => {
      const entries = await readdir(folder, { withFileTypes: true }).catch(ignoreMissing)
      for (const entry of entries ?? []) {
        const path = join(folder, entry.name)
        if (entry.isDirectory()) await visit(path)
        if (!entry.isFile()) continue
        texts.set(relative(this.#skills, path).split(sep).join('/'), await readFile(path, 'utf8'))
      }
    }
    await visit(join(this.#skills, 'generated'))
    return texts
  }

  /** Creates the folder of a skill atomically. Returns false if the name is in use. */
  async create(id: string, files: readonly NewFile[]): Promise<boolean> {
    await makeFolder(this.#skills, this.#modes)
    if (await this.has(id)) return false
    const temp = join(this.#skills, `.apprentice-new-${randomUUID()}`)
    try {
      for (const { path, content, executable } of files) {
        const file = join(temp, ...path.split('/'))
        await makeFolder(dirname(file), this.#modes)
        // An executable file has the mode of a folder.
        const { folder } = this.#modes
        await writeNewFile(file, content, executable === true ? { file: folder, folder } : this.#modes)
      }
      await rename(temp, join(this.#skills, id))
      return true
    } catch (error) {
      await rm(temp, { recursive: true, force: true })
      throw error
    }
  }

  /** Removes a folder that `create` made. */
  async remove(id: string): Promise<void> {
    await rm(join(this.#skills, id), { recursive: true, force: true })
  }

  async writeRegistry(text: string): Promise<void> {
    await makeFolder(this.#skills, this.#modes)
    await this.#replace(this.registryPath, text)
  }

  /** Replaces all generated files. Each file is replaced atomically. */
  async writeGenerated(files: readonly NewFile[]): Promise<void> {
    const before = new Set((await this.readGenerated()).keys())
    for (const { path, content } of files) {
      const file = join(this.#skills, ...path.split('/'))
      await makeFolder(dirname(file), this.#modes)
      await this.#replace(file, content)
      before.delete(path)
    }
    for (const path of before) await rm(join(this.#skills, ...path.split('/')), { force: true })
  }

  /** Removes temporary folders of interrupted creations. */
  async tidy(): Promise<void> {
    for (const name of (await readdir(this.#skills).catch(ignoreMissing)) ?? []) {
      if (TEMPORARY.test(name)) await rm(join(this.#skills, name), { recursive: true, force: true })
    }
  }

  /** Calls `onChanged` when the registry file changes. Returns undefined if the folder cannot be watched. */
  watch(onChanged: () => void): FSWatcher | undefined {
    try {
      const watcher = watch(this.#skills, { persistent: false }, (_kind, name) => {
        if (name === null || name === REGISTRY_NAME) onChanged()
      })
      // The next call of `catalog` notices a removed folder.
      watcher.on('error', () => watcher.close())
      return watcher
    } catch {
      return undefined
    }
  }

  async #replace(file: string, content: string): Promise<void> {
    const temp = `${file}.${randomUUID()}.tmp`
    try {
      await writeNewFile(temp, content, this.#modes)
      await rename(temp, file)
    } catch (error) {
      await rm(temp, { force: true })
      throw error
    }
  }

  /** Resolves links. Returns undefined if the result is not a file inside the root. */
  async #resolveFile(path: string): Promise<string | undefined> {
    const file = await realpath(this.absolute(path)).catch(ignoreMissing)
    if (file === undefined) return undefined
    const relativePath = relative(await realpath(this.root), file)
    if (relativePath === '..' || relativePath.startsWith(`..${sep}`)) return undefined
    return (await stat(file)).isFile() ? file : undefined
  }
}

const MISSING_CODES: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'])

/** Returns undefined for a missing file and throws any other error. */
function ignoreMissing(error: unknown): undefined {
  const { code } = error as NodeJS.ErrnoException
  if (code !== undefined && MISSING_CODES.has(code)) return undefined
  throw error
}
