import type {
  Ambiguity,
  NegativeIndicator,
  PositiveIndicator,
} from '@apprentice/contracts/learn/mining.ts'
import type { TraceFacts } from '../../store/mining/trace-clusters.ts'
import type { Figures } from './gates.ts'

export interface Names {
  /** What the workflow may be called. */
  readonly suggested_name?: string
  /** Two names are about equally common. */
  readonly undecided: boolean
}

/** What those who ran it called it. The share of the best name is compared with that of the next. */
export function namesOf(runs: readonly TraceFacts[]): Names {
  const named = runs.filter(({ succeeded, goal_key }) => succeeded && goal_key !== '')
  const [best, next] = commonest(named.map(({ goal_key }) => goal_key))
  if (best === undefined) return { undecided: false }
  const undecided = next !== undefined && (best.count - next.count) / named.length <= closeNames
  const spelled = named.filter(({ goal_key }) => goal_key === best.text).map(({ goal }) => goal)
  const [wording] = commonest(spelled)
  const shared = wording !== undefined && wording.count * 2 > spelled.length
  return { suggested_name: shared ? wording.text : capitalised(best.text), undecided }
}

const closeNames = 0.1

/** The most frequent first; among equals the one that came first. */
function commonest(texts: readonly string[]): { text: string; count: number }[] {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return [...counts].map(([text, count]) => ({ text, count })).toSorted((a, b) => b.count - a.count)
}

const capitalised = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)

/** What speaks for a workflow, as far as rows can prove it. */
export function positivesOf(runs: readonly TraceFacts[], figures: Figures): PositiveIndicator[] {
  const replays = runs.filter(({ ability_id }) => ability_id !== undefined)
  const replayed = replays.filter(({ succeeded }) => succeeded).length
  const found: readonly (readonly [PositiveIndicator, boolean])[] = [
    ['same_goal_across_projects', figures.project_specificity === 'global'],
    ['stable_order', figures.successes >= 2 && figures.variation_score <= steadyVariation],
    ['strong_replay', replayed >= manyReplays && replayed / replays.length >= strongReplay],
  ]
  return found.flatMap(([indicator, holds]) => (holds ? [indicator] : []))
}

const steadyVariation = 0.1
const manyReplays = 3
const strongReplay = 0.8

/** What speaks against it. */
export function negativesOf(runs: readonly TraceFacts[], names: Names): NegativeIndicator[] {
  const count = (holds: (run: TraceFacts) => boolean): number => runs.filter(holds).length
  const found: readonly (readonly [NegativeIndicator, boolean])[] = [
    ['one_off', runs.length === 1],
    ['ambiguous_names', names.undecided],
    ['repeated_overrides', count(({ overridden }) => overridden) >= 2],
    ['repeated_verification_failures', count((run) => run.verification_failed) >= 2],
    ['unresolved_policy_failures', count(({ critical }) => critical) > 0],
  ]
  return found.flatMap(([indicator, holds]) => (holds ? [indicator] : []))
}

/** For ordering only. */
export function priorityOf(
  { successes, variation_score, verification_coverage_score }: Figures,
  { positive, negative }: { positive: number; negative: number },
): number {
  const priority =
    0.5 * Math.min(1, successes / 6) +
    0.2 * (1 - variation_score) +
    0.2 * verification_coverage_score +
    (0.1 * (positive - negative)) / 5
  return Math.min(1, Math.max(0, priority))
}

/** Why a draft would be a guess. */
export function ambiguitiesOf(
  { project_specificity, variation_score }: Figures,
  { names, overlaps, max_variation_score }: Doubtful,
): Ambiguity[] {
  const found: readonly (readonly [Ambiguity, boolean])[] = [
    ['unclear_specificity', project_specificity === 'unclear'],
    ['two_names', names.undecided],
    ['overlaps_ability', overlaps],
    ['variation_near_limit', variation_score > (max_variation_score * 2) / 3],
  ]
  return found.flatMap(([ambiguity, holds]) => (holds ? [ambiguity] : []))
}

export interface Doubtful {
  readonly names: Names
  /** An ability is found by the same words, and nothing says when not to use this one. */
  readonly overlaps: boolean
  readonly max_variation_score: number
}
