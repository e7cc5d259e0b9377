import { expect, test } from 'vitest'
import { allRoutes } from '@apprentice/contracts/index.ts'
import { RESERVED_SCENE_IDS } from '@apprentice/contracts/scenes/manifest.ts'
import { parseManifest, readDeclaredId } from '../../src/knowledge/scenes/parse-manifest.ts'
import { findToolScript, parseTools } from '../../src/knowledge/scenes/parse-tools.ts'
import { SCENE_TOML, SKILL_TOML } from './scene-files.ts'

const read = (text: string) => {
  const parsed = parseManifest(text)
  return 'problems' in parsed ? parsed.problems : []
}

test('a manifest of the documented shape is read with its defaults', () => {
  const parsed = parseManifest(SCENE_TOML)
  expect(parsed).toMatchObject({
    manifest: {
      scene: { id: 'sample-report', version: '0.1.0' },
      bootstrap: { requires_target_page: true, allowed_domains: [] },
      deterministic: { suffix: '。。。' },
      artifact: { success_status: ['ok', 'partial', 'empty'], failure_status: ['blocked', 'error'] },
      postprocess: { exporter: 'xlsx_report', auto_open: 'excel' },
    },
    warnings: [],
  })
})

test.each([
  ['an unknown version', 'schema_version = "1"', 'schema_version = "2"', 'manifest.schema_version', '"2"'],
  ['a version as a number', 'schema_version = "1"', 'schema_version = 1', 'manifest.schema_version', 'is 1'],
  ['a missing version', 'schema_version = "1"', '', 'manifest.schema_version', 'is missing'],
  ['a reserved id', 'id = "sample-report"', 'id = "runs"', 'scene.id', 'must not be'],
  ['another kind', 'kind = "browser_script"', 'kind = "shell"', 'scene.kind', 'browser_script'],
  ['another category', 'category = "report_collection"', 'category = "form"', 'scene.category', 'report_collection'],
  ['a version that is no version', 'version = "0.1.0"', 'version = "1"', 'scene.version', '1.0.0'],
  [
    'another host',
    'expected_domain = "reports.test"',
    'expected_domain = "other.test"',
    'bootstrap.target_url',
    'reports.test',
  ],
  ['an address of another kind', 'target_url = "http:', 'target_url = "file:', 'bootstrap.target_url', ''],
  ['credentials', 'target_url = "http://', 'target_url = "http://me:word@', 'bootstrap.target_url', 'password'],
  [
    'no keyword',
    'include_keywords = ["线损", "月累计"]',
    'include_keywords = []',
    'deterministic.include_keywords',
    '',
  ],
  ['a blank suffix', '[deterministic]', '[deterministic]\nsuffix = " "', 'deterministic.suffix', 'blank'],
  [
    'a stand-in outside',
    '[bootstrap]',
    '[bootstrap]\nstand_in = "../page"',
    'bootstrap.stand_in',
    'inside the package',
  ],
  ['a missing table', '[postprocess]\nexporter = "xlsx_report"\nauto_open = "excel"', '', 'postprocess', ''],
])('%s refuses the manifest and names the key', (...[, from, to, key, part]) => {
  expect(SCENE_TOML).toContain(from)
  const [problem] = read(SCENE_TOML.replace(from, to))
  expect(problem).toEqual({ key, reason: expect.stringContaining(part) })
})

test('two parameters of the same name are refused', () => {
  const param = '[[params]]\nname = "org"\nresolver = "fixed_enum"\nprompt_missing = "a"\nprompt_ambiguous = "b"\n'
  expect(read(`${SCENE_TOML}\n${param}`)).toEqual([{ key: 'params.1.name', reason: expect.stringContaining('org') }])
})

test('a status that means success and failure is refused', () => {
  const both = SCENE_TOML.replace('[artifact]', '[artifact]\nfailure_status = ["ok", "error"]')
  expect(read(both)).toEqual([{ key: 'artifact.failure_status', reason: expect.stringContaining('ok') }])
})

test('a file that is no TOML is refused with its line', () => {
  expect(read('[scene\nid = 1')).toEqual([{ reason: expect.stringMatching(/^is not valid TOML: line 1,/) }])
})

test('no id of a scene is a part of an address of the API', () => {
  const parts = allRoutes
    .map(({ url }) => /^\/api\/scenes\/([a-z]+)/.exec(url)?.[1])
    .filter((part) => part !== undefined)
  expect([...new Set(parts)].toSorted()).toEqual(RESERVED_SCENE_IDS)
})

test('unknown keys are warnings', () => {
  const more = SCENE_TOML.replace('[scene]', '[scene]\nowner = "team"').concat('\n[later]\nkey = 1\n')
  expect(parseManifest(more)).toMatchObject({
    warnings: [
      { key: 'scene.owner', reason: 'is unknown and was ignored' },
      { key: 'later', reason: 'is unknown and was ignored' },
    ],
  })
})

test('the id of a refused manifest can be read', () => {
  expect(readDeclaredId(SCENE_TOML.replace('"1"', '"9"'))).toBe('sample-report')
  expect(readDeclaredId('[scene]\nid = "../x"')).toBeUndefined()
  expect(readDeclaredId('nonsense')).toBeUndefined()
})

test('the script of a tool is found, or the reason why there is none', () => {
  const parsed = parseTools(SKILL_TOML)
  if ('problems' in parsed) throw new Error('The tools are invalid.')
  const { tools } = parsed
  const find = (scene: { skill: string; tool: string }) => findToolScript(tools, scene)
  expect(find({ skill: 'sample-report', tool: 'collect' })).toEqual({ script: 'scripts/collect.js' })
  expect(find({ skill: 'other', tool: 'collect' })).toMatchObject({ problem: { key: 'skill.name' } })
  expect(find({ skill: 'sample-report', tool: 'other' })).toMatchObject({ problem: { key: 'tools' } })
})

test.each(['../collect.js', '/etc/passwd', 'scripts/../../x.js', 'scripts\\\\x.js', 'c:/x.js', './x.js'])(
  'the script %s is refused',
  (path) => {
    const parsed = parseTools(SKILL_TOML.replace('scripts/collect.js', path))
    if ('problems' in parsed) throw new Error('The tools are invalid.')
    expect(findToolScript(parsed.tools, { skill: 'sample-report', tool: 'collect' })).toEqual({
      problem: { key: 'tools.0.command', reason: 'must be a path inside the package' },
    })
  },
)
