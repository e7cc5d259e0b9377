import { z } from 'zod'
import type { ApiFailure } from '@apprentice/contracts/client.ts'
import type { RecipeInput } from '@apprentice/contracts/recipes/recipe.ts'
import { Violation } from '@apprentice/contracts/recipes/violation.ts'
import type { Conversation } from '../terminal/conversation.ts'
import { UsageError } from '../terminal/usage-error.ts'

export type GivenInputs = Readonly<Record<string, string>>

/** Splits arguments into inputs (`name=value`) and the name of the ability (all others). */
export function parseRunArguments(args: readonly string[]): { name: string; inputs: GivenInputs } {
  const pairs = args.filter((argument) => INPUT_PAIR.test(argument))
  return {
    name: args
      .filter((argument) => !INPUT_PAIR.test(argument))
      .join(' ')
      .trim(),
    inputs: Object.fromEntries(pairs.map(parsePair)),
  }
}

const INPUT_PAIR = /^\w{1,64}=/

function parsePair(argument: string): readonly [string, string] {
  const at = argument.indexOf('=')
  return [argument.slice(0, at), argument.slice(at + 1)]
}

/** Splits a line at blanks outside of quotes. */
export function splitWords(line: string): string[] {
  const pieces = line.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? []
  return pieces.map((piece) =>
    piece.replaceAll(/"([^"]*)"|'([^']*)'/g, (_all, double?: string, single?: string) => {
      return double ?? single ?? ''
    }),
  )
}

/** The names of the inputs that a failure reports as missing. */
export function readMissingInputs({ code, details }: ApiFailure): string[] {
  if (code !== 'RECIPE_INPUT_MISSING') return []
  const violations = z.array(Violation).catch([]).parse(details['violations'])
  const names = violations
    .filter((violation) => violation.code === 'RECIPE_INPUT_MISSING')
    .map(({ path }) => path.replace(/^inputs\./, ''))
  return [...new Set(names)]
}

/** One line that names the missing inputs and shows how to give them. */
export function formatMissingInputs(missing: readonly string[], inputs: readonly RecipeInput[]): string {
  const names = sortByDeclaration(missing, inputs)
  const pairs = names.map((name) => {
    const { choices } = inputs.find((input) => input.name === name) ?? {}
    return `${name}=${choices === undefined ? `<${name}>` : choices.join('|')}`
  })
  return `Missing ${names.length === 1 ? 'input' : 'inputs'} ${joinWithAnd(names)}. Add ${pairs.join(' ')}`
}

/** Asks for each missing input in turn. */
export async function askForInputs(
  conversation: Conversation,
  missing: readonly string[],
  inputs: readonly RecipeInput[],
): Promise<GivenInputs> {
  const given: Record<string, string> = {}
  for (const name of sortByDeclaration(missing, inputs)) {
    const input = inputs.find((one) => one.name === name)
    const answer = await conversation.ask(`${name}${formatHint(input)}:`)
    if (answer === undefined || answer === '') throw new UsageError(formatMissingInputs([name], inputs))
    given[name] = answer
  }
  return given
}

/** In the order in which the ability declares them. */
function sortByDeclaration(names: readonly string[], inputs: readonly RecipeInput[]): string[] {
  const declared = inputs.map(({ name }) => name)
  return names.toSorted((a, b) => declared.indexOf(a) - declared.indexOf(b))
}

function formatHint(input: RecipeInput | undefined): string {
  if (input === undefined) return ''
  const { summary, choices } = input
  const parts = [...(summary === undefined ? [] : [summary]), ...(choices ? [choices.join(', ')] : [])]
  return parts.length === 0 ? '' : ` (${parts.join(': ')})`
}

/** `a, b and c`. */
export function joinWithAnd(items: readonly string[]): string {
  const last = items.at(-1) ?? ''
  return items.length < 2 ? last : `${items.slice(0, -1).join(', ')} and ${last}`
}
