import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import readXlsxFile from 'read-excel-file/node'
import { expect, onTestFinished, test } from 'vitest'
import { openPromise as openZip } from 'yauzl'
import type { ReportArtifact } from '@apprentice/contracts/scenes/artifact.ts'
import { openReportFiles } from '../../src/files/content-files.ts'
import { checkReport } from '../../src/knowledge/reports/check-report.ts'
import { formatReportCsv } from '../../src/knowledge/reports/report-csv.ts'
import { toFileName, toSheetName } from '../../src/knowledge/reports/report-names.ts'
import { exportReport } from '../../src/workers/report-export.ts'
import { jobWorkers } from '../../src/workers/worker-pool.ts'
import { measureLongestTurn } from '../kit/longest-turn.ts'

const rules = {
  type: 'report-artifact',
  success_status: ['ok', 'partial', 'empty'],
  failure_status: ['blocked', 'error'],
}
const source = { url: 'http://127.0.0.1/report', collected_at: '2026-03-01T12:00:00Z' }
const columns: ReportArtifact['columns'] = [
  { key: 'name', label: '台区', type: 'text' },
  { key: 'energy', label: '=供电量', type: 'number' },
  { key: 'rate', label: '线损率', type: 'percent' },
  { key: 'day', label: '日期', type: 'date' },
  { key: 'ok', label: '合格', type: 'boolean' },
]
const texts = [
  '=1+1',
  '+1',
  '-1',
  '@SUM(A1)',
  '\tx',
  '=cmd|" /C calc"!A0',
  '甲"乙,丙\n丁',
  'constructor',
  '__proto__',
  '😀',
  "'x",
  '0012',
  '＝1+1',
  'a\u0001b',
]
const report: ReportArtifact = {
  type: 'report-artifact',
  status: 'ok',
  title: '台区线损 [月累计]/兰州: 2026年3月 (A very long title)',
  period: '2026-03',
  columns,
  rows: [
    ...texts.map((name) => ({ name, energy: null, rate: null, day: null, ok: null })),
    { name: '', energy: -12.5, rate: 3.35, day: '2026-03-31', ok: true },
    { name: null, energy: 0, rate: 0, day: '2024-02-29', ok: false },
  ],
  totals: { name: '合计', energy: 1e15 + 1, rate: 97.5, day: null, ok: null },
  warnings: [],
  source,
}

async function readZipEntry(file: string, name: string): Promise<string> {
  const zip = await openZip(file)
  for await (const entry of zip.eachEntry()) {
    if (entry.fileName === name) return readText(await zip.openReadStreamPromise(entry))
  }
  throw new Error(`No ${name}.`)
}

function makeHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'apprentice-report-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  return home
}

function writeResult(home: string, value: unknown): string {
  const file = join(home, 'result')
  writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value))
  return file
}

test('an .xlsx file has the cells of the report, each with its type', async () => {
  const home = makeHome()
  const exported = await exportReport({ result_file: writeResult(home, report), home, rules })
  if (exported.kind !== 'report') throw new Error(exported.message)
  expect(exported).toMatchObject({ succeeded: true, summary: { row_count: report.rows.length, status: 'ok' } })
  expect(exported.summary).not.toHaveProperty('rows')
  const [xlsx] = exported.files
  const content = readFileSync(openReportFiles(home).locate(xlsx?.sha256 ?? ''))
  expect(content).toHaveLength(xlsx?.bytes ?? 0)
  const [sheet, ...others] = await readXlsxFile(content, { trim: false })
  expect(others).toEqual([])
  const day = (text: string) => new Date(`${text}T00:00:00.000Z`)
  expect(sheet?.data).toEqual([
    columns.map(({ label }) => label),
    ...texts.map((text) => [
      text === 'constructor' || text === '__proto__' ? `${text} ` : text.replace('\u0001', ''),
      null,
      null,
      null,
      null,
    ]),
    [null, -12.5, 0.0335, day('2026-03-31'), true],
    [null, 0, 0, day('2024-02-29'), false],
    ['合计', 1e15 + 1, 0.975, null, null],
  ])
  expect(sheet?.sheet).toBe(toSheetName(report.title))
})

test('the header row of the sheet stays visible, and no cell is a formula', async () => {
  const home = makeHome()
  const exported = await exportReport({ result_file: writeResult(home, report), home, rules })
  if (exported.kind !== 'report') throw new Error(exported.message)
  const file = openReportFiles(home).locate(exported.files[0]?.sha256 ?? '')
  const sheet = await readZipEntry(file, 'xl/worksheets/sheet1.xml')
  expect(sheet).toMatch(/<pane [^>]*ySplit="1"[^>]*state="frozen"/)
  expect(sheet).not.toMatch(/<f[ >]/)
})

test('CSV keeps numbers and neutralises texts that look like formulas', () => {
  const lines = [...formatReportCsv(report)]
  expect(lines[0]).toBe("\uFEFF台区,'=供电量,线损率,日期,合格\r\n")
  expect(lines.slice(1, 8)).toEqual([
    "'=1+1,,,,\r\n",
    "'+1,,,,\r\n",
    "'-1,,,,\r\n",
    "'@SUM(A1),,,,\r\n",
    "'\tx,,,,\r\n",
    `"'=cmd|"" /C calc""!A0",,,,\r\n`,
    '"甲""乙,丙\n丁",,,,\r\n',
  ])
  expect(lines).toContain("'＝1+1,,,,\r\n")
  expect(lines.slice(-3)).toEqual([
    ',-12.5,3.35,2026-03-31,true\r\n',
    ',0,0,2024-02-29,false\r\n',
    '合计,1000000000000001,97.5,,\r\n',
  ])
})

test('JSON has the declared columns only', async () => {
  const home = makeHome()
  const value = { ...report, rows: [{ name: 'a', hidden: 'b' }], totals: undefined, extra: 1 }
  const exported = await exportReport({ result_file: writeResult(home, value), home, rules })
  if (exported.kind !== 'report') throw new Error(exported.message)
  const content = await openReportFiles(home).read(exported.files[2]?.sha256 ?? '')
  const { totals: _totals, ...kept } = report
  const row = { name: 'a', energy: null, rate: null, day: null, ok: null }
  expect(JSON.parse(String(content))).toEqual({ ...kept, rows: [row] })
})

test.each([
  ['type: ', { ...report, type: 'other' }],
  ['status: the manifest does not list done', { ...report, status: 'done' }],
  ['source.collected_at', { ...report, source: { ...source, collected_at: 'today' } }],
  ['columns: two', { ...report, columns: [...columns, columns[0]] }],
  ['rows: must be a list', { ...report, rows: {} }],
  ['rows.0: must be an object', { ...report, rows: [[1]] }],
  ['rows.1: energy: must be a number', { ...report, rows: [{}, { energy: '1' }] }],
  ['rows.0: rate: must be a number', { ...report, rows: [{ rate: '3%' }] }],
  ['rows.0: day: must be a date', { ...report, rows: [{ day: '2026-02-30' }] }],
  ['rows.0: ok: must be true', { ...report, rows: [{ ok: 'yes' }] }],
  ['rows.0: name: must be a text', { ...report, rows: [{ name: { a: 1 } }] }],
  ['rows.0: name: must be a text', { ...report, rows: [{ name: 'x'.repeat(32_768) }] }],
  ['energy: must be a number', { ...report, totals: { energy: '1' } }],
  ['report: ', 5],
])('a report is refused: %s', (message, value) => {
  const checked = checkReport(value, rules)
  expect(checked).toMatchObject({ kind: 'invalid' })
  expect(checked).toHaveProperty('message', expect.stringContaining(message))
})

test('a report that says it failed is not exported', async () => {
  const home = makeHome()
  const result_file = writeResult(home, { ...report, status: 'blocked', warnings: ['sign in'] })
  const exported = await exportReport({ result_file, home, rules })
  expect(exported).toMatchObject({ kind: 'report', succeeded: false, files: [], summary: { warnings: ['sign in'] } })
})

test('what is no JSON or too large is refused', async () => {
  const home = makeHome()
  const refuse = async (text: string) =>
    (await exportReport({ result_file: writeResult(home, text), home, rules })).kind
  expect(await refuse('{')).toBe('not_json')
  expect(await refuse(`"${'x'.repeat(17 * 1024 * 1024)}"`)).toBe('too_large')
  expect(await refuse(JSON.stringify({ ...report, rows: Array.from({ length: 100_001 }, () => ({})) }))).toBe(
    'too_large',
  )
})

test('100,000 rows are exported without blocking the event loop', async () => {
  const home = makeHome()
  const rows = Array.from({ length: 100_000 }, (_, at) => ({ name: `台区 ${at}`, energy: at / 7, rate: at % 100 }))
  const result_file = writeResult(home, { ...report, rows, totals: undefined })
  let kind = ''
  const turn = await measureLongestTurn(async () => {
    ;({ kind } = await jobWorkers.run('exportReport', { result_file, home, rules }))
  })
  expect(kind).toBe('report')
  expect(turn).toBeLessThan(200)
})

test('100,000 rows of all types are read back cell by cell', { timeout: 300_000 }, async () => {
  const home = makeHome()
  const count = 100_000
  const dayOf = (at: number): string => new Date(Date.UTC(2000, 0, 1 + (at % 9000))).toISOString().slice(0, 10)
  const rows = Array.from({ length: count }, (_, at) => ({
    name: at % 3 === 0 ? `=${at}+1` : `台区 ${at}`,
    energy: at % 7 === 0 ? null : at / 8 - 5000,
    rate: at % 101,
    day: dayOf(at),
    ok: at % 2 === 0,
  }))
  const exported = await exportReport({ result_file: writeResult(home, { ...report, rows }), home, rules })
  if (exported.kind !== 'report') throw new Error(exported.message)
  expect(exported.summary.row_count).toBe(count)
  const [xlsx, csv, json] = exported.files.map(({ sha256 }) => openReportFiles(home).locate(sha256))

  const [sheet] = await readXlsxFile(readFileSync(xlsx ?? ''), { trim: false })
  const cells = sheet?.data ?? []
  // The header and the totals.
  expect(cells).toHaveLength(count + 2)
  const wrong = rows.filter(({ name, energy, rate, day, ok }, at) => {
    const [a, b, c, d, e] = cells[at + 1] ?? []
    const isSame = a === name && b === energy && Math.abs(Number(c) - rate / 100) < 1e-12
    return !(isSame && (d as unknown as Date).toISOString() === `${day}T00:00:00.000Z` && e === ok)
  })
  expect(wrong.slice(0, 3)).toEqual([])
  expect(cells.at(-1)).toEqual(['合计', 1e15 + 1, 0.975, null, null])

  const lines = readFileSync(csv ?? '', 'utf8').split('\r\n')
  expect(lines).toHaveLength(count + 3)
  const wrongLines = rows.filter(({ name, energy, rate, day, ok }, at) => {
    const text = name.startsWith('=') ? `'${name}` : name
    return lines[at + 1] !== [text, energy ?? '', rate, day, ok].join(',')
  })
  expect(wrongLines.slice(0, 3)).toEqual([])
  expect((JSON.parse(readFileSync(json ?? '', 'utf8')) as ReportArtifact).rows).toEqual(rows)
})

test.each([
  ['a/b\\c?d*e[f]g:h', 'a b c d e f g h'],
  ["'quoted'", 'quoted'],
  ['', 'Report'],
  ['History', 'Report'],
  ['台'.repeat(40), '台'.repeat(31)],
  [`${'x'.repeat(30)}😀`, 'x'.repeat(30)],
])('the sheet of %j is named %j', (title, name) => {
  expect(toSheetName(title)).toBe(name)
})

test.each([
  ['../..\\a:b', null, 'a b'],
  ['台区线损', '2026年3月', '台区线损 2026年3月'],
  ['...', null, 'report'],
])('the file of %j and %j is named %j', (title, period, name) => {
  expect(toFileName(title, period)).toBe(name)
})
