import { expect, test } from 'vitest'
import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import { findLiterals } from '../../src/knowledge/recipes/check/literals.ts'
import { readBlockedTerms } from '../../src/knowledge/recipes/check/literal-detectors.ts'
import { validateRecipe } from '../../src/knowledge/recipes/check/validate.ts'
import { setTemperature, togglePower } from './samples.ts'

const findKinds = (text: string) =>
  findLiterals({ text }).map(({ message }) => message.replace(/^The text contains (.*); use .*$/, '$1'))

test.each([
  ['Mail ann.lee+home@example.co.uk', 'an e-mail address'],
  ['Call +49 30 1234 5678', 'a phone number'],
  ['(415) 555-0132 ext', 'a phone number'],
  ['0412 345 6789', 'a phone number'],
  ['192.168.1.20:5555', 'a network address'],
  ['10.0.0.7', 'a network address'],
  ['phone.local:5555', 'a network address'],
  ['emulator-5554', 'a device serial'],
  ['R58M12ABCDE', 'a device serial'],
  ['on R58M12ABCDE now', 'a device serial'],
  ['ANDROID12', 'a device serial'],
  ['AA:BB:CC:00:11:22', 'a device address'],
  ['21 Jump Street', 'a street address'],
  ['Lindenstraße 12', 'a street address'],
  ["SolaX Cloud - Jane's Home", "a person's name"],
  ['Zoë’s lamp', "a person's name"],
  ['52.52000, 13.40495', 'a position'],
])('"%s" contains %s', (text, kind) => {
  expect(findKinds(text)).toEqual([kind])
})

test.each([
  "Today's usage",
  "What's new",
  'Version 3.14.1',
  '10 000 000',
  '2024-01-02',
  'com.example.app:id/value_12',
  'android.widget.TextView',
  'Runs on ANDROID12 phones',
  'SETTINGS',
  '5 minutes on the way',
  'Discharge to 40%',
  '12:30',
  'Timer:2024',
  '22.5, 23.0',
  'https://example.org/a/b?c=1',
  '${inputs.mail}',
])('"%s" is not personal', (text) => {
  expect(findKinds(text)).toEqual([])
})

test('a version name that looks like an address is accepted', () => {
  const found = findLiterals({ app_build: { version_name: '10.1.2.3' }, summary: '10.1.2.3' })
  expect(found.map(({ path }) => path)).toEqual(['summary'])
})

test('a violation does not contain the literal itself', () => {
  const [found] = findLiterals({ summary: 'ann@example.org' }, ['ann'])
  expect(found).toMatchObject({ code: 'RECIPE_LITERAL_FORBIDDEN', rule: 8, severity: 'error' })
  expect(JSON.stringify(findLiterals({ summary: 'ann@example.org' }, ['ann']))).not.toContain('ann@')
})

test.each([
  ['Lisbon', 'the lisbon office', true],
  ['lisbon', 'lisbonense', false],
  ['flat-7', 'in flat-7.', true],
  ['flat-7', 'in flat-77', false],
  ['12 Elm', 'at 112 elmwood', true],
  ['ZX9', 'zx9', true],
  ['Ann', 'Anna', false],
])('the blocked term %s in "%s" is found: %s', (term, text, found) => {
  expect(findLiterals({ version_name: text }, [term]).length > 0).toBe(found)
})

test('a list of blocked terms may contain comments and blank lines', () => {
  expect(readBlockedTerms('# places\r\nLisbon\n\n  ZX9 \n#x\n')).toEqual(['Lisbon', 'ZX9'])
})

const withSelector = (selector: Recipe['steps'][number]['selector']): Recipe => ({
  ...togglePower,
  steps: togglePower.steps.map((step) => (step.id === 'press_power' ? { ...step, selector } : step)),
})

test.each([
  ['USER_SPECIFIC', 'error'],
  ['VARIABLE', 'error'],
  ['STRUCTURAL', undefined],
  ['DERIVED', undefined],
  [undefined, 'warning'],
] as const)('a literal text with the annotation %s causes: %s', (annotation, severity) => {
  const recipe = withSelector({ text_equals: 'Kitchen', annotation })
  expect(validateRecipe(recipe).map((found) => found.severity)).toEqual(severity === undefined ? [] : [severity])
})

test('a clause inherits the annotation of its selector unless it has its own', () => {
  const recipe = withSelector({
    annotation: 'USER_SPECIFIC',
    any_of: [
      { text_equals: 'Kitchen' },
      { text_equals: 'Power', annotation: 'STRUCTURAL' },
      { text_equals: '${inputs.tile_name}' },
      { resource_id: 'a:id/b' },
    ],
  })
  expect(validateRecipe(recipe).map(({ path, severity }) => [path, severity])).toEqual([
    ['steps.2.selector.any_of.0.text_equals', 'error'],
  ])
})

test('blocked terms are found in all fields of a recipe', () => {
  const places = validateRecipe(setTemperature, { blockedTerms: ['climate', 'Warmer'] })
    .filter(({ severity }) => severity === 'error')
    .map(({ path, code }) => `${code} ${path}`)
  expect(places).toContain('RECIPE_LITERAL_FORBIDDEN application_id')
  expect(places).toContain('RECIPE_LITERAL_FORBIDDEN steps.2.params.increase.content_desc_equals')
  expect(places).not.toContain('RECIPE_LITERAL_FORBIDDEN summary')
})

test('the texts of a verification require annotations too', () => {
  const recipe: Recipe = {
    ...setTemperature,
    verification: [
      { id: 'a', selector: { class: 'x' }, text_equals: 'Kitchen', annotation: 'VARIABLE' },
      { id: 'b', selector: { class: 'x' }, text_contains: 'Kitchen' },
      { id: 'c', selector: { class: 'x' }, text_contains: '${inputs.room}' },
    ],
  }
  expect(
    validateRecipe(recipe)
      .filter(({ rule }) => rule === 8)
      .map(({ path, severity }) => [path, severity]),
  ).toEqual([
    ['verification.0.text_equals', 'error'],
    ['verification.1.text_contains', 'warning'],
  ])
})
