import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { basename, dirname, join as joinRelative } from 'node:path/posix'
import type { Reader } from '../../store/db/db.ts'
import { ownedFolder } from './file-name.ts'
import { isTemporary } from './projection-files.ts'
import type { Projection } from './projection.ts'

export interface Litter {
  readonly file: string
  /** The folder that stays when it becomes empty. */
  readonly keep: string
  readonly temporary: boolean
}

/** Files no row explains, in folders that belong to mirrors alone, and unfinished replacements beside mirrors. */
export async function listLitter(
  root: string,
  mirrors: readonly Projection[],
  reader: Reader,
): Promise<Litter[]> {
  const claimed = new Set(claimedFiles(mirrors, reader))
  const litter: Litter[] = []
  for (const folder of wholeFolders(mirrors)) {
    for (const file of await listFiles(root, folder)) {
      if (!claimed.has(file))
        litter.push({ file, keep: folder, temporary: isTemporary(basename(file)) })
    }
  }
  for (const folder of sharedFolders(mirrors)) {
    for (const { name } of await entries(join(root, folder))) {
      const file = joinRelative(folder, name)
      if (isTemporary(name)) litter.push({ file, keep: folder, temporary: true })
    }
  }
  return litter
}

/** Every path some row may have a file at. */
export function claimedFiles(mirrors: readonly Projection[], reader: Reader): string[] {
  return mirrors.flatMap((mirror) => mirror.keys(reader).flatMap((key) => mirror.file(key) ?? []))
}

/** Folders all of whose content belongs to mirrors, without those inside another. */
function wholeFolders(mirrors: readonly Projection[]): string[] {
  const folders = new Set(mirrors.flatMap(({ path }) => ownedFolder(path) ?? []))
  return [...folders].filter((folder) => !isWithin(dirname(folder), folders))
}

/** Folders where a mirror is one file among others that are not ours. */
function sharedFolders(mirrors: readonly Projection[]): string[] {
  const whole = new Set(wholeFolders(mirrors))
  const single = mirrors.filter(({ path }) => ownedFolder(path) === undefined)
  const folders = new Set(single.map(({ path }) => dirname(path)))
  return [...folders].filter((folder) => !isWithin(folder, whole))
}

function isWithin(folder: string, owned: ReadonlySet<string>): boolean {
  for (let at = folder; at !== '.'; at = dirname(at)) if (owned.has(at)) return true
  return false
}

/** Links count as files and are never followed. */
async function listFiles(root: string, folder: string): Promise<string[]> {
  const found: string[] = []
  for (const entry of await entries(join(root, folder))) {
    const path = joinRelative(folder, entry.name)
    if (entry.isDirectory()) found.push(...(await listFiles(root, path)))
    else found.push(path)
  }
  return found
}

async function entries(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true })
  } catch (error) {
    // A file in a folder's place is found out by whoever needs the folder.
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return []
    throw error
  }
}
