import { z } from 'zod'
import type { ApiFailure } from '@apprentice/contracts/client.ts'
import type { RecipeInput } from '@apprentice/contracts/recipes/recipe.ts'
import { Violation } from '@apprentice/contracts/recipes/violation.ts'
import type { Conversation } from '../terminal/conversation.ts'
import { UsageProblem } from '../terminal/usage-problem.ts'

export type GivenInputs = Readonly<Record<string, string>>

/** Values as `name=value`; what is not one names the ability. */
export function readWords(words: readonly string[]): { name: string; inputs: GivenInputs } {
  const pairs = words.filter((word) => pair.test(word))
  return {
    name: words
      .filter((word) => !pair.test(word))
      .join(' ')
      .trim(),
    inputs: Object.fromEntries(pairs.map(readPair)),
  }
}

const pair = /^\w{1,64}=/

function readPair(word: string): readonly [string, string] {
  const at = word.indexOf('=')
  return [word.slice(0, at), word.slice(at + 1)]
}

/** Splits a line as a shell would, as far as quotes go. */
export function splitWords(line: string): string[] {
  const pieces = line.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? []
  return pieces.map((piece) =>
    piece.replaceAll(/"([^"]*)"|'([^']*)'/g, (_all, double?: string, single?: string) => {
      return double ?? single ?? ''
    }),
  )
}

/** The inputs a refusal names as missing. */
export function missingIn({ code, details }: ApiFailure): string[] {
  if (code !== 'RECIPE_INPUT_MISSING') return []
  const violations = z.array(Violation).catch([]).parse(details['violations'])
  const names = violations
    .filter((violation) => violation.code === 'RECIPE_INPUT_MISSING')
    .map(({ path }) => path.replace(/^inputs\./, ''))
  return [...new Set(names)]
}

/** In one line: what is to be given, and how. */
export function missingLine(missing: readonly string[], inputs: readonly RecipeInput[]): string {
  const names = asDeclared(missing, inputs)
  const wanted = names.map((name) => {
    const { choices } = inputs.find((input) => input.name === name) ?? {}
    return `${name}=${choices === undefined ? `<${name}>` : choices.join('|')}`
  })
  return `It needs ${listed(names)}; add ${wanted.join(' ')}`
}

/** Asks for what is missing, one after the other. */
export async function askInputs(
  talk: Conversation,
  missing: readonly string[],
  inputs: readonly RecipeInput[],
): Promise<GivenInputs> {
  const given: Record<string, string> = {}
  for (const name of asDeclared(missing, inputs)) {
    const input = inputs.find((one) => one.name === name)
    const answer = await talk.ask(`${name}${hintOf(input)}:`)
    if (answer === undefined || answer === '') throw new UsageProblem(missingLine([name], inputs))
    given[name] = answer
  }
  return given
}

/** In the order in which the ability itself names them. */
function asDeclared(names: readonly string[], inputs: readonly RecipeInput[]): string[] {
  const declared = inputs.map(({ name }) => name)
  return names.toSorted((a, b) => declared.indexOf(a) - declared.indexOf(b))
}

function hintOf(input: RecipeInput | undefined): string {
  if (input === undefined) return ''
  const { summary, choices } = input
  const said = [
    ...(summary === undefined ? [] : [summary]),
    ...(choices ? [choices.join(', ')] : []),
  ]
  return said.length === 0 ? '' : ` (${said.join(': ')})`
}

/** `a, b and c`. */
export function listed(words: readonly string[]): string {
  const last = words.at(-1) ?? ''
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} and ${last}`
}
