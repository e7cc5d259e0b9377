import { z } from 'zod'
import {
  type CompareOutcome,
  type CompareReport,
  MAX_COMPARED_CHECKPOINTS,
  MAX_COMPARED_EVENTS,
} from '@apprentice/contracts/devices/compare.ts'
import { RecordingExport } from '@apprentice/contracts/devices/recording.ts'
import { SkillResult } from '@apprentice/contracts/skills/run-result.ts'
import { Failure } from '../../failure/failure.ts'
import { alignCheckpoints, countCovered, findFirstDivergence } from './align.ts'
import { type Baseline, type BaselineRules, readBaseline } from './baseline.ts'
import { readIdWords } from './structural-baseline.ts'

export interface Comparison extends BaselineRules {
  readonly baseline: unknown
  readonly result: unknown
  readonly mode: 'auto' | 'literal' | 'semantic'
  readonly minimum_coverage: number
}

/** Compares the checkpoints that a skill run reported with those of a recording. */
export function compareWithRecording(comparison: Comparison): CompareReport {
  const baseline = readBaseline(parseInput(ComparedExport, comparison.baseline, 'baseline'), comparison)
  const { skillResult: run } = parseInput(RunWrapper, comparison.result, 'result')
  const reported = run.checkpoints
    .filter(({ id }) => id !== TERMINAL_CHECKPOINT)
    .map((checkpoint) => ({ ...checkpoint, words: readIdWords(checkpoint.id) }))
  const divergence = findFirstDivergence(baseline.checkpoints, reported, run.status === 'failed')
  const facts: ComparisonFacts = {
    baseline,
    run,
    mode: comparison.mode === 'auto' ? chooseMode(run) : comparison.mode,
    pathMatches: divergence === undefined,
    declared: baseline.checkpoints.length,
    covered: countCovered(baseline.checkpoints, reported),
    minimum: comparison.minimum_coverage,
    verification: run.terminalVerification?.status ?? 'missing',
  }
  const outcome = decideOutcome(facts)
  return {
    ok: SUCCESS_OUTCOMES.has(outcome),
    compareMode: facts.mode,
    outcome,
    summary: SUMMARIES[outcome],
    pathMatches: facts.pathMatches,
    terminalVerificationStatus: facts.verification,
    baseline: toBaselineReport(baseline),
    actual: {
      skillId: run.skillId,
      sourceKind: run.source.kind,
      status: run.status,
      runtimeState: run.diagnostics?.runtimeState ?? null,
      checkpointIds: reported.map(({ id }) => id),
    },
    ...(divergence !== undefined && { firstDivergence: divergence }),
    baselineCoverage: { declared: facts.declared, covered: facts.covered },
    alignment: alignCheckpoints(baseline.checkpoints, reported),
    normalizationStrategy: baseline.strategy,
    minimumSemanticCoverage: comparison.minimum_coverage,
  }
}

/** Not part of the path: the terminal verification decides on success. */
const TERMINAL_CHECKPOINT = 'terminal_state_verified'

// The paths are aligned in time proportional to the product of their lengths.
const ComparedExport = RecordingExport.extend({
  events: RecordingExport.shape.events.max(MAX_COMPARED_EVENTS),
})

const RunWrapper = z.looseObject({
  skillResult: SkillResult.extend({
    contractVersion: z.string().regex(/^1\.\d+\.\d+$/, 'Only contract version 1 is supported'),
    checkpoints: SkillResult.shape.checkpoints.max(MAX_COMPARED_CHECKPOINTS),
  }),
})

function parseInput<T>(schema: z.ZodType<T>, value: unknown, field: 'baseline' | 'result'): T {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const path = [field, ...(issue?.path ?? [])].join('.')
  throw new Failure('RECORDING_COMPARE_FAILED', `${path}: ${issue?.message ?? 'unreadable'}`, {
    details: { field, path },
  })
}

const chooseMode = ({ source }: SkillResult): 'literal' | 'semantic' =>
  source.kind === 'agent' ? 'semantic' : 'literal'

interface ComparisonFacts {
  readonly baseline: Baseline
  readonly run: SkillResult
  readonly mode: 'literal' | 'semantic'
  readonly pathMatches: boolean
  readonly declared: number
  readonly covered: number
  readonly minimum: number
  readonly verification: CompareReport['terminalVerificationStatus']
}

function decideOutcome(facts: ComparisonFacts): CompareOutcome {
  if (facts.baseline.insufficient) return 'normalization_insufficient'
  if (facts.run.status === 'failed') return decideFailedOutcome(facts.run)
  if (facts.verification === 'verified') return decideVerifiedOutcome(facts)
  if (!facts.pathMatches) return 'baseline_drift'
  return facts.verification === 'failed' ? 'verification_failed' : 'verification_indeterminate'
}

function decideFailedOutcome({ diagnostics }: SkillResult): CompareOutcome {
  if (diagnostics?.runtimeState === 'poisoned') return 'runtime_poisoned'
  return diagnostics?.runtimeState === 'unavailable' ? 'runtime_unavailable' : 'upstream_failure'
}

function decideVerifiedOutcome({ mode, pathMatches, declared, covered, minimum }: ComparisonFacts): CompareOutcome {
  if (mode === 'literal') return pathMatches ? 'literal_match' : 'baseline_drift'
  if (pathMatches) return 'semantic_match'
  if (declared > 0 && covered === 0) return 'baseline_uncovered'
  return covered < minimum ? 'baseline_weakly_covered' : 'outcome_matches_path_differs'
}

const SUCCESS_OUTCOMES: ReadonlySet<CompareOutcome> = new Set([
  'literal_match',
  'semantic_match',
  'outcome_matches_path_differs',
])

const SUMMARIES: Readonly<Record<CompareOutcome, string>> = {
  normalization_insufficient: 'The recording has too few checkpoints for a comparison.',
  runtime_poisoned: 'The run failed because its runtime was poisoned.',
  runtime_unavailable: 'The run failed because its runtime was not available.',
  upstream_failure: 'The run failed before it could be compared.',
  literal_match: 'The run followed the path of the recording, and its outcome was verified.',
  baseline_drift: 'The run left the path of the recording.',
  semantic_match: 'The run reached every checkpoint of the recording, and its outcome was verified.',
  baseline_uncovered: 'The outcome was verified, but no checkpoint of the recording was reported.',
  baseline_weakly_covered: 'The outcome was verified, but too few checkpoints of the recording were reported.',
  outcome_matches_path_differs: 'The outcome was verified; the path was different.',
  verification_failed: 'The run followed the path of the recording, but the verification of its outcome failed.',
  verification_indeterminate: 'The run followed the path of the recording, but its outcome was not verified.',
}

function toBaselineReport({ app_package, checkpoints }: Baseline): CompareReport['baseline'] {
  return {
    appPackage: app_package ?? null,
    checkpointIds: checkpoints.map(({ id }) => id),
    checkpoints: checkpoints.map(({ nameWords: _, ...checkpoint }) => checkpoint),
  }
}
