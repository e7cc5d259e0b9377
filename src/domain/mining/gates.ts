import type {
  GateCode,
  MiningGate,
  ProjectSpecificity,
  SkillMiningSettings,
} from '@apprentice/contracts/learn/mining.ts'
import type { TraceFacts } from '../../store/mining/trace-clusters.ts'
import { measureVariation } from './variation.ts'

export interface ClusterFigures {
  readonly successes: number
  readonly failures: number
  readonly variation_score: number
  readonly verification_coverage_score: number
  readonly project_specificity: ProjectSpecificity
}

/** `traces` in chronological order. */
export function measureTraces(traces: readonly TraceFacts[]): ClusterFigures {
  const good = traces.filter(({ succeeded }) => succeeded)
  return {
    successes: good.length,
    failures: traces.length - good.length,
    variation_score: measureVariation(good.map(({ step_labels }) => step_labels)),
    verification_coverage_score: computeShare(good, ({ verified }) => verified),
    project_specificity: decideSpecificity(good),
  }
}

/** `global` for two or more projects; `project_scoped` when every trace has the same project. */
export function decideSpecificity(traces: readonly TraceFacts[]): ProjectSpecificity {
  const named = traces.flatMap(({ project_id }) => (project_id === undefined ? [] : [project_id]))
  const projects = new Set(named).size
  if (projects >= 2) return 'global'
  return projects === 1 && named.length === traces.length ? 'project_scoped' : 'unclear'
}

const computeShare = <T>(all: readonly T[], holds: (one: T) => boolean): number =>
  all.length === 0 ? 0 : all.filter(holds).length / all.length

export interface GateResult {
  readonly gate: MiningGate
  readonly passed: boolean
  readonly code?: GateCode | undefined
}

type Limits = Pick<SkillMiningSettings, 'min_successful_traces' | 'max_variation_score' | 'min_verification_coverage'>

/** The result of every gate. A cluster is built only when all pass. */
export function checkGates(traces: readonly TraceFacts[], figures: ClusterFigures, limits: Limits): GateResult[] {
  const { successes, variation_score, verification_coverage_score } = figures
  return [
    gate('enough_traces', successes >= limits.min_successful_traces, 'INSUFFICIENT_TRACES'),
    gate('variation_low', variation_score <= limits.max_variation_score, 'variation_too_high'),
    gate('verification_high', verification_coverage_score >= limits.min_verification_coverage, 'verification_too_low'),
    gate('no_critical_safety_failure', !traces.some(({ critical }) => critical), 'critical_safety_failure'),
    gate('no_friction_block', traces.at(-1)?.in_the_way !== true, 'friction_block'),
    gate('reusable', isReusable(traces), 'not_reusable'),
  ]
}

/** At least two traces, two steps in each successful one, and a goal. */
function isReusable(traces: readonly TraceFacts[]): boolean {
  const good = traces.filter(({ succeeded }) => succeeded)
  return (
    traces.length >= 2 &&
    good.every(({ step_labels }) => step_labels.length >= 2) &&
    traces.some(({ goal_words }) => goal_words.length > 0)
  )
}

const gate = (name: MiningGate, passed: boolean, code: GateCode): GateResult =>
  passed ? { gate: name, passed } : { gate: name, passed, code }

export const listFailedGates = (gates: readonly GateResult[]): GateCode[] =>
  gates.flatMap(({ code }) => (code === undefined ? [] : [code]))
