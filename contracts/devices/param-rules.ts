import { z } from 'zod'

/** The longest text that an input, a typed text or an expected text may have. */
export const MAX_INPUT_LENGTH = 4000

export function inRange(low: number, high: number, message: string) {
  return z.number().min(low, message).max(high, message)
}

export function integerIn(low: number, high: number, name: string) {
  const message = `${name} must be an integer in [${low}, ${high}]`
  return z.int(message).min(low, message).max(high, message)
}

export function isValidPattern(pattern: string): boolean {
  try {
    return new RegExp(pattern) instanceof RegExp
  } catch {
    return false
  }
}
