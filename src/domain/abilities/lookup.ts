import type { z } from 'zod'
import type { AbilityMatch, lookupAbilities } from '@apprentice/contracts/abilities/lookup.ts'
import type { OpenLane } from '@apprentice/contracts/abilities/ability.ts'
import { lastAbilityRevision, listAbilityChanges } from '../../store/abilities/abilities-changes.ts'
import type { Reader } from '../../store/db/db.ts'
import { AbilityIndex } from '../../knowledge/lookup/ability-index.ts'
import { readQuery } from '../../knowledge/lookup/scorer.ts'

const pageSize = 250

type LookupBody = z.output<(typeof lookupAbilities)['body']>

/**
 * Finds abilities by means of an index in memory. Each change of an ability has a number in the database; before it
 * answers, the index catches up with those it has not seen, so that it never answers from an older state.
 */
export class AbilityLookup {
  readonly #index = new AbilityIndex()
  #revision = 0

  find(reader: Reader, caller: string, body: LookupBody): AbilityMatch[] {
    if (body.user_query.trim() === '') return []
    while (!this.catchUp(reader)) continue
    const found = this.#index.find(readQuery(body.user_query), {
      caller,
      project_id: body.project_id,
      lanes: lanesOf(body),
      require_text_match: body.require_text_match,
    })
    return found.map(({ score, ability }) => {
      const { ability_id, install_lane, usable_now, reason_unusable } = ability
      const reason = reason_unusable === undefined ? {} : { reason_unusable }
      return { ability_id, score, install_lane, usable_now, ...reason }
    })
  }

  /** Reads some of the changes; true when none are left. */
  catchUp(reader: Reader): boolean {
    if (lastAbilityRevision(reader) === this.#revision) return true
    const changes = listAbilityChanges(reader, { after: this.#revision, limit: pageSize })
    for (const { revision, ability_id, ability } of changes) {
      const isFindable = ability !== undefined && ability.install_lane !== 'quarantined'
      if (isFindable) this.#index.set(ability)
      else this.#index.remove(ability_id)
      this.#revision = revision
    }
    return changes.length < pageSize
  }

  /** Makes ready what the first question would have to wait for. */
  settle(): void {
    this.#index.arrange()
  }
}

/** An ability that is private is found by its owner, if either of two words allows it. */
function lanesOf({ install_lanes_allowed, include_private_owned_by_user }: LookupBody) {
  const lanes = new Set<OpenLane>(install_lanes_allowed)
  if (include_private_owned_by_user) lanes.add('experimental_private')
  return lanes
}
