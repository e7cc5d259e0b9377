import { createHash, hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { chmod, lstat, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'

/** A file of a skill by its path below the skill's folder. */
export interface FolderFile {
  readonly path: string
  readonly content: string
  /** A file of an unpacked bundle that has the content instead. */
  readonly staged?:
    | { readonly ref: string; readonly path: string; readonly sha256: string }
    | undefined
}

export interface FolderRules {
  readonly file: number
  readonly folder: number
  /** Where unpacked bundles lie, one folder each. */
  readonly staged: string
}

export interface FolderState {
  readonly missing: readonly string[]
  /** There, but not with the content that was written. */
  readonly edited: readonly string[]
}

const slugRule = /^[a-z0-9][a-z0-9-]{1,63}$/
/** Bundles from elsewhere name their files in any script; what could lead out of a folder is in no name. */
const segmentRule = /^[^/\\\p{Cc}]{1,160}$/u
const markRule = /^[A-Za-z0-9-]{1,80}$/
/** Folders on their way in or out; nobody else names theirs so. */
const passing = /^\.apprentice-(?:new|old)-/

/** One folder per skill below a root. A folder is replaced as a whole: nobody sees half of one. */
export class SkillFolders {
  readonly root: string
  readonly #rules: FolderRules

  constructor(root: string, rules: FolderRules) {
    this.root = root
    this.#rules = rules
  }

  /** Puts a folder in place of what was there; `mark` names the work. Returns the paths, sorted. */
  async put(slug: string, files: readonly FolderFile[], mark: string): Promise<string[]> {
    const target = this.#folder(slug)
    const staging = this.#passing('new', mark)
    await this.#makeRoot()
    await rm(staging, { recursive: true, force: true })
    for (const file of files) await this.#write(staging, file)
    await syncFolders(staging)
    await this.#putAway(target, mark)
    await rename(staging, target)
    await syncFolder(this.root)
    await this.#discard(mark)
    return files.map(({ path }) => path).toSorted()
  }

  async remove(slug: string, mark: string): Promise<void> {
    await this.#putAway(this.#folder(slug), mark)
    if (await exists(this.root)) await syncFolder(this.root)
    await this.#discard(mark)
  }

  /** Is there anything of that name? */
  async has(slug: string): Promise<boolean> {
    return exists(this.#folder(slug))
  }

  /** Compares what is there with what was written. */
  async inspect(slug: string, files: readonly FolderFile[]): Promise<FolderState> {
    const folder = this.#folder(slug)
    const missing: string[] = []
    const edited: string[] = []
    for (const { path, content, staged } of files) {
      const found = await digestOf(inside(folder, path))
      const wanted = staged?.sha256 ?? hash('sha256', content, 'hex')
      if (found === undefined) missing.push(path)
      else if (found !== wanted) edited.push(path)
    }
    return { missing, edited }
  }

  /** Writes single files of a folder that is otherwise in order. */
  async mend(slug: string, files: readonly FolderFile[]): Promise<void> {
    const folder = this.#folder(slug)
    await this.#makeRoot()
    for (const file of files) await this.#write(folder, file)
    await syncFolders(folder)
    await syncFolder(this.root)
  }

  /** Removes what a crash left in the middle of a replacement. */
  async tidy(): Promise<void> {
    for (const name of await readdir(this.root).catch(() => [])) {
      if (passing.test(name)) await rm(join(this.root, name), { recursive: true, force: true })
    }
  }

  #folder(slug: string): string {
    if (!slugRule.test(slug)) throw new Error('Not the name of a skill.')
    return join(this.root, slug)
  }

  #passing(way: 'new' | 'old', mark: string): string {
    if (!markRule.test(mark)) throw new Error('Not a mark.')
    return join(this.root, `.apprentice-${way}-${mark}`)
  }

  /** With one move, so that whoever reads it sees all of it or nothing. */
  async #putAway(target: string, mark: string): Promise<void> {
    const old = this.#passing('old', mark)
    await rm(old, { recursive: true, force: true })
    await rename(target, old).catch(unlessAbsent)
  }

  async #discard(mark: string): Promise<void> {
    await rm(this.#passing('old', mark), { recursive: true, force: true })
  }

  async #makeRoot(): Promise<void> {
    const first = await mkdir(this.root, { recursive: true, mode: this.#rules.folder })
    if (first === undefined) return
    for (let made = this.root; made.length >= first.length; made = dirname(made)) {
      await syncFolder(dirname(made))
    }
  }

  #staged({ ref, path }: NonNullable<FolderFile['staged']>): AsyncIterable<Buffer> {
    if (!markRule.test(ref)) throw new Error('Not a bundle.')
    return createReadStream(inside(join(this.#rules.staged, ref), path))
  }

  async #write(folder: string, { path, content, staged }: FolderFile): Promise<void> {
    const file = inside(folder, path)
    await mkdir(dirname(file), { recursive: true, mode: this.#rules.folder })
    const temp = `${file}.tmp`
    await rm(temp, { force: true })
    const handle = await open(temp, 'wx', 0o600)
    try {
      if (staged === undefined) await handle.writeFile(content)
      else for await (const piece of this.#staged(staged)) await handle.appendFile(piece)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await chmod(temp, this.#rules.file)
    await rename(temp, file)
  }
}

/** The place of a file, which is never outside its folder. */
function inside(folder: string, path: string): string {
  if (!path.split('/').every((part) => segmentRule.test(part) && part !== '.' && part !== '..')) {
    throw new Error('Not a path inside a skill.')
  }
  const file = resolve(folder, path)
  if (relative(folder, file).startsWith(`..${sep}`)) throw new Error('Not a path inside a skill.')
  return file
}

/** In parts: a file of a bundle may be large. Undefined when there is none. */
async function digestOf(file: string): Promise<string | undefined> {
  const digest = createHash('sha256')
  try {
    for await (const part of createReadStream(file)) digest.update(part as Buffer)
  } catch (error) {
    return unlessAbsent(error)
  }
  return digest.digest('hex')
}

const exists = async (path: string): Promise<boolean> =>
  (await lstat(path).catch(unlessAbsent)) !== undefined

/** Lets "there is nothing" pass as undefined and throws any other error on. */
function unlessAbsent(error: unknown): undefined {
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

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
