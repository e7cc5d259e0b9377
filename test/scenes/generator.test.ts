import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parse as parseScript } from 'acorn'
import { full } from 'acorn-walk'
import { parse } from 'smol-toml'
import { expect, onTestFinished, test } from 'vitest'
import { type GeneratedScene, SceneAnswers } from '@apprentice/contracts/scenes/generation.ts'
import { scenesFolder } from '../../src/config/paths.ts'
import { analyzeScenario } from '../../src/knowledge/scene-generator/analysis/analyze.ts'
import { generateScene } from '../../src/knowledge/scene-generator/generate/generate.ts'
import { LESSON_CHECKS } from '../../src/knowledge/scene-generator/generate/lesson-checks.ts'
import { InvalidLessons, LESSON_SECTIONS, parseLessons } from '../../src/knowledge/scene-generator/draft/lessons.ts'
import { findToolScript, parseTools } from '../../src/knowledge/scenes/parse-tools.ts'
import { parseManifest } from '../../src/knowledge/scenes/parse-manifest.ts'
import { readScenarioFolder } from './scenario-files.ts'

const lessons = readFileSync(join(scenesFolder, 'lessons.toml'), 'utf8')
const generate = (name: string, answers: Partial<SceneAnswers> = {}, rules = lessons): GeneratedScene => {
  const files = readScenarioFolder(name)
  const analysis = analyzeScenario(files)
  return generateScene({ files, analysis, answers: SceneAnswers.parse(answers), lessons: rules, folder_name: name })
}
const readFile = ({ files }: GeneratedScene, path: string) => files.find((file) => file.path === path)?.content ?? ''

function runOwnTest(scene: GeneratedScene): { status: number | null; output: string } {
  const folder = mkdtempSync(join(tmpdir(), 'scene-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const { path, content } of scene.files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const script = scene.files.find(({ path }) => path.endsWith('.test.js'))?.path ?? ''
  const { status, stdout } = spawnSync(process.execPath, ['--test', join(folder, script)], { env, encoding: 'utf8' })
  return { status, output: stdout }
}

test.each([
  ['static-table', 'Electricity tariffs。。。'],
  ['fetch-grid', '兰州公司 2026-03 售电量。。。'],
  ['iframe-export', 'North 2026-03-14 Outage。。。'],
])('%s becomes a package that is complete, valid and passes its own test', (name, example) => {
  const scene = generate(name)
  expect(scene.refusals).toEqual([])
  expect([scene.ready, scene.example_instruction]).toEqual([true, example])
  const manifest = parseManifest(readFile(scene, 'scene.toml'))
  expect(manifest).toMatchObject({ warnings: [], manifest: { scene: { id: name } } })
  const tools = parseTools(readFile(scene, 'SKILL.toml'))
  if (!('tools' in tools) || !('manifest' in manifest)) throw new Error('not valid')
  const script = findToolScript(tools.tools, manifest.manifest.scene)
  expect(script).toEqual({ script: expect.stringMatching(/^scripts\/collect_/) })
  const paths = scene.files.map(({ path }) => path)
  expect(paths).toEqual(
    expect.arrayContaining(['SKILL.md', 'references/collection-flow.md', 'references/data-quality.md']),
  )
  const { status, output } = runOwnTest(scene)
  expect(status, output).toBe(0)
})

test('values of the page become arguments, and constants, session and pages are kept', () => {
  const scene = generate('fetch-grid')
  const { params } = parse(readFile(scene, 'scene.toml')) as unknown as { params: object[] }
  expect(params).toMatchObject([
    {
      name: 'orgSelect',
      resolver: 'dictionary_entity',
      prompt_missing: '已命中售电量月报,但缺少供电单位,例如 兰州公司。',
      resolver_config: { dictionary_ref: 'references/orgSelect-dictionary.json', output_code_field: 'orgSelect_code' },
    },
    { name: 'statMonth', resolver: 'month_week_period', resolver_config: { modes: ['month'] } },
  ])
  const script = readFile(scene, 'scripts/collect_fetch_grid.js')
  for (const line of [
    '["orgNo", args.orgSelect_code]',
    '["statMonth", args.statMonth.start.slice(0, 7)]',
    '["dataType", "01"]',
    '["pageNo", page]',
    '["pageSize", 20]',
    'localStorage.getItem("token")',
  ]) {
    expect(script).toContain(line)
  }
  expect(script).not.toMatch(/orgSelect"\)|getElementById|\.value\b/)
  const dictionary = JSON.parse(readFile(scene, 'references/orgSelect-dictionary.json')) as { entries: unknown[] }
  expect(dictionary.entries[0]).toEqual({ label: '兰州公司', code: '62401', aliases: [] })
})

test('what the folder leaves open refuses the package, with the place and the answer of each reason', () => {
  const scene = generate('broken')
  expect(scene.ready).toBe(false)
  expect(readFile(scene, 'scene.toml')).toBe('')
  expect(readFile(scene, 'scene.draft.toml')).not.toBe('')
  const rules = scene.refusals.map(({ rule, answer }) => [rule, answer])
  expect(rules).toEqual(
    expect.arrayContaining([
      ['bootstrap.target-url', 'target_url'],
      ['artifact.source', undefined],
      ['validation.open-questions', 'rows_path'],
      ['validation.open-questions', 'columns'],
    ]),
  )
  const quality = readFile(scene, 'references/data-quality.md')
  expect(quality).toContain('Status: not ready.')
  for (const { reason } of scene.refusals) expect(quality).toContain(reason)
  for (const place of ['js/broken.js:3', 'js/stock.js:2', 'stores.json:3', 'index.html:11'])
    expect(quality).toContain(place)
})

test('answers settle what is open, and only that', () => {
  const columns = [{ key: 'item', label: 'Item', type: 'text' as const }]
  const answers = { target_url: 'https://stock.example/today', rows_path: 'rows', columns }
  const some = generate('broken', answers).refusals
  expect(some.map(({ answer }) => answer)).toEqual(['constants.store', 'constants.at', undefined, undefined, undefined])
  const all = generate('broken', { ...answers, constants: { store: 'S1', at: 'now' } }).refusals
  expect(all.map(({ evidence: [at] }) => at?.file)).toEqual(['index.html', 'stores.json', 'js/broken.js'])
})

test('rules of the lessons are enforced, one by one', () => {
  const list = (answers: Partial<SceneAnswers>, name = 'fetch-grid') =>
    generate(name, answers).refusals.map(({ rule }) => rule)
  expect(list({ include_keywords: ['报表'] })).toEqual(['routing.specific-keywords'])
  expect(list({ include_keywords: ['售电'], exclude_keywords: ['售电'] })).toEqual(['routing.no-contradiction'])
  expect(list({ target_url: 'http://localhost:8080/sales' })).toEqual(['bootstrap.own-machine'])
  const twice = [1, 2].map(() => ({ key: 'amount', label: 'Amount', type: 'number' as const }))
  expect(list({ columns: twice })).toEqual(['artifact.columns'])
})

test('the lessons have all sections, and a rule that nothing enforces is refused', () => {
  const { rules } = parseLessons(lessons, LESSON_CHECKS)
  expect(new Set(rules.map(({ section }) => section))).toEqual(new Set(LESSON_SECTIONS))
  const used = new Set(rules.map(({ check }) => check))
  expect([...LESSON_CHECKS].filter((check) => !used.has(check))).toEqual([])
  const unknown = lessons.replace('check = "suffix_equals"', 'check = "suffix_is_nice"')
  expect(() => parseLessons(unknown, LESSON_CHECKS)).toThrow(InvalidLessons)
  expect(() => parseLessons(unknown, LESSON_CHECKS)).toThrow('routing.suffix (suffix_is_nice)')
})

test('the narrative of the lessons covers every heading and names only rules that exist', () => {
  const narrative = readFileSync(join(scenesFolder, 'lessons.md'), 'utf8')
  const headings = [...narrative.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)
  expect(headings).toEqual([
    'Assumptions about the source',
    'Routing',
    'Parameters',
    'Page and address',
    'Transport',
    'Artifact and export',
    'Testing',
    'Checks by a person',
    'What becomes a template rule',
    'What stays manual',
  ])
  const ids = new Set(parseLessons(lessons, LESSON_CHECKS).rules.map(({ id }) => id))
  const named = [...narrative.matchAll(/`([a-z]+\.[a-z-]+)`/g)].map(([, id = '']) => id)
  expect(named.filter((id) => !ids.has(id) && !id.endsWith('.toml'))).toEqual([])
  expect(named.length).toBeGreaterThan(10)
})

test('texts of the folder stay texts in the script', () => {
  const files = readScenarioFolder('fetch-grid').map((file) =>
    file.path === 'index.html'
      ? { ...file, text: file.text?.replaceAll('售电量月报', "售电量`${evil()}`';evil()//") }
      : file.path === 'js/sales.js'
        ? {
            ...file,
            text: file.text?.replace("'01'", "'\\'];evil();[\\'`${evil()}'").replace('orgNo:', `'org"],evil(),["':`),
          }
        : file,
  )
  const scene = generateScene({
    files,
    analysis: analyzeScenario(files),
    answers: SceneAnswers.parse({}),
    lessons,
    folder_name: 'hostile',
  })
  const { status, output } = runOwnTest(scene)
  expect(status, output).toBe(0)
  const called: string[] = []
  full(parseScript(readFile(scene, 'scripts/collect_hostile.js'), { ecmaVersion: 'latest' }), (node) => {
    if (node.type === 'CallExpression' && node.callee.type === 'Identifier') called.push(node.callee.name)
  })
  expect(called).toContain('toRequest')
  expect(called).not.toContain('evil')
})
