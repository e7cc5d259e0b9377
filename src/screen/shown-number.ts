/**
 * The first number a label shows: `21.5 °C`, `-4`, `20,5`. A comma or a point marks its decimals, so a
 * mark between thousands is read as one too.
 */
export function shownNumber(label: string): number | undefined {
  const [digits] = NUMBER.exec(label) ?? []
  return digits === undefined ? undefined : Number(digits.replace('\u2212', '-').replace(',', '.'))
}

/** A dash after a word or another number joins them; it is no sign. */
const NUMBER = /(?:(?<![\p{L}\p{N}])[+\-\u2212])?\d+(?:[.,]\d+)?/u

/** Equal as far as a screen can tell: sums of decimals are rarely exact. */
export function isNear(value: number, wanted: number, tolerance = 0): boolean {
  return Math.abs(value - wanted) <= tolerance + 1e-9 * Math.max(1, Math.abs(wanted))
}
