import type { FSWatcher } from 'node:fs'
import type { SkillFailure } from '../../contracts/skills/validate.ts'
import { INDEXES_ID } from '../../contracts/skills/validate.ts'
import {
  type PlacedSkill,
  readRoot,
  type ReadRoot,
  SkillCatalog,
} from '../domain/skills/catalog.ts'
import { staleIndexes } from '../domain/skills/index-freshness.ts'
import { byId, indexFiles, registryText } from '../domain/skills/indexes.ts'
import { filesNamedBy, type Rebuilt, rebuildRegistry } from '../domain/skills/rebuild.ts'
import { idOf } from '../domain/skills/registry.ts'
import { type Scaffold, withSkill } from '../domain/skills/scaffold.ts'
import { isSafePath } from '../domain/skills/skill-paths.ts'
import {
  filesToRead,
  type SkillFiles,
  validateSkill,
  type ValidateOptions,
  type Verdict,
} from '../domain/skills/validate.ts'
import { Failure } from '../failure.ts'
import { SkillRootFolder } from '../files/skill-roots.ts'

/** Changes that come close together are told once. */
const DEBOUNCE_MS = 200
/** A script of the skills' own repository that says its indexes are kept. */
const INDEX_SCRIPT = 'scripts/generate_skill_indexes.sh'

interface Kept {
  readonly stamp: string | undefined
  readonly read: ReadRoot
}

export interface LibraryEdges {
  readonly clock: () => Date
  /** A registry was changed by somebody else. */
  readonly changed: (roots: readonly string[]) => void
}

/** The skills on disk. Registries are read once and again only when they have changed. */
export class SkillLibrary {
  readonly #roots: readonly SkillRootFolder[]
  readonly #edges: LibraryEdges
  readonly #kept = new Map<SkillRootFolder, Kept>()
  /** The state of the registries everybody knows of. */
  #told = new Map<SkillRootFolder, string | undefined>()
  #catalog: SkillCatalog | undefined
  #watchers: Map<SkillRootFolder, FSWatcher> | undefined
  #pending: NodeJS.Timeout | undefined
  /** Writers of registries wait for one another. */
  #writing: Promise<unknown> = Promise.resolve()

  constructor(roots: readonly string[], edges: LibraryEdges) {
    this.#roots = [...new Set(roots)].map((root) => new SkillRootFolder(root))
    this.#edges = edges
  }

  /** All skills, as the registries are now. */
  async catalog(): Promise<SkillCatalog> {
    const fresh = await Promise.all(this.#roots.map((root) => this.#refresh(root)))
    if (this.#catalog === undefined || fresh.includes(true)) {
      const read = this.#roots.flatMap((root) => this.#kept.get(root)?.read ?? [])
      if (this.#catalog === undefined) this.#markTold()
      this.#catalog = new SkillCatalog(read)
    }
    this.#watch()
    return this.#catalog
  }

  /** The text of a file of a skill, if it is there. */
  async text({ root }: Pick<PlacedSkill, 'root'>, path: string): Promise<string | undefined> {
    return isSafePath(path) ? this.#root(root).text(path) : undefined
  }

  /** Where a path of a registry is on this machine. */
  absolute({ root }: Pick<PlacedSkill, 'root'>, path: string): string {
    return this.#root(root).absolute(path)
  }

  async validate(
    { root, raw }: Pick<PlacedSkill, 'root' | 'raw'>,
    options: ValidateOptions,
  ): Promise<Verdict> {
    const files = await this.#files(this.#root(root), raw, options)
    try {
      return validateSkill(raw, files, options)
    } catch (error) {
      // One skill that cannot even be judged says nothing about the others.
      const message = `Skill ${idOf(raw) ?? ''} cannot be judged`
      return { valid: false, message, details: { reason: (error as Error).message } }
    }
  }

  /** Every skill of these roots, and their indexes. */
  async validateAll(
    asked: string | undefined,
    options: ValidateOptions,
  ): Promise<{ valid: string[]; failures: SkillFailure[]; registryPaths: string[] }> {
    const catalog = await this.catalog()
    const chosen = asked === undefined ? this.#roots : [this.#root(asked)]
    const valid: string[] = []
    const failures: SkillFailure[] = []
    for (const folder of chosen) {
      this.#demandReadable(folder)
      const stale = await this.staleness(folder.root)
      if (stale !== undefined) failures.push(failure(INDEXES_ID, { message: stale, details: {} }))
      for (const [position, { raw }] of catalog.listedIn(folder.root).entries()) {
        const verdict = await this.validate({ root: folder.root, raw }, options)
        const id = idOf(raw) ?? `<entry ${position}>`
        if (verdict.valid) valid.push(id)
        else failures.push(failure(id, verdict))
      }
    }
    return { valid, failures, registryPaths: chosen.map(({ registryPath }) => registryPath) }
  }

  /** Why the indexes of a root do not fit its registry; of a root that keeps none nothing is wanted. */
  async staleness(root: string): Promise<string | undefined> {
    const folder = this.#root(root)
    const found = await folder.generated()
    const kept = found.size > 0 || (await folder.missing([INDEX_SCRIPT])).length === 0
    return kept ? this.#staleIn(folder, found) : undefined
  }

  /** Whether the indexes are there and fit. */
  async indexState(): Promise<{ root: string; fresh: boolean; reason?: string }[]> {
    await this.catalog()
    return Promise.all(
      this.#roots.map(async (folder) => {
        const reason = await this.#staleIn(folder, await folder.generated())
        return { root: folder.root, fresh: reason === undefined, ...(reason && { reason }) }
      }),
    )
  }

  /** Makes the folder and puts the skill into the registry; when that fails, nothing is left of either. */
  create(asked: string | undefined, { entry, files }: Scaffold): Promise<SkillRootFolder> {
    return this.#alone(async () => {
      const catalog = await this.catalog()
      const folder = this.#root(asked)
      this.#demandReadable(folder)
      const { id } = entry
      if (catalog.listedIn(folder.root).some(({ raw }) => idOf(raw) === id)) {
        throw new Failure('SKILL_ALREADY_EXISTS', `Skill already exists: ${id}`)
      }
      const made = await folder.create(id, files).catch(scaffoldFailed)
      if (!made) {
        const place = folder.absolute(entry.path)
        throw new Failure('SKILL_ALREADY_EXISTS', `Skill directory already exists: ${place}`)
      }
      try {
        const { text } = withSkill(await folder.registry(), entry, this.#now())
        await folder.writeRegistry(text)
      } catch (error) {
        await folder.discard(id)
        return scaffoldFailed(error)
      }
      await this.catalog()
      this.#markTold()
      if ((await folder.generated()).size > 0) await this.#writeIndexes(folder)
      return folder
    })
  }

  /** The registry and its indexes anew, from what the folders say. */
  reindex(
    asked: string | undefined,
    skipBroken: boolean,
  ): Promise<Rebuilt & { folder: SkillRootFolder; files: string[] }> {
    return this.#alone(async () => {
      const folder = this.#root(asked)
      const rebuilt = await this.#rebuild(folder)
      if (rebuilt.broken.length > 0 && !skipBroken) {
        const message = `${rebuilt.broken.length} skill folders are broken; nothing was written`
        throw new Failure('SKILL_VALIDATION_FAILED', message, {
          details: { failures: rebuilt.broken },
        })
      }
      await folder.writeRegistry(registryText(rebuilt.skills, this.#now()))
      await this.catalog()
      this.#markTold()
      return { ...rebuilt, folder, files: await this.#writeIndexes(folder) }
    })
  }

  close(): void {
    clearTimeout(this.#pending)
    for (const watcher of this.#watchers?.values() ?? []) watcher.close()
    this.#watchers = new Map()
  }

  async #rebuild(folder: SkillRootFolder): Promise<Rebuilt> {
    const manifests = await Promise.all(
      (await folder.manifestFolders()).map(async (place) => {
        const text = (await folder.text(`${place}/skill.json`)) ?? ''
        return { folder: place, text, missing: await folder.missing(filesNamedBy(text)) }
      }),
    )
    return rebuildRegistry(manifests)
  }

  async #writeIndexes(folder: SkillRootFolder): Promise<string[]> {
    const { skills, registry } = await this.#ownSkills(folder)
    const files = indexFiles(skills, registry, this.#now())
    await folder.writeGenerated(files)
    return files.map(({ path }) => folder.absolute(`skills/${path}`))
  }

  async #staleIn(
    folder: SkillRootFolder,
    found: ReadonlyMap<string, string>,
  ): Promise<string | undefined> {
    const { skills, registry } = await this.#ownSkills(folder)
    return staleIndexes(skills, registry, found)
  }

  async #ownSkills(folder: SkillRootFolder) {
    const listed = this.#kept.get(folder)?.read.listed ?? []
    const skills = byId(listed.flatMap(({ entry }) => entry ?? []))
    return { skills, registry: (await folder.registry()) ?? '' }
  }

  async #files(
    folder: SkillRootFolder,
    raw: unknown,
    { dryRun }: ValidateOptions,
  ): Promise<SkillFiles> {
    const { paths, manifest, document, artifacts } = filesToRead(raw)
    const missing = new Set(await folder.missing(paths))
    const wanted = [manifest, document, ...(dryRun ? artifacts : [])].filter(
      (path) => isSafePath(path) && !missing.has(path),
    )
    const texts = new Map<string, string>()
    for (const path of wanted) {
      const text = await folder.text(path)
      if (text !== undefined) texts.set(path, text)
    }
    return { absolute: (path) => folder.absolute(path), missing, texts }
  }

  /** Whether something was read anew. */
  async #refresh(folder: SkillRootFolder): Promise<boolean> {
    const { root, registryPath } = folder
    let stamp: string | undefined
    let found: { text?: string | undefined; problem?: string }
    try {
      stamp = await folder.stamp()
      const kept = this.#kept.get(folder)
      if (kept !== undefined && kept.stamp === stamp) return false
      found = { text: await folder.registry() }
    } catch (error) {
      found = { problem: (error as Error).message }
    }
    const problem = found.problem ?? this.#absence(folder, found.text)
    const read = readRoot({
      root,
      registryPath,
      ...found,
      ...(problem === undefined ? {} : { problem }),
    })
    this.#kept.set(folder, { stamp, read })
    return true
  }

  /** The first root is the daemon's own and may be empty; another one was named for what is in it. */
  #absence(folder: SkillRootFolder, text: string | undefined): string | undefined {
    return text !== undefined || folder === this.#roots[0] ? undefined : 'There is no registry.'
  }

  #root(root: string | undefined): SkillRootFolder {
    const folder =
      root === undefined ? this.#roots[0] : this.#roots.find((one) => one.root === root)
    if (folder !== undefined) return folder
    throw new Failure('INVALID_REQUEST', 'This is none of the skill roots.', {
      details: { field: 'root' },
    })
  }

  #demandReadable(folder: SkillRootFolder): void {
    const problem = this.#kept.get(folder)?.read.problem
    if (problem === undefined) return
    throw new Failure('REGISTRY_READ_FAILED', problem, {
      details: { registryPath: folder.registryPath },
    })
  }

  #watch(): void {
    this.#watchers ??= new Map()
    for (const folder of this.#roots) {
      if (this.#watchers.has(folder)) continue
      const watcher = folder.watch(() => this.#notice())
      if (watcher === undefined) continue
      this.#watchers.set(folder, watcher)
      watcher.on('close', () => this.#watchers?.delete(folder))
    }
  }

  #notice(): void {
    clearTimeout(this.#pending)
    this.#pending = setTimeout(() => void this.#tell(), DEBOUNCE_MS).unref()
  }

  async #tell(): Promise<void> {
    await this.catalog().catch(() => undefined)
    const changed = [...this.#kept].filter(
      ([folder, { stamp }]) => this.#told.get(folder) !== stamp,
    )
    this.#markTold()
    if (changed.length > 0) this.#edges.changed(changed.map(([{ root }]) => root))
  }

  #markTold(): void {
    this.#told = new Map([...this.#kept].map(([folder, { stamp }]) => [folder, stamp]))
  }

  #now(): string {
    return this.#edges.clock().toISOString()
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#writing.then(work, work)
    this.#writing = turn.catch(() => undefined)
    return turn
  }
}

function failure(
  skillId: string,
  { message, details }: { message: string; details: Readonly<Record<string, unknown>> },
): SkillFailure {
  return { skillId, code: 'SKILL_VALIDATION_FAILED', message, details }
}

function scaffoldFailed(error: unknown): never {
  throw new Failure(
    'SKILLS_SCAFFOLD_FAILED',
    `The folder could not be made: ${(error as Error).message}`,
  )
}
