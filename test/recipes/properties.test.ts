import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Execution } from '@apprentice/contracts/devices/execution.ts'
import { canonicalJson, formatRecipe } from '../../src/knowledge/canonical-json/canonical-json.ts'
import { compileRecipe } from '../../src/knowledge/recipes/compile/compile.ts'
import { escapePattern, fillInputs } from '../../src/knowledge/recipes/parse/fill-inputs.ts'
import { lintRecipe, parseRecipe } from '../../src/knowledge/recipes/check/parse-recipe.ts'
import { formatMarkdown } from './print-markdown.ts'
import { validateRecipe } from '../../src/knowledge/recipes/check/validate.ts'
import { anyInputs, anyRecipe } from './arbitrary-recipe.ts'
import { togglePower, TOGGLE_POWER_TEXT } from './samples.ts'
import { countRuns } from '../kit/count-runs.ts'

fc.configureGlobal({ seed: Number(process.env['FUZZ_SEED'] ?? 20_261_116) })
const TIMEOUT_MS = 120_000

test('formatting and parsing a recipe gives the same recipe', { timeout: TIMEOUT_MS }, () => {
  fc.assert(
    fc.property(anyRecipe, (recipe) => {
      const fromJson = parseRecipe(formatRecipe(recipe), 'json')
      const fromMarkdown = parseRecipe(formatMarkdown(recipe), 'markdown')
      expect('recipe' in fromJson ? fromJson.recipe : fromJson).toEqual(recipe)
      expect('recipe' in fromMarkdown ? fromMarkdown.recipe : fromMarkdown).toEqual(recipe)
    }),
    { numRuns: countRuns(200) },
  )
})

test('a valid recipe compiles to a normalized execution', { timeout: TIMEOUT_MS }, () => {
  let refused = 0
  fc.assert(
    fc.property(anyRecipe, anyInputs, (recipe, inputs) => {
      const structural = validateRecipe(recipe).filter(({ severity, rule }) => severity === 'error' && rule !== 8)
      const compiled = compileRecipe(recipe, inputs)
      if (!compiled.ok) {
        refused += 1
        expect(compiled.violations.every(({ code }) => code === 'RECIPE_INPUT_INVALID')).toBe(true)
        return
      }
      expect(structural).toEqual([])
      expect(Execution.parse(compiled.execution)).toEqual(compiled.execution)
      expect(compiled.steps.map(({ action_id }) => action_id)).toEqual(compiled.execution.actions.map(({ id }) => id))
    }),
    { numRuns: countRuns(250) },
  )
  expect(refused).toBeLessThan(25)
})

test('the compiled bytes do not depend on the order of keys and inputs', { timeout: TIMEOUT_MS }, () => {
  fc.assert(
    fc.property(anyRecipe, anyInputs, fc.infiniteStream(fc.nat()), (recipe, inputs, chances) => {
      const shuffled = shuffle(recipe, chances)
      const [one, other] = [compileRecipe(recipe, inputs), compileRecipe(shuffled, shuffle(inputs, chances))]
      expect(JSON.stringify(other)).toBe(JSON.stringify(one))
    }),
    { numRuns: countRuns(200) },
  )
})

test('placeholders inside a value are not replaced', { timeout: TIMEOUT_MS }, () => {
  fc.assert(
    fc.property(anyInputs, ({ room, level }) => {
      const selector = {
        text_equals: 'a${inputs.room}b$${inputs.level}',
        resource_id: '${inputs.level}',
      }
      const filling = fillInputs(
        { steps: [{ id: 's', type: 'click', selector, params: { text: '${inputs.room}' } }] },
        new Map<string, string | number>([
          ['room', room],
          ['level', level],
        ]),
      )
      expect(filling).toEqual({
        filled: expect.objectContaining({
          steps: [
            {
              id: 's',
              type: 'click',
              selector: { text_equals: `a${room}b\${inputs.level}`, resource_id: String(level) },
              params: { text: room },
            },
          ],
        }),
      })
    }),
    { numRuns: countRuns(1000) },
  )
})

test('an escaped value matches only itself', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (value, other) => {
      const pattern = new RegExp(`^(?:${escapePattern(value)})$`)
      expect(pattern.test(value)).toBe(true)
      expect(pattern.test(other)).toBe(other === value)
    }),
    { numRuns: countRuns(1000) },
  )
})

test('a hostile text causes violations and no exception', { timeout: TIMEOUT_MS }, () => {
  fc.assert(
    fc.property(hostileText, fc.constantFrom('markdown' as const, 'json' as const), (text, format) => {
      const { violations, recipe } = lintRecipe(text, format, { blockedTerms: ['x', '$'] })
      expect(Array.isArray(violations)).toBe(true)
      if (recipe === undefined) expect(violations.length).toBeGreaterThan(0)
    }),
    { numRuns: countRuns(1000) },
  )
})

test('a corrupted recipe causes violations and no exception', { timeout: TIMEOUT_MS }, () => {
  fc.assert(
    fc.property(anyRecipe, fc.jsonValue(), fc.infiniteStream(fc.nat()), (recipe, junk, chances) => {
      const broken = spoil(recipe, junk, chances)
      const { violations, recipe: read } = lintRecipe(JSON.stringify(broken), 'json')
      expect(read !== undefined || violations.length > 0).toBe(true)
    }),
    { numRuns: countRuns(800) },
  )
})

/** Fragments with a meaning in YAML, Markdown or a recipe. */
const bit = fc.oneof(
  fc.constantFrom('---\n', '```yaml\n', '```\n', '~~~\n', '## Step\n', '# x\n', '<!--', '-->', '\n', '\r\n'),
  fc.constantFrom(
    '&a ',
    '*a',
    '!!js/function ',
    '<<: ',
    '? ',
    '- ',
    '[',
    ']',
    '{',
    '}',
    ': ',
    '|',
    '>',
    '%YAML 1.1\n',
    '\t',
  ),
  fc.constantFrom(
    '__proto__: ',
    'constructor: ',
    'steps: ',
    'id: a',
    'type: click',
    'selector: ',
    '.nan',
    '0o7',
    '"\\u0000"',
  ),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom('['.repeat(3000), '{a: '.repeat(2000), '- '.repeat(3000), '"'.repeat(4000), ' '.repeat(9000) + 'x'),
)
const soup = fc.array(bit, { maxLength: 30 }).map((bits) => bits.join(''))
const hostileText = fc.oneof(
  soup,
  soup.map((text) => `---\n${text}`),
  // A recipe with a fragment inserted into it.
  fc
    .tuple(fc.constantFrom(TOGGLE_POWER_TEXT, formatRecipe(togglePower)), fc.nat(), soup)
    .map(([text, at, junk]) => text.slice(0, at % text.length) + junk + text.slice(at % text.length)),
)

function shuffle<T>(value: T, chances: Iterator<number>): T {
  const next = () => Number(chances.next().value)
  const visit = (one: unknown): unknown => {
    if (Array.isArray(one)) return one.map(visit)
    if (typeof one !== 'object' || one === null) return one
    const entries = Object.entries(one).map(([key, inner]) => [next(), key, visit(inner)] as const)
    return Object.fromEntries(entries.toSorted(([a], [b]) => a - b).map(([, key, inner]) => [key, inner]))
  }
  return visit(value) as T
}

/** Replaces one part of a value. */
function spoil(value: unknown, junk: unknown, chances: Iterator<number>): unknown {
  if (typeof value !== 'object' || value === null) return junk
  const keys = Object.keys(value)
  const chance = Number(chances.next().value)
  const key = keys[chance % (keys.length + 1)]
  if (key === undefined) return chance % 2 === 0 ? junk : { ...value, [`k${chance}`]: junk }
  const inside = spoil(Reflect.get(value, key), junk, chances)
  return Array.isArray(value)
    ? value.map((one, at) => (String(at) === key ? inside : one))
    : { ...value, [key]: inside }
}

test('canonical JSON does not depend on the order of keys', () => {
  expect(canonicalJson({ b: [{ d: 1, c: undefined }], a: null })).toBe('{"a":null,"b":[{"d":1}]}')
})
