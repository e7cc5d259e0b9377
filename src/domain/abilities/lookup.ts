import type { z } from 'zod'
import type { AbilityMatch, lookupAbilities } from '@apprentice/contracts/abilities/lookup.ts'
import type { OpenLane } from '@apprentice/contracts/abilities/ability.ts'
import { getLastAbilityRevision, listAbilityChanges } from '../../store/abilities/abilities-changes.ts'
import type { Reader } from '../../store/db/db.ts'
import type { SkillEntry } from '@apprentice/contracts/skills/skill.ts'
import { AbilityIndex, type IndexedAbility, type Match } from '../../knowledge/lookup/ability-index.ts'
import { describeSkillsForLookup } from '../../knowledge/search-words/registry-skill.ts'
import { readQuery } from '../../knowledge/lookup/scorer.ts'
import { describeProof } from './catalog.ts'
import { findAbilityInputs } from './ability-inputs.ts'

const PAGE_SIZE = 250

type LookupBody = z.output<(typeof lookupAbilities)['body']>

/**
 * Finds abilities with an index in memory. Every change of an ability has a revision in the database. Before a lookup
 * the index reads the revisions it has not seen, so results are never older than the database.
 */
export class AbilityLookup {
  #index = new AbilityIndex()
  #revision = 0
  #skills = new AbilityIndex()
  #known: readonly SkillEntry[] = []

  find(reader: Reader, caller: string, body: LookupBody): AbilityMatch[] {
    if (body.user_query.trim() === '') return []
    while (!this.catchUp(reader)) continue
    const query = readQuery(body.user_query)
    const options = {
      caller,
      project_id: body.project_id,
      lanes: collectLanes(body),
      require_text_match: body.require_text_match,
      limit: body.offset + MAX_MATCHES,
    }
    const found = this.#index.find(query, options).map(toMatch)
    const page = (matches: AbilityMatch[]) => addInputs(reader, body, matches.slice(body.offset, options.limit))
    if (!body.include_skills) return page(found)
    const skills = this.#skills.find(query, options).map((match) => ({
      ...toMatch(match),
      skill_id: match.ability.ability_id.slice(SKILL_PREFIX.length),
    }))
    return page([...found, ...skills].toSorted(compareMatches))
  }

  /** The skills of the registry that lookups find besides abilities. */
  setSkills(skills: readonly SkillEntry[]): void {
    if (skills === this.#known) return
    this.#known = skills
    this.#skills = new AbilityIndex()
    const words = describeSkillsForLookup(skills)
    for (const [at, { id }] of skills.entries()) {
      const described = words[at]
      if (described !== undefined)
        this.#skills.set({ ...SKILL_FIELDS, ...described, ability_id: `${SKILL_PREFIX}${id}` })
    }
  }

  /** Reads one page of changes. Returns true if there are no more. */
  catchUp(reader: Reader): boolean {
    if (getLastAbilityRevision(reader) === this.#revision) return true
    const changes = listAbilityChanges(reader, { after: this.#revision, limit: PAGE_SIZE })
    for (const { revision, ability_id, ability } of changes) {
      const isFindable = ability !== undefined && ability.install_lane !== 'quarantined'
      if (isFindable) this.#index.set(ability)
      else this.#index.remove(ability_id)
      this.#revision = revision
    }
    if (this.#index.needsRebuild) this.#index = this.#index.rebuild()
    return changes.length < PAGE_SIZE
  }

  /** Builds what the first lookup would otherwise build. */
  warmUp(): void {
    this.#index.refreshSlots()
  }
}

const MAX_MATCHES = 10

/** The inputs are read for the returned matches only, in the same transaction. */
function addInputs(reader: Reader, { include_inputs }: LookupBody, matches: AbilityMatch[]): AbilityMatch[] {
  if (!include_inputs) return matches
  return matches.map((match) => {
    const isAbility = match.skill_id === undefined && match.kind === 'runnable'
    const inputs = isAbility ? [...(findAbilityInputs(reader, match.ability_id) ?? [])] : []
    return { ...match, inputs }
  })
}
const SKILL_PREFIX = 'skill.'

/** An operator put the skills into the registry, so all users find them. */
const SKILL_FIELDS = {
  kind: 'runnable',
  owner_user_id: '',
  visibility: 'workspace',
  install_lane: 'approved_workspace',
  project_scopes: [],
  checkpoint_health: 'no_data',
  usable_now: true,
} satisfies Partial<IndexedAbility>

function toMatch({ score, ability }: Match): AbilityMatch {
  const { ability_id, title, install_lane, usable_now, reason_unusable, kind = 'guidance' } = ability
  const reason = reason_unusable === undefined ? {} : { reason_unusable }
  return { ability_id, title, score, kind, install_lane, usable_now, ...reason, ...describeProof(ability) }
}

const compareMatches = (a: AbilityMatch, b: AbilityMatch): number =>
  b.score - a.score || (a.ability_id < b.ability_id ? -1 : 1)

/** Private abilities are included if either field of the request allows it. */
function collectLanes({ install_lanes_allowed, include_private_owned_by_user }: LookupBody) {
  const lanes = new Set<OpenLane>(install_lanes_allowed)
  if (include_private_owned_by_user) lanes.add('experimental_private')
  return lanes
}
