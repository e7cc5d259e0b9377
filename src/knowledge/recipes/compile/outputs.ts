import { createHmac } from 'node:crypto'
import { runInNewContext } from 'node:vm'
import type { StepResult } from '@apprentice/contracts/devices/execution.ts'
import type { Recipe, RecipeOutput, Redaction } from '@apprentice/contracts/recipes/recipe.ts'

export type OutputValue = string | number | boolean
type Results = readonly StepResult[]

/** Strictest first. */
const STRICTNESS: readonly Redaction[] = ['drop', 'hash', 'mask', 'none']
const PATTERN_BUDGET_MS = 100

/** What was read, as it may be told: under each output's name, redacted. What has no value is absent. */
export function readOutputs(
  { outputs }: Pick<Recipe, 'outputs'>,
  results: Results,
  key: string,
): Record<string, OutputValue> {
  const found = outputs.flatMap((output) => {
    const value = valueOf(output, results)
    const told = value === undefined ? undefined : redactValue(value, redactionOf(output), key)
    return told === undefined ? [] : [[output.name, told] as const]
  })
  return Object.fromEntries(found)
}

/** The results as they may be kept: what the steps read is redacted as the outputs made of it are. */
export function redactResults(
  { outputs, steps }: Pick<Recipe, 'outputs' | 'steps'>,
  results: Results,
  key: string,
): StepResult[] {
  const reading = new Set(steps.filter(({ type }) => READ_FIELDS[type]).map(({ id }) => id))
  return results.map((result) => {
    const redactions = outputs.filter(({ from }) => from === result.id).map(redactionOf)
    const own = reading.has(result.id) ? DEFAULTS[result.actionType] : undefined
    const strictest = STRICTNESS.find((one) => redactions.includes(one)) ?? own
    return strictest === undefined ? result : redacted(result, strictest, key)
  })
}

/** What has no redaction of its own: text may be anybody's, a number or a state is not. */
function redactionOf({ redaction, type }: RecipeOutput): Redaction {
  return redaction ?? (type === 'string' ? 'mask' : 'none')
}

export function redactValue(
  value: OutputValue,
  redaction: Redaction,
  key: string,
): OutputValue | undefined {
  switch (redaction) {
    case 'none':
      return value
    case 'drop':
      return undefined
    case 'hash':
      return createHmac('sha256', key).update(String(value)).digest('hex')
    case 'mask':
      return masked(String(value))
  }
}

/** The last two characters stay, where four others and more do not. */
function masked(text: string): string {
  const letters = Array.from(text)
  const kept = letters.length > 4 ? 2 : 0
  return letters.map((letter, at) => (at < letters.length - kept ? '*' : letter)).join('')
}

/** Where the results of a type hold what was read; the first is the one an output is made of. */
const READ_FIELDS: Readonly<Record<string, readonly string[] | undefined>> = {
  read_text: ['text', 'raw_text'],
  read_key_value_pair: ['value'],
  wait_for_node: ['label'],
  expect: ['observed'],
  snapshot_ui: ['text'],
}

/** For what is read and made no output of. A verification is shown as it is: it is what the owner asked for. */
const DEFAULTS: Readonly<Record<string, Redaction | undefined>> = {
  read_text: 'mask',
  read_key_value_pair: 'mask',
  snapshot_ui: 'drop',
}

function redacted(result: StepResult, redaction: Redaction, key: string): StepResult {
  const data = { ...result.data }
  for (const field of READ_FIELDS[result.actionType] ?? []) {
    const text = data[field]
    const told = text === undefined ? undefined : redactValue(text, redaction, key)
    if (told === undefined) delete data[field]
    else data[field] = String(told)
  }
  return { ...result, data }
}

function valueOf(output: RecipeOutput, results: Results): OutputValue | undefined {
  const result = results.find(({ id, success }) => id === output.from && success)
  const [field = ''] = READ_FIELDS[result?.actionType ?? ''] ?? []
  const whole = result?.data[field]
  if (whole === undefined) return undefined
  const text = output.pattern === undefined ? whole : groupOf(output.pattern, whole)
  return text === undefined ? undefined : typed(text, output.type)
}

/** A pattern that runs away finds nothing. */
function groupOf(pattern: string, text: string): string | undefined {
  try {
    const found: unknown = runInNewContext(
      'new RegExp(pattern).exec(text)?.[1]',
      { pattern, text },
      { timeout: PATTERN_BUDGET_MS },
    )
    return typeof found === 'string' ? found : undefined
  } catch {
    return undefined
  }
}

function typed(text: string, type: RecipeOutput['type']): OutputValue | undefined {
  if (type === 'string') return text
  if (type === 'boolean') return SWITCHES.get(text.trim().toLowerCase())
  const [found] = /[-−]?\d{1,15}(?:[.,]\d{1,15})?/.exec(text) ?? []
  const number = found === undefined ? undefined : Number(found.replace('−', '-').replace(',', '.'))
  if (number === undefined || (type === 'integer' && !Number.isInteger(number))) return undefined
  return number
}

const SWITCHES: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['on', true],
  ['checked', true],
  ['false', false],
  ['off', false],
  ['unchecked', false],
])
