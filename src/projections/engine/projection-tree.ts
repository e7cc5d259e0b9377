import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { basename, dirname, join as joinRelative } from 'node:path/posix'
import type { Reader } from '../../store/db/db.ts'
import { findOwnedFolder } from './file-name.ts'
import { isTemporary } from './projection-files.ts'
import type { Projection } from './projection.ts'

export interface OrphanFile {
  readonly file: string
  /** The folder that remains when it becomes empty. */
  readonly keep: string
  readonly temporary: boolean
}

/** Lists files without a row in folders that only projections use, and interrupted replacements in other folders. */
export async function listOrphans(
  root: string,
  projections: readonly Projection[],
  reader: Reader,
): Promise<OrphanFile[]> {
  const claimed = new Set(listClaimedFiles(projections, reader))
  const orphans: OrphanFile[] = []
  for (const folder of listOwnedFolders(projections)) {
    for (const file of await listFiles(root, folder)) {
      if (!claimed.has(file)) orphans.push({ file, keep: folder, temporary: isTemporary(basename(file)) })
    }
  }
  for (const folder of listSharedFolders(projections)) {
    for (const { name } of await readEntries(join(root, folder))) {
      const file = joinRelative(folder, name)
      if (isTemporary(name)) orphans.push({ file, keep: folder, temporary: true })
    }
  }
  return orphans
}

/** Lists the path of every file that a row may have. */
export function listClaimedFiles(projections: readonly Projection[], reader: Reader): string[] {
  return projections.flatMap((projection) => projection.keys(reader).flatMap((key) => projection.file(key) ?? []))
}

/** Lists the outermost folders that only projections use. */
function listOwnedFolders(projections: readonly Projection[]): string[] {
  const folders = new Set(projections.flatMap(({ path }) => findOwnedFolder(path) ?? []))
  return [...folders].filter((folder) => !isWithin(dirname(folder), folders))
}

/** Lists folders that contain a projection beside other files. */
function listSharedFolders(projections: readonly Projection[]): string[] {
  const owned = new Set(listOwnedFolders(projections))
  const single = projections.filter(({ path }) => findOwnedFolder(path) === undefined)
  const folders = new Set(single.map(({ path }) => dirname(path)))
  return [...folders].filter((folder) => !isWithin(folder, owned))
}

function isWithin(folder: string, owned: ReadonlySet<string>): boolean {
  for (let at = folder; at !== '.'; at = dirname(at)) if (owned.has(at)) return true
  return false
}

/** Links count as files and are never followed. */
async function listFiles(root: string, folder: string): Promise<string[]> {
  const found: string[] = []
  for (const entry of await readEntries(join(root, folder))) {
    const path = joinRelative(folder, entry.name)
    if (entry.isDirectory()) found.push(...(await listFiles(root, path)))
    else found.push(path)
  }
  return found
}

async function readEntries(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true })
  } catch (error) {
    // A file in place of a folder fails later, when the folder is written to.
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return []
    throw error
  }
}
