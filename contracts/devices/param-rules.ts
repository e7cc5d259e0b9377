import { z } from 'zod'
import { findPatternProblem } from './pattern.ts'

/** The longest text that an input, a typed text or an expected text may have. */
export const MAX_INPUT_LENGTH = 4000

export function inRange(low: number, high: number, message: string) {
  return z.number().min(low, message).max(high, message)
}

export function integerIn(low: number, high: number, name: string) {
  const message = `${name} must be an integer in [${low}, ${high}]`
  return z.int(message).min(low, message).max(high, message)
}

/** A regular expression of at most `length` characters; `name` is how messages call the field. */
export function patternText(length: number, name: string) {
  return z
    .string()
    .min(1)
    .max(length)
    .superRefine((source, ctx) => {
      const problem = findPatternProblem(source)
      if (problem !== undefined) {
        ctx.addIssue({ code: 'custom', message: `${name} is not a valid regex pattern: it ${problem}` })
      }
    })
}
