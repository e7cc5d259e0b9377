import { MAX_INPUT_LENGTH } from '@apprentice/contracts/devices/param-rules.ts'
import type { Recipe, RecipeInput } from '@apprentice/contracts/recipes/recipe.ts'
import type { Violation } from '@apprentice/contracts/recipes/violation.ts'
import { errorAt } from './violations.ts'

export type InputValue = string | number | boolean
export type InputValues = ReadonlyMap<string, InputValue>

/** Reads the value or the default of each input. Reports every missing, invalid and undeclared input. */
export function readInputs(
  { inputs }: Pick<Recipe, 'inputs'>,
  given: Readonly<Record<string, unknown>>,
): { readonly values: InputValues } | { readonly violations: Violation[] } {
  const declared = inputs.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const values = new Map<string, InputValue>()
  const violations = findUndeclared(declared, given)
  for (const input of declared) {
    const value = Object.hasOwn(given, input.name) ? given[input.name] : undefined
    const read = readInput(input, isBlank(value) ? input.default : value)
    if (typeof read === 'object') violations.push(read.violation)
    else if (read !== undefined) values.set(input.name, read)
  }
  return violations.length > 0 ? { violations } : { values }
}

/** Describes the expected type if a value does not have it. */
export function describeMismatch(input: RecipeInput, value: unknown): string | undefined {
  return typeof parseValue(input, value) === 'object' ? describeType(input) : undefined
}

/** Control characters other than line breaks have no key, and half of a surrogate pair has no UTF-8 form. */
const UNSENDABLE = /(?!\r?\n)[\p{Cc}\p{Surrogate}]/u

/** Describes what a text must not contain, if it does. */
function findTextProblem({ multiline }: RecipeInput, text: string): string | undefined {
  const character = UNSENDABLE.exec(text)?.[0]
  if (character !== undefined) {
    const point = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
    return `not contain the control character U+${point}; only line breaks are allowed`
  }
  return multiline === false && /[\r\n]/.test(text) ? 'be a single line' : undefined
}

/** A valid value, to test a recipe with. */
export function buildSample(input: RecipeInput): InputValue {
  const [choice] = input.choices ?? []
  if (input.type === 'string') return choice ?? 'sample'
  if (input.type === 'boolean') return true
  return parseRange(input.type)?.min ?? 1
}

function readInput(input: RecipeInput, value: unknown): InputValue | undefined | { readonly violation: Violation } {
  if (isBlank(value)) return input.required ? { violation: missingInput(input.name) } : undefined
  const read = parseValue(input, value)
  const problem = typeof read === 'string' ? findTextProblem(input, read) : undefined
  if (typeof read === 'string' && problem === undefined) return read.replaceAll('\r\n', '\n')
  if (typeof read !== 'object' && problem === undefined) return read
  const message = `The input ${input.name} must ${problem ?? `be ${describeType(input)}`}`
  const path = ['inputs', input.name]
  return {
    violation: errorAt({ code: 'RECIPE_INPUT_INVALID', rule: 'input_values', path, message }),
  }
}

export function missingInput(name: string, message = `The required input ${name} is missing`): Violation {
  const path = ['inputs', name]
  return errorAt({ code: 'RECIPE_INPUT_MISSING', rule: 'input_values', path, message })
}

function findUndeclared(declared: readonly RecipeInput[], given: Readonly<Record<string, unknown>>): Violation[] {
  const names = new Set(declared.map(({ name }) => name))
  return Object.keys(given)
    .filter((name) => !names.has(name))
    .toSorted()
    .map((name) =>
      errorAt({
        code: 'RECIPE_INPUT_UNDECLARED',
        rule: 'input_values',
        path: ['inputs', name],
        message: `The recipe does not declare the input ${name}`,
      }),
    )
}

const MISMATCH = Symbol('misfit')

/** Accepts numbers and booleans as strings too, as a command line passes them. */
function parseValue(input: RecipeInput, value: unknown): InputValue | { readonly [MISMATCH]: true } {
  const { type, choices } = input
  if (type === 'boolean') {
    const read = typeof value === 'string' ? BOOLEAN_TEXTS.get(value) : value
    return typeof read === 'boolean' ? read : { [MISMATCH]: true }
  }
  if (type === 'string') {
    const fits = typeof value === 'string' && value.length <= MAX_INPUT_LENGTH
    const chosen = fits && (choices === undefined || choices.includes(value))
    return chosen ? value : { [MISMATCH]: true }
  }
  const number = typeof value === 'string' ? parseNumber(value, type) : value
  return typeof number === 'number' && fitsNumber(type, number) ? number : { [MISMATCH]: true }
}

const BOOLEAN_TEXTS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
])

function parseNumber(text: string, type: string): number | undefined {
  const shape = type === 'number' ? /^-?\d{1,15}(\.\d{1,15})?$/ : /^-?\d{1,16}$/
  return shape.test(text) ? Number(text) : undefined
}

function fitsNumber(type: string, value: number): boolean {
  if (type === 'number') return Number.isFinite(value)
  if (!Number.isSafeInteger(value)) return false
  const range = parseRange(type)
  return range === undefined || (value >= range.min && value <= range.max)
}

/** The range of the type `integer[min,max]`. */
export function parseRange(type: string): { readonly min: number; readonly max: number } | undefined {
  const [, min, max] = /^integer\[(-?\d+),(-?\d+)\]$/.exec(type) ?? []
  return min === undefined || max === undefined ? undefined : { min: Number(min), max: Number(max) }
}

function describeType({ type, choices }: RecipeInput): string {
  if (choices !== undefined) return `one of: ${choices.join(', ')}`
  const range = parseRange(type)
  if (range !== undefined) return `an integer from ${range.min} to ${range.max}`
  const descriptions: Readonly<Record<string, string>> = {
    integer: 'an integer',
    number: 'a number',
    boolean: 'true or false',
    string: `a text of at most ${MAX_INPUT_LENGTH} characters`,
  }
  return descriptions[type] ?? `of type ${type}`
}

/** A blank string counts as no value. */
function isBlank(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '')
}
