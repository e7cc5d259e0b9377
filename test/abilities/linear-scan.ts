import {
  type LookupOptions,
  type IndexedAbility,
  type Match,
  MAX_MATCHES,
} from '../../src/knowledge/lookup/ability-index.ts'
import {
  type Query,
  readAbilityTexts,
  type AbilityTexts,
  scoreAbility,
  MIN_SCORE,
} from '../../src/knowledge/lookup/scorer.ts'

/** Abilities with their texts already split into words. */
export type Prepared = readonly { readonly ability: IndexedAbility; readonly words: AbilityTexts }[]

export const prepare = (abilities: readonly IndexedAbility[]): Prepared =>
  abilities.map((ability) => ({ ability, words: readAbilityTexts(ability) }))

/** The expected result: scores every ability. */
export function linearScan(all: Prepared, query: Query, options: LookupOptions): Match[] {
  const found: Match[] = []
  for (const { ability, words } of all) {
    if (!isFindable(ability, options)) continue
    const { score, by_text } = scoreAbility(query, words, options.project_id)
    if (score < MIN_SCORE || (options.require_text_match && !by_text)) continue
    found.push({ ability, score })
  }
  return found
    .toSorted((a, b) => b.score - a.score || (a.ability.ability_id < b.ability.ability_id ? -1 : 1))
    .slice(0, MAX_MATCHES)
}

function isFindable(
  { install_lane, owner_user_id, visibility }: IndexedAbility,
  { lanes, caller }: LookupOptions,
): boolean {
  if (install_lane === 'quarantined' || !lanes.has(install_lane)) return false
  return install_lane !== 'experimental_private' || visibility === 'workspace' || owner_user_id === caller
}
