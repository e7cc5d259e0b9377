import fc from 'fast-check'
import { expect, test } from 'vitest'
import { AbilityIndex, type LookupOptions, type IndexedAbility } from '../../src/knowledge/lookup/ability-index.ts'
import { readQuery } from '../../src/knowledge/lookup/scorer.ts'
import { buildAbilityRow } from './ability-rows.ts'
import { linearScan, prepare } from './linear-scan.ts'
import { createRandomRegistry } from './random-registry.ts'
import { countRuns } from '../kit/count-runs.ts'

/** Few letters and words, so that matches are frequent, and hard cases: case, blanks, lone surrogates. */
const word = fc.oneof(
  fc.constantFrom('export', 'brief', 'pdf', 'Port', 're', 'e', 'OPEN', 'open', 'İstanbul', 'ΟΔΟΣ'),
  fc.constantFrom('straße', 'STRASSE', '📄', '\ud83d', '\udcc4', 'i̇', 'report', 'briefing'),
  fc.string({ minLength: 1, maxLength: 4, unit: fc.constantFrom('a', 'b', 'c') }),
)
const blank = fc.constantFrom(' ', '  ', '\t', '\u00a0', '\n')
const text = (least: number, most: number) =>
  fc
    .tuple(fc.array(fc.tuple(word, blank), { minLength: least, maxLength: most }), fc.constantFrom('', '', '', ' '))
    .map(([parts, start]) => start + parts.map(([w, b], at) => (at === 0 ? w : b + w)).join(''))

const scope = fc.constantFrom('p1', 'p2', '*')
const lane = fc.constantFrom('experimental_private', 'approved_workspace', 'shared_promoted')

const ability = (id: number): fc.Arbitrary<IndexedAbility> =>
  fc
    .record({
      owner_user_id: fc.constantFrom('ada', 'bob'),
      visibility: fc.constantFrom('private', 'workspace'),
      title: text(1, 4),
      trigger_phrases: fc.array(fc.oneof(text(1, 4), fc.constantFrom('', ' ')), { maxLength: 4 }),
      negative_triggers: fc.array(text(1, 2), { maxLength: 2 }),
      project_scopes: fc.array(scope, { maxLength: 3 }),
      install_lane: lane,
      checkpoint_health: fc.constantFrom('strong', 'moderate', 'weak', 'no_data'),
      usable_now: fc.boolean(),
    })
    .map((changes) => buildAbilityRow({ ...changes, ability_id: `a.${id}` }))

/** Ids in random order. */
const registry = fc
  .uniqueArray(fc.integer({ min: 0, max: 500 }), { maxLength: 40 })
  .chain((ids) => fc.tuple(...ids.map(ability)))

const lookupOptions: fc.Arbitrary<LookupOptions> = fc.record({
  caller: fc.constantFrom('ada', 'bob', 'eve'),
  project_id: fc.option(scope, { nil: undefined }),
  lanes: fc
    .subarray(['experimental_private', 'approved_workspace', 'shared_promoted'] as const)
    .map((lanes) => new Set(lanes)),
  require_text_match: fc.boolean(),
})

const query = fc.oneof(
  { weight: 6, arbitrary: text(1, 6) },
  { weight: 1, arbitrary: text(1, 3).map((words) => ` ${words} `) },
  { weight: 1, arbitrary: text(1, 3).map((words) => words.slice(1, -1)) },
)

const question = fc.tuple(
  query.filter((words) => words.trim() !== ''),
  lookupOptions,
)

const expectSameAsScan = (
  index: AbilityIndex,
  all: readonly IndexedAbility[],
  questions: [string, LookupOptions][],
) => {
  const prepared = prepare(all)
  for (const [userQuery, options] of questions) {
    const read = readQuery(userQuery)
    expect(index.find(read, options), JSON.stringify(userQuery)).toEqual(linearScan(prepared, read, options))
  }
}

test('the index finds the same abilities in the same order as a scan with the scorer', () => {
  fc.assert(
    fc.property(registry, fc.array(question, { minLength: 1, maxLength: 8 }), (all, questions) => {
      const index = new AbilityIndex()
      for (const row of all) index.set(row)
      expectSameAsScan(index, all, questions)
      expect(index.size).toBe(all.length)
    }),
    { numRuns: countRuns(600) },
  )
})

type Change = { kind: 'set'; ability: IndexedAbility } | { kind: 'remove'; ability_id: string }

const change: fc.Arbitrary<Change> = fc.integer({ min: 0, max: 12 }).chain((id) =>
  fc.oneof(
    ability(id).map((row) => ({ kind: 'set' as const, ability: row })),
    fc.constant({ kind: 'remove' as const, ability_id: `a.${id}` }),
  ),
)

test('the index stays equal to a scan while abilities are added, changed and removed', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(change, fc.array(question, { maxLength: 2 })), { maxLength: 25 }), (steps) => {
      const index = new AbilityIndex()
      const all = new Map<string, IndexedAbility>()
      for (const [step, questions] of steps) {
        if (step.kind === 'set') {
          index.set(step.ability)
          all.set(step.ability.ability_id, step.ability)
        } else {
          index.remove(step.ability_id)
          all.delete(step.ability_id)
        }
        expect(index.size).toBe(all.size)
        expectSameAsScan(index, [...all.values()], questions)
      }
    }),
    { numRuns: countRuns(200) },
  )
})

test('removed trigger phrases no longer match, and removed negative triggers no longer reject', () => {
  const index = new AbilityIndex()
  const options: LookupOptions = {
    caller: 'ada',
    lanes: new Set(['approved_workspace']),
    require_text_match: true,
  }
  const scores = (text: string) => index.find(readQuery(text), options).map(({ score }) => score)

  index.set(buildAbilityRow())
  expect(scores('export brief as pdf and print')).toEqual([])
  expect(scores('brief pdf').length).toBe(1)

  index.set(buildAbilityRow({ trigger_phrases: ['make minutes'], negative_triggers: [], title: 'Minutes' }))
  expect(scores('export brief as pdf and print')).toEqual([])
  expect(scores('brief pdf')).toEqual([])
  expect(scores('make minutes and print').length).toBe(1)

  index.set(buildAbilityRow({ trigger_phrases: ['make minutes'], negative_triggers: ['make'], title: 'M' }))
  expect(scores('make minutes')).toEqual([])
  index.remove('learned.export-brief')
  index.set(buildAbilityRow({ ability_id: 'learned.other', trigger_phrases: ['make minutes'] }))
  expect(scores('make minutes').length).toBe(1)
})

test('the index equals a scan for thousands of abilities', () => {
  const { abilities, nextQuestion } = createRandomRegistry(20_260_301, 3000)
  const index = new AbilityIndex()
  for (const row of abilities) index.set(row)
  const prepared = prepare(abilities)
  let found = 0
  for (let n = 0; n < 300; n += 1) {
    const { user_query, options } = nextQuestion()
    const read = readQuery(user_query)
    const matches = index.find(read, options)
    expect(matches, user_query).toEqual(linearScan(prepared, read, options))
    found += matches.length
  }
  expect(found).toBeGreaterThan(1500)
})

test('of many abilities with the same score the ten with the lowest ids are found', () => {
  const index = new AbilityIndex()
  const ids = Array.from({ length: 3000 }, (_, n) => `a.${String(n).padStart(4, '0')}`)
  for (const ability_id of ids.toReversed()) {
    index.set(buildAbilityRow({ ability_id, install_lane: 'shared_promoted' }))
  }
  const options: LookupOptions = {
    caller: 'ada',
    lanes: new Set(['shared_promoted']),
    require_text_match: false,
  }
  const found = (text: string) => index.find(readQuery(text), options).map((match) => match.ability.ability_id)
  expect(found('order lunch')).toEqual(ids.slice(0, 10))
  expect(found('export brief as pdf')).toEqual(ids.slice(0, 10))
  expect(found('export and print')).toEqual([])
})
