import { expect, test } from 'vitest'
import { toInstructionText } from '../../src/knowledge/scenes/resolve-params.ts'
import { findResolverType, listResolverTypes } from '../../src/knowledge/scenes/resolvers/resolver-types.ts'

const MOMENT = { now: new Date('2026-03-18T04:00:00.000Z'), time_zone: 'UTC' }

function prepare(type: string, config: Record<string, unknown>, files: Record<string, unknown> = {}) {
  const opened = findResolverType(type)?.open(config) ?? { problems: [] }
  if ('problems' in opened) return opened
  const texts = new Map(Object.entries(files).map(([path, content]) => [path, JSON.stringify(content)]))
  return opened.prepare('value', texts)
}

function resolve(prepared: ReturnType<typeof prepare>, text: string): unknown {
  if (!('resolve' in prepared)) return prepared
  const found = prepared.resolve(toInstructionText(text), MOMENT)
  if (found.status === 'missing') return 'missing'
  return found.status === 'ambiguous' ? found.candidates.map(({ args }) => args) : found.args
}

test('the types are those that manifests may name', () => {
  expect(listResolverTypes()).toEqual(['dictionary_entity', 'month_week_period', 'fixed_enum', 'literal_passthrough'])
  expect(findResolverType('another')).toBeUndefined()
})

const ORGS = {
  entries: [
    { label: '国网兰州供电公司', code: '62401', aliases: ['兰州公司', '兰州'] },
    { label: '兰州新区供电公司', code: '62409', aliases: ['兰州新区', '新区公司'] },
    { label: '天水供电公司', code: '62404', aliases: ['天水公司'] },
    { label: 'ACME Ltd', code: 'A1', aliases: ['ACME'] },
    { label: '东区一所', code: 'E1', aliases: ['东所', '一所'] },
    { label: '西区一所', code: 'W1', aliases: ['一所'] },
  ],
}
const dictionary = { dictionary_ref: 'references/d.json', output_label_field: 'org', output_code_field: 'code' }
const orgs = prepare('dictionary_entity', dictionary, { 'references/d.json': ORGS })
const LANZHOU = { org: '国网兰州供电公司', code: '62401' }

test.each([
  ['兰州公司 线损', LANZHOU],
  ['国网兰州供电公司', LANZHOU],
  ['兰州线损', LANZHOU],
  ['兰州新区线损', { org: '兰州新区供电公司', code: '62409' }],
  // The longest alias wins, wherever it is.
  ['天水公司的国网兰州供电公司', LANZHOU],
  ['report of acme', { org: 'ACME Ltd', code: 'A1' }],
  ['ＡＣＭＥ', { org: 'ACME Ltd', code: 'A1' }],
  ['acmeology', 'missing'],
  ['白银公司', 'missing'],
  // The same length and two codes.
  ['兰州公司 天水公司', [LANZHOU, { org: '天水供电公司', code: '62404' }]],
  [
    '一所',
    [
      { org: '东区一所', code: 'E1' },
      { org: '西区一所', code: 'W1' },
    ],
  ],
  // Two aliases of one entity are one.
  ['兰州 兰州', LANZHOU],
])('the dictionary reads %s', (text, expected) => {
  expect(resolve(orgs, text)).toEqual(expected)
})

test('a dictionary says which shorter names do not count', () => {
  if (!('resolve' in orgs)) throw new Error('The dictionary is refused.')
  expect(orgs.resolve(toInstructionText('兰州公司的天水供电公司'), MOMENT)).toMatchObject({
    args: { code: '62404' },
    note: expect.stringContaining('62401'),
  })
})

test('aliases of equal length that overlap and have two codes are ambiguous', () => {
  const entries = [
    { label: 'first', code: '1', aliases: ['甲乙丙'] },
    { label: 'second', code: '2', aliases: ['丙丁戊'] },
  ]
  const both = prepare('dictionary_entity', dictionary, { 'references/d.json': { entries } })
  expect(resolve(both, '甲乙丙丁戊')).toHaveLength(2)
})

test('a dictionary may have an entity for each alias', () => {
  const byAlias = { 兰州公司: { label: '兰州', code: '1' }, 兰供: { label: '兰州', code: '1' } }
  const read = prepare('dictionary_entity', { dictionary_ref: 'references/d.json' }, { 'references/d.json': byAlias })
  expect(resolve(read, '兰供')).toEqual({ value_label: '兰州', value_code: '1' })
})

test.each([
  ['no JSON object', [], 'must be'],
  ['no entries', { entries: [] }, 'no entries'],
  [
    'two labels of one code',
    {
      entries: [
        { label: 'a', code: '1' },
        { label: 'b', code: '1' },
      ],
    },
    'two labels for the code 1',
  ],
])('a dictionary with %s is refused', (_name, content, reason) => {
  expect(prepare('dictionary_entity', dictionary, { 'references/d.json': content })).toEqual({
    problem: { key: 'dictionary_ref', reason: expect.stringContaining(reason) },
  })
})

const modes = prepare('fixed_enum', {
  options: [
    { value: 'month', texts: ['月累计', '按月'] },
    { value: 'week', texts: ['周累计'] },
    { value: 3, texts: ['third quarter'] },
    { value: 4, texts: ['quarter'] },
  ],
})

test.each([
  ['台区线损 月累计', { value: 'month' }],
  ['按月 月累计', { value: 'month' }],
  ['周累计', { value: 'week' }],
  ['Third Quarter', { value: 3 }],
  ['台区线损', 'missing'],
  ['月累计 周累计', [{ value: 'month' }, { value: 'week' }]],
])('the fixed values read %s', (text, expected) => {
  expect(resolve(modes, text)).toEqual(expected)
})

test('a text that stands for two values is refused', () => {
  const options = [
    { value: 'a', texts: ['same'] },
    { value: 'b', texts: ['ＳＡＭＥ'] },
  ]
  expect(prepare('fixed_enum', { options })).toEqual({
    problem: { key: 'options.1.texts', reason: expect.stringContaining('another value') },
  })
})

test.each([
  [String.raw`\d{4}-\d{2}-\d{2}`, 'levels of 2026-03-14', { value: '2026-03-14' }],
  [String.raw`meter ([A-Z]\d+)`, 'meter B12 and so on', { value: 'B12' }],
  [String.raw`\d{4}-\d{2}-\d{2}`, 'levels', 'missing'],
  [String.raw`[A-Z]\d+`, 'A1 and B2', [{ value: 'A1' }, { value: 'B2' }]],
  [String.raw`[A-Z]\d+`, 'A1 and A1', { value: 'A1' }],
])('the pattern %s reads %s', (pattern, text, expected) => {
  expect(resolve(prepare('literal_passthrough', { pattern }), text)).toEqual(expected)
})

test.each(['(', '(?=a)', String.raw`(a)\1`, '(a{1000}){1000}'])('the pattern %s is refused', (pattern) => {
  expect(prepare('literal_passthrough', { pattern })).toEqual({
    problems: [{ key: 'pattern', reason: expect.any(String) }],
  })
})

test('a pattern that is slow for other engines is matched in linear time', () => {
  const started = performance.now()
  expect(resolve(prepare('literal_passthrough', { pattern: '(a+)+b' }), 'a'.repeat(900))).toBe('missing')
  // Without a linear engine this takes longer than the universe has existed.
  expect(performance.now() - started).toBeLessThan(5000)
})
