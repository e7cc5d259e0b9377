import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, release } from 'node:os'
import { join } from 'node:path'
import { coldStart } from './cold-start.ts'
import { connectorFigures } from './connectors.ts'
import { dashboard, dashboardLessons } from './dashboard.ts'
import { deviceFigures } from './device-figures.ts'
import { fanOut } from './fan-out.ts'
import { type Figure, type Measure, median, meetsTarget } from './figure.ts'
import { abilityLookup } from './lookup.ts'
import { skillsFound } from './lookup-found.ts'
import { learningFigures } from './learning-figures.ts'
import { mcpFigures } from './mcp.ts'
import { mcpBytes } from './mcp-bytes.ts'
import { readRoutes } from './read-routes.ts'
import { bundleScan } from './bundle-scan.ts'
import { buildServers, outputFolder } from './servers.ts'
import { scale } from './scale.ts'
import { reportExportFigure, sceneRunFigure } from './scene-figures.ts'
import { sceneDispatch } from './scenes.ts'
import { skillFigures } from './skills.ts'
import { transitions } from './transitions.ts'

const REPEATS = 3
/** Add new figures here. */
const figures: readonly Figure[] = [
  readRoutes,
  transitions,
  fanOut,
  coldStart,
  ...deviceFigures,
  scale,
  ...learningFigures,
  abilityLookup,
  skillsFound,
  sceneDispatch,
  bundleScan,
  skillFigures,
  sceneRunFigure,
  reportExportFigure,
  mcpFigures,
  mcpBytes,
  connectorFigures,
  dashboard,
  dashboardLessons,
]

/** One line of the table: the median of the repeats and their spread. */
interface Line extends Measure {
  readonly figure: string
  readonly against: string
  readonly ratios: readonly number[]
  readonly met: boolean
}

const nameFilter = process.argv[2] ?? ''
/** The load of the machine before the first figure. Results of a busy machine are less reliable. */
const [loadBefore = 0] = loadavg()
const chosen = figures.filter(({ name }) => name.includes(nameFilter))
if (chosen.length === 0) {
  process.stderr.write(`No figure matches ${nameFilter}. Figures: ${figures.map((f) => f.name).join(', ')}.\n`)
  process.exit(1)
}
log('building the baseline servers')
await buildServers()
const lines: Line[] = []
for (const figure of chosen) {
  try {
    lines.push(...(await measure(figure)))
  } catch (error) {
    // The other figures are still of use.
    log(`${figure.name} failed: ${error instanceof Error ? error.message : String(error)}`)
    process.exitCode = 1
  }
}
writeResults(lines)
process.stdout.write(
  `\n${formatTable(lines)}\n\nload before the first figure: ${formatNumber(loadBefore)} on ${cpus().length} cores\n`,
)

async function measure(figure: Figure): Promise<Line[]> {
  const runs: (readonly Measure[])[] = []
  try {
    const { repeats = REPEATS } = figure
    for (let repeat = 1; repeat <= repeats; repeat += 1) {
      const started = Date.now()
      const measures = await figure.run()
      runs.push(measures)
      const found = measures.map((m) => `${m.what} ${formatNumber(m.ours)} ${m.unit} (${formatNumber(m.ratio)})`)
      const seconds = Math.round((Date.now() - started) / 1000)
      log(`${figure.name} ${repeat}/${repeats}: ${found.join(', ')}; ${seconds} s`)
    }
  } finally {
    await figure.close?.()
  }
  return (runs[0] ?? []).map((_, at) =>
    summarize(
      figure,
      runs.flatMap((run) => run[at] ?? []),
    ),
  )
}

function summarize({ name, baseline }: Figure, runs: readonly Measure[]): Line {
  const ratios = runs.map(({ ratio }) => ratio).toSorted((a, b) => a - b)
  const middle = runs.find(({ ratio }) => ratio === median(ratios))
  if (middle === undefined) throw new Error(`${name} measured nothing.`)
  return { figure: name, against: baseline, ...middle, ratios, met: meetsTarget(middle) }
}

function writeResults(found: readonly Line[]): void {
  mkdirSync(outputFolder, { recursive: true })
  const machine = {
    node: process.version,
    kernel: release(),
    cores: cpus().length,
    load_before: loadBefore,
    cpu: cpus()[0]?.model,
  }
  const results = { at: new Date().toISOString(), machine, repeats: REPEATS, figures: found }
  writeFileSync(join(outputFolder, 'results.json'), `${JSON.stringify(results, null, 2)}\n`)
}

function formatTable(found: readonly Line[]): string {
  const rows = found.map((line) => [
    `${line.figure}: ${line.what}`,
    `${formatNumber(line.ours)} ${line.unit}`,
    `${formatNumber(line.baseline)} ${line.unit}`,
    `${formatNumber(line.ratio)} (${formatNumber(line.ratios[0] ?? 0)}-${formatNumber(line.ratios.at(-1) ?? 0)})`,
    'at_least' in line.target ? `>= ${line.target.at_least}` : `<= ${line.target.at_most}`,
    line.met ? 'ok' : 'MISS',
    line.against,
  ])
  const all = [['figure', 'ours', 'baseline', 'ratio (spread)', 'target', '', 'baseline is'], ...rows]
  const widths = (all[0] ?? []).map((_, at) => Math.max(...all.map((row) => row[at]?.length ?? 0)))
  return all
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function formatNumber(value: number): string {
  return value >= 100 ? Math.round(value).toString() : value.toPrecision(3)
}

function log(line: string): void {
  process.stderr.write(`[bench] ${line}\n`)
}
