import { createHmac } from 'node:crypto'
import type { StepResult } from '@apprentice/contracts/devices/execution.ts'
import type { Recipe, RecipeOutput, Redaction } from '@apprentice/contracts/recipes/recipe.ts'
import { parseDisplayedNumber } from '../../../screen/displayed-number.ts'
import { findFirst } from '../../../screen/pattern-match.ts'

export type OutputValue = string | number | boolean | string[]
type Results = readonly StepResult[]

/** Strictest first. */
const STRICTNESS: readonly Redaction[] = ['drop', 'hash', 'mask', 'none']

/** The redacted outputs by name. Outputs without a value are omitted. */
export function readOutputs(
  { outputs }: Pick<Recipe, 'outputs'>,
  results: Results,
  key: string,
): Record<string, OutputValue> {
  const found = outputs.flatMap((output) => {
    const value = readValue(output, results)
    const redacted = value === undefined ? undefined : redactValue(value, chooseRedaction(output), key)
    return redacted === undefined ? [] : [[output.name, redacted] as const]
  })
  return Object.fromEntries(found)
}

/** The results as they are stored: texts are redacted like the strictest output derived from them. */
export function redactResults(
  { outputs, steps }: Pick<Recipe, 'outputs' | 'steps'>,
  results: Results,
  key: string,
): StepResult[] {
  const reading = new Set(steps.filter(({ type }) => READ_FIELDS[type]).map(({ id }) => id))
  return results.map((result) => {
    const redactions = outputs.filter(({ from }) => from === result.id).map(chooseRedaction)
    const own = reading.has(result.id) ? DEFAULT_REDACTIONS[result.actionType] : undefined
    const strictest = STRICTNESS.find((one) => redactions.includes(one)) ?? own
    return strictest === undefined ? result : redactResult(result, strictest, key)
  })
}

/** The stricter of two redactions. */
export const pickStricter = (one: Redaction, other: Redaction): Redaction =>
  STRICTNESS.indexOf(one) <= STRICTNESS.indexOf(other) ? one : other

/** The default redaction: texts may be personal, numbers and booleans are not. */
export function chooseRedaction({ redaction, type }: RecipeOutput): Redaction {
  return redaction ?? (type === 'string' || type === 'list' ? 'mask' : 'none')
}

export function redactValue(value: OutputValue, redaction: Redaction, key: string): OutputValue | undefined {
  if (Array.isArray(value)) {
    return redaction === 'drop' ? undefined : value.map((one) => String(redactValue(one, redaction, key)))
  }
  switch (redaction) {
    case 'none':
      return value
    case 'drop':
      return undefined
    case 'hash':
      return createHmac('sha256', key).update(String(value)).digest('hex')
    case 'mask':
      return maskText(String(value))
  }
}

/** Keeps the last two characters of a text of more than four characters. */
function maskText(text: string): string {
  const letters = Array.from(text)
  const visible = letters.length > 4 ? 2 : 0
  return letters.map((letter, at) => (at < letters.length - visible ? '*' : letter)).join('')
}

/** The result fields with read texts by type. An output is read from the first field. */
const READ_FIELDS: Readonly<Record<string, readonly string[] | undefined>> = {
  read_text: ['text', 'raw_text'],
  read_key_value_pair: ['value'],
  wait_for_node: ['label'],
  expect: ['observed'],
  snapshot_ui: ['text'],
}

/** The redaction of texts without an output. Verifications are not redacted, because the owner requested them. */
const DEFAULT_REDACTIONS: Readonly<Record<string, Redaction | undefined>> = {
  read_text: 'mask',
  read_key_value_pair: 'mask',
  snapshot_ui: 'drop',
}

function redactResult(result: StepResult, redaction: Redaction, key: string): StepResult {
  const data = { ...result.data }
  for (const field of READ_FIELDS[result.actionType] ?? []) {
    const text = data[field]
    const value = text === undefined ? undefined : redactValue(text, redaction, key)
    if (value === undefined) delete data[field]
    else data[field] = String(value)
  }
  return { ...result, data }
}

function readValue(output: RecipeOutput, results: Results): OutputValue | undefined {
  const result = results.find(({ id, success }) => id === output.from && success)
  const [field = ''] = READ_FIELDS[result?.actionType ?? ''] ?? []
  const whole = result?.data[field]
  if (whole === undefined) return undefined
  const text = output.pattern === undefined ? whole : matchGroup(output.pattern, whole)
  return text === undefined ? undefined : parseValue(text, output.type)
}

/** The first capture group. A text that is too long for the pattern has no match. */
function matchGroup(pattern: string, text: string): string | undefined {
  const match = findFirst(pattern, text)
  return match.kind === 'matched' ? match.groups[0] : undefined
}

function parseValue(text: string, type: RecipeOutput['type']): OutputValue | undefined {
  if (type === 'string') return text
  if (type === 'list') return parseList(text)
  if (type === 'boolean') return BOOLEAN_TEXTS.get(text.trim().toLowerCase())
  const number = parseDisplayedNumber(text)
  if (number === undefined || (type === 'integer' && !Number.isInteger(number))) return undefined
  return number
}

/** The texts of a step that read several nodes. */
function parseList(text: string): string[] | undefined {
  try {
    const texts: unknown = JSON.parse(text)
    return Array.isArray(texts) && texts.every((one) => typeof one === 'string') ? texts : undefined
  } catch {
    return undefined
  }
}

const BOOLEAN_TEXTS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['on', true],
  ['checked', true],
  ['false', false],
  ['off', false],
  ['unchecked', false],
])
