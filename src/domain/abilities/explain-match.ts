import type { z } from 'zod'
import type { explainMatch } from '@apprentice/contracts/abilities/lookup.ts'
import type { AbilityRow } from '../../store/abilities/abilities.ts'
import type { Reader } from '../../store/db/db.ts'
import {
  countInTitle,
  findNegative,
  matchTrigger,
  type Query,
  readAbilityTexts,
  type AbilityTexts,
  readQuery,
  findScope,
  scoreAbility,
  MIN_SCORE,
} from '../../knowledge/lookup/scorer.ts'
import { getVisibleAbility } from './visibility.ts'

type ExplainRequest = z.output<(typeof explainMatch)['body']>
type ExplainReply = z.infer<(typeof explainMatch)['reply']>

const MAX_REASON_LENGTH = 240

/** The score of one ability for a query, with the scorer's reasons. */
export function explainAbilityMatch(reader: Reader, caller: string, request: ExplainRequest): ExplainReply {
  const ability = getVisibleAbility(reader, request.ability_id, caller)
  if (request.user_query.trim() === '') return rejectBlankQuery(ability)
  const query = readQuery(request.user_query)
  const readable = readAbilityTexts(ability)
  const { score } = scoreAbility(query, readable, request.project_id)
  const negativeAt = findNegative(query, readable)
  const negative = ability.negative_triggers[negativeAt]
  return {
    ability_id: ability.ability_id,
    matched: score >= MIN_SCORE && ability.install_lane !== 'quarantined',
    score,
    match_reasons: negativeAt < 0 ? clipReasons(listMatchReasons(query, readable, ability, request.project_id)) : [],
    rejection_reasons: clipReasons([
      ...(negative === undefined ? [] : [`negative_trigger_match: "${negative}"`]),
      ...(score < MIN_SCORE ? ['below_threshold'] : []),
      ...listRejectionReasons(ability, request.project_id),
    ]),
  }
}

function listMatchReasons(query: Query, readable: AbilityTexts, ability: AbilityRow, projectId?: string) {
  const trigger = matchTrigger(query, readable)
  const inTitle = countInTitle(query, readable)
  const scope = findScope(ability, projectId)
  return [
    ...(trigger?.kind === 'full' ? [`trigger_phrase_match: "${ability.trigger_phrases[trigger.at]}"`] : []),
    ...(trigger?.kind === 'partial' ? [`trigger_partial_match: ${trigger.words} tokens`] : []),
    ...(inTitle >= 2 ? [`title_match: ${inTitle} tokens`] : []),
    ...(scope === 'project' ? [`project_scope_match: ${projectId}`] : []),
    ...(scope === 'global' ? ['global_scope'] : []),
    ...formatUnusable(ability),
  ]
}

function listRejectionReasons(ability: AbilityRow, projectId: string | undefined): string[] {
  const isElsewhere = projectId !== undefined && findScope(ability, projectId) === undefined
  return [
    ...(ability.install_lane === 'quarantined' ? ['install_lane_quarantined'] : []),
    ...(ability.enabled ? [] : ['disabled']),
    ...(isElsewhere ? ['project_scope_mismatch'] : []),
    ...formatUnusable(ability),
  ]
}

const formatUnusable = ({ usable_now, reason_unusable }: AbilityRow): string[] =>
  usable_now ? [] : [`usable_now=false: ${reason_unusable}`]

const clipReasons = (reasons: readonly string[]): string[] =>
  reasons.map((reason) => reason.slice(0, MAX_REASON_LENGTH))

const rejectBlankQuery = ({ ability_id }: AbilityRow): ExplainReply => ({
  ability_id,
  matched: false,
  score: 0,
  match_reasons: [],
  rejection_reasons: ['blank_query', 'below_threshold'],
})
