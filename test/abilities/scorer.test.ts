import { expect, test } from 'vitest'
import {
  readAbility,
  readQuery,
  scoreAbility,
  threshold,
} from '../../src/knowledge/lookup/scorer.ts'
import type { AbilityRow } from '../../src/store/abilities/abilities.ts'
import { abilityRow } from './an-ability.ts'

type Vector = [
  what: string,
  asked: string | readonly [query: string, project: string],
  changes: Partial<AbilityRow>,
  score: number,
]

const first = 'export brief as pdf'
const lunch = 'order lunch'

/** To the last bit: the order of the additions shows in it. */
const vectors: Vector[] = [
  ['the trigger itself', first, {}, 0.7200000000000002],
  ['two words of the trigger', 'please export the brief now', {}, 0.52],
  [
    'all there is to win',
    [first, 'p1'],
    { project_scopes: ['p1'], install_lane: 'shared_promoted', checkpoint_health: 'strong' },
    0.9000000000000001,
  ],
  ['another project', [first, 'p2'], { project_scopes: ['p1'] }, 0.6700000000000002],
  [
    'every project, private',
    first,
    { project_scopes: ['*'], install_lane: 'experimental_private' },
    0.6800000000000002,
  ],
  ['not usable', first, { usable_now: false }, 0.3600000000000001],
  ['a negative trigger', 'export brief as pdf and print', {}, 0],
  ['a part of the trigger', 'export', {}, 0.52],
  ['nothing in common', lunch, {}, 0.12000000000000001],
  ['nothing but a strong health', lunch, { checkpoint_health: 'strong' }, 0.17],
  ['nothing but being shared', lunch, { install_lane: 'shared_promoted' }, 0.15000000000000002],
  [
    'shared and weak',
    lunch,
    { install_lane: 'shared_promoted', checkpoint_health: 'weak' },
    0.10000000000000002,
  ],
  [
    'nothing but the project',
    [lunch, 'p1'],
    { project_scopes: ['p1'], install_lane: 'experimental_private' },
    0.18,
  ],
  [
    'a partial match that comes first hides a full one',
    'export the brief',
    { trigger_phrases: ['brief export thing', 'export the brief'], title: 'X' },
    0.32,
  ],
  [
    'a repeated word counts twice',
    'brief brief',
    { trigger_phrases: ['brief maker tool'], title: 'none' },
    0.32,
  ],
  ['an empty word counts in the title', '  export  brief', { trigger_phrases: [] }, 0.32],
]

test.each(vectors)('%s: %j scores as specified', (_what, asked, changes, score) => {
  const [query, project] = typeof asked === 'string' ? [asked] : asked
  const found = scoreAbility(readQuery(query), readAbility(abilityRow(changes)), project)
  expect(found.score).toBe(score)
})

test('what passes the threshold without a word in common is told apart', () => {
  const score = (query: string, changes: Partial<AbilityRow> = {}) =>
    scoreAbility(readQuery(query), readAbility(abilityRow(changes)), undefined)
  const shared = score(lunch, { install_lane: 'shared_promoted' })
  expect(shared.score).toBeGreaterThanOrEqual(threshold)
  expect(shared.by_text).toBe(false)
  expect(score('export').by_text).toBe(true)
  expect(score('brief pdf', { trigger_phrases: [] }).by_text).toBe(true)
})

test('the words of a query keep their blanks at the ends and their repeats', () => {
  expect(readQuery(' Open  the\tthe door ')).toEqual({
    text: ' open  the\tthe door ',
    words: ['', 'open', 'the', 'the', 'door', ''],
  })
})

test('a score never leaves what lies between nothing and one', () => {
  const weak = { install_lane: 'quarantined', checkpoint_health: 'weak', project_scopes: ['p'] }
  const found = scoreAbility(
    readQuery(lunch),
    readAbility(abilityRow(weak as Partial<AbilityRow>)),
    undefined,
  )
  expect(found.score).toBe(0)
})
