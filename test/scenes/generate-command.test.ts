import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createHome, runProgram } from '../commands/program.ts'
import { findScenario } from './scenario-files.ts'

const run = (...args: string[]) => runProgram(['scenes', ...args], { APPRENTICE_HOME: createHome() })

test('analyze prints what was found with its places, and what is open', async () => {
  const { code, stdout } = await run('analyze', findScenario('fetch-grid'))
  expect(code).toBe(0)
  for (const line of [
    'POST /sales/api/monthly/list (fetch, data, rows at data.records)  js/sales.js:27',
    'orgNo in the body: control orgSelect  js/sales.js:21',
    'orgs: 3 entries, for orgSelect  data/orgs.json:1, js/sales.js:15',
    'session_state: Authorization is read from the session of the page (local_storage token); a login is needed.',
  ]) {
    expect(stdout).toContain(line)
  }
})

test('generate writes a package, says how to try it, and does not overwrite it', async () => {
  const out = createHome()
  const first = await run('generate', findScenario('iframe-export'), '-o', out, '--stand-in', '--json')
  expect(first.code, first.stderr).toBe(0)
  expect(JSON.parse(first.stdout)).toMatchObject({
    id: 'iframe-export',
    ready: true,
    folder: join(out, 'iframe-export'),
    example_instruction: 'North 2026-03-14 Outage。。。',
  })
  expect(existsSync(join(out, 'iframe-export', 'scene.toml'))).toBe(true)
  expect(existsSync(join(out, 'iframe-export', 'stand-in', 'outages.html'))).toBe(true)
  const second = await run('generate', findScenario('iframe-export'), '-o', out)
  expect([second.code, second.stderr]).toEqual([2, expect.stringContaining('exists')])
})

test('generate ends with 1 and the reasons if the package is not ready; answers settle them', async () => {
  const out = createHome()
  const broken = await run('generate', findScenario('broken'), '-o', out)
  expect(broken.code).toBe(1)
  expect(broken.stdout).toContain('Not ready:')
  expect(broken.stdout).toContain('(validation.open-questions) Answer: rows_path.  js/stock.js:5')
  expect(readFileSync(join(out, 'broken', 'references', 'data-quality.md'), 'utf8')).toContain('Status: not ready.')
  const answers = join(out, 'answers.toml')
  writeFileSync(answers, 'id = "renamed"\ntarget_url = "https://stock.example/today"\n')
  const answered = await run('generate', findScenario('broken'), '-o', out, '--answers', answers)
  expect(answered.code).toBe(1)
  expect(answered.stdout).not.toContain('bootstrap.target-url')
  expect(existsSync(join(out, 'renamed', 'scene.draft.toml'))).toBe(true)
  writeFileSync(answers, 'colour = "red"\n')
  expect((await run('generate', findScenario('broken'), '-o', out, '--answers', answers)).code).toBe(2)
  expect((await run('analyze', join(out, 'none'))).code).toBe(2)
})
