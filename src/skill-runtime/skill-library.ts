import type { SkillEntry } from '@apprentice/contracts/skills/skill.ts'
import type { SkillFailure } from '@apprentice/contracts/skills/validate.ts'
import { INDEXES_ID } from '@apprentice/contracts/skills/validate.ts'
import type { PlacedSkill, SkillCatalog } from '../knowledge/skill-format/catalog.ts'
import { findStaleIndex } from '../knowledge/skill-format/index-freshness.ts'
import { sortById, buildIndexFiles, formatRegistry } from '../knowledge/skill-format/indexes.ts'
import { listNamedFiles, type RebuiltRegistry, rebuildRegistry } from '../knowledge/skill-format/registry-rebuild.ts'
import { readId } from '../knowledge/skill-format/registry.ts'
import { type Scaffold, addSkill } from '../knowledge/skill-format/scaffold.ts'
import { isSafePath, toSlashes } from '../knowledge/skill-format/skill-paths.ts'
import {
  listFiles,
  type SkillFiles,
  validateSkill,
  type ValidateOptions,
  type SkillValidation,
} from '../knowledge/skill-format/validation.ts'
import { Failure } from '../failure/failure.ts'
import { isStorageError } from '../failure/storage-failure.ts'
import type { SkillRootFolder } from '../files/skill-roots.ts'
import { SkillRootCache } from './skill-root-cache.ts'

/** A root that has this script maintains its indexes. */
const INDEX_SCRIPT = 'scripts/generate_skill_indexes.sh'

export interface SkillLibraryDeps {
  readonly clock: () => Date
  /** Called when another program changed the registries of these roots. */
  readonly onChanged: (roots: readonly string[]) => void
}

export interface ValidationSummary {
  readonly valid: string[]
  readonly failures: SkillFailure[]
  /** Folders with a skill.json that no registry lists. */
  readonly unregistered: string[]
  readonly registryPaths: string[]
}

/** Finds, validates, creates and indexes the skills on disk. */
export class SkillLibrary {
  readonly #clock: () => Date
  readonly #cache: SkillRootCache
  /** Registries are written one at a time, and not while their indexes are compared with them. */
  #lastWrite: Promise<unknown> = Promise.resolve()
  readonly #comparisons = new Set<Promise<unknown>>()

  constructor(roots: readonly string[], { clock, onChanged }: SkillLibraryDeps) {
    this.#clock = clock
    this.#cache = new SkillRootCache(roots, onChanged)
  }

  /** Returns all skills, as the registries are now. */
  catalog(): Promise<SkillCatalog> {
    return this.#cache.catalog()
  }

  /** Reads a file of a skill. Returns undefined if it does not exist. */
  async text({ root }: Pick<PlacedSkill, 'root'>, path: string): Promise<string | undefined> {
    return isSafePath(path) ? this.#cache.folder(root).readText(toSlashes(path)) : undefined
  }

  /** Resolves a path of a registry on this machine. */
  absolute({ root }: Pick<PlacedSkill, 'root'>, path: string): string {
    return this.#cache.folder(root).absolute(toSlashes(path))
  }

  async validate({ root, raw }: Pick<PlacedSkill, 'root' | 'raw'>, options: ValidateOptions): Promise<SkillValidation> {
    const folder = this.#cache.folder(root)
    try {
      const files = await this.#readFiles(folder, raw, options)
      return validateSkill(raw, files, options)
    } catch (error) {
      // A skill whose validation throws must not stop the validation of the others.
      const message = `Skill ${readId(raw) ?? ''} cannot be validated`
      return { valid: false, message, details: { reason: (error as Error).message } }
    }
  }

  /** Validates every skill and the indexes of one root, or of all roots. */
  validateAll(root: string | undefined, options: ValidateOptions): Promise<ValidationSummary> {
    return this.#compareAlone(() => this.#validateAll(root, options))
  }

  async #validateAll(root: string | undefined, options: ValidateOptions): Promise<ValidationSummary> {
    const catalog = await this.catalog()
    const chosen = root === undefined ? this.#cache.folders : [this.#cache.folder(root)]
    const valid: string[] = []
    const failures: SkillFailure[] = []
    const unregistered: string[] = []
    for (const folder of chosen) {
      this.#cache.assertReadable(folder)
      const stale = await this.#findStaleIndex(folder)
      if (stale !== undefined) failures.push(toSkillFailure(INDEXES_ID, { message: stale, details: {} }))
      const listed = new Set(catalog.listEntries(folder.root).map(({ entry }) => toSlashes(entry?.path ?? '')))
      const folders = await folder.listManifestFolders()
      unregistered.push(...folders.filter((path) => !listed.has(path)).map((path) => folder.absolute(path)))
      for (const [position, { raw }] of catalog.listEntries(folder.root).entries()) {
        const verdict = await this.validate({ root: folder.root, raw }, options)
        const id = readId(raw) ?? `<entry ${position}>`
        if (verdict.valid) valid.push(id)
        else failures.push(toSkillFailure(id, verdict))
      }
    }
    const registryPaths = chosen.map(({ registryPath }) => registryPath)
    return { valid, failures, unregistered, registryPaths }
  }

  /** Says why the indexes of a root do not match its registry. Returns undefined if they do or the root has none. */
  findStaleIndex(root: string): Promise<string | undefined> {
    return this.#compareAlone(() => this.#findStaleIndex(this.#cache.folder(root)))
  }

  async #findStaleIndex(folder: SkillRootFolder): Promise<string | undefined> {
    const found = await folder.readGenerated()
    const isIndexed = found.size > 0 || (await folder.listMissing([INDEX_SCRIPT])).length === 0
    return isIndexed ? this.#compareIndexes(folder, found) : undefined
  }

  /** The generated files of a root by their paths, and the skills in its registry. */
  readIndexes(root: string | undefined): Promise<{ files: ReadonlyMap<string, string>; entries: SkillEntry[] }> {
    return this.#compareAlone(async () => {
      const catalog = await this.catalog()
      const folder = this.#cache.folder(root)
      const entries = catalog.listEntries(folder.root).flatMap(({ entry }) => entry ?? [])
      return { files: await folder.readGenerated(), entries }
    })
  }

  /** Says for each root whether its indexes exist and match the registry. */
  indexState(): Promise<{ root: string; fresh: boolean; reason?: string }[]> {
    return this.#compareAlone(async () => {
      await this.catalog()
      return Promise.all(
        this.#cache.folders.map(async (folder) => {
          const reason = await this.#compareIndexes(folder, await folder.readGenerated())
          return { root: folder.root, fresh: reason === undefined, ...(reason && { reason }) }
        }),
      )
    })
  }

  /** Creates the folder of a skill and adds it to the registry. If that fails, the folder is removed. */
  create(root: string | undefined, { entry, files }: Scaffold): Promise<SkillRootFolder> {
    return this.#writeAlone(async () => {
      const catalog = await this.catalog()
      const folder = this.#cache.folder(root)
      this.#cache.assertReadable(folder)
      const { id } = entry
      if (catalog.listEntries(folder.root).some(({ raw }) => readId(raw) === id)) {
        throw new Failure('SKILL_ALREADY_EXISTS', `Skill already exists: ${id}`)
      }
      await folder.tidy()
      const created = await folder.create(id, files).catch(throwScaffoldFailure)
      if (!created) {
        const place = folder.absolute(entry.path)
        throw new Failure('SKILL_ALREADY_EXISTS', `Skill directory already exists: ${place}`)
      }
      try {
        const { text } = addSkill(await folder.readRegistry(), entry, this.#now())
        await folder.writeRegistry(text)
      } catch (error) {
        await folder.remove(id)
        return throwScaffoldFailure(error)
      }
      await this.#cache.catalogAfterWriting()
      if ((await folder.readGenerated()).size > 0) await this.#writeIndexes(folder)
      return folder
    })
  }

  /** Rebuilds the registry and the indexes of a root from its skill folders. */
  reindex(
    root: string | undefined,
    skipBroken: boolean,
  ): Promise<RebuiltRegistry & { folder: SkillRootFolder; files: string[] }> {
    return this.#writeAlone(async () => {
      const folder = this.#cache.folder(root)
      const rebuilt = await this.#rebuild(folder)
      if (rebuilt.broken.length > 0 && !skipBroken) {
        const message = `${rebuilt.broken.length} skill folders are broken; nothing was written`
        throw new Failure('SKILL_VALIDATION_FAILED', message, {
          details: { failures: rebuilt.broken },
        })
      }
      await folder.writeRegistry(formatRegistry(rebuilt.skills, this.#now()))
      await this.#cache.catalogAfterWriting()
      return { ...rebuilt, folder, files: await this.#writeIndexes(folder) }
    })
  }

  close(): void {
    this.#cache.close()
  }

  async #rebuild(folder: SkillRootFolder): Promise<RebuiltRegistry> {
    const manifests = await Promise.all(
      (await folder.listManifestFolders()).map(async (place) => {
        const text = (await folder.readText(`${place}/skill.json`)) ?? ''
        return { folder: place, text, missing: await folder.listMissing(listNamedFiles(text)) }
      }),
    )
    return rebuildRegistry(manifests)
  }

  async #writeIndexes(folder: SkillRootFolder): Promise<string[]> {
    const { skills, registry } = await this.#readRegistry(folder)
    const files = buildIndexFiles(skills, registry, this.#now())
    await folder.writeGenerated(files)
    return files.map(({ path }) => folder.absolute(`skills/${path}`))
  }

  async #compareIndexes(folder: SkillRootFolder, found: ReadonlyMap<string, string>): Promise<string | undefined> {
    const { skills, registry } = await this.#readRegistry(folder)
    return findStaleIndex(skills, registry, found)
  }

  async #readRegistry(folder: SkillRootFolder) {
    const listed = this.#cache.read(folder)?.listed ?? []
    const skills = sortById(listed.flatMap(({ entry }) => entry ?? []))
    return { skills, registry: (await folder.readRegistry()) ?? '' }
  }

  async #readFiles(folder: SkillRootFolder, raw: unknown, { dryRun }: ValidateOptions): Promise<SkillFiles> {
    const { paths, manifest, document, artifacts } = listFiles(raw)
    const missing = new Set(await folder.listMissing(paths))
    const readable = [manifest, document, ...(dryRun ? artifacts : [])].filter(
      (path) => isSafePath(path) && !missing.has(path),
    )
    const texts = new Map<string, string>()
    for (const path of readable) {
      const text = await folder.readText(path)
      if (text !== undefined) texts.set(path, text)
    }
    return { absolute: (path) => folder.absolute(path), missing, texts }
  }

  #now(): string {
    return this.#clock().toISOString()
  }

  #writeAlone<T>(work: () => Promise<T>): Promise<T> {
    const turn = Promise.allSettled([this.#lastWrite, ...this.#comparisons]).then(work)
    this.#lastWrite = turn.catch(() => undefined)
    return turn
  }

  /** Several comparisons may run at once. */
  #compareAlone<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#lastWrite.then(work)
    this.#comparisons.add(turn)
    return turn.finally(() => this.#comparisons.delete(turn))
  }
}

function toSkillFailure(
  skillId: string,
  { message, details }: { message: string; details: Readonly<Record<string, unknown>> },
): SkillFailure {
  return { skillId, code: 'SKILL_VALIDATION_FAILED', message, details }
}

function throwScaffoldFailure(error: unknown): never {
  if (isStorageError(error)) throw error
  throw new Failure('SKILLS_SCAFFOLD_FAILED', `The skill folder could not be created: ${(error as Error).message}`)
}
