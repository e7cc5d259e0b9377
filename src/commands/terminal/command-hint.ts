import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { readSearchPath } from '../../config/config.ts'

/**
 * A command line of this program that works where it runs: `apprentice doctor` if the program is on the PATH, else
 * `npx apprentice doctor`, which works in a checkout and in a folder the package is installed in.
 */
export function hintCommand(args: string): string {
  return `${isOnPath() ? '' : 'npx '}apprentice ${args}`
}

/** npm and npx put folders of installed packages on the PATH of their children; a shell has none of those. */
function isOnPath(): boolean {
  return readSearchPath()
    .split(delimiter)
    .filter((folder) => !folder.endsWith(join('node_modules', '.bin')))
    .some((folder) => folder !== '' && existsSync(join(folder, 'apprentice')))
}
