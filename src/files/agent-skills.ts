import { createHash } from 'node:crypto'
import { cp, lstat, readdir, readFile, readlink, rename, rm, symlink } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { closeTree } from '../home/close-home.ts'
import { makeFolder, SHARED, writeFile } from '../home/private-files.ts'

/** The guides could not be installed. Files of other programs were not changed. */
export class AgentSkillsProblem extends Error {
  readonly code: 'AGENT_SKILLS_SOURCE_NOT_FOUND' | 'AGENT_SKILLS_SOURCE_EMPTY' | 'AGENT_SKILLS_INSTALL_FAILED'

  constructor(code: AgentSkillsProblem['code'], message: string) {
    super(message)
    this.code = code
  }
}

export interface AgentSkillPlaces {
  /** The guides that the program ships. */
  readonly source: string
  /** The folder of our copies. Only this program writes to it. */
  readonly store: string
  readonly version: string
}

export interface InstalledGuide {
  readonly name: string
  readonly skillPath: string
}

export interface InstallReport {
  readonly installed: readonly InstalledGuide[]
  readonly removed: readonly string[]
  /** Names that belong to other programs, or whose copy was edited. */
  readonly refused: readonly { readonly name: string; readonly reason: string }[]
}

/** The record of what was installed: each guide with the digest of its files. */
interface Inventory {
  readonly version: string
  readonly guides: Readonly<Record<string, string>>
  /** The folders of agents that have links to the guides. */
  readonly folders: readonly string[]
}

export async function listPackagedGuides(source: string): Promise<string[]> {
  const entries = await readdir(source, { withFileTypes: true }).catch(() => {
    throw new AgentSkillsProblem('AGENT_SKILLS_SOURCE_NOT_FOUND', `The folder ${source} does not exist.`)
  })
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  if (names.length > 0) return names.toSorted()
  throw new AgentSkillsProblem('AGENT_SKILLS_SOURCE_EMPTY', `The folder ${source} contains no guides.`)
}

/** The names and texts of the guides that the program ships. */
export async function readPackagedGuides(source: string): Promise<{ readonly name: string; readonly text: string }[]> {
  const names = await listPackagedGuides(source)
  return await Promise.all(
    names.map(async (name) => ({ name, text: await readFile(join(source, name, 'SKILL.md'), 'utf8') })),
  )
}

/** Copies the guides to the store and links them into the folder of an agent. A second call updates them. */
export async function installGuides(places: AgentSkillPlaces, into: string): Promise<InstallReport> {
  const names = await listPackagedGuides(places.source)
  const known = await readInventory(places.store)
  const refused: { name: string; reason: string }[] = []
  const installed: InstalledGuide[] = []
  await makeFolder(places.store)
  await makeFolder(into, SHARED)
  for (const name of names) {
    const reason =
      (await findForeignEntry(places.store, into, name)) ?? (await copyGuide(places, name, known.guides[name]))
    if (reason === undefined) {
      await linkGuide(places.store, into, name)
      installed.push({ name, skillPath: join(into, name) })
    } else refused.push({ name, reason })
  }
  const folders = [...new Set([...known.folders, into])].toSorted()
  const removed = await removeStale(places.store, folders, { names, known })
  await writeInventory(places, { names, folders })
  return { installed, removed, refused }
}

/** Lists the folders into which guides were installed. */
export async function listLinkedFolders(store: string): Promise<readonly string[]> {
  return (await readInventory(store)).folders
}

/** Lists the guides that are linked into the folder of an agent. */
export async function listGuides({ store }: Pick<AgentSkillPlaces, 'store'>, into: string): Promise<InstalledGuide[]> {
  const names = await readdir(into).catch(() => [])
  const own = await Promise.all(names.map((name) => isOwnLink(store, into, name)))
  return names
    .filter((_name, at) => own[at])
    .toSorted()
    .map((name) => ({ name, skillPath: join(into, name) }))
}

/** Lists the differences to a fresh installation. Returns undefined if no guide was ever installed. */
export async function findGuideProblems(places: AgentSkillPlaces): Promise<string[] | undefined> {
  const found = await lstat(places.store).catch(() => undefined)
  if (found === undefined) return undefined
  if (!found.isDirectory()) return [`${places.store} is not a folder`]
  const { version, guides, folders } = await readInventory(places.store)
  const names = await listPackagedGuides(places.source)
  const problems = version === places.version ? [] : [`the guides have version ${version || 'unknown'}`]
  for (const name of names) {
    const digest = await computeFolderDigest(join(places.store, name))
    if (digest === undefined) problems.push(`${name} is missing`)
    else if (digest !== guides[name]) problems.push(`${name} was edited`)
    else if (digest !== (await computeFolderDigest(join(places.source, name)))) problems.push(`${name} is outdated`)
    for (const folder of folders) {
      const place = join(folder, name)
      if ((await lstat(place).catch(() => undefined)) === undefined) {
        problems.push(`${place} is missing`)
      } else if (!(await isOwnLink(places.store, folder, name))) problems.push(`${place} belongs to another program`)
    }
  }
  return problems
}

/** Says why a name in the folder of an agent cannot be used. Returns undefined if it can. */
async function findForeignEntry(store: string, into: string, name: string): Promise<string | undefined> {
  const found = await lstat(join(into, name)).catch(() => undefined)
  if (found === undefined || (await isOwnLink(store, into, name))) return undefined
  return `${join(into, name)} belongs to another program`
}

/** Copies a guide to the store. Returns why it was not copied: an edited copy is kept. */
async function copyGuide(
  { source, store }: AgentSkillPlaces,
  name: string,
  known: string | undefined,
): Promise<string | undefined> {
  const target = join(store, name)
  const shipped = await computeFolderDigest(join(source, name))
  const present = await computeFolderDigest(target)
  if (present === shipped) return undefined
  if (present !== undefined && present !== known) return `${target} was edited`
  const staged = join(store, `.${name}.new`)
  await rm(staged, { recursive: true, force: true })
  await cp(join(source, name), staged, { recursive: true })
  closeTree(staged)
  await rm(target, { recursive: true, force: true })
  await rename(staged, target)
  return undefined
}

async function linkGuide(store: string, into: string, name: string): Promise<void> {
  if (await isOwnLink(store, into, name)) return
  try {
    await symlink(relative(into, join(store, name)), join(into, name))
  } catch (error) {
    throw new AgentSkillsProblem('AGENT_SKILLS_INSTALL_FAILED', (error as Error).message)
  }
}

/** Removes guides that the program no longer ships. */
async function removeStale(
  store: string,
  folders: readonly string[],
  { names, known }: { names: readonly string[]; known: Inventory },
): Promise<string[]> {
  const stale = Object.keys(known.guides).filter((name) => !names.includes(name))
  const removed: string[] = []
  for (const name of stale) {
    for (const folder of folders) {
      if (await isOwnLink(store, folder, name)) await rm(join(folder, name))
    }
    if ((await computeFolderDigest(join(store, name))) !== known.guides[name]) continue
    await rm(join(store, name), { recursive: true })
    removed.push(name)
  }
  return removed
}

async function isOwnLink(store: string, into: string, name: string): Promise<boolean> {
  const target = await readlink(join(into, name)).catch(() => undefined)
  return target !== undefined && dirname(resolve(into, target)) === resolve(store)
}

const toInventoryPath = (store: string): string => join(store, 'inventory.json')

async function readInventory(store: string): Promise<Inventory> {
  try {
    const read = JSON.parse(await readFile(toInventoryPath(store), 'utf8')) as Partial<Inventory>
    const { version = '', guides = {}, folders = [] } = read
    return { version, guides, folders }
  } catch {
    return { version: '', guides: {}, folders: [] }
  }
}

async function writeInventory(
  { store, source, version }: AgentSkillPlaces,
  { names, folders }: { names: readonly string[]; folders: readonly string[] },
): Promise<void> {
  const digests = await Promise.all(names.map((name) => computeFolderDigest(join(source, name))))
  const guides = Object.fromEntries(names.map((name, at) => [name, digests[at]]))
  await writeFile(toInventoryPath(store), `${JSON.stringify({ version, guides, folders }, null, 2)}\n`)
  await writeFile(join(store, 'version.txt'), `${version}\n`)
}

/** Computes a digest of the names and contents of all files in a folder. Returns undefined if there is no folder. */
async function computeFolderDigest(folder: string): Promise<string | undefined> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => undefined)
  if (entries === undefined) return undefined
  const hash = createHash('sha256')
  const files = entries.filter((entry) => entry.isFile())
  const paths = files.map((entry) => relative(folder, join(entry.parentPath, entry.name)))
  for (const path of paths.toSorted()) {
    hash
      .update(`${path}\0`)
      .update(await readFile(join(folder, path)))
      .update('\0')
  }
  return hash.digest('hex')
}
