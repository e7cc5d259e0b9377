import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder with package.json, whether this runs from src/ or from dist/. */
export const packageRoot = findUpwards(dirname(fileURLToPath(import.meta.url)))

export const migrationsFolder = join(packageRoot, 'migrations')

/** The device program that scripts of skills are given. */
export const shimFile = join(packageRoot, 'src', 'processes', 'shim', 'shim.mjs')

/** First-party guides for agents. */
export const agentSkillsFolder = join(packageRoot, 'src', 'agent-skills')

function findUpwards(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder
  const parent = dirname(folder)
  if (parent === folder) throw new Error('No package.json above the program.')
  return findUpwards(parent)
}
