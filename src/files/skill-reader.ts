import { readFile, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'

const SKILL_ID = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}$/

/** Reads skills from several folders. The first folder that contains a skill is used. */
export class SkillReader {
  readonly #roots: readonly string[]

  constructor(roots: readonly string[]) {
    this.#roots = roots.map((root) => resolve(root))
  }

  async find(skillId: string) {
    // An id is a folder name and never a path.
    if (!SKILL_ID.test(skillId)) return undefined
    for (const root of this.#roots) {
      const folder = join(root, skillId)
      const document = await readText(join(folder, 'skill.json'))
      if (document !== undefined) return this.#read(skillId, root, document)
    }
    return undefined
  }

  async #read(skill_id: string, root: string, document: string) {
    const folder = join(root, skill_id)
    const registry = join(root, 'skills-registry.json')
    return {
      skill_id,
      folder,
      root: dirname(root),
      document: parseJson(document),
      ...((await isFile(registry)) ? { registry_path: registry } : {}),
    }
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch {
    return undefined
  }
}

const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  )
