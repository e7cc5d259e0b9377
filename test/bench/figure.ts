/** One benchmark. It creates what it needs and removes it afterwards. */
export interface Figure {
  readonly name: string
  /** Description of the baseline. */
  readonly baseline: string
  /** How often it is run. Absent: as often as the others. */
  readonly repeats?: number
  /** Called several times. Measures ours and the baseline in the same call. */
  run(): Promise<readonly Measure[]>
  /** Called once after the last run. */
  close?(): Promise<void> | void
}

export interface Measure {
  /** The name of the measure within the figure. */
  readonly what: string
  readonly ours: number
  readonly baseline: number
  readonly unit: string
  /** `ours / baseline`. */
  readonly ratio: number
  /** The required ratio. */
  readonly target: Target
}

export type Target = { readonly at_least: number } | { readonly at_most: number }

export const meetsTarget = ({ ratio, target }: Pick<Measure, 'ratio' | 'target'>): boolean =>
  'at_least' in target ? ratio >= target.at_least : ratio <= target.at_most

/** Compares a number with a fixed limit. */
export const compareToLimit = (
  limit: number,
  { what, ours, unit }: Pick<Measure, 'what' | 'ours' | 'unit'>,
): Measure => ({ what, ours, baseline: limit, unit, ratio: ours / limit, target: { at_most: 1 } })

/** Compares a rate with the rate of a baseline. Larger is better. */
export const compareRates = (
  at_least: number,
  { what, ours, baseline, unit }: Omit<Measure, 'ratio' | 'target'>,
): Measure => ({ what, ours, baseline, unit, ratio: ours / baseline, target: { at_least } })

/** The value below which `share` of the values are. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const value = sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]
  if (value === undefined) throw new Error('A quantile needs at least one value.')
  return value
}

export const median = (values: readonly number[]): number => quantile(values, 0.5)
