import { chmod, chown, cp, lstat, readdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { makeTemporaryFolder } from './private-files.ts'

/**
 * The files of one run under a user id of its own. They lie outside the home, because that id cannot enter the home.
 * The script reads a copy of its skill, and writes only into `work` and `logs`.
 */
export class UserStage {
  readonly path: string
  readonly #id: number

  private constructor(path: string, id: number) {
    this.path = path
    this.#id = id
  }

  static async open(id: number): Promise<UserStage> {
    const path = await makeTemporaryFolder('apprentice-run-')
    // Its users may go through it and not list it.
    await chmod(path, 0o711)
    return new UserStage(path, id)
  }

  /** Copies a folder so that the id can read it and not change it. Returns the path of the copy, if there is one. */
  async copy(source: string): Promise<string | undefined> {
    const target = join(this.path, 'skills', basename(source))
    try {
      await cp(source, target, { recursive: true, verbatimSymlinks: true })
    } catch {
      return undefined
    }
    await setOwner(join(this.path, 'skills'), { owner: 0, group: this.#id })
    return target
  }

  /** Gives the folders of a run to its user: what it may change belongs to it, the rest to its group. */
  async handOver({
    read,
    write,
  }: {
    readonly read: readonly string[]
    readonly write: readonly string[]
  }): Promise<void> {
    for (const folder of read) await setOwner(folder, { owner: 0, group: this.#id })
    for (const folder of write) await setOwner(folder, { owner: this.#id, group: this.#id })
  }

  async close(): Promise<void> {
    await removeStage(this.path)
  }
}

export async function removeStage(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true })
}

/** Sets the owner of a tree, and lets the group read what the owner of it may. Links are left alone. */
async function setOwner(path: string, ids: { readonly owner: number; readonly group: number }): Promise<void> {
  const found = await lstat(path)
  if (found.isSymbolicLink()) return
  await chown(path, ids.owner, ids.group)
  const mode = found.mode & 0o700
  await chmod(path, mode | ((mode & 0o500) >> 3))
  if (!found.isDirectory()) return
  for (const name of await readdir(path)) await setOwner(join(path, name), ids)
}
