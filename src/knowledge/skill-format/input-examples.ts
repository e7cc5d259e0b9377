import type { RecipeInput } from '@apprentice/contracts/recipes/recipe.ts'

export type InputFacts = Pick<RecipeInput, 'name' | 'type'> & Partial<Omit<RecipeInput, 'name' | 'type'>>

/** Example texts by a word in the name of an input. The first that occurs wins. */
const TEXTS_BY_WORD: readonly (readonly [RegExp, string])[] = [
  [/(?:^|_)(?:e?mail|recipient)(?:_|$)/, 'name@example.com'],
  [/(?:^|_)(?:date|day|birthday)(?:_|$)/, '2026-03-14'],
  [/(?:^|_)(?:time|hour|alarm)(?:_|$)/, '07:30'],
  [/(?:^|_)(?:url|link|website)(?:_|$)/, 'https://example.com'],
  [/(?:^|_)(?:phone|mobile)(?:_|$)/, '+15550100'],
  [/(?:^|_)(?:amount|price|number|count|quantity)(?:_|$)/, '12'],
  [/(?:^|_)(?:name|contact|person|guest|user)(?:_|$)/, 'Alex Example'],
  [/(?:^|_)(?:message|text|note|body|comment|description)(?:_|$)/, 'A short text'],
  [/(?:^|_)(?:title|subject|label)(?:_|$)/, 'An example title'],
]

/**
 * An example value of an input. Demonstrated values are private, so it is made from what the input declares: its
 * default, its choices, its range or its name.
 */
export function chooseExample({ name, type, default: given, choices = [] }: InputFacts): string | number | boolean {
  if (given !== undefined) return given
  const [first] = choices
  if (first !== undefined) return first
  if (type === 'boolean') return true
  if (type === 'number') return 21.5
  if (type === 'integer') return 5
  const range = /^integer\[(-?\d+),(-?\d+)\]$/.exec(type)
  if (range !== null) return chooseInRange(Number(range[1]), Number(range[2]))
  const key = name.toLowerCase()
  return TEXTS_BY_WORD.find(([word]) => word.test(key))?.[1] ?? `example ${key.replaceAll('_', ' ')}`
}

const chooseInRange = (min: number, max: number): number => Math.floor(min + (max - min) / 2)

/** The example values of the inputs that a run requires. */
export const collectExampleInputs = (inputs: readonly InputFacts[]): Record<string, string | number | boolean> =>
  Object.fromEntries(
    inputs.filter(({ required = true }) => required).map((input) => [input.name, chooseExample(input)]),
  )
