import {
  chmodSync,
  closeSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { chmod, type FileHandle, mkdir, mkdtemp, open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative, sep } from 'node:path'

/** What is created in a place. The modes are set after the creation, because the umask may remove bits. */
export interface FileModes {
  readonly file: number
  readonly folder: number
}

/** In the home: the owner alone can read and write. */
export const PRIVATE: FileModes = { file: 0o600, folder: 0o700 }
/** Outside the home, such as a workspace that several users share. */
export const SHARED: FileModes = { file: 0o644, folder: 0o755 }

/** The modes of new files in a folder: private in the home, shared elsewhere. */
export const chooseModes = (home: string, folder: string): FileModes => (isInside(home, folder) ? PRIVATE : SHARED)

export function isInside(folder: string, path: string): boolean {
  const found = relative(folder, path)
  return found !== '..' && !found.startsWith(`..${sep}`)
}

/** Creates the missing folders of a path. Returns the outermost folder that was created. */
export async function makeFolder(folder: string, { folder: mode } = PRIVATE): Promise<string | undefined> {
  const first = await mkdir(folder, { recursive: true, mode })
  for (const created of listCreated(folder, first)) await chmod(created, mode)
  return first
}

export function makeFolderSync(folder: string, { folder: mode } = PRIVATE): void {
  const first = mkdirSync(folder, { recursive: true, mode })
  for (const created of listCreated(folder, first)) chmodSync(created, mode)
}

/** Lists the folders from the given one up to the outermost that was created. */
export function listCreated(folder: string, first: string | undefined): string[] {
  if (first === undefined) return []
  const created: string[] = []
  for (let at = folder; at.length >= first.length; at = dirname(at)) created.push(at)
  return created
}

/** Creates a file for writing. Fails if it exists. */
export async function createFile(file: string, { file: mode } = PRIVATE): Promise<FileHandle> {
  const handle = await open(file, 'wx', mode)
  try {
    await handle.chmod(mode)
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** Creates a file with content. The content is on disk when the promise resolves. */
export async function writeNewFile(file: string, content: string | Buffer, modes = PRIVATE): Promise<void> {
  const handle = await createFile(file, modes)
  try {
    await handle.writeFile(content)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Writes a file that need not survive a kill. */
export async function writeFile(file: string, content: string | Buffer, { file: mode } = PRIVATE): Promise<void> {
  const handle = await open(file, 'w', mode)
  try {
    await handle.chmod(mode)
    await handle.writeFile(content)
  } finally {
    await handle.close()
  }
}

/** Replaces a small file atomically. Content and name are on disk when it returns. */
export function replaceFileSync(file: string, content: string): void {
  const temp = `${file}.tmp`
  const handle = openSync(temp, 'w', PRIVATE.file)
  try {
    fchmodSync(handle, PRIVATE.file)
    writeFileSync(handle, content)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  renameSync(temp, file)
  syncFolderSync(dirname(file))
}

/** Creates an empty file unless it exists. For programs, such as SQLite, that open files by name. */
export function ensureFileSync(file: string): void {
  const handle = openSync(file, 'a', PRIVATE.file)
  try {
    fchmodSync(handle, PRIVATE.file)
  } finally {
    closeSync(handle)
  }
}

/** Sets the mode of a file that another program, such as SQLite, created. Does nothing if there is none. */
export function restrictFileSync(file: string): void {
  if (existsSync(file)) chmodSync(file, PRIVATE.file)
}

export function syncFolderSync(folder: string): void {
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Makes a new folder for its owner alone outside the home, where paths are short. */
export const makeTemporaryFolder = (prefix: string): Promise<string> => mkdtemp(join(tmpdir(), prefix))

export const makeTemporaryFolderSync = (prefix: string): string => mkdtempSync(join(tmpdir(), prefix))
