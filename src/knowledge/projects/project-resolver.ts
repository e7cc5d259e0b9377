import type { AmbiguityPolicy, ProjectSourceBinding } from '@apprentice/contracts/projects/bindings.ts'

export interface ProjectQuestion {
  /** How somebody mentioned the project, alone or within a sentence. */
  readonly query: string
  /** The channel or chat in which it was mentioned. */
  readonly room_id?: string | undefined
  readonly active_project_id?: string | undefined
  readonly candidate_bucket_ids?: readonly string[] | undefined
}

type Binding = Pick<
  ProjectSourceBinding,
  'project_id' | 'aliases' | 'bucket_ids' | 'teams_refs' | 'ambiguity_policy' | 'source_of_truth'
>

export interface ProjectMatch<B extends Binding = ProjectSourceBinding> {
  readonly binding: B
  /** From 0.5 to 1. */
  readonly confidence: number
  readonly reason: 'project_id' | 'alias' | 'alias_words' | 'active_project'
}

export interface ProjectResolution<B extends Binding = ProjectSourceBinding> {
  /** The best first. */
  readonly matches: readonly ProjectMatch<B>[]
  readonly resolution_state: 'resolved' | 'ambiguous' | 'none'
  /** The project that is meant. Only if resolved. */
  readonly project_id?: string
  /** What to do with several matches: use all of them, or ask a person which one is meant. */
  readonly next_step: 'use' | 'use_all' | 'ask' | 'none'
}

const SCORES = { project_id: 1, active_project: 0.95, alias: 0.9 } as const
const [LEAST_OVERLAP, OVERLAP_SCORE, OVERLAP_RANGE] = [0.5, 0.5, 0.3]
const BUCKET_BONUS = 0.1
const [SURE, LEAD] = [0.8, 0.15]
/** Differences below this come from the representation of numbers. */
const TOLERANCE = 1e-9

/**
 * Finds the project that somebody means. The exact id counts 1, the active project 0.95 if no other is named, an alias
 * 0.9, and an alias of which at least half of the words are mentioned 0.5 to 0.8; a matching bucket adds 0.1. A match is
 * taken if it has 0.8 and leads by 0.15. Otherwise the policies of the candidates decide, the strictest first.
 */
export function resolveProject<B extends Binding>(
  question: ProjectQuestion,
  bindings: readonly B[],
): ProjectResolution<B> {
  const matches = findMatches(question, bindings)
  const [best, second] = matches
  if (best === undefined) return { matches, resolution_state: 'none', next_step: 'none' }
  const leads = second === undefined || best.confidence - second.confidence >= LEAD - TOLERANCE
  if (best.confidence >= SURE - TOLERANCE && leads) return choose(matches, best)
  return settleAmbiguity(question, matches)
}

function findMatches<B extends Binding>(question: ProjectQuestion, bindings: readonly B[]): ProjectMatch<B>[] {
  const named = bindings.flatMap((binding) => matchText(question, binding) ?? [])
  const { active_project_id } = question
  const active = bindings.find(({ project_id }) => project_id === active_project_id)
  const namesOther = named.some(({ binding }) => binding.project_id !== active_project_id)
  const isActive = active !== undefined && !namesOther
  const better = named.find(({ confidence }) => confidence >= SCORES.active_project)
  const found: ProjectMatch<B>[] =
    isActive && better === undefined
      ? [{ binding: active, confidence: SCORES.active_project, reason: 'active_project' }]
      : named
  return found
    .map((match) => addBucket(match, question))
    .toSorted((a, b) => b.confidence - a.confidence || (a.binding.project_id < b.binding.project_id ? -1 : 1))
}

function matchText<B extends Binding>({ query }: ProjectQuestion, binding: B): ProjectMatch<B> | undefined {
  const text = normalize(query)
  if (text === '') return undefined
  if (text === normalize(binding.project_id)) {
    return { binding, confidence: SCORES.project_id, reason: 'project_id' }
  }
  if (binding.aliases.some((alias) => normalize(alias) === text)) {
    return { binding, confidence: SCORES.alias, reason: 'alias' }
  }
  const words = new Set(splitWords(query))
  // Ids of projects are alike, so a part of one says nothing.
  const isIdNamed = measureOverlap(binding.project_id, words) === 1
  const overlap = Math.max(isIdNamed ? 1 : 0, ...binding.aliases.map((alias) => measureOverlap(alias, words)))
  if (overlap < LEAST_OVERLAP) return undefined
  const share = (overlap - LEAST_OVERLAP) / (1 - LEAST_OVERLAP)
  return { binding, confidence: OVERLAP_SCORE + OVERLAP_RANGE * share, reason: 'alias_words' }
}

/** The share of the words of a name that are mentioned. */
function measureOverlap(name: string, mentioned: ReadonlySet<string>): number {
  const words = [...new Set(splitWords(name))]
  return words.length === 0 ? 0 : words.filter((word) => mentioned.has(word)).length / words.length
}

function addBucket<B extends Binding>(
  match: ProjectMatch<B>,
  { candidate_bucket_ids = [] }: ProjectQuestion,
): ProjectMatch<B> {
  const isInBucket = match.binding.bucket_ids.some((bucket) => candidate_bucket_ids.includes(bucket))
  return isInBucket ? { ...match, confidence: Math.min(1, match.confidence + BUCKET_BONUS) } : match
}

function settleAmbiguity<B extends Binding>(
  { room_id }: ProjectQuestion,
  matches: readonly ProjectMatch<B>[],
): ProjectResolution<B> {
  const policies = new Set<AmbiguityPolicy>(matches.map(({ binding }) => binding.ambiguity_policy))
  if (policies.has('require_disambiguation')) return { matches, resolution_state: 'ambiguous', next_step: 'ask' }
  if (policies.has('use_room_context_then_prompt')) {
    const inRoom = room_id === undefined ? [] : matches.filter(({ binding }) => binding.teams_refs.includes(room_id))
    const [only, another] = inRoom
    if (only !== undefined && another === undefined) return choose(matches, only)
    return { matches, resolution_state: 'ambiguous', next_step: 'ask' }
  }
  return { matches, resolution_state: 'ambiguous', next_step: 'use_all' }
}

const choose = <B extends Binding>(
  matches: readonly ProjectMatch<B>[],
  { binding }: ProjectMatch<B>,
): ProjectResolution<B> => ({
  matches,
  resolution_state: 'resolved',
  project_id: binding.project_id,
  next_step: 'use',
})

const splitWords = (text: string): string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)

const normalize = (text: string): string => text.normalize('NFKC').toLowerCase().trim().replaceAll(/\s+/g, ' ')
