import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder that contains package.json, for both src/ and dist/. */
export const packageRoot = findPackageRoot(dirname(fileURLToPath(import.meta.url)))

export const migrationsFolder = join(packageRoot, 'migrations')

/** The program through which skill scripts call the daemon. */
export const shimFile = join(packageRoot, 'src', 'processes', 'shim', 'shim.mjs')

/** The program of workers. It is built, because Node cannot load the sources. */
export const workerFile = join(packageRoot, 'dist', 'worker.cjs')

/** The program that controls the browser for scenes. It is built, because Node cannot load the sources. */
export const browserProgramFile = join(packageRoot, 'dist', 'browser.cjs')

/** First-party guides for agents. */
export const agentSkillsFolder = join(packageRoot, 'src', 'agent-skills')

/** First-party scene packages. */
export const scenesFolder = join(packageRoot, 'src', 'scenes')

/** The rules for generated scene packages. */
export const lessonsFile = join(scenesFolder, 'lessons.toml')

function findPackageRoot(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder
  const parent = dirname(folder)
  if (parent === folder) throw new Error('No package.json in any parent folder of the program.')
  return findPackageRoot(parent)
}
