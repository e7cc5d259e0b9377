import { createHash, hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, lstat, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { createFile, type FileModes, listCreated, makeFolder, syncFolder } from '../home/private-files.ts'
import type { ContentFiles } from './content-files.ts'

/** A file of a skill. The path is relative to the folder of the skill. */
export interface FolderFile {
  readonly path: string
  readonly content: string
  /** The stored file that is used instead of `content`. */
  readonly stored_sha256?: string | undefined
  readonly executable?: true | undefined
}

export interface FolderRules extends FileModes {
  /** Files of imported skills. */
  readonly stored: Pick<ContentFiles, 'stream'>
}

export interface FolderState {
  readonly missing: readonly string[]
  /** Files that exist with another content. */
  readonly edited: readonly string[]
}

/** A folder below the root. */
export interface ListedFolder {
  readonly folder: string
  readonly document?: string
}

const MAX_LISTED = 5000
const MAX_DOCUMENT_BYTES = 1 << 20
const SLUG = /^[a-z0-9][a-z0-9-]{1,63}$/
/** Imported bundles may use any script in file names, but no character that separates paths. */
const SEGMENT = /^[^/\\\p{Cc}]{1,160}$/u
const WORK_ID = /^[A-Za-z0-9-]{1,80}$/
/** Temporary folders of replacements. */
const TEMPORARY = /^\.apprentice-(?:new|old)-/

/** One folder per skill below a root. A folder is replaced as a whole. */
export class SkillFolders {
  readonly root: string
  readonly #rules: FolderRules

  constructor(root: string, rules: FolderRules) {
    this.root = root
    this.#rules = rules
  }

  /** Replaces the folder of a skill. `workId` names the temporary folders. Returns the sorted paths. */
  async put(slug: string, files: readonly FolderFile[], workId: string): Promise<string[]> {
    const target = this.#folder(slug)
    const staging = this.#temporary('new', workId)
    await this.#makeRoot()
    await rm(staging, { recursive: true, force: true })
    for (const file of files) await this.#write(staging, file)
    await syncFolders(staging)
    await this.#moveAside(target, workId)
    await rename(staging, target)
    await syncFolder(this.root)
    await this.#discard(workId)
    return files.map(({ path }) => path).toSorted()
  }

  async remove(slug: string, workId: string): Promise<void> {
    await this.#moveAside(this.#folder(slug), workId)
    if (await exists(this.root)) await syncFolder(this.root)
    await this.#discard(workId)
  }

  /** Says whether anything of that name exists. */
  async has(slug: string): Promise<boolean> {
    return exists(this.#folder(slug))
  }

  /** All folders below the root with their SKILL.md, whoever made them. */
  async list(): Promise<ListedFolder[]> {
    const entries = await readdir(this.root, { withFileTypes: true }).catch(() => [])
    const folders: ListedFolder[] = []
    for (const { name: folder } of entries.slice(0, MAX_LISTED)) {
      if (folder.startsWith('.')) continue
      const document = await readDocument(join(this.root, folder, 'SKILL.md'))
      folders.push({ folder, ...(document === undefined ? {} : { document }) })
    }
    return folders
  }

  /** Compares the files on disk with the files that were written. */
  async inspect(slug: string, files: readonly FolderFile[]): Promise<FolderState> {
    const folder = this.#folder(slug)
    const missing: string[] = []
    const edited: string[] = []
    for (const { path, content, stored_sha256 } of files) {
      const found = await computeFileDigest(resolveInside(folder, path))
      const expected = stored_sha256 ?? hash('sha256', content, 'hex')
      if (found === undefined) missing.push(path)
      else if (found !== expected) edited.push(path)
    }
    return { missing, edited }
  }

  /** Writes single files of a folder again. */
  async mend(slug: string, files: readonly FolderFile[]): Promise<void> {
    const folder = this.#folder(slug)
    await this.#makeRoot()
    for (const file of files) await this.#write(folder, file)
    await syncFolders(folder)
    await syncFolder(this.root)
  }

  /** Removes temporary folders of interrupted replacements. */
  async tidy(): Promise<void> {
    for (const name of await readdir(this.root).catch(() => [])) {
      if (TEMPORARY.test(name)) await rm(join(this.root, name), { recursive: true, force: true })
    }
  }

  #folder(slug: string): string {
    if (!SLUG.test(slug)) throw new Error('Not the slug of a skill.')
    return join(this.root, slug)
  }

  #temporary(kind: 'new' | 'old', workId: string): string {
    if (!WORK_ID.test(workId)) throw new Error('Not a work id.')
    return join(this.root, `.apprentice-${kind}-${workId}`)
  }

  /** Renames the folder, so that readers see all of it or nothing. */
  async #moveAside(target: string, workId: string): Promise<void> {
    const old = this.#temporary('old', workId)
    await rm(old, { recursive: true, force: true })
    await rename(target, old).catch(ignoreMissing)
  }

  async #discard(workId: string): Promise<void> {
    await rm(this.#temporary('old', workId), { recursive: true, force: true })
  }

  async #makeRoot(): Promise<void> {
    const first = await makeFolder(this.root, this.#rules)
    for (const created of listCreated(this.root, first)) await syncFolder(dirname(created))
  }

  async #write(folder: string, { path, content, stored_sha256, executable }: FolderFile): Promise<void> {
    const file = resolveInside(folder, path)
    await makeFolder(dirname(file), this.#rules)
    const temp = `${file}.tmp`
    await rm(temp, { force: true })
    const { file: mode } = this.#rules
    const handle = await createFile(temp, { ...this.#rules, file: executable === true ? allowExecution(mode) : mode })
    try {
      if (stored_sha256 === undefined) await handle.writeFile(content)
      else await this.#copyStored(handle, stored_sha256)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temp, file)
  }

  async #copyStored(handle: FileHandle, sha256: string): Promise<void> {
    const digest = createHash('sha256')
    for await (const piece of this.#rules.stored.stream(sha256)) {
      digest.update(piece)
      await handle.appendFile(piece)
    }
    if (digest.digest('hex') !== sha256) throw new Error('A stored file of a skill is damaged.')
  }
}

/** Whoever may read the file may execute it. */
const allowExecution = (mode: number): number => mode | ((mode & 0o444) >> 2)

/** Resolves the path of a file inside a folder. Throws if it would be outside. */
function resolveInside(folder: string, path: string): string {
  if (!path.split('/').every((part) => SEGMENT.test(part) && part !== '.' && part !== '..')) {
    throw new Error('The path is not inside the skill folder.')
  }
  const file = resolve(folder, path)
  if (relative(folder, file).startsWith(`..${sep}`)) throw new Error('The path is not inside the skill folder.')
  return file
}

/** Reads the file in parts, because a file of a bundle may be large. Returns undefined if there is no file. */
async function computeFileDigest(file: string): Promise<string | undefined> {
  const digest = createHash('sha256')
  try {
    for await (const part of createReadStream(file)) digest.update(part as Buffer)
  } catch (error) {
    return ignoreMissing(error)
  }
  return digest.digest('hex')
}

/** Undefined if there is no readable file, or it is too large for a document. */
async function readDocument(file: string): Promise<string | undefined> {
  const found = await stat(file).catch(() => undefined)
  if (found === undefined || !found.isFile() || found.size > MAX_DOCUMENT_BYTES) return undefined
  return await readFile(file, 'utf8').catch(() => undefined)
}

const exists = async (path: string): Promise<boolean> => (await lstat(path).catch(ignoreMissing)) !== undefined

/** Returns undefined for a missing file and throws any other error. */
function ignoreMissing(error: unknown): undefined {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
  throw error
}

async function syncFolders(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) await syncFolders(join(folder, entry.name))
  }
  await syncFolder(folder)
}
