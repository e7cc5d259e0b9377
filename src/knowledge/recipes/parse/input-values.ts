import type { Recipe, RecipeInput } from '@apprentice/contracts/recipes/recipe.ts'
import type { Violation } from '@apprentice/contracts/recipes/violation.ts'
import { errorAt } from './violations.ts'

export type InputValue = string | number | boolean
export type InputValues = ReadonlyMap<string, InputValue>

/** What is given for each input, or its default; every lack and misfit is told, by name. */
export function readInputs(
  { inputs }: Pick<Recipe, 'inputs'>,
  given: Readonly<Record<string, unknown>>,
): { readonly values: InputValues } | { readonly violations: Violation[] } {
  const declared = inputs.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const values = new Map<string, InputValue>()
  const violations = strangersIn(declared, given)
  for (const input of declared) {
    const value = Object.hasOwn(given, input.name) ? given[input.name] : undefined
    const read = readInput(input, isNothing(value) ? input.default : value)
    if (typeof read === 'object') violations.push(read.violation)
    else if (read !== undefined) values.set(input.name, read)
  }
  return violations.length > 0 ? { violations } : { values }
}

/** Why a value is not of the input's type; nothing when it is. */
export function misfit(input: RecipeInput, value: unknown): string | undefined {
  return typeof typed(input, value) === 'object' ? wanted(input) : undefined
}

/** A value the input would take, to try a recipe with. */
export function sampleOf(input: RecipeInput): InputValue {
  const [choice] = input.choices ?? []
  if (input.type === 'string') return choice ?? 'sample'
  if (input.type === 'boolean') return true
  return rangeOf(input.type)?.min ?? 1
}

function readInput(
  input: RecipeInput,
  value: unknown,
): InputValue | undefined | { readonly violation: Violation } {
  if (isNothing(value)) return input.required ? { violation: missing(input.name) } : undefined
  const read = typed(input, value)
  if (typeof read !== 'object') return read
  const message = `The input ${input.name} must be ${wanted(input)}`
  const path = ['inputs', input.name]
  return {
    violation: errorAt({ code: 'RECIPE_INPUT_INVALID', rule: 'input_values', path, message }),
  }
}

export function missing(name: string, message = `The input ${name} is missing`): Violation {
  const path = ['inputs', name]
  return errorAt({ code: 'RECIPE_INPUT_MISSING', rule: 'input_values', path, message })
}

function strangersIn(
  declared: readonly RecipeInput[],
  given: Readonly<Record<string, unknown>>,
): Violation[] {
  const names = new Set(declared.map(({ name }) => name))
  return Object.keys(given)
    .filter((name) => !names.has(name))
    .toSorted()
    .map((name) =>
      errorAt({
        code: 'RECIPE_INPUT_UNDECLARED',
        rule: 'input_values',
        path: ['inputs', name],
        message: 'The recipe has no input of this name',
      }),
    )
}

const MISFIT = Symbol('misfit')

/** Numbers and booleans may also come as words, as they do from a command line. */
function typed(input: RecipeInput, value: unknown): InputValue | { readonly [MISFIT]: true } {
  const { type, choices } = input
  if (type === 'boolean') {
    const word = typeof value === 'string' ? BOOLEANS.get(value) : value
    return typeof word === 'boolean' ? word : { [MISFIT]: true }
  }
  if (type === 'string') {
    const fits = typeof value === 'string' && value.length <= 512
    const chosen = fits && (choices === undefined || choices.includes(value))
    return chosen ? value : { [MISFIT]: true }
  }
  const number = typeof value === 'string' ? numberIn(value, type) : value
  return typeof number === 'number' && fitsNumber(type, number) ? number : { [MISFIT]: true }
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
])

function numberIn(word: string, type: string): number | undefined {
  const shape = type === 'number' ? /^-?\d{1,15}(\.\d{1,15})?$/ : /^-?\d{1,16}$/
  return shape.test(word) ? Number(word) : undefined
}

function fitsNumber(type: string, value: number): boolean {
  if (type === 'number') return Number.isFinite(value)
  if (!Number.isSafeInteger(value)) return false
  const range = rangeOf(type)
  return range === undefined || (value >= range.min && value <= range.max)
}

/** Of `integer[min,max]`. */
export function rangeOf(type: string): { readonly min: number; readonly max: number } | undefined {
  const [, min, max] = /^integer\[(-?\d+),(-?\d+)\]$/.exec(type) ?? []
  return min === undefined || max === undefined ? undefined : { min: Number(min), max: Number(max) }
}

function wanted({ type, choices }: RecipeInput): string {
  if (choices !== undefined) return `one of its choices`
  const range = rangeOf(type)
  if (range !== undefined) return `a whole number from ${range.min} to ${range.max}`
  const words: Readonly<Record<string, string>> = {
    integer: 'a whole number',
    number: 'a number',
    boolean: 'true or false',
    string: 'a text of at most 512 characters',
  }
  return words[type] ?? `of type ${type}`
}

/** A blank text says no more than none. */
function isNothing(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '')
}
