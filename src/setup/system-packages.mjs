// Programs some test suites need, by the Debian package that brings them.
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

export const systemPackages = [
  { name: 'adb', program: 'adb' },
  { name: 'chromium', program: 'chromium' },
  { name: 'unzip', program: 'unzip' },
]

export function missingPackages() {
  return systemPackages.filter(({ program }) => findProgram(program) === undefined)
}

export function findProgram(program) {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  return folders.map((folder) => join(folder, program)).find((path) => existsSync(path))
}
