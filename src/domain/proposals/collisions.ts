import type { ProposalCollision } from '@apprentice/contracts/learn/proposal-review.ts'
import { findAbility } from '../../store/abilities/abilities.ts'
import type { Reader } from '../../store/db/db.ts'
import { findAbilityIdBySlug } from '../../store/install/install-sagas.ts'
import type { StoredProposal } from '../../store/proposals/proposals.ts'
import type { AbilityLookup } from '../abilities/lookup.ts'
import { measureGreatestLikeness, MIN_LIKENESS } from '../../knowledge/search-words/likeness.ts'
import { isVisible } from '../abilities/visibility.ts'
import { clip } from '../../knowledge/text/plain-text.ts'
import { findProposalSession } from './moves.ts'

/** Finds the abilities that match a phrase, best match first. */
export type FindSimilar = (
  reader: Reader,
  phrase: string,
  user: string,
) => readonly { readonly ability_id: string; readonly score: number }[]

/** Searches the abilities an agent of the user would be offered. */
export const createSimilarAbilityFinder =
  (lookup: Pick<AbilityLookup, 'find'>): FindSimilar =>
  (reader, phrase, user) =>
    lookup.find(reader, user, {
      user_query: phrase,
      install_lanes_allowed: ['approved_workspace', 'shared_promoted'],
      include_private_owned_by_user: true,
      require_text_match: true,
      include_skills: false,
      include_inputs: false,
      offset: 0,
      schema_version: 1,
    })

const MAX_COLLISIONS = 10
/** The minimum score at which an agent is routed to an ability. */
const ROUTING_SCORE = 0.3

/** Abilities with the same slug as the proposed skill, or with a trigger that is like one of its trigger phrases. */
export function findCollisions(
  reader: Reader,
  proposal: StoredProposal,
  findSimilar: FindSimilar | undefined,
): ProposalCollision[] {
  const own = listOwnAbilities(reader, proposal)
  const slug = findSlugCollision(reader, proposal)
  const found = new Map<string, ProposalCollision>()
  if (slug !== undefined && !own.has(slug.ability_id)) found.set(slug.ability_id, slug)
  for (const phrase of proposal.trigger_phrases) {
    for (const similar of findSimilar?.(reader, phrase, proposal.owner_user_id) ?? []) {
      if (found.size >= MAX_COLLISIONS) break
      const { ability_id, score } = similar
      const ability = findAbility(reader, ability_id)
      if (ability === undefined || own.has(ability_id) || found.has(ability_id)) continue
      if (score < ROUTING_SCORE) continue
      if (measureGreatestLikeness([phrase], ability.trigger_phrases) < MIN_LIKENESS) continue
      const detail = clip(`The phrase "${phrase}" also matches this ability.`, 240)
      found.set(ability_id, { kind: 'trigger', ability_id, title: ability.title, detail, score })
    }
  }
  return [...found.values()]
}

/** The abilities this proposal is a version of. They do not collide with it. */
function listOwnAbilities(reader: Reader, proposal: StoredProposal): ReadonlySet<string> {
  const improved = findProposalSession(reader, proposal)?.target_skill_id
  return new Set([proposal.ability_id, improved].filter((id) => id !== undefined))
}

function findSlugCollision(
  reader: Reader,
  { proposed_skill_slug, owner_user_id }: StoredProposal,
): ProposalCollision | undefined {
  const ids = [
    `learned.${proposed_skill_slug}`,
    `imported.${proposed_skill_slug}`,
    findAbilityIdBySlug(reader, proposed_skill_slug),
  ]
  const ability = ids
    .flatMap((id) => (id === undefined ? [] : [findAbility(reader, id)]))
    .find((found) => found !== undefined)
  if (ability === undefined) return undefined
  const visible = isVisible(ability, owner_user_id)
  return {
    kind: 'slug',
    ability_id: ability.ability_id,
    title: visible ? ability.title : 'An ability of another user',
    detail: `The name ${proposed_skill_slug} is taken.`,
  }
}
