import { isRecord } from '@apprentice/contracts/devices/matcher.ts'
import type { Recipe, RecipeInput } from '@apprentice/contracts/recipes/recipe.ts'
import type { Violation } from '@apprentice/contracts/recipes/violation.ts'
import { describeMismatch, parseRange } from '../parse/input-values.ts'
import { hasBrokenPlaceholder, listInputs } from '../parse/placeholders.ts'
import { errorAt, type RecipePath, warningAt } from '../parse/violations.ts'

/** Rule 9: every used input is declared, and every declaration is valid. */
export function checkInputs(recipe: Recipe): Violation[] {
  const { starts_on, dismissals, verification, steps, inputs } = recipe
  const texts = collectTexts({ starts_on, dismissals, verification, steps }, [])
  const declared = new Set(inputs.map(({ name }) => name))
  const used = new Set<string>()
  const found = texts.flatMap(({ path, text }) => {
    const names = listInputs(text)
    for (const name of names) used.add(name)
    return [
      ...names.filter((name) => !declared.has(name)).map((name) => undeclaredInput(path, name)),
      ...(hasBrokenPlaceholder(text) ? [brokenPlaceholder(path)] : []),
    ]
  })
  const unused = inputs.flatMap(({ name }, at) =>
    used.has(name)
      ? []
      : [
          warningAt({
            code: 'RECIPE_SCHEMA_INVALID',
            rule: 9,
            path: ['inputs', at],
            message: `No step uses the input ${name}; remove it or use it`,
          }),
        ],
  )
  const wrong = inputs.flatMap((input, at) => checkInput(input, ['inputs', at]))
  return [...found, ...wrong, ...unused]
}

function checkInput(input: RecipeInput, path: RecipePath): Violation[] {
  const refused = (key: string, message: string) =>
    errorAt({ code: 'RECIPE_INPUT_INVALID', rule: 1, path: [...path, key], message })
  const range = parseRange(input.type)
  if (range !== undefined && range.min > range.max) {
    return [refused('type', 'The minimum of the range is greater than its maximum')]
  }
  if (input.choices !== undefined && input.type !== 'string') {
    return [refused('choices', 'choices require the type string')]
  }
  // An empty default means no default.
  if (input.default === undefined || input.default === '') return []
  const expected = describeMismatch(input, input.default)
  return expected === undefined ? [] : [refused('default', `The default must be ${expected}`)]
}

export interface PlacedText {
  readonly path: RecipePath
  readonly text: string
}

/** All strings in a value with their paths. */
export function collectTexts(value: unknown, path: RecipePath): PlacedText[] {
  if (typeof value === 'string') return [{ path, text: value }]
  if (Array.isArray(value)) return value.flatMap((one, at) => collectTexts(one, [...path, at]))
  if (!isRecord(value)) return []
  return Object.entries(value).flatMap(([key, one]) => collectTexts(one, [...path, key]))
}

function undeclaredInput(path: RecipePath, name: string): Violation {
  const message = `The input ${name} is not declared; add it to inputs`
  return errorAt({ code: 'RECIPE_INPUT_UNDECLARED', rule: 9, path, message })
}

function brokenPlaceholder(path: RecipePath): Violation {
  const message = 'Only ${inputs.<name>} is a valid placeholder; write $${ for a literal ${'
  return errorAt({ code: 'RECIPE_SCHEMA_INVALID', rule: 9, path, message })
}
