import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Browser, chromium } from 'playwright-core'
import writeExcelFile from 'write-excel-file/node'
import type { ReportArtifact } from '@apprentice/contracts/scenes/artifact.ts'
import { findBrowser } from '../../src/browser/find-browser.ts'
import { SceneBrowser } from '../../src/browser/scene-browser.ts'
import { readSearchPath } from '../../src/config/config.ts'
import { browserProgramFile } from '../../src/config/paths.ts'
import { exportReport } from '../../src/workers/report-export.ts'
import { openSite, sendPage, type Site } from '../scenes/page-site.ts'
import { compareRates, type Figure, median } from './figure.ts'

const RUNS = 15
const EXPORTS = 3
const ROWS = 20_000
const MAX_OVERHEAD = 1.25
const AFTER_RUN_MS = 100
const SCRIPT = `async function collect(args) {
  const { rows } = await (await fetch('/rows')).json()
  return { status: 'ok', rows, org: args.org }
}`

interface Bench {
  readonly folder: string
  readonly site: Site
  readonly ours: SceneBrowser
  readonly bare: Browser
}

let bench: Promise<Bench> | undefined
let runs = 0

/** A run in the browser of the daemon: its own gate, checks, bounds and process. */
export const sceneRunFigure: Figure = {
  name: 'scene runs',
  baseline: 'bare playwright-core: a context, the page, the same script, its result parsed, in a browser that is open',
  run: async () => {
    const opened = await (bench ??= openBench())
    const [ours, bare]: [number[], number[]] = [[], []]
    for (let turn = 0; turn < RUNS; turn += 1) {
      bare.push(await measureMs(() => runBare(opened)))
      ours.push(await measureMs(() => runOurs(opened)))
      // What goes on after a run, such as reading its memory, must not slow down the baseline.
      await pause(AFTER_RUN_MS)
    }
    const [took, expected] = [median(ours), median(bare)]
    const ratio = took / expected
    return [
      { what: 'time of a run', ours: took, baseline: expected, unit: 'ms', ratio, target: { at_most: MAX_OVERHEAD } },
    ]
  },
  close: async () => {
    const opened = await bench
    bench = undefined
    await opened?.ours.close()
    await opened?.bare.close()
    opened?.site.close()
    if (opened !== undefined) rmSync(opened.folder, { recursive: true, force: true })
  },
}

/** The check and the export of a report to .xlsx, CSV and JSON. */
export const reportExportFigure: Figure = {
  name: 'report export',
  baseline: 'write-excel-file on the same cells, to a file: .xlsx only, unchecked',
  run: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'bench-report-'))
    const report = makeReport()
    const [ours, bare]: [number[], number[]] = [[], []]
    for (let turn = 0; turn < EXPORTS; turn += 1) {
      bare.push(await measureMs(() => exportBare(folder, report)))
      // The browser wrote the text.
      writeFileSync(join(folder, 'result'), JSON.stringify(report))
      ours.push(await measureMs(() => exportOurs(folder)))
    }
    rmSync(folder, { recursive: true, force: true })
    const rate = (times: readonly number[]) => ROWS / (median(times) / 1000)
    return [compareRates(0.8, { what: 'rows exported', ours: rate(ours), baseline: rate(bare), unit: 'rows/s' })]
  },
}

async function openBench(): Promise<Bench> {
  const executable = findBrowser(readSearchPath())
  if (executable === undefined) throw new Error('No Chromium is installed.')
  const rows = JSON.stringify({ rows: Array.from({ length: 200 }, (_, at) => ({ at, name: `row ${at}` })) })
  const site = await openSite({
    '/': sendPage('<h1>Report</h1>'),
    '/rows': (reply) => reply.writeHead(200, { 'content-type': 'application/json' }).end(rows),
  })
  const bare = await chromium.launch({
    executablePath: executable,
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  })
  const environment = { PATH: readSearchPath() }
  const ours = new SceneBrowser({ program: browserProgramFile, findExecutable: () => executable, environment })
  return { folder: mkdtempSync(join(tmpdir(), 'bench-scene-')), site, ours, bare }
}

async function runOurs({ ours, site, folder }: Bench): Promise<void> {
  runs += 1
  const outcome = await ours.run({
    run_id: `bench-${runs}`,
    target_url: `${site.url}/`,
    expected_domain: '127.0.0.1',
    page_title_keywords: ['线损'],
    requires_target_page: true,
    allowed_domains: [],
    script: SCRIPT,
    args: { org: '62401' },
    timeout_ms: 60_000,
    max_result_bytes: 1_000_000,
    result_file: join(folder, `result-${runs}`),
  })
  if (outcome.kind !== 'result') throw new Error(outcome.message)
}

async function runBare({ bare, site, folder }: Bench): Promise<void> {
  const context = await bare.newContext()
  const page = await context.newPage()
  await page.goto(`${site.url}/`)
  const call = `(async (args) => { ${SCRIPT}\n; return await collect(args) })({ org: '62401' })`
  await writeFile(join(folder, 'bare'), JSON.stringify(await page.evaluate(call)))
  await context.close()
}

function makeReport(): ReportArtifact {
  return {
    type: 'report-artifact',
    status: 'ok',
    title: 'Report',
    period: '2026-03',
    columns: [
      { key: 'no', label: 'No', type: 'text' },
      { key: 'name', label: 'Name', type: 'text' },
      { key: 'supply', label: 'Supply', type: 'number' },
      { key: 'sale', label: 'Sale', type: 'number' },
      { key: 'rate', label: 'Rate', type: 'percent' },
      { key: 'day', label: 'Day', type: 'date' },
      { key: 'ok', label: 'Qualified', type: 'boolean' },
    ],
    rows: Array.from({ length: ROWS }, (_, at) => ({
      no: `62401${at}`,
      name: `台区 ${at}`,
      supply: at * 1.37,
      sale: at * 1.31,
      rate: at % 10,
      day: '2026-03-31',
      ok: at % 3 > 0,
    })),
    warnings: [],
    source: { url: 'http://127.0.0.1/', collected_at: '2026-04-01T00:00:00Z' },
  }
}

async function exportOurs(home: string): Promise<void> {
  const result_file = join(home, 'result')
  const rules = { type: 'report-artifact', success_status: ['ok'], failure_status: ['error'] }
  const exported = await exportReport({ result_file, home, rules })
  if (exported.kind !== 'report' || exported.files.length !== 3) throw new Error('The report was not exported.')
}

async function exportBare(folder: string, { columns, rows }: ReportArtifact): Promise<void> {
  const header = columns.map(({ label }) => ({ value: label, type: String, fontWeight: 'bold' as const }))
  const cells = rows.map((row) => [
    { value: row['no'] as string, type: String },
    { value: row['name'] as string, type: String },
    { value: row['supply'] as number, type: Number },
    { value: row['sale'] as number, type: Number },
    { value: (row['rate'] as number) / 100, type: Number, format: '0.00%' },
    { value: new Date(`${String(row['day'])}T00:00:00Z`), type: Date, format: 'yyyy-mm-dd' },
    { value: row['ok'] as boolean, type: Boolean },
  ])
  await writeExcelFile([header, ...cells], { sheet: 'Report', stickyRowsCount: 1 }).toFile(join(folder, 'bare.xlsx'))
}

async function measureMs(work: () => Promise<void>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}
