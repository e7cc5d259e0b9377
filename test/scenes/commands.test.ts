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
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toContain('缺少供电单位')
  expect(stderr).toContain('SCENE_NOT_PLANNED')
})

test('scenes run refuses a file in an unknown format before anything runs', async () => {
  const { code, stderr } = await runCommand('run', 'x。。。', '-o', 'report.pdf')
  expect(code).toBe(1)
  expect(stderr).toContain('.xlsx, .csv or .json')
})

test.runIf(process.platform === 'linux')('scenes login without a display says what to do', async () => {
  const { code, stderr } = await runCommand('login', 'business.example.test')
  expect(code).toBe(1)
  expect(stderr).toContain('There is no display here.')
  expect(stderr).toContain('apprentice scenes login business.example.test --url')
})
