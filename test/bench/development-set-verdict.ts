import type { StateRecord } from '@apprentice/phone/phone.ts'
import type { Lesson } from '../apps/lesson-format.ts'
import { findOtherChanges } from '../apps/saved-keys.ts'

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
  const changedKeys = findOtherChanges(end, before, after)
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
