import { isRecord } from '@apprentice/contracts/devices/matcher.ts'
import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import type { Violation } from '@apprentice/contracts/recipes/violation.ts'
import { parseDisplayedNumber } from '../../../screen/displayed-number.ts'
import { type InputValue, type InputValues, missingInput } from './input-values.ts'
import { splitPlaceholders, findWholeInput } from './placeholders.ts'
import type { RecipePath } from './violations.ts'

/** The parts of a recipe that may contain inputs. */
export type Fillable = Pick<Recipe, 'starts_on' | 'dismissals' | 'verification' | 'steps'>

/** Parameters that are always strings. Other parameters keep the type of the input. */
const TEXT_PARAMS: ReadonlySet<string> = new Set([
  'text',
  'date',
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
const PATTERN_KEYS: ReadonlySet<string> = new Set(['text_matches', 'matches', 'validatorPattern', 'validator_pattern'])
/** Keys that keep the type of an input if the input is their whole value. */
const STATE_KEYS: ReadonlySet<string> = new Set(['number_equals', 'checked'])

/**
 * Replaces inputs by their values. Placeholders inside a value are not replaced. A value is escaped in a pattern and
 * percent-encoded inside a URI.
 */
export function fillInputs(
  { starts_on, dismissals, verification, steps }: Fillable,
  values: InputValues,
): { readonly filled: Fillable } | { readonly violations: Violation[] } {
  const filler = new InputFiller(values)
  // Only strings are replaced, so the type stays the same.
  const filled = filler.value({ starts_on, dismissals, verification, steps }, []) as Fillable
  return filler.violations.length > 0 ? { violations: filler.violations } : { filled }
}

class InputFiller {
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

  #text(text: string, path: RecipePath): InputValue | undefined {
    const key = String(path.findLast((part) => typeof part === 'string'))
    const only = findWholeInput(text)
    const keepsType = isParam(path) && !TEXT_PARAMS.has(key) && !PATTERN_KEYS.has(key)
    // An input without a value is not passed on, so that the called ability uses its default.
    if (only !== undefined && isCallInput(path)) return this.#values.get(only)
    const isState = STATE_KEYS.has(key) || path.at(-2) === 'number'
    if (only !== undefined && key === 'changed_by') return toAmount(this.#getValue(only, path))
    if (only !== undefined && (isState || keepsType)) return this.#getValue(only, path)
    // An empty value would make a selector match too much. In a parameter, a longer text may omit an input.
    const mayOmit = only === undefined && isParam(path)
    return splitPlaceholders(text)
      .map((part, at) => {
        if (part.kind !== 'input') return part.text
        if (mayOmit && !this.#values.has(part.name)) return ''
        return encodeValue(String(this.#getValue(part.name, path)), { key, first: at === 0 })
      })
      .join('')
  }

  #getValue(name: string, path: RecipePath): InputValue {
    const value = this.#values.get(name)
    if (value !== undefined) return value
    const message = `The input ${name} has no value, but ${path.map(String).join('.')} requires it`
    this.violations.push(missingInput(name, message))
    return ''
  }
}

/** An amount that is given with its unit or currency: 10 for "€10". */
const toAmount = (value: InputValue): InputValue =>
  typeof value === 'string' ? (parseDisplayedNumber(value) ?? value) : value

/** Whether a path is a parameter such as `steps.1.params.text`, not a value inside a selector parameter. */
function isParam(path: RecipePath): boolean {
  return path.at(-2) === 'params'
}

/** Whether a path is an input of a called ability, such as `steps.1.params.inputs.room`. */
function isCallInput(path: RecipePath): boolean {
  return path.at(-2) === 'inputs' && path.at(-3) === 'params'
}

function encodeValue(value: string, { key, first }: { key: string; first: boolean }): string {
  if (PATTERN_KEYS.has(key)) return escapePattern(value)
  // A value at the start is the URI itself. A later value must not add URI parts.
  return key === 'uri' && !first ? encodeURIComponent(toWellFormed(value)) : value
}

export function escapePattern(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`).replaceAll('-', String.raw`\x2d`)
}

/** Replaces lone surrogates, which cannot be percent-encoded. */
function toWellFormed(value: string): string {
  return value.replaceAll(/\p{Surrogate}/gu, '\uFFFD')
}
