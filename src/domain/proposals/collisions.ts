import type { ProposalCollision } from '@apprentice/contracts/learn/proposal-review.ts'
import { findAbility } from '../../store/abilities/abilities.ts'
import type { Reader } from '../../store/db/db.ts'
import type { StoredProposal } from '../../store/proposals/proposals.ts'
import type { AbilityLookup } from '../abilities/lookup.ts'
import { matchTrigger, readAbility, readQuery } from '../../knowledge/lookup/scorer.ts'
import { isVisible } from '../abilities/visibility.ts'
import { clip } from '../../knowledge/text/plain-text.ts'
import { findProposalSession } from './moves.ts'

/** Abilities somebody finds by a saying, the best first. */
export type FindSimilar = (
  reader: Reader,
  saying: string,
  user: string,
) => readonly { readonly ability_id: string; readonly score: number }[]

/** What an agent of this user would be offered. */
export const similarAbilities =
  (lookup: Pick<AbilityLookup, 'find'>): FindSimilar =>
  (reader, saying, user) =>
    lookup.find(reader, user, {
      user_query: saying,
      install_lanes_allowed: ['approved_workspace', 'shared_promoted'],
      include_private_owned_by_user: true,
      require_text_match: true,
      schema_version: 1,
    })

const mostCollisions = 10
/** From here on an agent is sent to an ability. */
const routed = 0.3

/** Abilities that have the name the proposed one would get, or are found by what it is to be found by. */
export function collisionsOf(
  reader: Reader,
  proposal: StoredProposal,
  findSimilar: FindSimilar | undefined,
): ProposalCollision[] {
  const own = ownAbilities(reader, proposal)
  const slug = slugCollision(reader, proposal)
  const found = new Map<string, ProposalCollision>()
  if (slug !== undefined && !own.has(slug.ability_id)) found.set(slug.ability_id, slug)
  for (const saying of proposal.trigger_phrases) {
    for (const similar of findSimilar?.(reader, saying, proposal.owner_user_id) ?? []) {
      if (found.size >= mostCollisions) break
      const { ability_id, score } = similar
      const ability = findAbility(reader, ability_id)
      if (ability === undefined || own.has(ability_id) || found.has(ability_id)) continue
      if (score < routed) continue
      if (matchTrigger(readQuery(saying), readAbility(ability)) === undefined) continue
      const detail = clip(`It is found by "${saying}" too.`, 240)
      found.set(ability_id, { kind: 'trigger', ability_id, title: ability.title, detail, score })
    }
  }
  return [...found.values()]
}

/** What the proposal is a version of does not stand in its way. */
function ownAbilities(reader: Reader, proposal: StoredProposal): ReadonlySet<string> {
  const improved = findProposalSession(reader, proposal)?.target_skill_id
  return new Set([proposal.ability_id, improved].filter((id) => id !== undefined))
}

function slugCollision(
  reader: Reader,
  { proposed_skill_slug, owner_user_id }: StoredProposal,
): ProposalCollision | undefined {
  const ability = [`learned.${proposed_skill_slug}`, `imported.${proposed_skill_slug}`]
    .map((id) => findAbility(reader, id))
    .find((found) => found !== undefined)
  if (ability === undefined) return undefined
  const shown = isVisible(ability, owner_user_id)
  return {
    kind: 'slug',
    ability_id: ability.ability_id,
    title: shown ? ability.title : 'An ability of somebody else',
    detail: `The name ${proposed_skill_slug} is taken.`,
  }
}
