import { accessSync, chmodSync, constants, lstatSync, readdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolderSync } from './private-files.ts'

/** The home cannot be created, written, or closed to other users. */
export class HomeUnusable extends Error {}

const OTHERS = 0o077

/**
 * Creates the home if it is missing, checks that it can be written, and takes the permissions of other users from what
 * is in it. Folders that are already closed are not searched.
 */
export function prepareHome(home: string): void {
  try {
    makeFolderSync(home)
    accessSync(home, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new HomeUnusable(
      `The home ${home} cannot be written (${code}); set APPRENTICE_HOME to a folder you can write to.`,
    )
  }
  if (!closeEntry(realpathSync(home))) {
    throw new HomeUnusable(
      `Other users can read the home ${home} and only its owner can change that; run chmod 700 as its owner.`,
    )
  }
  for (const name of readdirSync(home)) closeTree(join(home, name))
}

/** Takes the permissions of other users from a file, or from a folder and what is in it. Links are not followed. */
export function closeTree(path: string): void {
  if (!isOpen(path)) return
  closeEntry(path)
  if (!lstatSync(path).isDirectory()) return
  for (const name of readdirSync(path)) closeTree(join(path, name))
}

/** Lists the entries of the home that other users can read or write, without looking into closed folders. */
export function listOpenEntries(home: string): string[] {
  const entries = [realpathSync(home), ...readdirSync(home).map((name) => join(home, name))]
  return entries.filter((path) => isOpen(path))
}

function isOpen(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found !== undefined && !found.isSymbolicLink() && (found.mode & OTHERS) !== 0
}

/** Returns false if the entry is open and belongs to another user. */
function closeEntry(path: string): boolean {
  const found = lstatSync(path)
  if (found.isSymbolicLink() || (found.mode & OTHERS) === 0) return true
  try {
    chmodSync(path, found.mode & 0o700)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EPERM') return false
    throw error
  }
}
