import { expect, test } from 'vitest'
import { formatRecipe } from '../../src/knowledge/canonical-json/canonical-json.ts'
import { lintRecipe, parseRecipe } from '../../src/knowledge/recipes/check/parse-recipe.ts'
import { recipeMarkdown } from './print-markdown.ts'
import { setTemperature, togglePower, togglePowerText } from './samples.ts'

test('Markdown and JSON make the same recipe, and prose is never read', () => {
  const read = parseRecipe(togglePowerText, 'markdown')

  expect('recipe' in read ? read.recipe : read).toEqual(togglePower)
  expect(parseRecipe(formatRecipe(togglePower), 'json')).toMatchObject({ recipe: togglePower })
  expect(parseRecipe(togglePowerText.replaceAll('\n', '\r\n'), 'markdown')).toMatchObject({
    recipe: togglePower,
    warnings: [],
  })
  expect(parseRecipe(togglePowerText.replaceAll(/^---$/gm, '--- \t'), 'markdown')).toMatchObject({
    recipe: togglePower,
  })
  expect(parseRecipe(recipeMarkdown(setTemperature), 'markdown')).toMatchObject({
    recipe: setTemperature,
  })
})

test('a canonical text is sorted, and its own fixed point', () => {
  const read = parseRecipe(formatRecipe(setTemperature), 'json')
  expect('recipe' in read && formatRecipe(read.recipe)).toBe(formatRecipe(setTemperature))
  expect(formatRecipe(setTemperature)).toMatch(/^\{\n {2}"app_build"/)
})

/** The line a piece of the sample is on, counted from one. */
const lineOf = (piece: string) =>
  togglePowerText.split('\n').findIndex((row) => row.includes(piece)) + 1
const swap = (from: string, to: string) => {
  expect(togglePowerText).toContain(from)
  return togglePowerText.replace(from, to)
}

test.each([
  ['no front matter', togglePowerText.slice(1), 1, 'parse'],
  ['front matter that never ends', '---\nrecipe_id: a\n', 1, 'parse'],
  ['a byte before the front matter', `\uFEFF${togglePowerText}`, 1, 'parse'],
  ['front matter that is a list', '---\n- a\n---\n', 2, 'parse'],
  [
    'an anchor',
    swap('frameworks: [compose]', 'frameworks: &a [compose]'),
    lineOf('frameworks'),
    'parse',
  ],
  ['an alias', swap('frameworks: [compose]', 'frameworks: *a'), lineOf('frameworks'), 'parse'],
  ['a tag', swap('version_code: 341', 'version_code: !!int 341'), lineOf('version_code'), 'parse'],
  [
    'a key twice',
    swap('type: click\n', 'type: click\ntype: click\n'),
    lineOf('id: press_power') + 2,
    4,
  ],
  ['YAML that is none', swap('type: click\n', 'type: [click\n'), lineOf('id: press_power') + 2, 4],
  [
    'a directive',
    swap('id: press_power', '%YAML 1.1\n---\nid: press_power'),
    lineOf('id: press_power'),
    4,
  ],
  [
    'a second document',
    swap('id: press_power\n', 'id: press_power\n---\n'),
    lineOf('id: press_power') + 1,
    4,
  ],
  [
    'a step without a block',
    swap('## Step 4: read', '## Step\n\n## Step 4: read'),
    lineOf('## Step 4'),
    4,
  ],
  [
    'a step with two',
    swap('id: read_state', 'id: a\n```\n\n```yaml\nid: read_state'),
    lineOf('## Step 4'),
    4,
  ],
  [
    'a block that never ends',
    togglePowerText.slice(0, togglePowerText.lastIndexOf('```')),
    lineOf('## Step 4') + 2,
    4,
  ],
  ['steps in the front matter', swap('outputs:', 'steps: []\noutputs:'), lineOf('outputs:'), 4],
])('%s is refused, with its line', (_name, text, line, rule) => {
  const read = parseRecipe(text, 'markdown')

  expect('violations' in read ? read.violations : []).toContainEqual(
    expect.objectContaining({ code: 'RECIPE_PARSE_FAILED', line, rule, severity: 'error' }),
  )
})

test.each([
  ['no JSON', '{', 1],
  ['a key twice', '{\n"recipe_id": "a",\n"recipe_id" : "b"}', 3],
  ['bottomless nesting', `{"a": ${'['.repeat(200)}${']'.repeat(200)}}`, 1],
  ['a text beyond all measure', `"${'x'.repeat(130_000)}"`, 1],
])('%s is refused as JSON', (_name, text, line) => {
  expect(parseRecipe(text, 'json')).toEqual({
    violations: [expect.objectContaining({ code: 'RECIPE_PARSE_FAILED', line })],
  })
})

test('every violation of the schema is told, each with the rule and the line it is on', () => {
  const text = swap('session_policy: fresh\n', '')
    .replace('recipe_type: action', 'recipe_type: deed')
    .replace('[compose]', '[compose, tk]')
    .replace('type: click', 'type: tap')
    .replace('matcher:\n', 'matcher:\n  xpath: //a\n')
    .replace('android_api: 34', 'android_api: "34"')
  const read = parseRecipe(text, 'markdown')
  const rows = text.split('\n')
  const at = (piece: string) => rows.findIndex((row) => row.includes(piece)) + 1

  const found = 'violations' in read ? read.violations : []
  expect(found.map(({ code, path, line, rule }) => [rule, code, path, line])).toEqual([
    [2, 'RECIPE_SCHEMA_INVALID', 'recipe_type', at('deed')],
    [2, 'RECIPE_SCHEMA_INVALID', 'frameworks.1', at('tk]')],
    [3, 'RECIPE_SESSION_POLICY_INVALID', 'session_policy', 1],
    [1, 'RECIPE_SCHEMA_INVALID', 'tested_on.android_api', at('android_api')],
    [6, 'RECIPE_SELECTOR_KEY_UNKNOWN', 'steps.1.selector.xpath', at('## Step 2') + 2 + 1],
    [5, 'RECIPE_ACTION_UNSUPPORTED', 'steps.2.type', at('type: tap')],
  ])
  expect(found.find(({ path }) => path === 'session_policy')?.message).toBe('This is required')
})

test('the lines of JSON are known as well', () => {
  const text = formatRecipe({ ...togglePower, summary: "Jane's tiles" })
  const line = text.split('\n').findIndex((row) => row.includes('Jane')) + 1
  expect(lintRecipe(text, 'json').violations).toEqual([
    expect.objectContaining({ code: 'RECIPE_LITERAL_FORBIDDEN', path: 'summary', line, rule: 8 }),
  ])
})

test('a field nobody knows is a warning, and an error to the strict', () => {
  const text = swap('summary:', 'mood: good\nsummary:')
  const finding = { code: 'RECIPE_SCHEMA_INVALID', path: 'mood', rule: 1 }

  expect(parseRecipe(text, 'markdown')).toMatchObject({
    recipe: togglePower,
    warnings: [{ ...finding, severity: 'warning', line: lineOf('summary:') }],
  })
  expect(parseRecipe(text, 'markdown', { strict: true })).toEqual({
    violations: [expect.objectContaining({ ...finding, severity: 'error' })],
  })
})

test('a selector and a matcher in one step are one too many', () => {
  const text = swap('matcher:\n', 'selector: { text_equals: a }\nmatcher:\n')
  expect(parseRecipe(text, 'markdown')).toEqual({
    violations: [expect.objectContaining({ path: 'steps.1.matcher', rule: 4 })],
  })
})

test('personal words are found also in what is no recipe yet', () => {
  const text = JSON.stringify({ recipe_id: 'a', note: 'write to ann@example.org' })
  const { violations, recipe } = lintRecipe(text, 'json')

  expect(recipe).toBeUndefined()
  expect(violations).toContainEqual(
    expect.objectContaining({ code: 'RECIPE_LITERAL_FORBIDDEN', path: 'note' }),
  )
  expect(JSON.stringify(violations)).not.toContain('ann@example.org')
})

test('of very many violations the errors are told, and how many there are beside', () => {
  const strangers = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`k${at}`, at]))
  const text = JSON.stringify({ ...strangers, ...togglePower, recipe_type: 'deed' })
  const { violations } = lintRecipe(text, 'json')

  expect(violations).toHaveLength(201)
  expect(violations[0]).toMatchObject({ path: 'recipe_type', severity: 'error' })
  expect(violations.at(-1)).toMatchObject({ message: 'There are 101 more', rule: 'size' })
})

test.each([
  ['front matter', `---\n# ${'x'.repeat(16_000)}\n---\n`, 2, 'parse'],
  [
    'a step',
    togglePowerText.replace('id: read_state', `# ${'x'.repeat(16_000)}\nid: read_state`),
    lineOf('id: read_state'),
    4,
  ],
  ['a text', `${togglePowerText}${'x'.repeat(64_000)}`, 1, 'parse'],
])('%s beyond all measure is refused', (_name, text, line, rule) => {
  expect(parseRecipe(text, 'markdown')).toMatchObject({
    violations: [{ code: 'RECIPE_PARSE_FAILED', line, rule }],
  })
})
