import { randomUUID } from 'node:crypto'
import { type FSWatcher, watch } from 'node:fs'
import {
  chmod,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
} from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'

const REGISTRY = 'skills-registry.json'
/** Files of a skill that are read are short; a longer one is none of ours. */
const LONGEST = 8 * 1024 * 1024
const DEEPEST = 6
/** Folders on their way in; nobody else names theirs so. */
const staging = /^\.apprentice-new-/

export interface NewFile {
  readonly path: string
  readonly content: string
  readonly executable?: true
}

/** One root: a folder with `skills/` in it, where every path of its registry begins. */
export class SkillRootFolder {
  readonly root: string
  readonly #skills: string

  constructor(root: string) {
    this.root = root
    this.#skills = join(root, 'skills')
  }

  get registryPath(): string {
    return join(this.#skills, REGISTRY)
  }

  absolute(path: string): string {
    return join(this.root, ...path.split('/'))
  }

  /** Changes whenever the registry does; undefined when there is none. */
  async stamp(): Promise<string | undefined> {
    const found = await stat(this.registryPath).catch(unlessAbsent)
    return found && `${found.ino}:${found.size}:${found.mtimeMs}:${found.ctimeMs}`
  }

  /** Undefined when there is none. */
  async registry(): Promise<string | undefined> {
    return readFile(this.registryPath, 'utf8').catch(unlessAbsent)
  }

  /** The text of a file of the root; undefined when it is not there, or not in the root. */
  async text(path: string): Promise<string | undefined> {
    const file = await this.#inside(path)
    if (file === undefined) return undefined
    const { size } = await stat(file)
    return size > LONGEST ? undefined : readFile(file, 'utf8')
  }

  /** Those that are not there, or lead out of the root. */
  async missing(paths: readonly string[]): Promise<string[]> {
    const found = await Promise.all(paths.map((path) => this.#inside(path)))
    return paths.filter((_, at) => found[at] === undefined)
  }

  async has(name: string): Promise<boolean> {
    return (await lstat(join(this.#skills, name)).catch(unlessAbsent)) !== undefined
  }

  /** The folders with a skill.json, as registries write them. */
  async manifestFolders(): Promise<string[]> {
    const found: string[] = []
    const look = async (folder: string, depth: number): Promise<void> => {
      const entries = await readdir(folder, { withFileTypes: true }).catch(unlessAbsent)
      for (const entry of entries ?? []) {
        if (entry.isFile() && entry.name === 'skill.json' && depth > 0) found.push(folder)
        const passed = entry.name.startsWith('.') || entry.name === 'node_modules'
        if (entry.isDirectory() && !passed && depth < DEEPEST) {
          if (depth > 0 || entry.name !== 'generated') {
            await look(join(folder, entry.name), depth + 1)
          }
        }
      }
    }
    await look(this.#skills, 0)
    return found.map((folder) => relative(this.root, folder).split(sep).join('/')).toSorted()
  }

  /** Every file below `skills/generated`, by its path below `skills/`. */
  async generated(): Promise<Map<string, string>> {
    const texts = new Map<string, string>()
    const look = async (folder: string): Promise<void> => {
      const entries = await readdir(folder, { withFileTypes: true }).catch(unlessAbsent)
      for (const entry of entries ?? []) {
        const path = join(folder, entry.name)
        if (entry.isDirectory()) await look(path)
        if (!entry.isFile()) continue
        texts.set(relative(this.#skills, path).split(sep).join('/'), await readFile(path, 'utf8'))
      }
    }
    await look(join(this.#skills, 'generated'))
    return texts
  }

  /** Makes the folder of a skill in one move. False when there is something of that name. */
  async create(id: string, files: readonly NewFile[]): Promise<boolean> {
    await mkdir(this.#skills, { recursive: true, mode: 0o755 })
    if (await this.has(id)) return false
    const temp = join(this.#skills, `.apprentice-new-${randomUUID()}`)
    try {
      for (const { path, content, executable } of files) {
        const file = join(temp, ...path.split('/'))
        await mkdir(dirname(file), { recursive: true, mode: 0o755 })
        await write(file, content)
        if (executable === true) await chmod(file, 0o755)
      }
      await rename(temp, join(this.#skills, id))
      return true
    } catch (error) {
      await rm(temp, { recursive: true, force: true })
      throw error
    }
  }

  /** Takes back what `create` made. */
  async discard(id: string): Promise<void> {
    await rm(join(this.#skills, id), { recursive: true, force: true })
  }

  async writeRegistry(text: string): Promise<void> {
    await mkdir(this.#skills, { recursive: true, mode: 0o755 })
    await replace(this.registryPath, text)
  }

  /** Puts these in place of all that was generated; whoever reads meanwhile sees whole files. */
  async writeGenerated(files: readonly NewFile[]): Promise<void> {
    const before = new Set((await this.generated()).keys())
    for (const { path, content } of files) {
      const file = join(this.#skills, ...path.split('/'))
      await mkdir(dirname(file), { recursive: true, mode: 0o755 })
      await replace(file, content)
      before.delete(path)
    }
    for (const path of before) await rm(join(this.#skills, ...path.split('/')), { force: true })
  }

  /** Removes what a crash left in the middle of making a folder. */
  async tidy(): Promise<void> {
    for (const name of (await readdir(this.#skills).catch(unlessAbsent)) ?? []) {
      if (staging.test(name)) await rm(join(this.#skills, name), { recursive: true, force: true })
    }
  }

  /** Tells when something happened to the registry; undefined where that cannot be seen. */
  watch(changed: () => void): FSWatcher | undefined {
    try {
      const watcher = watch(this.#skills, { persistent: false }, (_kind, name) => {
        if (name === null || name === REGISTRY) changed()
      })
      // A folder that goes away is seen by the next who asks.
      watcher.on('error', () => watcher.close())
      return watcher
    } catch {
      return undefined
    }
  }

  /** Where a file really is, if that is a file in the root. */
  async #inside(path: string): Promise<string | undefined> {
    const file = await realpath(this.absolute(path)).catch(unlessAbsent)
    if (file === undefined) return undefined
    const way = relative(await realpath(this.root), file)
    if (way === '..' || way.startsWith(`..${sep}`)) return undefined
    return (await stat(file)).isFile() ? file : undefined
  }
}

async function replace(file: string, content: string): Promise<void> {
  const temp = `${file}.${randomUUID()}.tmp`
  try {
    await write(temp, content)
    await rename(temp, file)
  } catch (error) {
    await rm(temp, { force: true })
    throw error
  }
}

async function write(file: string, content: string): Promise<void> {
  const handle = await open(file, 'wx', 0o644)
  try {
    await handle.writeFile(content)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

const ABSENT: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'])

/** Lets "there is nothing" pass as undefined and throws any other error on. */
function unlessAbsent(error: unknown): undefined {
  const { code } = error as NodeJS.ErrnoException
  if (code !== undefined && ABSENT.has(code)) return undefined
  throw error
}
