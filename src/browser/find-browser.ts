import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The first has no window and takes a third less processor time than the others. */
const WINDOWLESS = 'chromium-headless-shell'
const WITH_WINDOWS = ['chromium', 'chromium-browser', 'google-chrome', 'chrome']

/** The browser for scenes. Undefined if none is installed. */
export const findBrowser = (searchPath: string): string | undefined =>
  findFirst([WINDOWLESS, ...WITH_WINDOWS], searchPath)

/** A browser that can show a window, for a person who signs in. */
export const findWindowBrowser = (searchPath: string): string | undefined => findFirst(WITH_WINDOWS, searchPath)

function findFirst(programs: readonly string[], searchPath: string): string | undefined {
  const folders = searchPath.split(delimiter).filter((folder) => folder !== '')
  return programs
    .flatMap((program) => folders.map((folder) => join(folder, program)))
    .find((path) => isExecutable(path))
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
