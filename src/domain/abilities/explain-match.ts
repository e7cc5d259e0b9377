import type { z } from 'zod'
import type { explainMatch } from '@apprentice/contracts/abilities/lookup.ts'
import type { AbilityRow } from '../../store/abilities/abilities.ts'
import type { Reader } from '../../store/db/db.ts'
import {
  countInTitle,
  findNegative,
  matchTrigger,
  type Query,
  readAbility,
  type Readable,
  readQuery,
  scopeOf,
  scoreAbility,
  threshold,
} from '../../knowledge/lookup/scorer.ts'
import { getVisibleAbility } from './visibility.ts'

type Asked = z.output<(typeof explainMatch)['body']>
type Explained = z.infer<(typeof explainMatch)['reply']>

const longestReason = 240

/** Why the scorer says what it says of one ability, in its own words. */
export function explain(reader: Reader, caller: string, asked: Asked): Explained {
  const ability = getVisibleAbility(reader, asked.ability_id, caller)
  if (asked.user_query.trim() === '') return blank(ability)
  const query = readQuery(asked.user_query)
  const readable = readAbility(ability)
  const { score } = scoreAbility(query, readable, asked.project_id)
  const refused = findNegative(query, readable)
  const negative = ability.negative_triggers[refused]
  return {
    ability_id: ability.ability_id,
    matched: score >= threshold && ability.install_lane !== 'quarantined',
    score,
    match_reasons:
      refused < 0 ? clipped(reasonsFor(query, readable, ability, asked.project_id)) : [],
    rejection_reasons: clipped([
      ...(negative === undefined ? [] : [`negative_trigger_match: "${negative}"`]),
      ...(score < threshold ? ['below_threshold'] : []),
      ...reasonsAgainst(ability, asked.project_id),
    ]),
  }
}

function reasonsFor(query: Query, readable: Readable, ability: AbilityRow, projectId?: string) {
  const trigger = matchTrigger(query, readable)
  const inTitle = countInTitle(query, readable)
  const scope = scopeOf(ability, projectId)
  return [
    ...(trigger?.kind === 'full'
      ? [`trigger_phrase_match: "${ability.trigger_phrases[trigger.at]}"`]
      : []),
    ...(trigger?.kind === 'partial' ? [`trigger_partial_match: ${trigger.words} tokens`] : []),
    ...(inTitle >= 2 ? [`title_match: ${inTitle} tokens`] : []),
    ...(scope === 'project' ? [`project_scope_match: ${projectId}`] : []),
    ...(scope === 'global' ? ['global_scope'] : []),
    ...unusable(ability),
  ]
}

function reasonsAgainst(ability: AbilityRow, projectId: string | undefined): string[] {
  const isElsewhere = projectId !== undefined && scopeOf(ability, projectId) === undefined
  return [
    ...(ability.install_lane === 'quarantined' ? ['install_lane_quarantined'] : []),
    ...(ability.enabled ? [] : ['disabled']),
    ...(isElsewhere ? ['project_scope_mismatch'] : []),
    ...unusable(ability),
  ]
}

const unusable = ({ usable_now, reason_unusable }: AbilityRow): string[] =>
  usable_now ? [] : [`usable_now=false: ${reason_unusable}`]

const clipped = (reasons: readonly string[]): string[] =>
  reasons.map((reason) => reason.slice(0, longestReason))

const blank = ({ ability_id }: AbilityRow): Explained => ({
  ability_id,
  matched: false,
  score: 0,
  match_reasons: [],
  rejection_reasons: ['blank_query', 'below_threshold'],
})
