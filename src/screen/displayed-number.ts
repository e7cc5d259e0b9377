import { readNumber } from './shown-value/numbers.ts'

/**
 * Parses the first number of a label: `21.5 °C`, `-4`, `20,5`, `1,234.50`. If a label has digits but no number, as a
 * time or a version has, the first digits count.
 */
export function parseDisplayedNumber(label: string): number | undefined {
  const number = readNumber(label)
  if (number !== undefined) return number
  const [digits] = DIGITS.exec(label) ?? []
  return digits === undefined ? undefined : Number(digits.replace('\u2212', '-').replace(',', '.'))
}

/** A dash after a letter or a digit is a hyphen, not a sign. */
const DIGITS = /(?:(?<![\p{L}\p{N}])[+\-\u2212])?\d+(?:[.,]\d+)?/u

/** Compares within the tolerance and a small rounding error. */
export function isNear(value: number, expected: number, tolerance = 0): boolean {
  return Math.abs(value - expected) <= tolerance + 1e-9 * Math.max(1, Math.abs(expected))
}
