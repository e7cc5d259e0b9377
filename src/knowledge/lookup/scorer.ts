import type {
  AbilityAvailabilityEntry,
  AbilityVisibility,
  CheckpointHealth,
} from '@apprentice/contracts/abilities/ability.ts'

/** The fields of an ability that lookup reads. */
export interface LookupAbility extends Omit<AbilityAvailabilityEntry, 'schema_version'> {
  readonly owner_user_id: string
  readonly visibility: AbilityVisibility
  readonly checkpoint_health: CheckpointHealth
}

/** The fields of an ability that its score depends on. */
export type ScoredFields = Pick<
  LookupAbility,
  | 'title'
  | 'trigger_phrases'
  | 'negative_triggers'
  | 'project_scopes'
  | 'install_lane'
  | 'checkpoint_health'
  | 'usable_now'
  | 'reason_unusable'
>

/** An ability with a lower score is not a match. */
export const MIN_SCORE = 0.15

export interface Query {
  /** Lower-cased, not trimmed. */
  readonly text: string
  /** White space at an end adds an empty word. Repeated words are kept. */
  readonly words: readonly string[]
}

export function readQuery(userQuery: string): Query {
  const text = userQuery.toLowerCase()
  return { text, words: splitWords(text) }
}

export const splitWords = (text: string): string[] => text.split(/\s+/)

/** The texts of an ability in lower case and split into words. */
export interface AbilityTexts {
  readonly ability: ScoredFields
  readonly triggers: readonly { readonly text: string; readonly words: readonly string[] }[]
  readonly negatives: readonly string[]
  readonly title: string
}

export function readAbilityTexts(ability: ScoredFields): AbilityTexts {
  return {
    ability,
    triggers: ability.trigger_phrases.map((phrase) => {
      const text = phrase.toLowerCase()
      return { text, words: splitWords(text) }
    }),
    negatives: ability.negative_triggers.map((phrase) => phrase.toLowerCase()),
    title: ability.title.toLowerCase(),
  }
}

/** The values that a score is computed from. */
export interface ScoreParts extends Pick<LookupAbility, 'install_lane' | 'checkpoint_health' | 'usable_now'> {
  readonly trigger: 'full' | 'partial' | undefined
  readonly title: boolean
  readonly scope: 'project' | 'global' | undefined
}

const TRIGGER_SCORES = { full: 0.4, partial: 0.2 }
const SCOPE_SCORES = { project: 0.15, global: 0.05 }
const LANE_SCORES = {
  shared_promoted: 0.1,
  approved_workspace: 0.07,
  experimental_private: 0.03,
  quarantined: 0,
}
const HEALTH_SCORES = { strong: 0.05, weak: -0.05, moderate: 0, no_data: 0, quarantined: 0 }

/** The order of the additions is part of the specification: another order rounds differently. */
export function sumScore(parts: ScoreParts): number {
  let score = parts.trigger === undefined ? 0 : TRIGGER_SCORES[parts.trigger]
  if (parts.title) score += 0.2
  if (parts.scope !== undefined) score += SCOPE_SCORES[parts.scope]
  score += LANE_SCORES[parts.install_lane]
  score += HEALTH_SCORES[parts.checkpoint_health]
  if (!parts.usable_now) score *= 0.5
  return Math.min(1, Math.max(0, score))
}

/** The first trigger phrase that matches, fully or by two words, decides. */
export type TriggerMatch =
  | { readonly kind: 'full'; readonly at: number }
  | { readonly kind: 'partial'; readonly at: number; readonly words: number }

export function matchTrigger(query: Query, { triggers }: AbilityTexts): TriggerMatch | undefined {
  let at = 0
  for (const { text, words } of triggers) {
    if (query.text.includes(text) || text.includes(query.text)) return { kind: 'full', at }
    let shared = 0
    for (const word of query.words) if (words.includes(word)) shared += 1
    if (shared >= 2) return { kind: 'partial', at, words: shared }
    at += 1
  }
  return undefined
}

export const findNegative = (query: Query, { negatives }: AbilityTexts): number =>
  negatives.findIndex((negative) => query.text.includes(negative))

/** How many words of the query occur in the title. */
export function countInTitle(query: Query, { title }: AbilityTexts): number {
  let found = 0
  for (const word of query.words) if (title.includes(word)) found += 1
  return found
}

export function findScope(
  { project_scopes }: Pick<ScoredFields, 'project_scopes'>,
  projectId: string | undefined,
): ScoreParts['scope'] {
  if (projectId !== undefined && project_scopes.includes(projectId)) return 'project'
  return project_scopes.length === 0 || project_scopes.includes('*') ? 'global' : undefined
}

export interface Score {
  readonly score: number
  /** Whether a trigger phrase or the title matches. */
  readonly by_text: boolean
}

export function scoreAbility(query: Query, texts: AbilityTexts, projectId: string | undefined): Score {
  const trigger = matchTrigger(query, texts)?.kind
  if (findNegative(query, texts) >= 0) return { score: 0, by_text: false }
  const title = countInTitle(query, texts) >= 2
  const { install_lane, checkpoint_health, usable_now } = texts.ability
  const scope = findScope(texts.ability, projectId)
  const parts = { trigger, title, scope, install_lane, checkpoint_health, usable_now }
  return { score: sumScore(parts), by_text: trigger !== undefined || title }
}
