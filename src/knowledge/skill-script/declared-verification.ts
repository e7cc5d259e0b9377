import { isDeepStrictEqual } from 'node:util'
import type { SkillResult } from '@apprentice/contracts/skills/run-result.ts'
import { fillMatcher, type SkillContract } from './run-manifest.ts'
import { matchesText } from './text-match.ts'
import { readTrustedInputs } from './trusted-inputs.ts'

export type DeclaredProof =
  | { readonly kind: 'not_declared' }
  | { readonly kind: 'proved'; readonly expected: string; readonly observed: string }
  | {
      readonly kind: 'unproved'
      readonly message: string
      /** The text expected on the screen, if all inputs are known. */
      readonly expected?: string | undefined
      readonly observed?: string | undefined
    }

/** The text the screen should show at the end. Undefined when none is declared or an input is missing. */
export function findExpectedText(contract: SkillContract | undefined, args: readonly string[]): string | undefined {
  if (contract?.verification === undefined) return undefined
  const inputs = readTrustedInputs(contract.inputs, args)
  return inputs === undefined ? undefined : fillMatcher(contract.verification.matcher, inputs)
}

/** Checks the result of a skill against its declared verification, with the inputs from the caller. */
export function checkDeclaredVerification(
  contract: SkillContract | undefined,
  args: readonly string[],
  result: SkillResult | null,
): DeclaredProof {
  if (contract?.verification === undefined) return { kind: 'not_declared' }
  if (result === null) return unproved('The skill declares a verification and printed no result.')
  const inputs = readTrustedInputs(contract.inputs, args)
  if (inputs === undefined) return unproved('The arguments do not give every declared input.')
  const expected = fillMatcher(contract.verification.matcher, inputs)
  for (const [name, value] of inputs) {
    const reported = result.inputs
    if (reported === undefined || !Object.hasOwn(reported, name)) {
      return unproved(`The result lacks the input ${name}.`, expected)
    }
    if (!isDeepStrictEqual(reported[name], value)) {
      return unproved(`The result has a different value for the input ${name}.`, expected)
    }
  }
  return checkObservedText(result, expected)
}

function checkObservedText({ terminalVerification }: SkillResult, expected: string): DeclaredProof {
  if (terminalVerification?.status !== 'verified') {
    return unproved('The skill did not verify the end state.', expected)
  }
  const { observed } = terminalVerification
  if (observed?.kind !== 'text') return unproved('The result contains no observed text.', expected)
  if (!matchesText(observed.text, expected)) {
    return unproved(`Expected ${quote(expected)}, observed ${quote(observed.text)}.`, expected, observed.text)
  }
  return { kind: 'proved', expected, observed: observed.text }
}

const unproved = (message: string, expected?: string, observed?: string): DeclaredProof => ({
  kind: 'unproved',
  message,
  expected,
  observed,
})

const quote = (text: string): string => JSON.stringify(text.slice(0, 120))
