import type { z } from 'zod'
import type { AbilityMatch, lookupAbilities } from '@apprentice/contracts/abilities/lookup.ts'
import type { OpenLane } from '@apprentice/contracts/abilities/ability.ts'
import { getLastAbilityRevision, listAbilityChanges } from '../../store/abilities/abilities-changes.ts'
import type { Reader } from '../../store/db/db.ts'
import { AbilityIndex } from '../../knowledge/lookup/ability-index.ts'
import { readQuery } from '../../knowledge/lookup/scorer.ts'
import { describeProof } from './catalog.ts'

const PAGE_SIZE = 250

type LookupBody = z.output<(typeof lookupAbilities)['body']>

/**
 * Finds abilities with an index in memory. Every change of an ability has a revision in the database. Before a lookup
 * the index reads the revisions it has not seen, so results are never older than the database.
 */
export class AbilityLookup {
  #index = new AbilityIndex()
  #revision = 0

  find(reader: Reader, caller: string, body: LookupBody): AbilityMatch[] {
    if (body.user_query.trim() === '') return []
    while (!this.catchUp(reader)) continue
    const found = this.#index.find(readQuery(body.user_query), {
      caller,
      project_id: body.project_id,
      lanes: collectLanes(body),
      require_text_match: body.require_text_match,
    })
    return found.map(({ score, ability }) => {
      const { ability_id, install_lane, usable_now, reason_unusable, kind = 'guidance' } = ability
      const reason = reason_unusable === undefined ? {} : { reason_unusable }
      return { ability_id, score, kind, install_lane, usable_now, ...reason, ...describeProof(ability) }
    })
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

/** Private abilities are included if either field of the request allows it. */
function collectLanes({ install_lanes_allowed, include_private_owned_by_user }: LookupBody) {
  const lanes = new Set<OpenLane>(install_lanes_allowed)
  if (include_private_owned_by_user) lanes.add('experimental_private')
  return lanes
}
