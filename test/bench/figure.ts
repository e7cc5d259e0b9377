/** Something worth measuring. It prepares what it needs by itself and leaves nothing behind. */
export interface Figure {
  readonly name: string
  /** What ours is held against, in words. */
  readonly baseline: string
  /** Called several times; ours and the baseline are measured in the same call. */
  run(): Promise<readonly Measure[]>
  /** Called once after the last run. */
  close?(): Promise<void> | void
}

export interface Measure {
  /** Which of the figure's numbers this is. */
  readonly what: string
  readonly ours: number
  readonly baseline: number
  readonly unit: string
  /** Ours to the baseline. */
  readonly ratio: number
  /** What the ratio should be. */
  readonly target: Target
}

export type Target = { readonly at_least: number } | { readonly at_most: number }

export const meetsTarget = ({ ratio, target }: Pick<Measure, 'ratio' | 'target'>): boolean =>
  'at_least' in target ? ratio >= target.at_least : ratio <= target.at_most

/** A number held against a limit the project has set itself. */
export const compareToLimit = (
  limit: number,
  { what, ours, unit }: Pick<Measure, 'what' | 'ours' | 'unit'>,
): Measure => ({ what, ours, baseline: limit, unit, ratio: ours / limit, target: { at_most: 1 } })

/** A rate held against the rate of something else. */
export const compareRates = (
  at_least: number,
  { what, ours, baseline, unit }: Omit<Measure, 'ratio' | 'target'>,
): Measure => ({ what, ours, baseline, unit, ratio: ours / baseline, target: { at_least } })

/** The value below which `share` of the values lie. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const value = sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]
  if (value === undefined) throw new Error('There is nothing to take a quantile of.')
  return value
}

export const median = (values: readonly number[]): number => quantile(values, 0.5)
