/** The value that the given share of the samples does not exceed, rounded to tenths. 0 if there are none. */
export function findPercentile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b)
  const at = Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)
  return Math.round((sorted[Math.max(0, at)] ?? 0) * 10) / 10
}
