import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { SceneAnswers } from '@apprentice/contracts/scenes/generation.ts'
import { findBrowser } from '../../src/browser/find-browser.ts'
import { SceneBrowser } from '../../src/browser/scene-browser.ts'
import { readSearchPath } from '../../src/config/config.ts'
import { browserProgramFile, scenesFolder } from '../../src/config/paths.ts'
import { ScenePackageRoot } from '../../src/files/scene-packages.ts'
import { SceneCatalog } from '../../src/knowledge/scenes/catalog.ts'
import { dispatchInstruction } from '../../src/knowledge/scenes/dispatch.ts'
import { checkReport } from '../../src/knowledge/reports/check-report.ts'
import { readScenePackage } from '../../src/skill-runtime/read-scene-package.ts'
import { generateScenePackage } from '../../src/workers/scene-generation.ts'
import { findScenario } from './scenario-files.ts'

const executable = findBrowser(readSearchPath())
const root = mkdtempSync(join(tmpdir(), 'apprentice-generated-'))
const browser = new SceneBrowser({
  program: browserProgramFile,
  findExecutable: () => executable,
  environment: { PATH: readSearchPath() },
})

afterAll(async () => {
  await browser.close()
  rmSync(root, { recursive: true, force: true })
})

const MOMENT = { now: new Date('2026-04-20T08:00:00Z'), time_zone: 'Asia/Shanghai' }

async function readCatalog(folder: string): Promise<SceneCatalog> {
  const packages = new ScenePackageRoot(folder, '')
  const folders = await packages.listFolders()
  return new SceneCatalog(await Promise.all([...folders.keys()].map((one) => readScenePackage(packages, one))))
}

/** Dispatches an instruction and runs its plan, as the daemon does. */
async function run(folder: string, instruction: string) {
  const catalog = await readCatalog(folder)
  const dispatch = dispatchInstruction(catalog, { instruction }, MOMENT)
  if (dispatch.outcome !== 'plan') throw new Error(JSON.stringify([dispatch, catalog.refusals]))
  const { plan } = dispatch
  const place = join(folder, catalog.find(plan.scene_id)?.folder ?? '')
  const result_file = join(root, `result-${plan.plan_hash}`)
  const outcome = await browser.run({
    run_id: plan.plan_hash,
    ...plan.bootstrap,
    allowed_domains: [],
    script: readFileSync(join(place, plan.script), 'utf8'),
    args: plan.args,
    stand_in_folder: join(place, plan.stand_in ?? ''),
    timeout_ms: 60_000,
    max_result_bytes: 1_000_000,
    result_file,
  })
  if (outcome.kind !== 'result') throw new Error(`${outcome.code}: ${outcome.message}`)
  const checked = checkReport(JSON.parse(readFileSync(result_file, 'utf8')), plan.artifact)
  if (checked.kind !== 'report') throw new Error(checked.message)
  return { plan, report: checked.report, succeeded: checked.succeeded }
}

async function generate(name: string): Promise<{ folder: string; example: string }> {
  const outcome = await generateScenePackage({
    place: { folder: findScenario(name) },
    answers: SceneAnswers.parse({ stand_in: true }),
    folder_name: name,
  })
  if ('unreadable' in outcome) throw new Error(outcome.unreadable)
  const { scene } = outcome
  expect(scene.refusals).toEqual([])
  const folder = join(root, name)
  for (const { path, content } of scene.files) {
    mkdirSync(dirname(join(folder, scene.id, path)), { recursive: true })
    writeFileSync(join(folder, scene.id, path), content)
  }
  return { folder, example: scene.example_instruction }
}

describe.skipIf(executable === undefined)('a generated package is registered, dispatched and run in a browser', () => {
  test('a table of the page', async () => {
    const { folder, example } = await generate('static-table')
    const { report } = await run(folder, example)
    expect(report).toMatchObject({ status: 'ok', title: 'Electricity tariffs', period: null })
    expect(report.columns.map(({ type }) => type)).toEqual(['text', 'date', 'number', 'number'])
    expect(report.rows[2]).toEqual({
      Tariff: 'Heat pump',
      valid_from: '2026-02-01',
      price_per_kwh_ct: 26.1,
      base_price_eur: 7.5,
    })
  })

  test('a request with a grid, for the given unit and month', async () => {
    const { folder } = await generate('fetch-grid')
    const { plan, report } = await run(folder, '2026年3月 兰州公司 售电量。。。')
    expect(plan.args).toMatchObject({ orgSelect_code: '62401', statMonth: { mode: 'month', start: '2026-03-01' } })
    expect(report).toMatchObject({ status: 'ok', period: '2026-03', warnings: [] })
    expect(report.rows).toEqual([
      { orgName: '城关所', userCount: 1204, saleKwh: 88120.5, amount: 45210.11 },
      { orgName: '安宁所', userCount: 871, saleKwh: 61007.25, amount: 31298.4 },
    ])
  })

  test('a request of a frame, and a unit that has no data', async () => {
    const { folder } = await generate('iframe-export')
    const { report } = await run(folder, 'outage North 2026-03-14。。。')
    expect(report).toMatchObject({ status: 'ok', period: '2026-03-14' })
    expect(report.rows).toHaveLength(2)
    const other = await run(folder, 'outage South 2026-03-14。。。')
    expect([other.report.status, other.succeeded]).toEqual(['error', false])
    expect(other.report.warnings).toEqual(['The system answered 404.'])
  })
})

describe.skipIf(executable === undefined)('a shipped scene runs in a browser', () => {
  test.each([
    ['兰州公司 2026年3月 台区线损 月累计。。。', 'ok', 12],
    ['兰州公司 2026年第12周 台区线损 周累计。。。', 'ok', 12],
    ['白银公司 2026年3月 台区线损 月累计。。。', 'partial', 5],
    ['天水公司 2026年3月 台区线损 月累计。。。', 'empty', 0],
    ['兰州新区公司 2026年3月 台区线损 月累计。。。', 'error', 0],
    ['fuel report harbour depot 2026-03。。。', 'ok', 28],
    ['fuel report south depot 2026-03。。。', 'empty', 0],
    ['river levels 2026-03-14。。。', 'ok', 5],
    ['river levels 2026-03-15。。。', 'partial', 5],
  ])('%s', async (instruction, status, rows) => {
    const { report, succeeded } = await run(scenesFolder, instruction)
    expect([report.status, report.rows.length, succeeded]).toEqual([status, rows, status !== 'error'])
  })

  test('a unit that two share is asked about, and nothing is run', async () => {
    const catalog = await readCatalog(scenesFolder)
    expect(catalog.refusals).toEqual([])
    const ask = (instruction: string) => dispatchInstruction(catalog, { instruction }, MOMENT).outcome
    expect(ask('新区公司 2026年3月 台区线损 月累计。。。')).toBe('ambiguous_params')
    expect(ask('2026年3月 台区线损 月累计。。。')).toBe('missing_params')
    expect(ask('知乎 兰州公司 2026年3月 台区线损。。。')).toBe('no_scene')
    expect(ask('兰州公司 2026年3月 台区线损 月累计')).toBe('not_deterministic')
  })
})
