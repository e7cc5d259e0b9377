import type { SkillProblem, SkillRoot } from '@apprentice/contracts/skills/registry.ts'
import type { SkillEntry } from '@apprentice/contracts/skills/skill.ts'
import { Failure } from '../../failure/failure.ts'
import { idOf, type Listed, readRegistry, type Registry } from './registry.ts'
import { searchable, type SkillQuery, SkillSearch } from './search.ts'

/** A root as it was found. */
export interface FoundRoot {
  readonly root: string
  readonly registryPath: string
  /** Absent when there is no registry; that is no fault of a root nobody has put a skill into yet. */
  readonly text?: string | undefined
  readonly problem?: string | undefined
}

export interface ReadRoot extends FoundRoot, Registry {
  readonly entries: readonly SkillEntry[]
}

/** A skill and where it belongs. */
export interface PlacedSkill {
  readonly root: string
  readonly registryPath: string
  readonly raw: unknown
  readonly entry?: SkillEntry | undefined
}

const nothing: Registry = { listed: [], problems: [] }

export function readRoot(found: FoundRoot): ReadRoot {
  const read = found.text === undefined ? nothing : readRegistry(found.text)
  const { text: _text, ...place } = found
  if ('problem' in read) return { ...place, ...nothing, entries: [], problem: read.problem }
  return { ...place, ...read, entries: read.listed.flatMap(({ entry }) => entry ?? []) }
}

/** All skills of all roots. Of several with one id, that of the first root counts. */
export class SkillCatalog {
  readonly #roots: readonly ReadRoot[]
  readonly #placed = new Map<string, PlacedSkill>()
  readonly skills: SkillEntry[] = []
  /** Made when somebody looks for something. */
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
    this.#search ??= new SkillSearch(this.skills.map(searchable))
    return this.#search.find(query)
  }

  /** The skill as its registry has it, broken or not. */
  /** Undefined when no registry lists it. */
  listed(id: string): PlacedSkill | undefined {
    return this.#placed.get(id)
  }

  placed(id: string): PlacedSkill {
    const found = this.listed(id)
    if (found === undefined) {
      throw new Failure('SKILL_NOT_FOUND', `Skill not found: ${id}`, { details: { skillId: id } })
    }
    return found
  }

  /** The skill, if it can be worked with. */
  skill(id: string): PlacedSkill & { readonly entry: SkillEntry } {
    const found = this.placed(id)
    const { entry } = found
    if (entry !== undefined) return { ...found, entry }
    const reason = this.problems.find(({ skill_id }) => skill_id === id)?.reason ?? 'broken'
    throw new Failure('SKILL_NOT_FOUND', `Skill ${id} is left out: ${reason}`, {
      details: { skillId: id, reason },
    })
  }

  /** Everything a registry lists, as it lists it. */
  listedIn(root: string): readonly Listed[] {
    return this.#roots.find((one) => one.root === root)?.listed ?? []
  }

  #add({ root, registryPath, listed, problems, entries }: ReadRoot): void {
    this.problems.push(...problems.map((problem) => ({ root, ...problem })))
    const own = new Set<string>()
    for (const [position, { raw, entry }] of listed.entries()) {
      const id = idOf(raw)
      if (id === undefined) continue
      const before = this.#placed.get(id)
      if (before?.entry !== undefined) {
        const reason = `${before.registryPath} has this id already`
        if (before.root !== root) {
          this.problems.push({ root, position, skill_id: id, reason, skipped: true })
        }
        continue
      }
      if (entry !== undefined) own.add(id)
      this.#placed.set(id, { root, registryPath, raw, entry })
    }
    this.skills.push(...entries.filter(({ id }) => own.has(id)))
  }
}
