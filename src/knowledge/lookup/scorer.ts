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

/** What of an ability its score depends on. */
export type Scored = Pick<
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

/** From here on an ability counts as found. */
export const threshold = 0.15

export interface Query {
  /** Lower-cased, not trimmed. */
  readonly text: string
  /** Blanks at an end make an empty word; what is repeated stays repeated. */
  readonly words: readonly string[]
}

export function readQuery(userQuery: string): Query {
  const text = userQuery.toLowerCase()
  return { text, words: wordsOf(text) }
}

export const wordsOf = (text: string): string[] => text.split(/\s+/)

/** An ability's words, made ready to be compared. */
export interface Readable {
  readonly ability: Scored
  readonly triggers: readonly { readonly text: string; readonly words: readonly string[] }[]
  readonly negatives: readonly string[]
  readonly title: string
}

export function readAbility(ability: Scored): Readable {
  return {
    ability,
    triggers: ability.trigger_phrases.map((phrase) => {
      const text = phrase.toLowerCase()
      return { text, words: wordsOf(text) }
    }),
    negatives: ability.negative_triggers.map((phrase) => phrase.toLowerCase()),
    title: ability.title.toLowerCase(),
  }
}

/** The parts a score is added up from. */
export interface ScoreParts extends Pick<
  LookupAbility,
  'install_lane' | 'checkpoint_health' | 'usable_now'
> {
  readonly trigger: 'full' | 'partial' | undefined
  readonly title: boolean
  readonly scope: 'project' | 'global' | undefined
}

const ofTrigger = { full: 0.4, partial: 0.2 }
const ofScope = { project: 0.15, global: 0.05 }
const ofLane = {
  shared_promoted: 0.1,
  approved_workspace: 0.07,
  experimental_private: 0.03,
  quarantined: 0,
}
const ofHealth = { strong: 0.05, weak: -0.05, moderate: 0, no_data: 0, quarantined: 0 }

/** The order of the additions is part of the score: doubles give other last digits in another. */
export function addUp(parts: ScoreParts): number {
  let score = parts.trigger === undefined ? 0 : ofTrigger[parts.trigger]
  if (parts.title) score += 0.2
  if (parts.scope !== undefined) score += ofScope[parts.scope]
  score += ofLane[parts.install_lane]
  score += ofHealth[parts.checkpoint_health]
  if (!parts.usable_now) score *= 0.5
  return Math.min(1, Math.max(0, score))
}

/** One trigger decides: the first, in the order they are kept, that is found whole or in two words. */
export type TriggerMatch =
  | { readonly kind: 'full'; readonly at: number }
  | { readonly kind: 'partial'; readonly at: number; readonly words: number }

export function matchTrigger(query: Query, { triggers }: Readable): TriggerMatch | undefined {
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

export const findNegative = (query: Query, { negatives }: Readable): number =>
  negatives.findIndex((negative) => query.text.includes(negative))

/** How many of the query's words are found anywhere in the title. */
export function countInTitle(query: Query, { title }: Readable): number {
  let found = 0
  for (const word of query.words) if (title.includes(word)) found += 1
  return found
}

export function scopeOf(
  { project_scopes }: Pick<Scored, 'project_scopes'>,
  projectId: string | undefined,
): ScoreParts['scope'] {
  if (projectId !== undefined && project_scopes.includes(projectId)) return 'project'
  return project_scopes.length === 0 || project_scopes.includes('*') ? 'global' : undefined
}

export interface Score {
  readonly score: number
  /** Found by a trigger or by its title, and not only for what it is. */
  readonly by_text: boolean
}

export function scoreAbility(
  query: Query,
  readable: Readable,
  projectId: string | undefined,
): Score {
  const trigger = matchTrigger(query, readable)?.kind
  if (findNegative(query, readable) >= 0) return { score: 0, by_text: false }
  const title = countInTitle(query, readable) >= 2
  const { install_lane, checkpoint_health, usable_now } = readable.ability
  const scope = scopeOf(readable.ability, projectId)
  const parts = { trigger, title, scope, install_lane, checkpoint_health, usable_now }
  return { score: addUp(parts), by_text: trigger !== undefined || title }
}
