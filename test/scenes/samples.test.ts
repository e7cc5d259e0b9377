import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'smol-toml'
import { expect, test } from 'vitest'
import { packageRoot, scenesFolder } from '../../src/config/paths.ts'

interface Manifest {
  scene: { id: string; skill: string; tool: string }
  bootstrap: { stand_in: string; target_url: string }
  params: { resolver_config?: { dictionary_ref?: string } }[]
}
interface Tools {
  skill: { name: string }
  tools: { name: string; command: string }[]
}

const samples = readdirSync(scenesFolder, { withFileTypes: true }).filter((entry) => entry.isDirectory())
const names = samples.map(({ name }) => name).toSorted()
const read = (...path: string[]) => readFileSync(join(scenesFolder, ...path), 'utf8')

test('three scenes of different structure are shipped', () => {
  expect(names).toEqual(['fleet-fuel-report', 'river-level-report', 'tq-lineloss-report'])
  const { files } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { files: string[] }
  expect(files).toContain('src/scenes')
})

test.each(names)('%s is a complete package', (name) => {
  const { scene, bootstrap, params } = parse(read(name, 'scene.toml')) as unknown as Manifest
  const { skill, tools } = parse(read(name, 'SKILL.toml')) as unknown as Tools
  expect([scene.id, scene.skill, skill.name]).toEqual([name, name, name])
  const script = tools.find((tool) => tool.name === scene.tool)?.command ?? ''
  const dictionaries = params.flatMap(({ resolver_config }) => resolver_config?.dictionary_ref ?? [])
  const parts = ['SKILL.md', 'references/collection-flow.md', 'references/data-quality.md']
  const page = `${bootstrap.stand_in}${new URL(bootstrap.target_url).pathname}.html`
  const files = [...parts, ...dictionaries, script, script.replace(/\.js$/, '.test.js'), page]
  expect(files.filter((file) => !existsSync(join(scenesFolder, name, file)))).toEqual([])
})

test('the tests of the entry scripts pass', () => {
  const folders = names.map((name) => join(scenesFolder, name, 'scripts', ''))
  // A process of a test runner reports to its parent if it finds this variable.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const tests = folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((file) => file.endsWith('.test.js'))
      .map((file) => join(folder, file)),
  )
  expect(tests).toHaveLength(names.length)
  const { status, stdout } = spawnSync(process.execPath, ['--test', ...tests], { env, encoding: 'utf8' })
  expect({ status, failed: /^# fail (\d+)/m.exec(stdout)?.[1] }, stdout).toEqual({ status: 0, failed: '0' })
  expect(Number(/^# pass (\d+)/m.exec(stdout)?.[1])).toBeGreaterThan(15)
})

test('SKILL.md says an instruction that ends with the suffix', () => {
  expect(read('tq-lineloss-report', 'SKILL.md')).toContain('兰州公司 2026年3月 台区线损 月累计。。。')
  for (const name of names) expect(read(name, 'SKILL.md')).toMatch(/`[^`]+。。。`/)
})
