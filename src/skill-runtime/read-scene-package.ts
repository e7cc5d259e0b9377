import type { PackageText, ScenePackageRoot } from '../files/scene-packages.ts'
import type { ReadPackage } from '../knowledge/scenes/catalog.ts'
import { readDeclaredId } from '../knowledge/scenes/parse-manifest.ts'
import { openPackage, type OpenedPackage, prepareScene } from '../knowledge/scenes/scene.ts'

export interface PackageOnDisk extends ReadPackage {
  /** The absolute folders in which a change may change the package. */
  readonly watched: readonly string[]
}

/** Reads a package and checks it. */
export async function readScenePackage(root: ScenePackageRoot, folder: string): Promise<PackageOnDisk> {
  const read = (path: string): Promise<PackageText> => root.read(folder, path).catch(describeError)
  const [manifest, tools] = await Promise.all([read('scene.toml'), read('SKILL.toml')])
  const opened = openPackage({ manifest, tools })
  const declared_id = 'text' in manifest ? readDeclaredId(manifest.text) : undefined
  const fields = { root: root.root, folder, declared_id }
  if ('problems' in opened) return { ...fields, result: opened, watched: root.listFileFolders(folder, []) }
  const watched = root.listFileFolders(folder, opened.files)
  const noFolder = await findFolderProblem(root, folder, opened)
  if (noFolder !== undefined) return { ...fields, watched, result: { problems: [noFolder] } }
  const texts = await Promise.all(opened.files.map(async (path) => [path, await read(path)] as const))
  return { ...fields, watched, result: prepareScene(opened, new Map(texts)) }
}

async function findFolderProblem(root: ScenePackageRoot, folder: string, { folder: named }: OpenedPackage) {
  const problem = named === undefined ? undefined : await root.findFolderProblem(folder, named)
  if (problem === undefined) return undefined
  return { file: 'scene.toml', key: 'bootstrap.stand_in', reason: `names ${named}, which ${problem}` }
}

const describeError = (error: unknown): PackageText => ({ problem: `cannot be read (${(error as Error).message})` })
