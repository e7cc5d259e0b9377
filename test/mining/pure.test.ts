import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { GateCode } from '@apprentice/contracts/learn/mining.ts'
import { nearest } from '../../src/domain/mining/count-runs.ts'
import { failingCodes, figuresOf, gatesOf, specificityOf } from '../../src/domain/mining/gates.ts'
import { goalKey, goalWords, likeness } from '../../src/domain/mining/goal-key.ts'
import {
  ambiguitiesOf,
  namesOf,
  negativesOf,
  positivesOf,
  priorityOf,
} from '../../src/domain/mining/expected-value.ts'
import { questionsFor } from '../../src/domain/mining/build-proposal.ts'
import { collapsed, stepDistance, variationOf } from '../../src/domain/mining/variation.ts'
import type { ClusterView, TraceFacts } from '../../src/store/mining/trace-clusters.ts'

const aRun = (changes: Partial<TraceFacts> = {}): TraceFacts => ({
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

const limits = {
  min_successful_traces: 3,
  max_variation_score: 0.35,
  min_verification_coverage: 0.6,
}

const codesOf = (runs: readonly TraceFacts[]): GateCode[] =>
  failingCodes(gatesOf(runs, figuresOf(runs), limits))

test.each<[string, string[], string]>([
  ['Set Lobby to 21 degrees', [], 'set to degrees'],
  ['set the "Big room" to 19.5 on 2026-03-01', [], 'set the to on'],
  ['Send mail to anna@example.org on Monday', [], 'send mail to on'],
  ['Write down buy milk in the notes', ['buy milk'], 'write down in the notes'],
  ['order-1234 cancel_order', [], 'order cancel order'],
  ['Lobby', [], 'lobby'],
  ['1234', [], ''],
])('%s is kept without what differs each time', (goal, typed, key) => {
  expect(goalKey(goalWords(goal, typed))).toBe(key)
})

const word = fc.constantFrom('set', 'turn', 'unit', 'lamp', 'on', 'off', 'note', 'write')
const words = fc.array(word, { maxLength: 6 })

test('likeness is what counting pairs of words by hand says', () => {
  fc.assert(
    fc.property(words, words, (one, other) => {
      const all = [...new Set([...one, ...other])]
      const shared = all.filter((each) => one.includes(each) && other.includes(each))
      const expected = all.length === 0 ? 1 : shared.length / all.length
      expect(likeness(one, other)).toBeCloseTo(expected, 12)
    }),
  )
})

test('a run joins the most alike goal of at least 0.6, the oldest among equals, and no other', () => {
  fc.assert(
    fc.property(words, fc.array(words, { maxLength: 8 }), (goal, known) => {
      const clusters = known.map((each, at) => ({ at, normalized_goal: each.join(' ') }))
      const scores = known.map((each) => likeness(goal, each))
      const best = Math.max(...scores, 0)
      const expected = best >= 0.6 ? scores.indexOf(best) : undefined
      expect(nearest(goal, clusters)?.at).toBe(expected)
    }),
  )
})

/** By the definition, with every way tried. */
function slowDistance(one: readonly string[], other: readonly string[]): number {
  if (one.length === 0 || other.length === 0) return one.length + other.length
  const [a, ...restA] = one
  const [b, ...restB] = other
  return Math.min(
    slowDistance(restA, restB) + Number(a !== b),
    slowDistance(restA, other) + 1,
    slowDistance(one, restB) + 1,
  )
}

const steps = fc.array(fc.constantFrom('tap a', 'tap b', 'type c'), { maxLength: 5 })

test('variation is the mean of the edit distances of all pairs, each a share of the longer one', () => {
  fc.assert(
    fc.property(fc.array(steps, { maxLength: 5 }), (sequences) => {
      const distances: number[] = []
      for (let one = 0; one < sequences.length; one += 1) {
        for (let other = one + 1; other < sequences.length; other += 1) {
          const [a = [], b = []] = [sequences[one], sequences[other]]
          const longest = Math.max(a.length, b.length)
          distances.push(longest === 0 ? 0 : slowDistance(a, b) / longest)
        }
      }
      const sum = distances.reduce((all, each) => all + each, 0)
      expect(variationOf(sequences)).toBeCloseTo(
        distances.length === 0 ? 0 : sum / distances.length,
        10,
      )
    }),
    { numRuns: 200 },
  )
})

test('step distance is a distance from 0 to 1, and repeating a step changes nothing', () => {
  fc.assert(
    fc.property(steps, steps, (one, other) => {
      const distance = stepDistance(one, other)
      expect(distance).toBe(stepDistance(other, one))
      expect(distance).toBeGreaterThanOrEqual(0)
      expect(distance).toBeLessThanOrEqual(1)
      expect(stepDistance(one, one)).toBe(0)
      expect(collapsed(one.flatMap((each) => [each, each]))).toEqual(collapsed(one))
    }),
  )
})

test.each<[string, GateCode, TraceFacts[]]>([
  ['too few runs', 'INSUFFICIENT_TRACES', [aRun(), aRun()]],
  [
    'runs that differ too much',
    'variation_too_high',
    [
      aRun(),
      aRun(),
      aRun({ step_labels: ['open_app climate', 'tap menu', 'tap off', 'key back'] }),
    ],
  ],
  [
    'runs nobody saw work',
    'verification_too_low',
    [aRun(), aRun({ verified: false }), aRun({ verified: false })],
  ],
  [
    'one that was about to do what must not be done',
    'critical_safety_failure',
    [aRun(), aRun(), aRun(), aRun({ succeeded: false, critical: true })],
  ],
  [
    'a dialog that stands in the way now',
    'friction_block',
    [aRun(), aRun(), aRun(), aRun({ succeeded: false, in_the_way: true })],
  ],
  ['a single touch', 'not_reusable', [1, 2, 3].map(() => aRun({ step_labels: ['tap row'] }))],
  [
    'what nobody has named',
    'not_reusable',
    [1, 2, 3].map(() => aRun({ goal: '', goal_words: [], goal_key: '' })),
  ],
])('%s is kept from being built, for that reason alone', (_what, code, runs) => {
  expect(codesOf(runs)).toEqual([code])
})

test('three good runs pass, and so does a dialog that was got past since', () => {
  expect(codesOf([aRun(), aRun(), aRun()])).toEqual([])
  expect(codesOf([aRun(), aRun({ succeeded: false, in_the_way: true }), aRun(), aRun()])).toEqual(
    [],
  )
  const one = [aRun()]
  const lax = { ...limits, min_successful_traces: 1 }
  expect(failingCodes(gatesOf(one, figuresOf(one), lax))).toEqual(['not_reusable'])
})

test('projects tell for whom it is', () => {
  const of = (...projects: (string | undefined)[]) =>
    specificityOf(
      projects.map((project_id) => aRun(project_id === undefined ? {} : { project_id })),
    )
  expect(of('a', 'b')).toBe('global')
  expect(of('a', 'a')).toBe('project_scoped')
  expect(of('a', undefined)).toBe('unclear')
  expect(of(undefined, undefined)).toBe('unclear')
  expect(of()).toBe('unclear')
})

test('priority is the stated sum, clipped, and grows with every success up to six', () => {
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
        const raw =
          0.5 * Math.min(1, successes / 6) +
          0.2 * (1 - v) +
          0.2 * c +
          0.1 * ((positive - negative) / 5)
        const priority = priorityOf(figures, { positive, negative })
        expect(priority).toBeCloseTo(Math.min(1, Math.max(0, raw)), 12)
        const more = priorityOf({ ...figures, successes: successes + 1 }, { positive, negative })
        expect(more).toBeGreaterThanOrEqual(priority)
      },
    ),
  )
})

test('what rows can prove speaks for and against a workflow', () => {
  const replay = (succeeded: boolean) => aRun({ ability_id: 'learned.x', succeeded })
  const runs = [
    replay(true),
    replay(true),
    replay(true),
    aRun({ project_id: 'a' }),
    aRun({ project_id: 'b' }),
  ]
  expect(positivesOf(runs, figuresOf(runs))).toEqual([
    'same_goal_across_projects',
    'stable_order',
    'strong_replay',
  ])
  expect(negativesOf(runs, namesOf(runs))).toEqual([])
  const bad = [
    aRun({ succeeded: false, overridden: true, verification_failed: true }),
    aRun({ succeeded: false, overridden: true, verification_failed: true, critical: true }),
  ]
  expect(negativesOf(bad, namesOf(bad))).toEqual([
    'repeated_overrides',
    'repeated_verification_failures',
    'unresolved_policy_failures',
  ])
  expect(negativesOf([aRun()], namesOf([aRun()]))).toEqual(['one_off'])
})

test('a name is what most callers said; two that are about as common leave it open', () => {
  const named = (goal: string, goal_key: string) => aRun({ goal, goal_key })
  expect(namesOf([named('Heat it', 'heat it'), named('Heat it', 'heat it')])).toEqual({
    suggested_name: 'Heat it',
    undecided: false,
  })
  expect(namesOf([named('Set Lobby to 1', 'set to'), named('Set Gym to 2', 'set to')])).toEqual({
    suggested_name: 'Set to',
    undecided: false,
  })
  expect(namesOf([named('Heat it', 'heat it'), named('Warm it', 'warm it')]).undecided).toBe(true)
  expect(namesOf([aRun({ goal_key: '' })])).toEqual({ undecided: false })
})

test('each doubt is told, and asked about in at most five questions', () => {
  const figures = {
    ...figuresOf([aRun()]),
    project_specificity: 'unclear' as const,
    variation_score: 0.3,
  }
  const ambiguities = ambiguitiesOf(figures, {
    names: { undecided: true },
    overlaps: true,
    max_variation_score: 0.35,
  })
  expect(ambiguities).toEqual([
    'unclear_specificity',
    'two_names',
    'overlaps_ability',
    'variation_near_limit',
  ])
  const sure = { ...figures, project_specificity: 'global' as const, variation_score: 0.2 }
  const none = { names: { undecided: false }, overlaps: false, max_variation_score: 0.35 }
  expect(ambiguitiesOf(sure, none)).toEqual([])
  const ask = (
    mode: 'ask_before_build' | 'build_then_review',
    feedback: boolean,
    doubts = ambiguities,
  ) =>
    questionsFor(
      { view: { ambiguities: doubts } as ClusterView },
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
