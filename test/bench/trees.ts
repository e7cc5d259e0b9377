import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { outputFolder } from './servers.ts'
import { type Tree, type TreeLabels, readCorpus, readLabels } from './trees-corpus.ts'
import { countKinds } from './trees-kinds.ts'
import { addUp, formatShare, formatTable } from './trees-report.ts'
import { countRows } from './trees-rows.ts'
import { countSelectors, readFeatures } from './trees-selectors.ts'
import { measureSpeed } from './trees-speed.ts'

/**
 * `npm run bench:trees -- <folder> [--labels <file>] [--verbose]`: measures on a folder of UI dumps, one folder for each
 * app, how well rows, names, roles, selectors and kinds of screens are read. Without labels, rows are counted and screens
 * compared by plain rules. With `--verbose`, prints the wrong pairs of screens.
 */
const { values: options, positionals } = parseArgs({
  options: { labels: { type: 'string' }, verbose: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const NO_ROWS = { rows: 0, found: 0, others: 0, mistaken: 0 }
const SYSTEM_UI = 'com.android.systemui'
const [folder] = positionals
if (folder === undefined) throw new Error('Name the folder of the dumps.')

const corpus = readCorpus(folder)
const labels = readLabels(options.labels)
const groups = groupBy(corpus.trees, ({ toolkit }) => toolkit)
const results = [...groups].map(([toolkit, trees]) => ({ toolkit, ...measureTrees(trees, corpus.trees, labels) }))
const all: Result = { ...addUp(results), toolkit: 'all' }
const kinds = [...groupBy(corpus.trees, ({ app }) => app).values()].map((trees) => countKinds(trees, labels))
const kindsTotal = addUp(kinds)
const speed = measureSpeed()

process.stdout.write(`\nUI trees: ${corpus.trees.length} read, ${corpus.unread.length} not\n\n`)
for (const file of corpus.unread) process.stdout.write(`not read: ${file}\n`)
process.stdout.write(`${formatTable([listHead(), ...[...results, all].map(toRow)])}\n\n`)
process.stdout.write(`${formatTable(listKinds())}\n\n${formatTable(listSpeed())}\n`)
if (options.verbose) process.stdout.write(`\n${kinds.flatMap(({ faults }) => faults).join('\n')}\n`)
mkdirSync(outputFolder, { recursive: true })
writeFileSync(
  join(outputFolder, 'trees.json'),
  `${JSON.stringify({ unread: corpus.unread, toolkits: [...results, all], kinds: kindsTotal, speed }, undefined, 2)}\n`,
)

function measureTrees(trees: readonly Tree[], everything: readonly Tree[], known: ReadonlyMap<string, TreeLabels>) {
  const labelled = known.size === 0 ? trees : trees.filter(({ file }) => known.get(file)?.data !== undefined)
  const rows = addUp([NO_ROWS, ...labelled.map((tree) => countRows(tree, known.get(tree.file)))])
  const screens = new Map(everything.map((tree) => [tree, tree.app] as const))
  const apps = new Set(trees.map(({ app }) => app))
  const features = new Map(
    [...screens].flatMap(([tree, app]) => (apps.has(app) ? [[tree, readFeatures(tree)] as const] : [])),
  )
  const selectors = trees.flatMap((tree) => {
    const own = features.get(tree)
    const others = [...features].filter(([other]) => other !== tree && other.app === tree.app).map(([, one]) => one)
    return own === undefined ? [] : [countSelectors(own, others)]
  })
  const systemWindows = trees.filter(
    ({ packages, windows, app }) => windows > 1 && packages.has(SYSTEM_UI) && !app.startsWith(SYSTEM_UI),
  ).length
  return { trees: trees.length, labelled: labelled.length, systemWindows, ...rows, ...addUp(selectors) }
}

type Result = (typeof results)[number]

function listHead(): string[] {
  return [
    'toolkit',
    'trees',
    'rows as data',
    'others as data',
    'named',
    'role',
    'unique',
    'not unique',
    'found again',
    'another',
    'system window',
  ]
}

function toRow(result: Result): string[] {
  return [
    result.toolkit,
    `${result.trees}`,
    formatShare(result.found, result.rows),
    formatShare(result.mistaken, result.others),
    formatShare(result.named, result.nodes),
    formatShare(result.roles, result.nodes),
    formatShare(result.unique, result.nodes),
    `${result.nodes - result.unique}`,
    `${result.refound}`,
    `${result.strayed}`,
    `${result.systemWindows}`,
  ]
}

function listKinds(): string[][] {
  return [
    ['pairs of screens', 'share'],
    ['different pages taken for the same', formatShare(kindsTotal.confused ?? 0, kindsTotal.different ?? 0)],
    ['the same page taken for different', formatShare(kindsTotal.separated ?? 0, kindsTotal.same ?? 0)],
  ]
}

function listSpeed(): string[][] {
  return [
    ['tree', 'nodes', 'analysis', 'kind'],
    ...speed.map(({ shape, nodes, analysis_ms, kind_ms }) => [
      shape,
      `${nodes}`,
      `${analysis_ms.toFixed(0)} ms`,
      `${kind_ms.toFixed(0)} ms`,
    ]),
  ]
}

function groupBy(trees: readonly Tree[], read: (tree: Tree) => string): Map<string, Tree[]> {
  const groups = new Map<string, Tree[]>()
  for (const tree of trees) groups.set(read(tree), [...(groups.get(read(tree)) ?? []), tree])
  return groups
}
