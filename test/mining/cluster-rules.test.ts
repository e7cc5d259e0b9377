import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { GateCode } from '@apprentice/contracts/learn/mining.ts'
import { findNearestCluster } from '../../src/domain/mining/trace-clustering.ts'
import { listFailedGates, measureTraces, checkGates, decideSpecificity } from '../../src/domain/mining/gates.ts'
import { formatGoalKey, extractGoalWords, measureSimilarity } from '../../src/domain/mining/goal-key.ts'
import {
  findAmbiguities,
  suggestName,
  findNegativeIndicators,
  findPositiveIndicators,
  computePriority,
} from '../../src/domain/mining/cluster-indicators.ts'
import { selectQuestions } from '../../src/domain/mining/cluster-proposal.ts'
import { collapseRepeats, measureStepDistance, measureVariation } from '../../src/domain/mining/variation.ts'
import type { ClusterView, TraceFacts } from '../../src/store/mining/trace-clusters.ts'
import { countRuns } from '../kit/count-runs.ts'

const buildFacts = (changes: Partial<TraceFacts> = {}): TraceFacts => ({
  goal: 'Set the temperature',
  goal_words: ['set', 'the', 'temperature'],
  goal_key: 'set the temperature',
  app_family: 'climate',
  succeeded: true,
  overridden: false,
  step_labels: ['open_app climate', 'tap row', 'tap save'],
  verified: true,
  critical: false,
  verification_failed: false,
  in_the_way: false,
  ...changes,
})

const LIMITS = {
  min_successful_traces: 3,
  max_variation_score: 0.35,
  min_verification_coverage: 0.6,
}

const listFailures = (traces: readonly TraceFacts[]): GateCode[] =>
  listFailedGates(checkGates(traces, measureTraces(traces), LIMITS))

test.each<[string, string[], string]>([
  ['Set Lobby to 21 degrees', [], 'set to degrees'],
  ['set the "Big room" to 19.5 on 2026-03-01', [], 'set the to on'],
  ['Send mail to anna@example.org on Monday', [], 'send mail to on'],
  ['Write down buy milk in the notes', ['buy milk'], 'write down in the notes'],
  ['order-1234 cancel_order', [], 'order cancel order'],
  ['Lobby', [], 'lobby'],
  ['1234', [], ''],
])('the key of "%s" has no varying parts', (goal, typed, key) => {
  expect(formatGoalKey(extractGoalWords(goal, typed))).toBe(key)
})

const word = fc.constantFrom('set', 'turn', 'unit', 'lamp', 'on', 'off', 'note', 'write')
const words = fc.array(word, { maxLength: 6 })

test('the similarity of goals is the share of common words', () => {
  fc.assert(
    fc.property(words, words, (one, other) => {
      const all = [...new Set([...one, ...other])]
      const shared = all.filter((each) => one.includes(each) && other.includes(each))
      const expected = all.length === 0 ? 1 : shared.length / all.length
      expect(measureSimilarity(one, other)).toBeCloseTo(expected, 12)
    }),
  )
})

test('a trace joins the most similar cluster from 0.6 on, the oldest of equals', () => {
  fc.assert(
    fc.property(words, fc.array(words, { maxLength: 8 }), (goal, known) => {
      const clusters = known.map((each, at) => ({ at, normalized_goal: each.join(' ') }))
      const scores = known.map((each) => measureSimilarity(goal, each))
      const best = Math.max(...scores, 0)
      const expected = best >= 0.6 ? scores.indexOf(best) : undefined
      expect(findNearestCluster(goal, clusters)?.at).toBe(expected)
    }),
  )
})

/** The edit distance by its recursive definition. */
function computeSlowDistance(one: readonly string[], other: readonly string[]): number {
  if (one.length === 0 || other.length === 0) return one.length + other.length
  const [a, ...restA] = one
  const [b, ...restB] = other
  return Math.min(
    computeSlowDistance(restA, restB) + Number(a !== b),
    computeSlowDistance(restA, other) + 1,
    computeSlowDistance(one, restB) + 1,
  )
}

const stepLists = fc.array(fc.constantFrom('tap a', 'tap b', 'type c'), { maxLength: 5 })

test('the variation is the mean relative edit distance of all pairs', () => {
  fc.assert(
    fc.property(fc.array(stepLists, { maxLength: 5 }), (sequences) => {
      const distances: number[] = []
      for (let one = 0; one < sequences.length; one += 1) {
        for (let other = one + 1; other < sequences.length; other += 1) {
          const [a = [], b = []] = [sequences[one], sequences[other]]
          const longest = Math.max(a.length, b.length)
          distances.push(longest === 0 ? 0 : computeSlowDistance(a, b) / longest)
        }
      }
      const sum = distances.reduce((all, each) => all + each, 0)
      expect(measureVariation(sequences)).toBeCloseTo(distances.length === 0 ? 0 : sum / distances.length, 10)
    }),
    { numRuns: countRuns(200) },
  )
})

test('the step distance is symmetric, from 0 to 1, and repeated steps collapse', () => {
  fc.assert(
    fc.property(stepLists, stepLists, (one, other) => {
      const distance = measureStepDistance(one, other)
      expect(distance).toBe(measureStepDistance(other, one))
      expect(distance).toBeGreaterThanOrEqual(0)
      expect(distance).toBeLessThanOrEqual(1)
      expect(measureStepDistance(one, one)).toBe(0)
      expect(collapseRepeats(one.flatMap((each) => [each, each]))).toEqual(collapseRepeats(one))
    }),
  )
})

test.each<[string, GateCode, TraceFacts[]]>([
  ['too few traces', 'INSUFFICIENT_TRACES', [buildFacts(), buildFacts()]],
  [
    'traces that differ too much',
    'variation_too_high',
    [buildFacts(), buildFacts(), buildFacts({ step_labels: ['open_app climate', 'tap menu', 'tap off', 'key back'] })],
  ],
  [
    'unverified traces',
    'verification_too_low',
    [buildFacts(), buildFacts({ verified: false }), buildFacts({ verified: false })],
  ],
  [
    'a trace with a policy violation',
    'critical_safety_failure',
    [buildFacts(), buildFacts(), buildFacts(), buildFacts({ succeeded: false, critical: true })],
  ],
  [
    'a dialog that blocked the last trace',
    'friction_block',
    [buildFacts(), buildFacts(), buildFacts(), buildFacts({ succeeded: false, in_the_way: true })],
  ],
  ['a single step', 'not_reusable', [1, 2, 3].map(() => buildFacts({ step_labels: ['tap row'] }))],
  [
    'traces without a goal',
    'not_reusable',
    [1, 2, 3].map(() => buildFacts({ goal: '', goal_words: [], goal_key: '' })),
  ],
])('%s fail exactly one gate', (_description, code, traces) => {
  expect(listFailures(traces)).toEqual([code])
})

test('three good traces pass, also with an earlier blocking dialog; a single trace is not reusable', () => {
  expect(listFailures([buildFacts(), buildFacts(), buildFacts()])).toEqual([])
  expect(
    listFailures([buildFacts(), buildFacts({ succeeded: false, in_the_way: true }), buildFacts(), buildFacts()]),
  ).toEqual([])
  const one = [buildFacts()]
  const lax = { ...LIMITS, min_successful_traces: 1 }
  expect(listFailedGates(checkGates(one, measureTraces(one), lax))).toEqual(['not_reusable'])
})

test('the specificity follows from the projects of the traces', () => {
  const decide = (...projects: (string | undefined)[]) =>
    decideSpecificity(projects.map((project_id) => buildFacts(project_id === undefined ? {} : { project_id })))
  expect(decide('a', 'b')).toBe('global')
  expect(decide('a', 'a')).toBe('project_scoped')
  expect(decide('a', undefined)).toBe('unclear')
  expect(decide(undefined, undefined)).toBe('unclear')
  expect(decide()).toBe('unclear')
})

test('the priority is the clipped weighted sum and never falls with another success', () => {
  const share = fc.double({ min: 0, max: 1, noNaN: true })
  const count = fc.integer({ min: 0, max: 5 })
  fc.assert(
    fc.property(
      fc.nat(12),
      fc.tuple(share, share),
      fc.tuple(count, count),
      (successes, [v, c], [positive, negative]) => {
        const figures = {
          successes,
          failures: 0,
          variation_score: v,
          verification_coverage_score: c,
          project_specificity: 'global' as const,
        }
        const raw = 0.5 * Math.min(1, successes / 6) + 0.2 * (1 - v) + 0.2 * c + 0.1 * ((positive - negative) / 5)
        const priority = computePriority(figures, { positive, negative })
        expect(priority).toBeCloseTo(Math.min(1, Math.max(0, raw)), 12)
        const more = computePriority({ ...figures, successes: successes + 1 }, { positive, negative })
        expect(more).toBeGreaterThanOrEqual(priority)
      },
    ),
  )
})

test('indicators follow from the facts of the traces', () => {
  const replay = (succeeded: boolean) => buildFacts({ ability_id: 'learned.x', succeeded })
  const traces = [
    replay(true),
    replay(true),
    replay(true),
    buildFacts({ project_id: 'a' }),
    buildFacts({ project_id: 'b' }),
  ]
  expect(findPositiveIndicators(traces, measureTraces(traces))).toEqual([
    'same_goal_across_projects',
    'stable_order',
    'strong_replay',
  ])
  expect(findNegativeIndicators(traces, suggestName(traces))).toEqual([])
  const bad = [
    buildFacts({ succeeded: false, overridden: true, verification_failed: true }),
    buildFacts({ succeeded: false, overridden: true, verification_failed: true, critical: true }),
  ]
  expect(findNegativeIndicators(bad, suggestName(bad))).toEqual([
    'repeated_overrides',
    'repeated_verification_failures',
    'unresolved_policy_failures',
  ])
  expect(findNegativeIndicators([buildFacts()], suggestName([buildFacts()]))).toEqual(['one_off'])
})

test('the suggested name is the most frequent goal; two equally frequent ones are undecided', () => {
  const named = (goal: string, goal_key: string) => buildFacts({ goal, goal_key })
  expect(suggestName([named('Heat it', 'heat it'), named('Heat it', 'heat it')])).toEqual({
    suggested_name: 'Heat it',
    undecided: false,
  })
  expect(suggestName([named('Set Lobby to 1', 'set to'), named('Set Gym to 2', 'set to')])).toEqual({
    suggested_name: 'Set to',
    undecided: false,
  })
  expect(suggestName([named('Heat it', 'heat it'), named('Warm it', 'warm it')]).undecided).toBe(true)
  expect(suggestName([buildFacts({ goal_key: '' })])).toEqual({ undecided: false })
})

test('each ambiguity selects its questions, and mode and settings limit them', () => {
  const figures = {
    ...measureTraces([buildFacts()]),
    project_specificity: 'unclear' as const,
    variation_score: 0.3,
  }
  const ambiguities = findAmbiguities(figures, {
    names: { undecided: true },
    overlaps: true,
    max_variation_score: 0.35,
  })
  expect(ambiguities).toEqual(['unclear_specificity', 'two_names', 'overlaps_ability', 'variation_near_limit'])
  const clear = { ...figures, project_specificity: 'global' as const, variation_score: 0.2 }
  const none = { names: { undecided: false }, overlaps: false, max_variation_score: 0.35 }
  expect(findAmbiguities(clear, none)).toEqual([])
  const ask = (mode: 'ask_before_build' | 'build_then_review', feedback: boolean, given = ambiguities) =>
    selectQuestions(
      { view: { ambiguities: given } as ClusterView },
      { mode, require_user_feedback_before_build_when_ambiguous: feedback },
    )
  expect(ask('build_then_review', true)).toEqual([
    'name',
    'use_conditions',
    'non_use_conditions',
    'project_scope',
    'approval_mode',
  ])
  expect(ask('build_then_review', true, ['unclear_specificity'])).toEqual(['project_scope'])
  expect(ask('build_then_review', true, [])).toEqual([])
  expect(ask('build_then_review', false)).toEqual([])
  expect(ask('ask_before_build', false, [])).toHaveLength(5)
})
