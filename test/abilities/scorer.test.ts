import { expect, test } from 'vitest'
import { readAbilityTexts, readQuery, scoreAbility, MIN_SCORE } from '../../src/knowledge/lookup/scorer.ts'
import type { AbilityRow } from '../../src/store/abilities/abilities.ts'
import { buildAbilityRow } from './ability-rows.ts'

type Vector = [
  name: string,
  query: string | readonly [query: string, project: string],
  changes: Partial<AbilityRow>,
  score: number,
]

const TRIGGER = 'export brief as pdf'
const UNRELATED = 'order lunch'

/** Exact to the last bit, which depends on the order of the additions. */
const VECTORS: Vector[] = [
  ['the trigger itself', TRIGGER, {}, 0.7200000000000002],
  ['two words of the trigger', 'please export the brief now', {}, 0.52],
  [
    'all bonuses',
    [TRIGGER, 'p1'],
    { project_scopes: ['p1'], install_lane: 'shared_promoted', checkpoint_health: 'strong' },
    0.9000000000000001,
  ],
  ['another project', [TRIGGER, 'p2'], { project_scopes: ['p1'] }, 0.6700000000000002],
  [
    'every project, private',
    TRIGGER,
    { project_scopes: ['*'], install_lane: 'experimental_private' },
    0.6800000000000002,
  ],
  ['not usable', TRIGGER, { usable_now: false }, 0.3600000000000001],
  ['a negative trigger', 'export brief as pdf and print', {}, 0],
  ['a part of the trigger', 'export', {}, 0.52],
  ['no common words', UNRELATED, {}, 0.12000000000000001],
  ['only a strong health', UNRELATED, { checkpoint_health: 'strong' }, 0.17],
  ['only a shared lane', UNRELATED, { install_lane: 'shared_promoted' }, 0.15000000000000002],
  ['shared and weak', UNRELATED, { install_lane: 'shared_promoted', checkpoint_health: 'weak' }, 0.10000000000000002],
  ['only the project scope', [UNRELATED, 'p1'], { project_scopes: ['p1'], install_lane: 'experimental_private' }, 0.18],
  [
    'a partial match that comes first hides a full one',
    'export the brief',
    { trigger_phrases: ['brief export thing', 'export the brief'], title: 'X' },
    0.32,
  ],
  ['a repeated word counts twice', 'brief brief', { trigger_phrases: ['brief maker tool'], title: 'none' }, 0.32],
  ['an empty word counts in the title', '  export  brief', { trigger_phrases: [] }, 0.32],
]

test.each(VECTORS)('%s: %j scores as specified', (_name, input, changes, score) => {
  const [query, project] = typeof input === 'string' ? [input] : input
  const found = scoreAbility(readQuery(query), readAbilityTexts(buildAbilityRow(changes)), project)
  expect(found.score).toBe(score)
})

test('a match without common words is marked as not by text', () => {
  const score = (query: string, changes: Partial<AbilityRow> = {}) =>
    scoreAbility(readQuery(query), readAbilityTexts(buildAbilityRow(changes)), undefined)
  const shared = score(UNRELATED, { install_lane: 'shared_promoted' })
  expect(shared.score).toBeGreaterThanOrEqual(MIN_SCORE)
  expect(shared.by_text).toBe(false)
  expect(score('export').by_text).toBe(true)
  expect(score('brief pdf', { trigger_phrases: [] }).by_text).toBe(true)
})

test('the words of a query include empty ones at the ends and repeated ones', () => {
  expect(readQuery(' Open  the\tthe door ')).toEqual({
    text: ' open  the\tthe door ',
    words: ['', 'open', 'the', 'the', 'door', ''],
  })
})

test('a score is never below zero', () => {
  const weak = { install_lane: 'quarantined', checkpoint_health: 'weak', project_scopes: ['p'] }
  const found = scoreAbility(
    readQuery(UNRELATED),
    readAbilityTexts(buildAbilityRow(weak as Partial<AbilityRow>)),
    undefined,
  )
  expect(found.score).toBe(0)
})
