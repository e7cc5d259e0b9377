import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findSlowText } from './doubling.ts'
import { BOUNDED_INPUTS } from './exceptions.ts'
import { collectPatterns, type SourcePattern } from './source-patterns.ts'

/**
 * The patterns of the source in which the search found no slow text, one per line. A search takes long, and its result
 * does not change. The test searches patterns that are not listed; `npx tsx test/patterns/searched-patterns.ts`
 * searches all of them and writes the list.
 */
const LIST_FILE = join(import.meta.dirname, 'searched-patterns.txt')

export const formatPattern = ({ source, flags }: SourcePattern): string => `/${source}/${flags}`

export const readSearchedPatterns = (): ReadonlySet<string> =>
  new Set(readFileSync(LIST_FILE, 'utf8').split('\n').filter(Boolean))

/** Describes each pattern that takes more than linear time on some text, unless its input is known to be short. */
export function findSlowPatterns(patterns: readonly SourcePattern[]): string[] {
  return patterns.flatMap(({ source, flags, places }) => {
    if (BOUNDED_INPUTS.some((known) => known.source === source)) return []
    const found = findSlowText(new RegExp(source, flags))
    if (found === undefined) return []
    const { pump, length, took_ms } = found
    const time = `${Math.round(took_ms)} ms on ${length} times ${JSON.stringify(pump)}`
    return [`${places.join(', ')}: /${source}/${flags} takes ${time}`]
  })
}

if (process.argv[1] === import.meta.filename) {
  const { literals } = collectPatterns()
  const slow = findSlowPatterns(literals)
  if (slow.length > 0) {
    process.stderr.write(`${slow.join('\n')}\n`)
    process.exitCode = 1
  } else {
    writeFileSync(LIST_FILE, `${literals.map(formatPattern).toSorted().join('\n')}\n`)
  }
}
