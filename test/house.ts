import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { findRetiredNames } from './kit/retired-names.ts'
import { findCycles, listSources, readImportGraph, toFolderGraph } from './kit/source-tree.ts'

/**
 * Prints figures about the source tree: `npm run house`. `--root <folder>` measures another checkout, `--since <revision>`
 * adds how many files were moved since then.
 */
const { values } = parseArgs({
  options: { root: { type: 'string' }, since: { type: 'string' } },
})
const root = resolve(values.root ?? join(import.meta.dirname, '..'))
const graph = readImportGraph(root, ['contracts', 'src'])
const sources = [...graph.keys()]
const everything = [...sources, ...listSources(root, 'test')]
const texts = new Map(everything.map((file) => [file, readFileSync(join(root, file), 'utf8')]))

const rows: [string, string][] = [
  ['TypeScript files (contracts and src, test)', `${sources.length}, ${everything.length - sources.length}`],
  ['lines (contracts and src, test)', `${countLines(sources)}, ${countLines(everything) - countLines(sources)}`],
  ...(values.since === undefined ? [] : [movedFiles(values.since)]),
  ['import cycles between files', describeCycles(findCycles(graph))],
  ['import cycles between folders', describeCycles(findCycles(toFolderGraph(graph)))],
  ['largest folder', largestFolder()],
  ['folders with more than 25 files', String([...countFolders().values()].filter((n) => n > 25).length)],
  ['functions named ...Of', String(countMatches(sources, /\b(?:function|const) #?\w+Of\b/g))],
  [
    'step types',
    String(countMatches(sources, /^(?:export )?(?:interface|type) \w*(?:Step|Move|Intent)(?:Body|Row|s)?\b/gm)),
  ],
  ['casts (as unknown as) in contracts and src', String(countMatches(sources, /as unknown as/g))],
  [
    'casts (as unknown as) in test',
    String(countMatches(everything, /as unknown as/g) - countMatches(sources, /as unknown as/g)),
  ],
  ['retired names', String(everything.flatMap((file) => findRetiredNames(texts.get(file) ?? '')).length)],
  ['last whole test run', lastTestRun()],
]
const width = Math.max(...rows.map(([name]) => name.length))
for (const [name, value] of rows) process.stdout.write(`${name.padEnd(width)}  ${value}\n`)

function countLines(files: readonly string[]): number {
  return files.reduce((sum, file) => sum + (texts.get(file) ?? '').split('\n').length - 1, 0)
}

function countMatches(files: readonly string[], pattern: RegExp): number {
  return files.reduce((sum, file) => sum + ((texts.get(file) ?? '').match(pattern)?.length ?? 0), 0)
}

function describeCycles(cycles: readonly (readonly string[])[]): string {
  if (cycles.length === 0) return '0'
  return `${cycles.length} (of ${cycles.map(({ length }) => length).join(', ')})`
}

function countFolders(): Map<string, number> {
  const counts = new Map<string, number>()
  for (const file of sources) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1)
  return counts
}

function largestFolder(): string {
  const [largest] = [...countFolders()].toSorted(([, a], [, b]) => b - a)
  return largest === undefined ? 'none' : `${largest[0]} (${largest[1]} files)`
}

function movedFiles(since: string): [string, string] {
  const options = ['diff', '--name-status', '-M50%', '-l0', '--diff-filter=R', since, 'HEAD']
  const lines = execFileSync('git', options, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 })
  return [`files moved since ${since}`, String(lines.split('\n').filter(Boolean).length)]
}

function lastTestRun(): string {
  const file = join(root, 'node_modules', '.cache', 'apprentice', 'test-run.json')
  if (!existsSync(file)) return 'not measured here; run npm test'
  const { passed, failed, seconds, processor_seconds } = JSON.parse(readFileSync(file, 'utf8')) as Record<
    string,
    number | undefined
  >
  const processor = processor_seconds === undefined ? '?' : processor_seconds.toFixed(0)
  return `${passed} passed, ${failed} failed, ${seconds?.toFixed(0)} s elapsed, ${processor} s of processor time`
}
