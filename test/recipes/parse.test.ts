import { expect, test } from 'vitest'
import { formatRecipe } from '../../src/knowledge/canonical-json/canonical-json.ts'
import { lintRecipe, parseRecipe } from '../../src/knowledge/recipes/check/parse-recipe.ts'
import { formatMarkdown } from './print-markdown.ts'
import { setTemperature, togglePower, TOGGLE_POWER_TEXT } from './samples.ts'

test('Markdown and JSON give the same recipe, and prose is ignored', () => {
  const read = parseRecipe(TOGGLE_POWER_TEXT, 'markdown')

  expect('recipe' in read ? read.recipe : read).toEqual(togglePower)
  expect(parseRecipe(formatRecipe(togglePower), 'json')).toMatchObject({ recipe: togglePower })
  expect(parseRecipe(TOGGLE_POWER_TEXT.replaceAll('\n', '\r\n'), 'markdown')).toMatchObject({
    recipe: togglePower,
    warnings: [],
  })
  expect(parseRecipe(TOGGLE_POWER_TEXT.replaceAll(/^---$/gm, '--- \t'), 'markdown')).toMatchObject({
    recipe: togglePower,
  })
  expect(parseRecipe(formatMarkdown(setTemperature), 'markdown')).toMatchObject({
    recipe: setTemperature,
  })
})

test('formatRecipe sorts keys, and parsing its text gives the same recipe', () => {
  const read = parseRecipe(formatRecipe(setTemperature), 'json')
  expect('recipe' in read && formatRecipe(read.recipe)).toBe(formatRecipe(setTemperature))
  expect(formatRecipe(setTemperature)).toMatch(/^\{\n {2}"app_build"/)
})

/** The line number of a text in the sample, counted from 1. */
const findLine = (piece: string) => TOGGLE_POWER_TEXT.split('\n').findIndex((row) => row.includes(piece)) + 1
const replaceText = (from: string, to: string) => {
  expect(TOGGLE_POWER_TEXT).toContain(from)
  return TOGGLE_POWER_TEXT.replace(from, to)
}

test.each([
  ['no front matter', TOGGLE_POWER_TEXT.slice(1), 1, 'parse'],
  ['front matter without an end', '---\nrecipe_id: a\n', 1, 'parse'],
  ['a byte before the front matter', `\uFEFF${TOGGLE_POWER_TEXT}`, 1, 'parse'],
  ['front matter that is a list', '---\n- a\n---\n', 2, 'parse'],
  ['an anchor', replaceText('frameworks: [compose]', 'frameworks: &a [compose]'), findLine('frameworks'), 'parse'],
  ['an alias', replaceText('frameworks: [compose]', 'frameworks: *a'), findLine('frameworks'), 'parse'],
  ['a tag', replaceText('version_code: 341', 'version_code: !!int 341'), findLine('version_code'), 'parse'],
  ['a key twice', replaceText('type: click\n', 'type: click\ntype: click\n'), findLine('id: press_power') + 2, 4],
  ['invalid YAML', replaceText('type: click\n', 'type: [click\n'), findLine('id: press_power') + 2, 4],
  ['a directive', replaceText('id: press_power', '%YAML 1.1\n---\nid: press_power'), findLine('id: press_power'), 4],
  ['a second document', replaceText('id: press_power\n', 'id: press_power\n---\n'), findLine('id: press_power') + 1, 4],
  ['a step without a block', replaceText('## Step 4: read', '## Step\n\n## Step 4: read'), findLine('## Step 4'), 4],
  [
    'a step with two blocks',
    replaceText('id: read_state', 'id: a\n```\n\n```yaml\nid: read_state'),
    findLine('## Step 4'),
    4,
  ],
  [
    'a block without an end',
    TOGGLE_POWER_TEXT.slice(0, TOGGLE_POWER_TEXT.lastIndexOf('```')),
    findLine('## Step 4') + 2,
    4,
  ],
  ['steps in the front matter', replaceText('outputs:', 'steps: []\noutputs:'), findLine('outputs:'), 4],
])('%s is refused, with its line', (_name, text, line, rule) => {
  const read = parseRecipe(text, 'markdown')

  expect('violations' in read ? read.violations : []).toContainEqual(
    expect.objectContaining({ code: 'RECIPE_PARSE_FAILED', line, rule, severity: 'error' }),
  )
})

test.each([
  ['invalid JSON', '{', 1],
  ['a key twice', '{\n"recipe_id": "a",\n"recipe_id" : "b"}', 3],
  ['deep nesting', `{"a": ${'['.repeat(200)}${']'.repeat(200)}}`, 1],
  ['a text that is too long', `"${'x'.repeat(130_000)}"`, 1],
])('%s is refused as JSON', (_name, text, line) => {
  expect(parseRecipe(text, 'json')).toEqual({
    violations: [expect.objectContaining({ code: 'RECIPE_PARSE_FAILED', line })],
  })
})

test('all schema violations are reported with rule and line', () => {
  const text = replaceText('session_policy: fresh\n', '')
    .replace('recipe_type: action', 'recipe_type: deal')
    .replace('[compose]', '[compose, tk]')
    .replace('type: click', 'type: tap')
    .replace('matcher:\n', 'matcher:\n  xpath: //a\n')
    .replace('android_api: 34', 'android_api: "34"')
  const read = parseRecipe(text, 'markdown')
  const rows = text.split('\n')
  const at = (piece: string) => rows.findIndex((row) => row.includes(piece)) + 1

  const found = 'violations' in read ? read.violations : []
  expect(found.map(({ code, path, line, rule }) => [rule, code, path, line])).toEqual([
    [2, 'RECIPE_SCHEMA_INVALID', 'recipe_type', at('deal')],
    [2, 'RECIPE_SCHEMA_INVALID', 'frameworks.1', at('tk]')],
    [3, 'RECIPE_SESSION_POLICY_INVALID', 'session_policy', 1],
    [1, 'RECIPE_SCHEMA_INVALID', 'tested_on.android_api', at('android_api')],
    [6, 'RECIPE_SELECTOR_KEY_UNKNOWN', 'steps.1.selector.xpath', at('## Step 2') + 2 + 1],
    [5, 'RECIPE_ACTION_UNSUPPORTED', 'steps.2.type', at('type: tap')],
  ])
  expect(found.find(({ path }) => path === 'session_policy')?.message).toBe('session_policy is required')
})

test('violations in JSON have a line too', () => {
  const text = formatRecipe({ ...togglePower, summary: "Jane's tiles" })
  const line = text.split('\n').findIndex((row) => row.includes('Jane')) + 1
  expect(lintRecipe(text, 'json').violations).toEqual([
    expect.objectContaining({ code: 'RECIPE_LITERAL_FORBIDDEN', path: 'summary', line, rule: 8 }),
  ])
})

test('an unknown field is a warning, and an error in strict mode', () => {
  const text = replaceText('summary:', 'mood: good\nsummary:')
  const finding = { code: 'RECIPE_SCHEMA_INVALID', path: 'mood', rule: 1 }

  expect(parseRecipe(text, 'markdown')).toMatchObject({
    recipe: togglePower,
    warnings: [{ ...finding, severity: 'warning', line: findLine('summary:') }],
  })
  expect(parseRecipe(text, 'markdown', { strict: true })).toEqual({
    violations: [expect.objectContaining({ ...finding, severity: 'error' })],
  })
})

test('a step with both selector and matcher is refused', () => {
  const text = replaceText('matcher:\n', 'selector: { text_equals: a }\nmatcher:\n')
  expect(parseRecipe(text, 'markdown')).toEqual({
    violations: [expect.objectContaining({ path: 'steps.1.matcher', rule: 4 })],
  })
})

test('personal literals are found in an invalid recipe too', () => {
  const text = JSON.stringify({ recipe_id: 'a', note: 'write to ann@example.org' })
  const { violations, recipe } = lintRecipe(text, 'json')

  expect(recipe).toBeUndefined()
  expect(violations).toContainEqual(expect.objectContaining({ code: 'RECIPE_LITERAL_FORBIDDEN', path: 'note' }))
  expect(JSON.stringify(violations)).not.toContain('ann@example.org')
})

test('with too many violations the errors are listed first, and the rest is counted', () => {
  const unknown = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`k${at}`, at]))
  const text = JSON.stringify({ ...unknown, ...togglePower, recipe_type: 'deal' })
  const { violations } = lintRecipe(text, 'json')

  expect(violations).toHaveLength(201)
  expect(violations[0]).toMatchObject({ path: 'recipe_type', severity: 'error' })
  expect(violations.at(-1)).toMatchObject({
    message: '101 more violations are not listed',
    rule: 'size',
  })
})

test.each([
  ['front matter', `---\n# ${'x'.repeat(16_000)}\n---\n`, 2, 'parse'],
  [
    'a step',
    TOGGLE_POWER_TEXT.replace('id: read_state', `# ${'x'.repeat(16_000)}\nid: read_state`),
    findLine('id: read_state'),
    4,
  ],
  ['a text', `${TOGGLE_POWER_TEXT}${'x'.repeat(64_000)}`, 1, 'parse'],
])('%s that is too long is refused', (_name, text, line, rule) => {
  expect(parseRecipe(text, 'markdown')).toMatchObject({
    violations: [{ code: 'RECIPE_PARSE_FAILED', line, rule }],
  })
})
