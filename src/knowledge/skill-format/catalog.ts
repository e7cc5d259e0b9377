import type { SkillProblem, SkillRoot } from '@apprentice/contracts/skills/registry.ts'
import type { SkillEntry } from '@apprentice/contracts/skills/skill.ts'
import { Failure } from '../../failure/failure.ts'
import { readId, type RegistryEntry, readRegistry, type Registry } from './registry.ts'
import { toSearchable, type SkillQuery, SkillSearch } from './search.ts'

/** A skill root and the text of its registry. */
export interface RootFile {
  readonly root: string
  readonly registryPath: string
  /** Absent when there is no registry, as in an empty root. */
  readonly text?: string | undefined
  readonly problem?: string | undefined
}

export interface ReadRoot extends RootFile, Registry {
  readonly entries: readonly SkillEntry[]
}

/** A skill and its root. */
export interface PlacedSkill {
  readonly root: string
  readonly registryPath: string
  readonly raw: unknown
  readonly entry?: SkillEntry | undefined
}

const EMPTY_REGISTRY: Registry = { listed: [], problems: [] }

export function readRoot(found: RootFile): ReadRoot {
  const read = found.text === undefined ? EMPTY_REGISTRY : readRegistry(found.text)
  const { text: _text, ...place } = found
  if ('problem' in read) return { ...place, ...EMPTY_REGISTRY, entries: [], problem: read.problem }
  return { ...place, ...read, entries: read.listed.flatMap(({ entry }) => entry ?? []) }
}

/** All skills of all roots. The first root wins if several contain the same id. */
export class SkillCatalog {
  readonly #roots: readonly ReadRoot[]
  readonly #placed = new Map<string, PlacedSkill>()
  readonly skills: SkillEntry[] = []
  /** Built on the first search. */
  #search: SkillSearch | undefined
  readonly problems: SkillProblem[] = []

  constructor(roots: readonly ReadRoot[]) {
    this.#roots = roots
    for (const root of roots) this.#add(root)
  }

  get roots(): SkillRoot[] {
    return this.#roots.map(({ root, registryPath, entries, problem }) => ({
      root,
      registryPath,
      count: entries.length,
      ...(problem === undefined ? {} : { problem }),
    }))
  }

  search(query: SkillQuery): SkillEntry[] {
    this.#search ??= new SkillSearch(this.skills.map(toSearchable))
    return this.#search.find(query)
  }

  /** The entry of the registry, valid or not. Undefined when no registry lists the skill. */
  find(id: string): PlacedSkill | undefined {
    return this.#placed.get(id)
  }

  get(id: string): PlacedSkill {
    const found = this.find(id)
    if (found === undefined) {
      throw new Failure('SKILL_NOT_FOUND', `Skill not found: ${id}`, { details: { skillId: id } })
    }
    return found
  }

  /** As `get`, but throws also if the entry is invalid. */
  getUsable(id: string): PlacedSkill & { readonly entry: SkillEntry } {
    const found = this.get(id)
    const { entry } = found
    if (entry !== undefined) return { ...found, entry }
    const reason = this.problems.find(({ skill_id }) => skill_id === id)?.reason ?? 'broken'
    throw new Failure('SKILL_NOT_FOUND', `Skill ${id} is skipped: ${reason}`, {
      details: { skillId: id, reason },
    })
  }

  /** All entries of a registry, valid or not. */
  listEntries(root: string): readonly RegistryEntry[] {
    return this.#roots.find((one) => one.root === root)?.listed ?? []
  }

  #add({ root, registryPath, listed, problems, entries }: ReadRoot): void {
    for (const problem of problems) this.problems.push({ root, ...problem })
    const own = new Set<string>()
    for (const [position, { raw, entry }] of listed.entries()) {
      const id = readId(raw)
      if (id === undefined) continue
      const before = this.#placed.get(id)
      if (before?.entry !== undefined) {
        const reason = `${before.registryPath} already contains this id`
        if (before.root !== root) {
          this.problems.push({ root, position, skill_id: id, reason, skipped: true })
        }
        continue
      }
      if (entry !== undefined) own.add(id)
      this.#placed.set(id, { root, registryPath, raw, entry })
    }
    for (const entry of entries) if (own.has(entry.id)) this.skills.push(entry)
  }
}
