import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { formatDispatch } from '../../src/commands/scenes/format-dispatch.ts'
import { readSearchPath } from '../../src/config/config.ts'
import { dispatchInstruction } from '../../src/knowledge/scenes/dispatch.ts'
import { runProgram } from '../commands/program.ts'
import { adminToken, shareDaemon } from '../kit/daemon.ts'
import { makeCatalog, writeSceneToml } from './make-scene.ts'

const daemon = shareDaemon({ now: '2026-04-15T08:00:00.000Z', settings: { scenes: { samples: true, roots: [] } } })
const home = mkdtempSync(join(tmpdir(), 'apprentice-scene-plan-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

const env = { APPRENTICE_HOME: home, PATH: readSearchPath() }

async function runCommand(...args: readonly string[]) {
  const { url } = await daemon().listen()
  return runProgram(['scenes', ...args, '--url', url, '--token', adminToken], env)
}

test('scenes list and show name the scenes, their words and their parameters', async () => {
  const list = await runCommand('list')
  expect([list.code, list.stderr]).toEqual([0, ''])
  expect(list.stdout).toMatch(/^tq-lineloss-report\s+0\.1\.0\s+台区线损报表\s+20\.76\.57\.61$/m)
  const shown = await runCommand('show', 'tq-lineloss-report')
  expect(shown.stdout).toContain('keywords  线损, 月累计, 周累计')
  expect(shown.stdout).toMatch(/^needs +org \(dictionary_entity, such as 兰州, /m)
  expect(shown.stdout).toContain('ability   scene.tq-lineloss-report')
  const none = await runCommand('show', 'none')
  expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('SCENE_NOT_FOUND')])
})

test('scenes plan shows the arguments and each signal, and its exit code says whether it is a plan', async () => {
  const planned = await runCommand('plan', '兰州公司 2026年3月 台区线损 月累计。。。')
  expect([planned.code, planned.stderr]).toEqual([0, ''])
  expect(planned.stdout).toContain('org_code = "62401"')
  expect(planned.stdout).toContain('include_keywords +200: The instruction contains 2 of 3 keywords. [线损, 月累计]')
  const open = await runCommand('plan', '台区线损。。。', '--json')
  expect(open.code).toBe(1)
  expect(JSON.parse(open.stdout)).toMatchObject({ dispatch: { outcome: 'missing_params' } })
})

test('doctor names refused packages with file, key and reason', async () => {
  mkdirSync(join(home, 'skills/broken'), { recursive: true })
  writeFileSync(join(home, 'skills/broken/scene.toml'), writeSceneToml({ id: 'broken' }).replace('"1"', '"9"'))
  const { stdout } = await runProgram(['doctor', '--json'], env)
  const { checks } = JSON.parse(stdout) as { checks: { id: string; status: string; summary: string }[] }
  expect(checks.find(({ id }) => id === 'scenes')).toMatchObject({
    status: 'warn',
    summary: expect.stringContaining('skills/broken/scene.toml: manifest.schema_version is "9"'),
  })
})

test.each([
  ['线损', ['not_deterministic: ']],
  ['知乎 线损。。。', ['no_scene: ', '  one excludes 知乎']],
  ['线损。。。', ['ambiguous_scene: ', '  one (one), score 100', '    include_keywords +100: ']],
  ['月累计。。。', ['missing_params: ', '  org: Which company?', '  period: Which month?']],
  [
    '月累计 兰州公司 3月。。。',
    ['ambiguous_params: ', '  period: Which month exactly?', '    - 2026-03', '    - 2025-03'],
  ],
])('%s is explained line by line', (instruction, lines) => {
  const catalog = makeCatalog(
    { id: 'one', exclude: ['知乎'] },
    { id: 'two', include: ['线损', '月累计'], exclude: ['知乎'] },
  )
  const moment = { now: new Date('2026-03-18T04:00:00.000Z'), time_zone: 'UTC' }
  const shown = formatDispatch(dispatchInstruction(catalog, { instruction }, moment)).split('\n')
  for (const line of lines)
    expect(
      shown.some((one) => one.startsWith(line)),
      shown.join('\n'),
    ).toBe(true)
})
