import type {
  GateCode,
  MiningGate,
  ProjectSpecificity,
  SkillMiningSettings,
} from '@apprentice/contracts/learn/mining.ts'
import type { TraceFacts } from '../../store/mining/trace-clusters.ts'
import { variationOf } from './variation.ts'

export interface Figures {
  readonly successes: number
  readonly failures: number
  readonly variation_score: number
  readonly verification_coverage_score: number
  readonly project_specificity: ProjectSpecificity
}

/** `runs` in the order they were done. */
export function figuresOf(runs: readonly TraceFacts[]): Figures {
  const good = runs.filter(({ succeeded }) => succeeded)
  return {
    successes: good.length,
    failures: runs.length - good.length,
    variation_score: variationOf(good.map(({ step_labels }) => step_labels)),
    verification_coverage_score: shareOf(good, ({ verified }) => verified),
    project_specificity: specificityOf(good),
  }
}

/** Several projects: for all. One and the same in every run: for that one. */
export function specificityOf(runs: readonly TraceFacts[]): ProjectSpecificity {
  const named = runs.flatMap(({ project_id }) => (project_id === undefined ? [] : [project_id]))
  const projects = new Set(named).size
  if (projects >= 2) return 'global'
  return projects === 1 && named.length === runs.length ? 'project_scoped' : 'unclear'
}

const shareOf = <T>(all: readonly T[], holds: (one: T) => boolean): number =>
  all.length === 0 ? 0 : all.filter(holds).length / all.length

export interface GateResult {
  readonly gate: MiningGate
  readonly passed: boolean
  readonly code?: GateCode | undefined
}

type Limits = Pick<
  SkillMiningSettings,
  'min_successful_traces' | 'max_variation_score' | 'min_verification_coverage'
>

/** Every gate, in the order they are named; all must be passed for anything to be built. */
export function gatesOf(
  runs: readonly TraceFacts[],
  figures: Figures,
  limits: Limits,
): GateResult[] {
  const { successes, variation_score, verification_coverage_score } = figures
  return [
    gate('enough_traces', successes >= limits.min_successful_traces, 'INSUFFICIENT_TRACES'),
    gate('variation_low', variation_score <= limits.max_variation_score, 'variation_too_high'),
    gate(
      'verification_high',
      verification_coverage_score >= limits.min_verification_coverage,
      'verification_too_low',
    ),
    gate(
      'no_critical_safety_failure',
      !runs.some(({ critical }) => critical),
      'critical_safety_failure',
    ),
    gate('no_friction_block', runs.at(-1)?.in_the_way !== true, 'friction_block'),
    gate('reusable', isReusable(runs), 'not_reusable'),
  ]
}

/** A workflow and not a touch, with a goal somebody named, done more than once. */
function isReusable(runs: readonly TraceFacts[]): boolean {
  const good = runs.filter(({ succeeded }) => succeeded)
  return (
    runs.length >= 2 &&
    good.every(({ step_labels }) => step_labels.length >= 2) &&
    runs.some(({ goal_words }) => goal_words.length > 0)
  )
}

const gate = (name: MiningGate, passed: boolean, code: GateCode): GateResult =>
  passed ? { gate: name, passed } : { gate: name, passed, code }

export const failingCodes = (gates: readonly GateResult[]): GateCode[] =>
  gates.flatMap(({ code }) => (code === undefined ? [] : [code]))
