import { expect, test } from 'vitest'
import { SceneDispatch } from '@apprentice/contracts/scenes/dispatch.ts'
import { MAX_SCENE_KEYWORDS } from '@apprentice/contracts/scenes/manifest.ts'
import type { SceneCatalog } from '../../src/knowledge/scenes/catalog.ts'
import { dispatchInstruction } from '../../src/knowledge/scenes/dispatch.ts'
import { computePlanHash, planWithInputs } from '../../src/knowledge/scenes/plan.ts'
import { SIGNAL_POINTS } from '../../src/knowledge/scenes/signals.ts'
import { makeCatalog, makePackage, ORG_PARAM, PERIOD_PARAM } from './make-scene.ts'

const MOMENT = { now: new Date('2026-03-18T04:00:00.000Z'), time_zone: 'Asia/Shanghai' }
const FULL = '兰州公司 2026年3月 台区线损 月累计。。。'
const MARCH = { mode: 'month', start: '2026-03-01', end: '2026-03-31', label: '2026-03' }

function dispatch(catalog: SceneCatalog, instruction: string, page?: { url?: string; title?: string }) {
  // The reply must match the contract whatever the outcome is.
  return SceneDispatch.parse(dispatchInstruction(catalog, { instruction, page }, MOMENT))
}

function planOf(decided: SceneDispatch) {
  if (decided.outcome !== 'plan') throw new Error(`The outcome is ${decided.outcome}.`)
  return decided.plan
}

/** The chosen scene, or the outcome if none was chosen. */
function choose(decided: SceneDispatch): string {
  if (decided.outcome === 'plan') return decided.plan.scene_id
  if ('scene_id' in decided) return `${decided.scene_id}: ${decided.outcome}`
  if (decided.outcome !== 'ambiguous_scene') return decided.outcome
  return `ambiguous: ${decided.candidates.map(({ scene_id }) => scene_id).join(', ')}`
}

const lineloss = { id: 'lineloss', include: ['线损', '月累计', '周累计'], exclude: ['知乎'], titles: ['线损'] }

test('an instruction without the suffix is not deterministic, and nothing is looked at', () => {
  const catalog = makeCatalog(lineloss)
  const blanks = [`${FULL} `, `${FULL}\n`, FULL.replace('。。。', '｡｡｡')]
  for (const text of ['兰州公司 2026年3月 线损', '兰州公司 2026年3月 线损。。', '。。。线损', '线损...', ...blanks]) {
    expect(dispatch(catalog, text)).toEqual({ outcome: 'not_deterministic', explanation: expect.any(String) })
  }
})

test('a full instruction is a plan with canonical arguments and an explanation of each signal', () => {
  const plan = planOf(dispatch(makeCatalog(lineloss), FULL))
  expect(plan).toMatchObject({
    scene_id: 'lineloss',
    scene_version: '1.0.0',
    args: { org_label: '兰州公司', org_code: '62401', period: MARCH },
    bootstrap: { expected_domain: 'lineloss.test', target_url: 'http://lineloss.test:8080/report' },
    script: 'scripts/collect.js',
    script_sha256: 'a'.repeat(64),
    artifact: { success_status: ['ok', 'partial', 'empty'] },
    postprocess: { exporter: 'xlsx_report', auto_open: 'never' },
  })
  expect(plan.signals.map(({ kind, points, found }) => [kind, points, found])).toEqual([
    ['page', 0, []],
    ['required_params', 10_000, ['兰州公司', '2026年3月']],
    ['include_keywords', 200, ['线损', '月累计']],
    ['page_title', 0, []],
    ['exclude_keyword', 0, []],
  ])
  expect(plan.signals.at(-1)?.explanation).toBe('The instruction contains no exclude keyword of the scene.')
  expect(plan.plan_hash).toBe(computePlanHash(plan))
})

test('a blank before the suffix does not matter, and neither do forms of characters', () => {
  const expected = planOf(dispatch(makeCatalog(lineloss), FULL)).args
  expect(planOf(dispatch(makeCatalog(lineloss), FULL.replace('。。。', ' \n。。。'))).args).toEqual(expected)
  expect(planOf(dispatch(makeCatalog(lineloss), FULL.replace('2026年3月', '２０２６年３月'))).args).toEqual(expected)
})

test('without a matching scene the mismatch is explicit, and an exclude keyword is named', () => {
  const catalog = makeCatalog(lineloss)
  expect(dispatch(catalog, '天气。。。')).toMatchObject({ outcome: 'no_scene', excluded: [] })
  expect(dispatch(catalog, '。。。')).toMatchObject({ outcome: 'no_scene' })
  const onPage = { url: 'http://lineloss.test:8080/report', title: '线损' }
  expect(dispatch(catalog, `知乎 ${FULL}`, onPage)).toMatchObject({
    outcome: 'no_scene',
    excluded: [{ scene_id: 'lineloss', keyword: '知乎' }],
  })
  expect(dispatch(makeCatalog(), FULL)).toMatchObject({ outcome: 'no_scene' })
})

test('missing parameters are asked for in the words of the scene, and nothing is taken from the page', () => {
  const page = { url: 'http://lineloss.test:8080/report?org=62401&month=2026-03', title: '线损 兰州公司 2026年3月' }
  expect(dispatch(makeCatalog(lineloss), '台区线损。。。', page)).toMatchObject({
    outcome: 'missing_params',
    scene_id: 'lineloss',
    params: [
      { name: 'org', prompt: 'Which company?', candidates: [] },
      { name: 'period', prompt: 'Which month?', candidates: [] },
    ],
  })
})

test('ambiguous parameters come with their candidates', () => {
  expect(dispatch(makeCatalog(lineloss), '兰州公司 3月 线损。。。')).toMatchObject({
    outcome: 'ambiguous_params',
    params: [
      {
        name: 'period',
        prompt: 'Which month exactly?',
        candidates: [{ label: '2026-03', args: { period: MARCH } }, { label: '2025-03' }],
      },
    ],
  })
  // What is missing comes first, and what is ambiguous is still named.
  expect(dispatch(makeCatalog(lineloss), '3月 线损。。。')).toMatchObject({
    outcome: 'missing_params',
    params: [{ name: 'org' }, { name: 'period' }],
  })
})

test('an optional parameter may be missing, but not ambiguous', () => {
  const optional = {
    ...lineloss,
    params: ORG_PARAM + PERIOD_PARAM.replace('[[params]]', '[[params]]\nrequired = false'),
  }
  expect(planOf(dispatch(makeCatalog(optional), '兰州公司 线损。。。')).args).toEqual({
    org_label: '兰州公司',
    org_code: '62401',
  })
  expect(dispatch(makeCatalog(optional), '兰州公司 3月 线损。。。').outcome).toBe('ambiguous_params')
})

const a = { id: 'a', domain: 'a.test', include: ['线损'], titles: ['first'] }
const b = { id: 'b', domain: 'b.test', include: ['线损', '月累计'], titles: ['second'] }
const needsNothing = { ...b, params: '' }

test.each([
  ['keywords alone do not decide', [a, b], {}, 'ambiguous: b, a'],
  ['the page decides against more keywords', [a, b], { url: 'http://a.test/x' }, 'a'],
  [
    'the page decides against parameters',
    [
      {
        ...a,
        params: ORG_PARAM.replace('dictionary_entity', 'month_week_period')
          .replace(/resolver_config.*/, '')
          .replace('"org"', '"p"'),
      },
      b,
    ],
    { url: 'http://b.test/' },
    'b',
  ],
  [
    'the address of the page decides against its host',
    [{ ...a, domain: 'b.test', path: '/other' }, b],
    { url: 'http://b.test:8080/report?x=1#y' },
    'b',
  ],
  ['a page of no scene decides nothing', [a, b], { url: 'http://c.test/' }, 'ambiguous: b, a'],
  ['an address that is none decides nothing', [a, b], { url: 'about:blank' }, 'ambiguous: b, a'],
  ['the title decides if keywords agree', [a, { ...b, include: ['线损'] }], { title: 'the first page' }, 'a'],
  ['the title decides together with keywords', [a, b], { title: 'the second page' }, 'b'],
  ['the title does not decide against keywords', [a, b], { title: 'the first page' }, 'ambiguous: b, a'],
  ['two titles decide nothing', [a, b], { title: 'first second' }, 'ambiguous: b, a'],
  ['resolved parameters decide against more keywords', [a, needsNothing], {}, 'a'],
])('%s', (_name, scenes, page, expected) => {
  expect(choose(dispatch(makeCatalog(...scenes), FULL, page))).toBe(expected)
  expect(choose(dispatch(makeCatalog(...scenes.toReversed()), FULL, page))).toBe(expected)
})

test('a scene that requires nothing shows nothing by lacking nothing', () => {
  expect(choose(dispatch(makeCatalog(a, needsNothing), '线损 月累计。。。'))).toBe('ambiguous: b, a')
  expect(choose(dispatch(makeCatalog(needsNothing), '线损。。。'))).toBe('b')
})

test('on the page of a scene its parameters are enough, and words of something else are not', () => {
  const url = 'http://lineloss.test:8080/report'
  expect(choose(dispatch(makeCatalog(lineloss), '兰州公司 2026年3月。。。', { url }))).toBe('lineloss')
  expect(choose(dispatch(makeCatalog(lineloss), '天气。。。', { url }))).toBe('no_scene')
  expect(choose(dispatch(makeCatalog(lineloss), '兰州公司 2026年3月。。。'))).toBe('no_scene')
})

test('ambiguous scenes are named with their signals and scores', () => {
  const decided = dispatch(makeCatalog(a, b), FULL)
  expect(decided).toMatchObject({
    candidates_total: 2,
    candidates: [
      { scene_id: 'b', score: 10_200, signals: [{}, {}, { found: ['线损', '月累计'] }, {}, {}] },
      { scene_id: 'a', score: 10_100, signals: [{}, {}, { found: ['线损'] }, {}, {}] },
    ],
  })
})

test('keywords that overlap count once, the longest', () => {
  const overlapping = { ...lineloss, include: ['线损', '台区线损', '台区'] }
  const plan = planOf(dispatch(makeCatalog(overlapping), FULL))
  expect(plan.signals[2]).toMatchObject({ points: 100, found: ['台区线损'] })
})

test('a signal of one kind counts more than all that are below it', () => {
  const { page_url, page_host, required_params, include_keyword, page_title } = SIGNAL_POINTS
  const keywords = include_keyword * MAX_SCENE_KEYWORDS
  expect(page_url).toBeGreaterThan(page_host + required_params + keywords + page_title)
  expect(page_host).toBeGreaterThan(required_params + keywords + page_title)
  expect(required_params).toBeGreaterThan(keywords + page_title)
  expect(include_keyword).toBeGreaterThan(page_title)
})

test('a scene with its own suffix is reached by that suffix only', () => {
  const catalog = makeCatalog(lineloss, { ...lineloss, id: 'other', suffix: '!!!' })
  expect(choose(dispatch(catalog, FULL))).toBe('lineloss')
  expect(choose(dispatch(catalog, FULL.replace('。。。', '!!!')))).toBe('other')
})

test('a scene is planned from a text for each parameter', () => {
  const scene = makeCatalog(lineloss).find('lineloss')
  if (scene === undefined) throw new Error('The scene is refused.')
  const decide = (inputs: Record<string, unknown>) => planWithInputs(scene, inputs, MOMENT)
  expect(decide({ org: '兰州', period: '2026-03' })).toMatchObject({
    outcome: 'plan',
    plan: { args: { org_code: '62401', period: MARCH } },
  })
  // The text of one parameter says nothing of another.
  expect(decide({ org: '兰州 2026-03' })).toMatchObject({ outcome: 'missing_params', params: [{ name: 'period' }] })
  expect(decide({ org: '兰州', period: '3月' })).toMatchObject({ outcome: 'ambiguous_params' })
})

test('a package is refused with file and key', () => {
  const refusal = (options: Parameters<typeof makePackage>[0]) => makePackage(options).result
  expect(refusal({ params: PERIOD_PARAM.replace('month_week_period', 'guess') })).toEqual({
    problems: [
      { file: 'scene.toml', key: 'params.0.resolver', reason: expect.stringContaining('literal_passthrough') },
    ],
  })
  expect(refusal({ params: ORG_PARAM.replace('orgs.json', 'none.json') })).toEqual({
    problems: [
      {
        file: 'scene.toml',
        key: 'params.0.resolver_config.dictionary_ref',
        reason: 'names references/none.json, which does not exist',
      },
    ],
  })
  const twice = PERIOD_PARAM + PERIOD_PARAM.replace('"period"', '"org_code"')
  expect(refusal({ params: ORG_PARAM + twice })).toEqual({
    problems: [{ file: 'scene.toml', key: 'params.2', reason: expect.stringContaining('org_code') }],
  })
})
