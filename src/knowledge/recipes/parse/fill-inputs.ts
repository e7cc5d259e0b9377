import { isRecord } from '@apprentice/contracts/devices/matcher.ts'
import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import type { Violation } from '@apprentice/contracts/recipes/violation.ts'
import { type InputValue, type InputValues, missing } from './input-values.ts'
import { partsOf, wholeInput } from './placeholders.ts'
import type { RecipePath } from './violations.ts'

/** The parts of a recipe that inputs may stand in. */
export type Fillable = Pick<Recipe, 'starts_on' | 'dismissals' | 'verification' | 'steps'>

/** Parameters that are words whatever the input's type; the others take a number or a boolean as it is. */
const WORD_PARAMS: ReadonlySet<string> = new Set([
  'text',
  'uri',
  'key',
  'direction',
  'path',
  'clickType',
  'click_type',
  'applicationId',
  'application_id',
  'expectedPackage',
  'expected_package',
])
const PATTERN_KEYS: ReadonlySet<string> = new Set([
  'text_matches',
  'matches',
  'validatorPattern',
  'validator_pattern',
])
/** Places that hold a number or a boolean when an input wholly stands there. */
const STATE_KEYS: ReadonlySet<string> = new Set(['number_equals', 'checked'])

/**
 * Puts the values where their names stand. A value is data: nothing in it is read again, in a pattern it
 * stands for itself, and inside an address it is one piece of it.
 */
export function fillInputs(
  { starts_on, dismissals, verification, steps }: Fillable,
  values: InputValues,
): { readonly filled: Fillable } | { readonly violations: Violation[] } {
  const filling = new Filling(values)
  // Filling keeps every shape and replaces texts alone.
  const filled = filling.value({ starts_on, dismissals, verification, steps }, []) as Fillable
  return filling.violations.length > 0 ? { violations: filling.violations } : { filled }
}

class Filling {
  readonly violations: Violation[] = []
  readonly #values: InputValues

  constructor(values: InputValues) {
    this.#values = values
  }

  value(value: unknown, path: RecipePath): unknown {
    if (typeof value === 'string') return this.#text(value, path)
    if (Array.isArray(value)) return value.map((one, at) => this.value(one, [...path, at]))
    if (!isRecord(value)) return value
    const entries = Object.entries(value)
    return Object.fromEntries(entries.map(([key, one]) => [key, this.value(one, [...path, key])]))
  }

  #text(text: string, path: RecipePath): InputValue {
    const key = String(path.findLast((part) => typeof part === 'string'))
    const only = wholeInput(text)
    const keepsType = isParam(path) && !WORD_PARAMS.has(key) && !PATTERN_KEYS.has(key)
    const isState = STATE_KEYS.has(key) || path.at(-2) === 'number'
    if (only !== undefined && (isState || keepsType)) return this.#valueOf(only, path)
    // An empty piece would let a selector fit more than was meant; a longer text may lack one.
    const mayLack = only === undefined && isParam(path)
    return partsOf(text)
      .map((part, at) => {
        if (part.kind !== 'input') return part.text
        if (mayLack && !this.#values.has(part.name)) return ''
        return asPiece(String(this.#valueOf(part.name, path)), { key, first: at === 0 })
      })
      .join('')
  }

  #valueOf(name: string, path: RecipePath): InputValue {
    const value = this.#values.get(name)
    if (value !== undefined) return value
    const message = `The input ${name} is empty, and ${path.map(String).join('.')} needs it`
    this.violations.push(missing(name, message))
    return ''
  }
}

/** `steps.1.params.text`, and not what is inside a selector that is a parameter. */
function isParam(path: RecipePath): boolean {
  return path.at(-2) === 'params'
}

function asPiece(value: string, { key, first }: { key: string; first: boolean }): string {
  if (PATTERN_KEYS.has(key)) return escapePattern(value)
  // At the very start it is the address itself; later on it must not add parts of its own.
  return key === 'uri' && !first ? encodeURIComponent(wellFormed(value)) : value
}

export function escapePattern(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`).replaceAll('-', String.raw`\x2d`)
}

/** A lone half of a pair cannot be written in an address. */
function wellFormed(value: string): string {
  return value.replaceAll(/\p{Surrogate}/gu, '\uFFFD')
}
