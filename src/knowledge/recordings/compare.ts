import { z } from 'zod'
import type { CompareOutcome, CompareReport } from '@apprentice/contracts/devices/compare.ts'
import { RecordingExport } from '@apprentice/contracts/devices/recording.ts'
import { SkillResult } from '@apprentice/contracts/skills/run-result.ts'
import { Failure } from '../../failure/failure.ts'
import { align, countCovered, firstDivergence } from './align.ts'
import { type Baseline, type BaselineRules, readBaseline } from './baseline.ts'

export interface Comparison extends BaselineRules {
  readonly baseline: unknown
  readonly result: unknown
  readonly mode: 'auto' | 'literal' | 'semantic'
  readonly minimum_coverage: number
}

/** Lays what a run reported beside what a recording shows. */
export function compareWithRecording(comparison: Comparison): CompareReport {
  const baseline = readBaseline(read(RecordingExport, comparison.baseline, 'baseline'), comparison)
  const { skillResult: run } = read(RunWrapper, comparison.result, 'result')
  const reported = run.checkpoints.filter(({ id }) => id !== TERMINAL)
  const divergence = firstDivergence(baseline.checkpoints, reported, run.status === 'failed')
  const facts: Facts = {
    baseline,
    run,
    mode: comparison.mode === 'auto' ? modeFor(run) : comparison.mode,
    pathMatches: divergence === undefined,
    declared: baseline.checkpoints.length,
    covered: countCovered(baseline.checkpoints, reported),
    minimum: comparison.minimum_coverage,
    verification: run.terminalVerification?.status ?? 'missing',
  }
  const outcome = judge(facts)
  return {
    ok: WANTED.has(outcome),
    compareMode: facts.mode,
    outcome,
    summary: SUMMARIES[outcome],
    pathMatches: facts.pathMatches,
    terminalVerificationStatus: facts.verification,
    baseline: shownBaseline(baseline),
    actual: {
      skillId: run.skillId,
      sourceKind: run.source.kind,
      status: run.status,
      runtimeState: run.diagnostics?.runtimeState ?? null,
      checkpointIds: reported.map(({ id }) => id),
    },
    ...(divergence !== undefined && { firstDivergence: divergence }),
    baselineCoverage: { declared: facts.declared, covered: facts.covered },
    alignment: align(baseline.checkpoints, reported),
    normalizationStrategy: baseline.strategy,
    minimumSemanticCoverage: comparison.minimum_coverage,
  }
}

/** That it worked is proven by the verification and not by a step of the way. */
const TERMINAL = 'terminal_state_verified'

const RunWrapper = z.looseObject({
  skillResult: SkillResult.extend({
    contractVersion: z.string().regex(/^1\.\d+\.\d+$/, 'Only contract version 1 is supported'),
  }),
})

function read<T>(schema: z.ZodType<T>, value: unknown, field: 'baseline' | 'result'): T {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const path = [field, ...(issue?.path ?? [])].join('.')
  throw new Failure('RECORDING_COMPARE_FAILED', `${path}: ${issue?.message ?? 'unreadable'}`, {
    details: { field, path },
  })
}

const modeFor = ({ source }: SkillResult): 'literal' | 'semantic' =>
  source.kind === 'agent' ? 'semantic' : 'literal'

interface Facts {
  readonly baseline: Baseline
  readonly run: SkillResult
  readonly mode: 'literal' | 'semantic'
  readonly pathMatches: boolean
  readonly declared: number
  readonly covered: number
  readonly minimum: number
  readonly verification: CompareReport['terminalVerificationStatus']
}

function judge(facts: Facts): CompareOutcome {
  if (facts.baseline.insufficient) return 'normalization_insufficient'
  if (facts.run.status === 'failed') return judgeFailed(facts.run)
  if (facts.verification === 'verified') return judgeVerified(facts)
  if (!facts.pathMatches) return 'baseline_drift'
  return facts.verification === 'failed' ? 'verification_failed' : 'verification_indeterminate'
}

function judgeFailed({ diagnostics }: SkillResult): CompareOutcome {
  if (diagnostics?.runtimeState === 'poisoned') return 'runtime_poisoned'
  return diagnostics?.runtimeState === 'unavailable' ? 'runtime_unavailable' : 'upstream_failure'
}

function judgeVerified({ mode, pathMatches, declared, covered, minimum }: Facts): CompareOutcome {
  if (mode === 'literal') return pathMatches ? 'literal_match' : 'baseline_drift'
  if (pathMatches) return 'semantic_match'
  if (declared > 0 && covered === 0) return 'baseline_uncovered'
  return covered < minimum ? 'baseline_weakly_covered' : 'outcome_matches_path_differs'
}

const WANTED: ReadonlySet<CompareOutcome> = new Set([
  'literal_match',
  'semantic_match',
  'outcome_matches_path_differs',
])

const SUMMARIES: Readonly<Record<CompareOutcome, string>> = {
  normalization_insufficient: 'The recording shows too few checkpoints to compare with.',
  runtime_poisoned: 'The run failed because its runtime was poisoned.',
  runtime_unavailable: 'The run failed because its runtime was not available.',
  upstream_failure: 'The run failed before there was anything to compare.',
  literal_match: 'The run went the way of the recording, and its outcome was verified.',
  baseline_drift: 'The run left the way of the recording.',
  semantic_match:
    'The run reached every checkpoint of the recording, and its outcome was verified.',
  baseline_uncovered: 'The outcome was verified, but no checkpoint of the recording was reported.',
  baseline_weakly_covered:
    'The outcome was verified, but too few checkpoints of the recording were reported.',
  outcome_matches_path_differs: 'The outcome was verified; the way there was another.',
  verification_failed: 'The run went the way of the recording, but its outcome was not there.',
  verification_indeterminate:
    'The run went the way of the recording, but nobody looked at its outcome.',
}

function shownBaseline({ app_package, checkpoints }: Baseline): CompareReport['baseline'] {
  return {
    appPackage: app_package ?? null,
    checkpointIds: checkpoints.map(({ id }) => id),
    checkpoints: checkpoints.map(({ words: _, ...checkpoint }) => checkpoint),
  }
}
