import { z } from 'zod'

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
