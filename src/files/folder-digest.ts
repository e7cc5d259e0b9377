import { createHash } from 'node:crypto'
import { lstat, readdir, readFile, readlink } from 'node:fs/promises'
import { join, relative } from 'node:path'

/** A digest of the names and contents of all files of a folder. Links count by where they point. */
export async function hashFolder(folder: string): Promise<string> {
  const digest = createHash('sha256')
  const names = await readdir(folder, { recursive: true })
  for (const name of names.toSorted()) {
    const path = join(folder, name)
    const found = await lstat(path)
    if (found.isDirectory()) continue
    const content = found.isSymbolicLink() ? `link ${await readlink(path)}` : await readFile(path)
    const sha256 = createHash('sha256').update(content).digest('hex')
    digest.update(`${JSON.stringify(relative(folder, path))} ${sha256}\n`)
  }
  return digest.digest('hex')
}
