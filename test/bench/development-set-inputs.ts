import type { RecipeInput } from '@apprentice/contracts/recipes/recipe.ts'
import type { Lesson } from '../apps/lesson-format.ts'

type LessonInput = Lesson['inputs'][number]
export type InputValue = LessonInput['demonstrated']

export interface SkillInputs {
  readonly inputs: readonly RecipeInput[]
  /** The demonstrated value of each input, by its name. */
  readonly examples: Readonly<Record<string, string>>
}

/** The input of the skill for each input of a lesson, by the key of the latter. */
export type InputMatches = ReadonlyMap<string, RecipeInput>

/**
 * Matches inputs by their demonstrated value: equal, then contained in the other. The rest is matched by the name, and by
 * order if the demonstrated value of the skill's input is unknown.
 */
export function matchInputs(expected: readonly LessonInput[], { inputs, examples }: SkillInputs): InputMatches {
  const matches = new Map<string, RecipeInput>()
  const tests: readonly ((expected: LessonInput, input: RecipeInput) => boolean)[] = [
    ({ demonstrated }, { name }) => isEqual(demonstrated, examples[name] ?? ''),
    ({ demonstrated }, { name }) => isContained(demonstrated, examples[name] ?? ''),
    isWellNamed,
    ({ demonstrated }, input) => examples[input.name] === undefined && isTypeSuitable(demonstrated, input),
  ]
  for (const isMatch of tests) {
    for (const input of expected.filter(({ key }) => !matches.has(key))) {
      const used = new Set(matches.values())
      const found = inputs.find((candidate) => !used.has(candidate) && isMatch(input, candidate))
      if (found !== undefined) matches.set(input.key, found)
    }
  }
  return matches
}

function isEqual(value: InputValue, example: string): boolean {
  if (typeof value === 'number') return parseNumber(example) === value
  return normalize(example) === normalize(String(value))
}

function isContained(value: InputValue, example: string): boolean {
  const [a, b] = [normalize(String(value)), normalize(example)]
  return typeof value === 'string' && b !== '' && (a.includes(b) || b.includes(a))
}

function isTypeSuitable(value: InputValue, { type }: RecipeInput): boolean {
  if (typeof value === 'boolean') return type === 'boolean'
  if (typeof value === 'number') return type !== 'boolean'
  return type === 'string'
}

const normalize = (text: string): string => text.trim().replaceAll(/\s+/g, ' ').toLowerCase()

/** The number in a text such as `23.0 °C`, if it contains exactly one. */
function parseNumber(text: string): number | undefined {
  const numbers = text.match(/-?\d+(?:\.\d+)?/g) ?? []
  return numbers.length === 1 ? Number(numbers[0]) : undefined
}

/** Whether a person recognises the name. */
const isWellNamed = ({ accepted_names }: LessonInput, { name }: RecipeInput): boolean =>
  accepted_names.includes(toSnakeCase(name))

/** How many inputs of a lesson have a name in the skill that a person recognises. */
export const countWellNamed = ({ inputs }: Pick<Lesson, 'inputs'>, matches: InputMatches): number =>
  inputs.filter((input) => {
    const match = matches.get(input.key)
    return match !== undefined && isWellNamed(input, match)
  }).length

const toSnakeCase = (name: string): string =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_|_$/g, '')

export type RunInputs =
  | { readonly values: Readonly<Record<string, InputValue>> }
  /** Keys whose value differs from the demonstrated one, for which the skill has no input. */
  | { readonly missing: readonly string[] }

/** The inputs of a run: the values of a variation, the demonstrated ones for all others. */
export function buildRunInputs(
  { inputs: expected }: Pick<Lesson, 'inputs'>,
  variation: Readonly<Record<string, InputValue>>,
  { skill, matches }: { readonly skill: SkillInputs; readonly matches: InputMatches },
): RunInputs {
  const values: Record<string, InputValue> = {}
  const missing: string[] = []
  for (const { key, demonstrated } of expected) {
    const value = variation[key] ?? demonstrated
    const input = matches.get(key)
    if (input !== undefined) values[input.name] = toTypedValue(value, input)
    else if (value !== demonstrated) missing.push(key)
  }
  if (missing.length > 0) return { missing }
  for (const input of skill.inputs) {
    const example = skill.examples[input.name]
    if (input.name in values || !input.required || example === undefined) continue
    values[input.name] = toTypedValue(example, input)
  }
  return { values }
}

function toTypedValue(value: InputValue, { type, choices }: RecipeInput): InputValue {
  const text = String(value)
  if (type === 'boolean') return value === true || /^(true|on|yes)$/i.test(text)
  if (type !== 'string') {
    const number = typeof value === 'number' ? value : parseNumber(text)
    return number ?? text
  }
  return choices?.find((choice) => isEqual(text, choice)) ?? text
}
