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

/** By how much a shown number differs from an earlier one; for times of day in minutes, also past midnight. */
export function measureChange(before: string, now: string): number | undefined {
  const [from, to] = [before, now].map(readMinutes)
  if (from !== undefined && to !== undefined) {
    const forward = (to - from + DAY_MINUTES) % DAY_MINUTES
    return forward > DAY_MINUTES / 2 ? forward - DAY_MINUTES : forward
  }
  const [old, shown] = [before, now].map(parseDisplayedNumber)
  return old === undefined || shown === undefined ? undefined : shown - old
}

const DAY_MINUTES = 24 * 60

function readMinutes(label: string): number | undefined {
  const [, hour, minute] = /^\D*(\d{1,2})[:.](\d{2})\D*$/u.exec(label) ?? []
  if (hour === undefined || minute === undefined || !label.includes(':')) return undefined
  const half = /\bp\.?m/iu.test(label) && Number(hour) < 12 ? 12 : 0
  return Number(hour) < 24 && Number(minute) < 60 ? (Number(hour) + half) * 60 + Number(minute) : undefined
}
