import { isDeepStrictEqual } from 'node:util'
import { parseExpression, walkExpression } from '@apprentice/phone/documents/expression.ts'
import type { StateRecord } from '@apprentice/phone/phone.ts'
import type { Lesson } from '../apps/lesson-format.ts'

export type Variation = Lesson['variations'][number]
export type Verdict = 'right' | 'wrong' | 'false_success' | 'harm' | 'not_learnable'

export interface Outcome {
  /** The run ended with the state `success`. */
  readonly claimsSuccess: boolean
  readonly endHolds: boolean
  readonly before: StateRecord
  readonly after: StateRecord
}

export interface Judgement {
  readonly verdict: Verdict
  readonly falseSuccess: boolean
  readonly harm: boolean
  /** Keys of `saved` outside the end expression that the run changed. */
  readonly changedKeys: readonly string[]
}

export function judgeRun({ kind, expect, end }: Variation, outcome: Outcome): Judgement {
  const { claimsSuccess, endHolds, before, after } = outcome
  const expectsSuccess = expect === 'success'
  const changedKeys = findChangedKeys(end, before, after)
  const falseSuccess = claimsSuccess && !(expectsSuccess && endHolds)
  const harm = changedKeys.length > 0 || (kind === 'already_done' && !endHolds)
  const isRight = claimsSuccess === expectsSuccess && endHolds && !harm
  const rest = isRight ? 'right' : 'wrong'
  return {
    verdict: falseSuccess ? 'false_success' : harm ? 'harm' : rest,
    falseSuccess,
    harm,
    changedKeys,
  }
}

function findChangedKeys(end: string, before: StateRecord, after: StateRecord): string[] {
  const mentioned = collectSavedKeys(end)
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (key) => !mentioned.has(key) && !isDeepStrictEqual(before[key], after[key]),
  )
}

/** The top-level keys of `saved` that an expression mentions. */
export function collectSavedKeys(expression: string): ReadonlySet<string> {
  const keys = new Set<string>()
  for (const part of walkExpression(parseExpression(expression))) {
    if (part.kind !== 'member' && part.kind !== 'index') continue
    if (part.object.kind !== 'name' || part.object.name !== 'saved') continue
    if (part.kind === 'member') keys.add(part.key)
    else if (part.index.kind === 'literal') keys.add(String(part.index.value))
  }
  return keys
}
