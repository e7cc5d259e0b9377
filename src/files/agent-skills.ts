import { createHash } from 'node:crypto'
import {
  cp,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'

/** The guides could not be put in place; nothing that is not ours was touched. */
export class AgentSkillsProblem extends Error {
  readonly code:
    | 'AGENT_SKILLS_SOURCE_NOT_FOUND'
    | 'AGENT_SKILLS_SOURCE_EMPTY'
    | 'AGENT_SKILLS_INSTALL_FAILED'

  constructor(code: AgentSkillsProblem['code'], message: string) {
    super(message)
    this.code = code
  }
}

export interface AgentSkillPlaces {
  /** The guides as they come with the program. */
  readonly source: string
  /** Where our copies lie; the folder is ours alone. */
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
  /** Names under which something lies that is not ours, or was edited by somebody. */
  readonly refused: readonly { readonly name: string; readonly reason: string }[]
}

/** What we wrote, so that we know it again: the name of each guide and the digest of all its files. */
interface Inventory {
  readonly version: string
  readonly guides: Readonly<Record<string, string>>
  /** The agents' folders we put links into. */
  readonly folders: readonly string[]
}

export async function packagedGuides(source: string): Promise<string[]> {
  const entries = await readdir(source, { withFileTypes: true }).catch(() => {
    throw new AgentSkillsProblem('AGENT_SKILLS_SOURCE_NOT_FOUND', `There is no folder ${source}.`)
  })
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  if (names.length > 0) return names.toSorted()
  throw new AgentSkillsProblem('AGENT_SKILLS_SOURCE_EMPTY', `There are no guides in ${source}.`)
}

/** Copies the guides to our store and links them into an agent's folder. Doing it again is an update. */
export async function installGuides(
  places: AgentSkillPlaces,
  into: string,
): Promise<InstallReport> {
  const names = await packagedGuides(places.source)
  const known = await readInventory(places.store)
  const refused: { name: string; reason: string }[] = []
  const installed: InstalledGuide[] = []
  await mkdir(places.store, { recursive: true, mode: 0o700 })
  await mkdir(into, { recursive: true })
  for (const name of names) {
    const reason =
      (await foreignLink(places.store, into, name)) ??
      (await copyGuide(places, name, known.guides[name]))
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

/** The folders that guides were installed into. */
export async function linkedFolders(store: string): Promise<readonly string[]> {
  return (await readInventory(store)).folders
}

/** The guides that are in place in an agent's folder. */
export async function listGuides(
  { store }: Pick<AgentSkillPlaces, 'store'>,
  into: string,
): Promise<InstalledGuide[]> {
  const names = await readdir(into).catch(() => [])
  const own = await Promise.all(names.map((name) => isOwnLink(store, into, name)))
  return names
    .filter((_name, at) => own[at])
    .toSorted()
    .map((name) => ({ name, skillPath: join(into, name) }))
}

/** What is no longer as the program would put it; nothing when no guide was ever installed. */
export async function staleness(places: AgentSkillPlaces): Promise<string[] | undefined> {
  const found = await lstat(places.store).catch(() => undefined)
  if (found === undefined) return undefined
  if (!found.isDirectory()) return [`${places.store} is not a folder`]
  const { version, guides, folders } = await readInventory(places.store)
  const names = await packagedGuides(places.source)
  const problems = version === places.version ? [] : [`they are of version ${version || 'unknown'}`]
  for (const name of names) {
    const digest = await digestOf(join(places.store, name))
    if (digest === undefined) problems.push(`${name} is missing`)
    else if (digest !== guides[name]) problems.push(`${name} was edited`)
    else if (digest !== (await digestOf(join(places.source, name)))) problems.push(`${name} is old`)
    for (const folder of folders) {
      const place = join(folder, name)
      if ((await lstat(place).catch(() => undefined)) === undefined) {
        problems.push(`${place} is missing`)
      } else if (!(await isOwnLink(places.store, folder, name)))
        problems.push(`${place} is not ours`)
    }
  }
  return problems
}

/** Why a name in the agent's folder may not be used. */
async function foreignLink(store: string, into: string, name: string): Promise<string | undefined> {
  const found = await lstat(join(into, name)).catch(() => undefined)
  if (found === undefined || (await isOwnLink(store, into, name))) return undefined
  return `${join(into, name)} is not ours`
}

/** Why a guide was not copied: what somebody has edited stays as it is. */
async function copyGuide(
  { source, store }: AgentSkillPlaces,
  name: string,
  known: string | undefined,
): Promise<string | undefined> {
  const target = join(store, name)
  const wanted = await digestOf(join(source, name))
  const present = await digestOf(target)
  if (present === wanted) return undefined
  if (present !== undefined && present !== known) return `${target} was edited`
  const staged = join(store, `.${name}.new`)
  await rm(staged, { recursive: true, force: true })
  await cp(join(source, name), staged, { recursive: true })
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

/** Guides of ours that the program no longer brings. */
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
    if ((await digestOf(join(store, name))) !== known.guides[name]) continue
    await rm(join(store, name), { recursive: true })
    removed.push(name)
  }
  return removed
}

async function isOwnLink(store: string, into: string, name: string): Promise<boolean> {
  const target = await readlink(join(into, name)).catch(() => undefined)
  return target !== undefined && dirname(resolve(into, target)) === resolve(store)
}

const inventoryOf = (store: string): string => join(store, 'inventory.json')

async function readInventory(store: string): Promise<Inventory> {
  try {
    const read = JSON.parse(await readFile(inventoryOf(store), 'utf8')) as Partial<Inventory>
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
  const digests = await Promise.all(names.map((name) => digestOf(join(source, name))))
  const guides = Object.fromEntries(names.map((name, at) => [name, digests[at]]))
  await writeFile(inventoryOf(store), `${JSON.stringify({ version, guides, folders }, null, 2)}\n`)
  await writeFile(join(store, 'version.txt'), `${version}\n`)
}

/** Names and contents of all files of a folder; undefined when there is none. */
async function digestOf(folder: string): Promise<string | undefined> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(
    () => undefined,
  )
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
