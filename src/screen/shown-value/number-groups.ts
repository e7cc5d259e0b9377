/** A number as integer digits and fraction digits, without sign. */
export interface Decimal {
  readonly integer: string
  readonly fraction: string
}

export interface GroupReadings {
  readonly primary: Decimal
  /** The other reading of one mark before three digits: `1,234` may be 1.234. */
  readonly other: Decimal | undefined
}

/**
 * Reads runs of digits with single marks between them as one number. Undefined if they are not one: `1.2.3`,
 * `12,34,5`. One point before three digits is a decimal mark, one comma a mark of thousands; `other` has the opposite.
 */
export function parseGroups(runs: readonly string[], marks: readonly string[]): GroupReadings | undefined {
  const last = marks.at(-1)
  if (last === undefined) return { primary: { integer: runs[0] ?? '', fraction: '' }, other: undefined }
  const grouped = hasGroups(runs, marks) ? { integer: runs.join(''), fraction: '' } : undefined
  const isDecimal = (last === '.' || last === ',') && isFractionBehind(runs, marks)
  const decimal = isDecimal ? { integer: runs.slice(0, -1).join(''), fraction: runs.at(-1) ?? '' } : undefined
  if (grouped === undefined) return decimal && { primary: decimal, other: undefined }
  if (decimal === undefined) return { primary: grouped, other: undefined }
  return last === '.' ? { primary: decimal, other: grouped } : { primary: grouped, other: decimal }
}

/** Digits without needless zeros, with `-` before if negative: equal numbers have equal texts. */
export function formatDecimal({ integer, fraction }: Decimal, negative: boolean): string {
  const whole = integer.replace(/^0+(?=.)/, '')
  const behind = fraction.replace(/(?<!0)0+$/, '')
  const digits = behind === '' ? whole : `${whole}.${behind}`
  return negative && digits !== '0' ? `-${digits}` : digits
}

/** Whether all marks are one mark of thousands; Indian groups have two digits before the last three. */
function hasGroups(runs: readonly string[], marks: readonly string[]): boolean {
  const [first = ''] = runs
  const [mark] = marks
  if (mark === undefined || !".,' ".includes(mark) || marks.some((one) => one !== mark)) return false
  if (first.startsWith('0') || first.length > 3 || runs.at(-1)?.length !== 3) return false
  const middle = runs.slice(1, -1)
  if (middle.every((run) => run.length === 3)) return true
  return mark === ',' && first.length <= 2 && middle.every((run) => run.length === 2)
}

function isFractionBehind(runs: readonly string[], marks: readonly string[]): boolean {
  if (marks.length === 1) return true
  const others = marks.slice(0, -1)
  return !others.includes(marks.at(-1) ?? '') && hasGroups(runs.slice(0, -1), others)
}
