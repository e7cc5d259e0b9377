import type { Ambiguity, NegativeIndicator, PositiveIndicator } from '@apprentice/contracts/learn/mining.ts'
import type { TraceFacts } from '../../store/mining/trace-clusters.ts'
import type { ClusterFigures } from './gates.ts'

export interface NameSuggestion {
  readonly suggested_name?: string
  /** The two most frequent names are about equally frequent. */
  readonly undecided: boolean
}

/** The most frequent goal of the successful traces, in its most frequent spelling. */
export function suggestName(traces: readonly TraceFacts[]): NameSuggestion {
  const named = traces.filter(({ succeeded, goal_key }) => succeeded && goal_key !== '')
  const [best, next] = countByFrequency(named.map(({ goal_key }) => goal_key))
  if (best === undefined) return { undecided: false }
  const undecided = next !== undefined && (best.count - next.count) / named.length <= CLOSE_NAMES_SHARE
  const spelled = named.filter(({ goal_key }) => goal_key === best.text).map(({ goal }) => goal)
  const [wording] = countByFrequency(spelled)
  const shared = wording !== undefined && wording.count * 2 > spelled.length
  return { suggested_name: shared ? wording.text : capitalize(best.text), undecided }
}

const CLOSE_NAMES_SHARE = 0.1

/** The most frequent first; of equals the first one. */
function countByFrequency(texts: readonly string[]): { text: string; count: number }[] {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return [...counts].map(([text, count]) => ({ text, count })).toSorted((a, b) => b.count - a.count)
}

const capitalize = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)

/** Indicators in favour of building the workflow. */
export function findPositiveIndicators(traces: readonly TraceFacts[], figures: ClusterFigures): PositiveIndicator[] {
  const replays = traces.filter(({ ability_id }) => ability_id !== undefined)
  const replayed = replays.filter(({ succeeded }) => succeeded).length
  const found: readonly (readonly [PositiveIndicator, boolean])[] = [
    ['same_goal_across_projects', figures.project_specificity === 'global'],
    ['stable_order', figures.successes >= 2 && figures.variation_score <= STABLE_ORDER_MAX_VARIATION],
    ['strong_replay', replayed >= MIN_REPLAYS && replayed / replays.length >= MIN_REPLAY_SUCCESS_SHARE],
  ]
  return found.flatMap(([indicator, holds]) => (holds ? [indicator] : []))
}

const STABLE_ORDER_MAX_VARIATION = 0.1
const MIN_REPLAYS = 3
const MIN_REPLAY_SUCCESS_SHARE = 0.8

/** Indicators against building the workflow. */
export function findNegativeIndicators(traces: readonly TraceFacts[], names: NameSuggestion): NegativeIndicator[] {
  const count = (holds: (trace: TraceFacts) => boolean): number => traces.filter(holds).length
  const found: readonly (readonly [NegativeIndicator, boolean])[] = [
    ['one_off', traces.length === 1],
    ['ambiguous_names', names.undecided],
    ['repeated_overrides', count(({ overridden }) => overridden) >= 2],
    ['repeated_verification_failures', count((trace) => trace.verification_failed) >= 2],
    ['unresolved_policy_failures', count(({ critical }) => critical) > 0],
  ]
  return found.flatMap(([indicator, holds]) => (holds ? [indicator] : []))
}

/** Orders clusters within a scan; it is not a threshold. */
export function computePriority(
  { successes, variation_score, verification_coverage_score }: ClusterFigures,
  { positive, negative }: { positive: number; negative: number },
): number {
  const priority =
    0.5 * Math.min(1, successes / 6) +
    0.2 * (1 - variation_score) +
    0.2 * verification_coverage_score +
    (0.1 * (positive - negative)) / 5
  return Math.min(1, Math.max(0, priority))
}

/** Reasons why a draft needs feedback from a person. */
export function findAmbiguities(
  { project_specificity, variation_score }: ClusterFigures,
  { names, overlaps, max_variation_score }: AmbiguityInputs,
): Ambiguity[] {
  const found: readonly (readonly [Ambiguity, boolean])[] = [
    ['unclear_specificity', project_specificity === 'unclear'],
    ['two_names', names.undecided],
    ['overlaps_ability', overlaps],
    ['variation_near_limit', variation_score > (max_variation_score * 2) / 3],
  ]
  return found.flatMap(([ambiguity, holds]) => (holds ? [ambiguity] : []))
}

export interface AmbiguityInputs {
  readonly names: NameSuggestion
  /** A lookup of the suggested name finds an existing ability. */
  readonly overlaps: boolean
  readonly max_variation_score: number
}
