import { hash } from 'node:crypto'
import { readFile, realpath, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import type { ScenePlan } from '@apprentice/contracts/scenes/plan.ts'

/** Finds the folder of the package that a scene was planned from. */
export interface ScenePackagePort {
  findFolder(sceneId: string): Promise<string | undefined>
}

export interface OpenedPackage {
  readonly script: string
  readonly stand_in_folder?: string
}

const MAX_SCRIPT_BYTES = 2_000_000

/** Reads what a run needs of a package. Undefined if it is no longer what was planned. */
export async function openScenePackage(folder: string, plan: ScenePlan): Promise<OpenedPackage | undefined> {
  const file = await findInside(folder, plan.script)
  if (file === undefined || (await stat(file)).size > MAX_SCRIPT_BYTES) return undefined
  const content = await readFile(file)
  if (hash('sha256', content, 'hex') !== plan.script_sha256) return undefined
  const script = content.toString('utf8')
  if (plan.stand_in === undefined) return { script }
  const stand_in_folder = await findInside(folder, plan.stand_in)
  return stand_in_folder === undefined ? undefined : { script, stand_in_folder }
}

/** The real path of a part of the package. Undefined if it is missing or a link leads out of the package. */
async function findInside(folder: string, path: string): Promise<string | undefined> {
  const root = await realpath(folder).catch(() => undefined)
  const found = await realpath(join(folder, path)).catch(() => undefined)
  return root !== undefined && found?.startsWith(root + sep) === true ? found : undefined
}
