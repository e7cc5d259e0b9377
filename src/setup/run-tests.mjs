// Runs the test suite and ends with one line of counts.
//
//   --no-skips   a skipped test counts as a failure, and a failed test is tried once more (shown as `(retry x1)`)
//   --profile    prints where the time went, by folder and by file
//
// Other arguments are passed to vitest.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { missingPackages } from './system-packages.mjs'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const OWN_OPTIONS = ['--no-skips', '--profile']
const noSkips = process.argv.includes('--no-skips')
const profile = process.argv.includes('--profile')
const vitestArguments = process.argv.slice(2).filter((option) => !OWN_OPTIONS.includes(option))
const folder = mkdtempSync(join(tmpdir(), 'apprentice-tests-'))
const reportFile = join(folder, 'report.json')

const startedAt = Date.now()
const code = await runVitest()
const seconds = (Date.now() - startedAt) / 1000
const report = readReport()
rmSync(folder, { recursive: true, force: true })
const counts = countTests(report)
if (vitestArguments.length === 0) saveFigures()
if (profile) printProfile()
for (const { name } of missingPackages()) {
  process.stdout.write(`\nSKIPPED: the suites that need ${name}, because it is not installed.\n`)
}
const forbidden = noSkips ? counts.skipped : 0
if (forbidden > 0) process.stdout.write(`\n${forbidden} tests were skipped; none may be.\n`)
const skipped = counts.skipped === 0 ? '' : `, ${counts.skipped} skipped`
process.stdout.write(`\n${counts.passed} passed, ${counts.failed} failed${skipped}\n`)
process.exit(code === 0 && counts.failed === 0 && counts.passed > 0 && forbidden === 0 ? 0 : 1)

function runVitest() {
  const args = [
    join(root, 'node_modules', 'vitest', 'vitest.mjs'),
    'run',
    '--config',
    join(root, 'test', 'vitest.config.ts'),
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${reportFile}`,
    ...(noSkips ? ['--retry=1'] : []),
    ...vitestArguments,
  ]
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' })
    child.on('close', (status) => resolve(status ?? 1))
  })
}

function readReport() {
  try {
    return JSON.parse(readFileSync(reportFile, 'utf8'))
  } catch {
    return undefined
  }
}

function countTests(read) {
  if (read === undefined) return { passed: 0, failed: 1, skipped: 0 }
  const broken = read.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0)
  return {
    passed: read.numPassedTests,
    failed: read.numFailedTests + broken.length,
    skipped: read.numPendingTests + read.numTodoTests,
  }
}

/** Processor seconds of all ended child processes and theirs, where the system counts them. */
function childSeconds() {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ')
    return (Number(fields[13]) + Number(fields[14])) / 100
  } catch {
    return undefined
  }
}

/** Stores the figures of a whole run for `npm run house`. */
function saveFigures() {
  const cache = join(root, 'node_modules', '.cache', 'apprentice')
  mkdirSync(cache, { recursive: true })
  const figures = { ...counts, seconds, processor_seconds: childSeconds() }
  writeFileSync(join(cache, 'test-run.json'), JSON.stringify(figures))
}

function printProfile() {
  const files = (report?.testResults ?? []).map(({ name, startTime, endTime, assertionResults }) => ({
    name: relative(join(root, 'test'), name),
    seconds: (endTime - startTime) / 1000,
    tests: assertionResults.length,
  }))
  const folders = new Map()
  for (const file of files) {
    const name = file.name.includes('/') ? file.name.slice(0, file.name.indexOf('/')) : '.'
    const sum = folders.get(name) ?? { name, seconds: 0, tests: 0 }
    folders.set(name, sum)
    sum.seconds += file.seconds
    sum.tests += file.tests
  }
  process.stdout.write(`\nBy folder (seconds summed over the workers):\n${table([...folders.values()])}\n`)
  process.stdout.write(`\nSlowest files:\n${table(files).split('\n').slice(0, 40).join('\n')}\n`)
  const processor = childSeconds()
  process.stdout.write(
    `\n${seconds.toFixed(0)} s elapsed, ${processor === undefined ? '?' : processor.toFixed(0)} s of processor time\n`,
  )
}

function table(rows) {
  return rows
    .toSorted((a, b) => b.seconds - a.seconds)
    .map((row) => `${row.seconds.toFixed(1).padStart(8)} s ${String(row.tests).padStart(6)} tests  ${row.name}`)
    .join('\n')
}
