import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'

const SKILL_FILES = ['skill.json', 'SKILL.md']

/** The folders beside a skill that are no skills themselves. Scripts of one root share their helpers there. */
export async function listHelperFolders(skillFolder: string): Promise<string[]> {
  const parent = dirname(skillFolder)
  const entries = await readdir(parent, { withFileTypes: true }).catch(() => [])
  return entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => join(parent, name))
    .filter((folder) => !SKILL_FILES.some((file) => existsSync(join(folder, file))))
    .toSorted()
}
