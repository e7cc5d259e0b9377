import { isRecord } from '@apprentice/contracts/devices/matcher.ts'
import type { Recipe, RecipeInput } from '@apprentice/contracts/recipes/recipe.ts'
import type { Violation } from '@apprentice/contracts/recipes/violation.ts'
import { misfit, rangeOf } from '../parse/input-values.ts'
import { hasBrokenPlaceholder, inputsIn } from '../parse/placeholders.ts'
import { errorAt, type RecipePath, warningAt } from '../parse/violations.ts'

/** Rule 9: what steps stand on is declared; what is declared makes sense. */
export function checkInputs(recipe: Recipe): Violation[] {
  const { starts_on, dismissals, verification, steps, inputs } = recipe
  const texts = textsIn({ starts_on, dismissals, verification, steps }, [])
  const declared = new Set(inputs.map(({ name }) => name))
  const used = new Set<string>()
  const found = texts.flatMap(({ path, text }) => {
    const names = inputsIn(text)
    for (const name of names) used.add(name)
    return [
      ...names.filter((name) => !declared.has(name)).map((name) => undeclared(path, name)),
      ...(hasBrokenPlaceholder(text) ? [broken(path)] : []),
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
            message: `No step uses the input ${name}`,
          }),
        ],
  )
  const wrong = inputs.flatMap((input, at) => checkInput(input, ['inputs', at]))
  return [...found, ...wrong, ...unused]
}

function checkInput(input: RecipeInput, path: RecipePath): Violation[] {
  const refused = (key: string, message: string) =>
    errorAt({ code: 'RECIPE_INPUT_INVALID', rule: 1, path: [...path, key], message })
  const range = rangeOf(input.type)
  if (range !== undefined && range.min > range.max) {
    return [refused('type', 'The least is more than the most')]
  }
  if (input.choices !== undefined && input.type !== 'string') {
    return [refused('choices', 'Only a string is chosen from a list')]
  }
  // An empty default is how none is written.
  if (input.default === undefined || input.default === '') return []
  const wanted = misfit(input, input.default)
  return wanted === undefined ? [] : [refused('default', `The default must be ${wanted}`)]
}

export interface PlacedText {
  readonly path: RecipePath
  readonly text: string
}

/** Every text of a value, however deep. */
export function textsIn(value: unknown, path: RecipePath): PlacedText[] {
  if (typeof value === 'string') return [{ path, text: value }]
  if (Array.isArray(value)) return value.flatMap((one, at) => textsIn(one, [...path, at]))
  if (!isRecord(value)) return []
  return Object.entries(value).flatMap(([key, one]) => textsIn(one, [...path, key]))
}

function undeclared(path: RecipePath, name: string): Violation {
  const message = `The input ${name} is not declared`
  return errorAt({ code: 'RECIPE_INPUT_UNDECLARED', rule: 9, path, message })
}

function broken(path: RecipePath): Violation {
  const message = 'Only ${inputs.<name>} may stand here; a written-out ${ is $${'
  return errorAt({ code: 'RECIPE_SCHEMA_INVALID', rule: 9, path, message })
}
