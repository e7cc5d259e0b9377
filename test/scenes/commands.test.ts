import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import readXlsxFile from 'read-excel-file/node'
import { afterAll, expect, test } from 'vitest'
import { readSearchPath } from '../../src/config/config.ts'
import { runProgram } from '../commands/program.ts'
import { adminToken, shareDaemon } from '../kit/daemon.ts'
import { browserPath } from './page-scene.ts'

const daemon = shareDaemon({ now: '2026-04-15T08:00:00.000Z', settings: { scenes: { samples: true, roots: [] } } })
const folder = mkdtempSync(join(tmpdir(), 'apprentice-scene-command-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function runCommand(...args: readonly string[]) {
  const { url } = await daemon().listen()
  const connection = ['--url', url, '--token', adminToken]
  const env = { APPRENTICE_HOME: folder, PATH: readSearchPath() }
  return runProgram(['scenes', ...args, ...connection], env)
}

const countRuns = async (): Promise<number> => (await daemon().get('/api/scenes/runs')).json<{ total: number }>().total

test.skipIf(browserPath === undefined)('scenes run saves the report of an instruction', async () => {
  const file = join(folder, 'report.xlsx')
  const { code, stdout, stderr } = await runCommand('run', '兰州公司 2026年3月 台区线损 月累计。。。', '-o', file)
  expect([code, stderr.split('\n')]).toEqual([0, ['opening page', 'checking page', 'running script', 'exporting', '']])
  expect(stdout).toMatch(/^tq-lineloss-report: succeeded, ok, \d+ rows; run /)
  expect(stdout).toContain(`saved to ${file}`)
  const [sheet] = await readXlsxFile(readFileSync(file))
  expect(sheet?.data[0]?.[0]).toBe('台区编号')
})

test('scenes run says what is missing, in the words of the scene', async () => {
  const { code, stdout, stderr } = await runCommand('run', '台区线损 月累计 2026年3月。。。')
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toContain('缺少供电单位')
  expect(stderr).toContain('SCENE_NOT_PLANNED')
})

test('scenes run names what an unclear word may mean, and the scenes that fit', async () => {
  const before = await countRuns()
  const unclear = await runCommand('run', '新区公司 2026年3月 台区线损。。。')
  expect([unclear.code, unclear.stdout]).toEqual([2, ''])
  expect(unclear.stderr).toMatch(/^ambiguous_params: .*\n {2}org: .*\n {4}- .+\n {4}- .+\n/)
  const several = 'fuel report and river levels。。。'
  const json = await runCommand('run', several, '--json')
  expect([json.code, JSON.parse(json.stdout)]).toEqual([
    2,
    { dispatch: expect.objectContaining({ outcome: 'ambiguous_scene', candidates_total: 2 }) },
  ])
  // The page that is open decides.
  const onPage = await runCommand('run', several, '--page-url', 'https://hydro.example/hydro/portal')
  expect([onPage.code, onPage.stderr]).toEqual([2, expect.stringMatching(/^missing_params: river-level-report/)])
  expect(await countRuns()).toBe(before)
})

test.each([
  ['-o', 'report.pdf', '.xlsx, .csv or .json'],
  ['--timeout', 'soon', '--timeout must be a number of seconds'],
  ['--timeout', '0', '--timeout must be a number of seconds'],
])('scenes run refuses %s %s before anything runs', async (option, value, message) => {
  const before = await countRuns()
  const { code, stderr } = await runCommand('run', 'river levels 2026-03-14。。。', option, value)
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
  expect(await countRuns()).toBe(before)
})

test.runIf(process.platform === 'linux')('scenes login without a display says what to do', async () => {
  const { code, stderr } = await runCommand('login', 'business.example.test')
  expect(code).toBe(1)
  expect(stderr).toContain('There is no display here.')
  expect(stderr).toContain('apprentice scenes login business.example.test --url')
})
