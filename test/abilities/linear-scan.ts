import {
  type Asking,
  type Indexed,
  type Match,
  mostMatches,
} from '../../src/knowledge/lookup/ability-index.ts'
import {
  type Query,
  readAbility,
  type Readable,
  scoreAbility,
  threshold,
} from '../../src/knowledge/lookup/scorer.ts'

/** Abilities with their texts already split into words. */
export type Prepared = readonly { readonly ability: Indexed; readonly words: Readable }[]

export const prepare = (abilities: readonly Indexed[]): Prepared =>
  abilities.map((ability) => ({ ability, words: readAbility(ability) }))

/** The expected result: scores every ability. */
export function linearScan(all: Prepared, query: Query, asking: Asking): Match[] {
  const found: Match[] = []
  for (const { ability, words } of all) {
    if (!isFindable(ability, asking)) continue
    const { score, by_text } = scoreAbility(query, words, asking.project_id)
    if (score < threshold || (asking.require_text_match && !by_text)) continue
    found.push({ ability, score })
  }
  return found
    .toSorted((a, b) => b.score - a.score || (a.ability.ability_id < b.ability.ability_id ? -1 : 1))
    .slice(0, mostMatches)
}

function isFindable(
  { install_lane, owner_user_id, visibility }: Indexed,
  { lanes, caller }: Asking,
): boolean {
  if (install_lane === 'quarantined' || !lanes.has(install_lane)) return false
  return (
    install_lane !== 'experimental_private' ||
    visibility === 'workspace' ||
    owner_user_id === caller
  )
}
