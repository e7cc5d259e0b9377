import { linkSync, lstatSync, readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolderSync } from './private-files.ts'

/** Moves a file or folder of the home into another folder. Does nothing if there is no such entry. */
export function moveEntry(home: string, name: string, folder: string): void {
  const path = join(home, name)
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return
  makeFolderSync(folder)
  renameSync(path, join(folder, name))
}

/** Gives every file of a folder a second name under another folder. It takes no space, and outlives the first name. */
export function linkTree(from: string, to: string): void {
  if (lstatSync(from, { throwIfNoEntry: false }) === undefined) return
  makeFolderSync(to)
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) linkTree(source, target)
    else if (entry.isFile()) linkSync(source, target)
  }
}
