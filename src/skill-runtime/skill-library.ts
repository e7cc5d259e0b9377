import type { SkillFailure } from '@apprentice/contracts/skills/validate.ts'
import { INDEXES_ID } from '@apprentice/contracts/skills/validate.ts'
import type { PlacedSkill, SkillCatalog } from '../knowledge/skill-format/catalog.ts'
import { staleIndexes } from '../knowledge/skill-format/index-freshness.ts'
import { byId, indexFiles, registryText } from '../knowledge/skill-format/indexes.ts'
import { filesNamedBy, type Rebuilt, rebuildRegistry } from '../knowledge/skill-format/rebuild.ts'
import { idOf } from '../knowledge/skill-format/registry.ts'
import { type Scaffold, withSkill } from '../knowledge/skill-format/scaffold.ts'
import { isSafePath, plainPath } from '../knowledge/skill-format/skill-paths.ts'
import {
  filesToRead,
  type SkillFiles,
  validateSkill,
  type ValidateOptions,
  type Verdict,
} from '../knowledge/skill-format/validate.ts'
import { Failure } from '../failure/failure.ts'
import type { SkillRootFolder } from '../files/skill-roots.ts'
import { SkillRootCache } from './skill-root-cache.ts'

/** A script of the skills' own repository that says its indexes are kept. */
const INDEX_SCRIPT = 'scripts/generate_skill_indexes.sh'

export interface SkillLibraryDeps {
  readonly clock: () => Date
  /** A registry was changed by somebody else. */
  readonly changed: (roots: readonly string[]) => void
}

export interface AllVerdicts {
  readonly valid: string[]
  readonly failures: SkillFailure[]
  /** Folders with a skill.json that no registry lists. */
  readonly unregistered: string[]
  readonly registryPaths: string[]
}

/** The skills on disk: found, judged, made and indexed. */
export class SkillLibrary {
  readonly #clock: () => Date
  readonly #shelves: SkillRootCache
  /** Writers of registries wait for one another. */
  #writing: Promise<unknown> = Promise.resolve()

  constructor(roots: readonly string[], { clock, changed }: SkillLibraryDeps) {
    this.#clock = clock
    this.#shelves = new SkillRootCache(roots, changed)
  }

  /** All skills, as the registries are now. */
  catalog(): Promise<SkillCatalog> {
    return this.#shelves.catalog()
  }

  /** The text of a file of a skill, if it is there. */
  async text({ root }: Pick<PlacedSkill, 'root'>, path: string): Promise<string | undefined> {
    return isSafePath(path) ? this.#shelves.folder(root).text(plainPath(path)) : undefined
  }

  /** Where a path of a registry is on this machine. */
  absolute({ root }: Pick<PlacedSkill, 'root'>, path: string): string {
    return this.#shelves.folder(root).absolute(plainPath(path))
  }

  async validate(
    { root, raw }: Pick<PlacedSkill, 'root' | 'raw'>,
    options: ValidateOptions,
  ): Promise<Verdict> {
    const folder = this.#shelves.folder(root)
    try {
      const files = await this.#files(folder, raw, options)
      return validateSkill(raw, files, options)
    } catch (error) {
      // One skill that cannot even be judged says nothing about the others.
      const message = `Skill ${idOf(raw) ?? ''} cannot be judged`
      return { valid: false, message, details: { reason: (error as Error).message } }
    }
  }

  /** Every skill of these roots, and their indexes. */
  async validateAll(asked: string | undefined, options: ValidateOptions): Promise<AllVerdicts> {
    const catalog = await this.catalog()
    const chosen = asked === undefined ? this.#shelves.folders : [this.#shelves.folder(asked)]
    const valid: string[] = []
    const failures: SkillFailure[] = []
    const unregistered: string[] = []
    for (const folder of chosen) {
      this.#shelves.demandReadable(folder)
      const stale = await this.staleness(folder.root)
      if (stale !== undefined) failures.push(failure(INDEXES_ID, { message: stale, details: {} }))
      const listed = new Set(
        catalog.listedIn(folder.root).map(({ entry }) => plainPath(entry?.path ?? '')),
      )
      const folders = await folder.manifestFolders()
      unregistered.push(
        ...folders.filter((path) => !listed.has(path)).map((path) => folder.absolute(path)),
      )
      for (const [position, { raw }] of catalog.listedIn(folder.root).entries()) {
        const verdict = await this.validate({ root: folder.root, raw }, options)
        const id = idOf(raw) ?? `<entry ${position}>`
        if (verdict.valid) valid.push(id)
        else failures.push(failure(id, verdict))
      }
    }
    const registryPaths = chosen.map(({ registryPath }) => registryPath)
    return { valid, failures, unregistered, registryPaths }
  }

  /** Why the indexes of a root do not fit its registry; of a root that keeps none nothing is wanted. */
  async staleness(root: string): Promise<string | undefined> {
    const folder = this.#shelves.folder(root)
    const found = await folder.generated()
    const kept = found.size > 0 || (await folder.missing([INDEX_SCRIPT])).length === 0
    return kept ? this.#staleIn(folder, found) : undefined
  }

  /** Whether the indexes are there and fit. */
  async indexState(): Promise<{ root: string; fresh: boolean; reason?: string }[]> {
    await this.catalog()
    return Promise.all(
      this.#shelves.folders.map(async (folder) => {
        const reason = await this.#staleIn(folder, await folder.generated())
        return { root: folder.root, fresh: reason === undefined, ...(reason && { reason }) }
      }),
    )
  }

  /** Makes the folder and puts the skill into the registry; when that fails, nothing is left of either. */
  create(asked: string | undefined, { entry, files }: Scaffold): Promise<SkillRootFolder> {
    return this.#alone(async () => {
      const catalog = await this.catalog()
      const folder = this.#shelves.folder(asked)
      this.#shelves.demandReadable(folder)
      const { id } = entry
      if (catalog.listedIn(folder.root).some(({ raw }) => idOf(raw) === id)) {
        throw new Failure('SKILL_ALREADY_EXISTS', `Skill already exists: ${id}`)
      }
      await folder.tidy()
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
      await this.#shelves.catalogAfterWriting()
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
      const folder = this.#shelves.folder(asked)
      const rebuilt = await this.#rebuild(folder)
      if (rebuilt.broken.length > 0 && !skipBroken) {
        const message = `${rebuilt.broken.length} skill folders are broken; nothing was written`
        throw new Failure('SKILL_VALIDATION_FAILED', message, {
          details: { failures: rebuilt.broken },
        })
      }
      await folder.writeRegistry(registryText(rebuilt.skills, this.#now()))
      await this.#shelves.catalogAfterWriting()
      return { ...rebuilt, folder, files: await this.#writeIndexes(folder) }
    })
  }

  close(): void {
    this.#shelves.close()
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
    const listed = this.#shelves.read(folder)?.listed ?? []
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

  #now(): string {
    return this.#clock().toISOString()
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
