/** Prints rows of texts as a table with aligned columns. The first row is the head. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  return [lines[0], widths.map((width) => '-'.repeat(width)).join('  '), ...lines.slice(1)].join('\n')
}

/** `part` of `whole` in percent and in numbers. */
export function formatShare(part: number, whole: number): string {
  return whole === 0 ? '-' : `${((part / whole) * 100).toFixed(1)} % (${part}/${whole})`
}

type Numbers<T> = { [K in keyof T as T[K] extends number ? K : never]: number }

/** Adds up the numbers of records with the same keys. Other values are left out. */
export function addUp<T extends object>(records: readonly T[]): Numbers<T> {
  const total: Record<string, number> = {}
  for (const record of records) {
    for (const [key, value] of Object.entries(record)) {
      if (typeof value === 'number') total[key] = (total[key] ?? 0) + value
    }
  }
  return total as Numbers<T>
}
