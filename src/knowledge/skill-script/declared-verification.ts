import { isDeepStrictEqual } from 'node:util'
import type { SkillResult } from '@apprentice/contracts/skills/runs-result.ts'
import { fillMatcher, type SkillContract } from './manifest.ts'
import { showsText } from './text-match.ts'
import { trustedInputs } from './trusted-inputs.ts'

export type Proof =
  | { readonly kind: 'not_declared' }
  | { readonly kind: 'proved'; readonly expected: string; readonly observed: string }
  | {
      readonly kind: 'unproved'
      readonly message: string
      /** What the screen should show, if the inputs tell. */
      readonly expected?: string | undefined
      readonly observed?: string | undefined
    }

/** What the screen should show in the end; undefined when nothing is declared or the inputs do not tell. */
export function expectedText(
  contract: SkillContract | undefined,
  args: readonly string[],
): string | undefined {
  if (contract?.verification === undefined) return undefined
  const inputs = trustedInputs(contract.inputs, args)
  return inputs === undefined ? undefined : fillMatcher(contract.verification.matcher, inputs)
}

/** Whether the skill's own report proves what its contract declares, by the inputs the caller gave. */
export function proveDeclared(
  contract: SkillContract | undefined,
  args: readonly string[],
  result: SkillResult | null,
): Proof {
  if (contract?.verification === undefined) return { kind: 'not_declared' }
  if (result === null) return unproved('The skill declares a verification and printed no result.')
  const inputs = trustedInputs(contract.inputs, args)
  if (inputs === undefined) return unproved('The arguments do not give every declared input.')
  const expected = fillMatcher(contract.verification.matcher, inputs)
  for (const [name, value] of inputs) {
    const told = result.inputs
    if (told === undefined || !Object.hasOwn(told, name)) {
      return unproved(`The result does not name its input ${name}.`, expected)
    }
    if (!isDeepStrictEqual(told[name], value)) {
      return unproved(`The result is for another ${name} than was asked for.`, expected)
    }
  }
  return proveShown(result, expected)
}

function proveShown({ terminalVerification }: SkillResult, expected: string): Proof {
  if (terminalVerification?.status !== 'verified') {
    return unproved('The skill did not verify the end state.', expected)
  }
  const { observed } = terminalVerification
  if (observed?.kind !== 'text') return unproved('The skill shows no text it observed.', expected)
  if (!showsText(observed.text, expected)) {
    return unproved(
      `Expected ${quoted(expected)}, observed ${quoted(observed.text)}.`,
      expected,
      observed.text,
    )
  }
  return { kind: 'proved', expected, observed: observed.text }
}

const unproved = (message: string, expected?: string, observed?: string): Proof => ({
  kind: 'unproved',
  message,
  expected,
  observed,
})

const quoted = (text: string): string => JSON.stringify(text.slice(0, 120))
