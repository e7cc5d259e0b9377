import { afterAll, expect, test } from 'vitest'
import { scenesFolder } from '../../src/config/paths.ts'
import { ScenePackageRoot } from '../../src/files/scene-packages.ts'
import { dispatchInstruction } from '../../src/knowledge/scenes/dispatch.ts'
import { SceneLibrary } from '../../src/skill-runtime/scene-library.ts'

const library = new SceneLibrary([new ScenePackageRoot(scenesFolder, '')], { onChanged: () => undefined })
afterAll(() => library.close())

const MOMENT = { now: new Date('2026-04-15T08:00:00.000Z'), time_zone: 'Asia/Shanghai' }
const dispatch = async (instruction: string, url?: string) =>
  dispatchInstruction(await library.catalog(), { instruction, page: { url } }, MOMENT)

test('every scene that comes with the program is registered without a warning', async () => {
  const { scenes, refusals } = await library.catalog()
  expect(refusals).toEqual([])
  expect(scenes.map(({ id, warnings }) => [id, warnings])).toEqual([
    ['fleet-fuel-report', []],
    ['river-level-report', []],
    ['tq-lineloss-report', []],
  ])
})

const MARCH = { mode: 'month', start: '2026-03-01', end: '2026-03-31', label: '2026-03' }

test('the line loss report is planned from one sentence', async () => {
  const decided = await dispatch('兰州公司 2026年3月 台区线损 月累计。。。')
  expect(decided).toMatchObject({
    outcome: 'plan',
    plan: {
      scene_id: 'tq-lineloss-report',
      skill: 'tq-lineloss-report',
      tool: 'collect_lineloss',
      args: { org_label: '兰州公司', org_code: '62401', period: MARCH },
      bootstrap: {
        expected_domain: '20.76.57.61',
        target_url: 'http://20.76.57.61:18080/gsllys/tqLinelossStatis/tqQualifyRateMonitor',
        page_title_keywords: ['线损'],
        requires_target_page: true,
      },
      script: 'scripts/collect_lineloss.js',
      stand_in: 'stand-in',
      artifact: {
        type: 'report-artifact',
        success_status: ['ok', 'partial', 'empty'],
        failure_status: ['blocked', 'error'],
      },
      postprocess: { exporter: 'xlsx_report', auto_open: 'excel' },
      signals: [
        { kind: 'page', points: 0 },
        { kind: 'required_params', points: 10_000, found: ['兰州公司', '2026年3月'] },
        { kind: 'include_keywords', points: 200, found: ['线损', '月累计'] },
        { kind: 'page_title', points: 0 },
        {
          kind: 'exclude_keyword',
          points: 0,
          explanation: 'The instruction contains no exclude keyword of the scene.',
        },
      ],
    },
  })
})

test.each([
  ['兰州公司 2026年3月 台区线损 月累计', { outcome: 'not_deterministic' }],
  ['知乎 兰州公司 2026年3月 台区线损。。。', { outcome: 'no_scene', excluded: [{ keyword: '知乎' }] }],
  ['台区线损 月累计。。。', { outcome: 'missing_params', params: [{ name: 'org' }, { name: 'period' }] }],
  ['兰州公司 3月 台区线损。。。', { outcome: 'ambiguous_params', params: [{ name: 'period' }] }],
  ['fuel report north depot last month。。。', { outcome: 'plan', plan: { args: { depot: 'north', period: MARCH } } }],
  ['river levels of 2026-03-14。。。', { outcome: 'plan', plan: { args: { day: '2026-03-14' } } }],
  ['fuel report and river levels。。。', { outcome: 'ambiguous_scene', candidates_total: 2 }],
])('%s', async (instruction, expected) => {
  expect(await dispatch(instruction)).toMatchObject(expected)
})
