// Runs the test suite and ends with one line of counts.
//
//   --no-skips   a skipped test counts as a failure, and a failed test is tried once more (shown as `(retry x1)`)
//   --profile    prints where the processor time went, by folder and by file
//
// Other arguments are passed to vitest.
import { spawn } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { missingPackages } from './system-packages.mjs'
import { chooseTestFiles, listTestFiles } from './test-packages.mjs'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const OWN_OPTIONS = ['--no-skips', '--profile']
const noSkips = process.argv.includes('--no-skips')
const profile = process.argv.includes('--profile')
const vitestArguments = process.argv.slice(2).filter((option) => !OWN_OPTIONS.includes(option))
/** A file system in memory, if it is large enough. Tests write thousands of databases that nobody keeps. */
const MEMORY_FOLDER = '/dev/shm'
const NEEDED_BYTES = 4 * 2 ** 30
const temporaryFolder = chooseTemporaryFolder()
removeLeftFolders(temporaryFolder)
const folder = mkdtempSync(join(temporaryFolder, `apprentice-tests-${process.pid}-`))
// Scripts that run as other users have their files below it.
chmodSync(folder, 0o711)
const profileFile = join(folder, 'profile.jsonl')

const startedAt = Date.now()
const { code, report, counts } = await runAll()
const seconds = (Date.now() - startedAt) / 1000
const fileTimes = profile ? readFileTimes() : []
rmSync(folder, { recursive: true, force: true })
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

/** Runs the tests. What a worker did not reach because its process ended is run again, once. */
async function runAll() {
  const first = await runOnce('report.json', vitestArguments)
  const lost = first.code === 0 || first.counts.failed > 0 ? [] : listLostFiles(first.report)
  if (lost.length === 0) return first
  process.stdout.write(`\nA test process ended. Running again what it did not reach: ${lost.join(', ')}\n`)
  const again = await runOnce('report-again.json', lost)
  const add = (name) => first.counts[name] + again.counts[name]
  const counts = {
    passed: add('passed') - countPassed(first.report, lost),
    failed: add('failed'),
    skipped: add('skipped'),
  }
  return { code: again.code, report: first.report, counts }
}

async function runOnce(reportName, chosen) {
  const reportFile = join(folder, reportName)
  const code = await runVitest(reportFile, chosen)
  const report = readReport(reportFile)
  return { code, report, counts: countTests(report) }
}

/** The chosen test files that were not run to their end. Options may leave out files, so with options there are none. */
function listLostFiles(report) {
  if (report === undefined || vitestArguments.some((one) => one.startsWith('-'))) return []
  const isReached = ({ assertionResults }) =>
    assertionResults.length > 0 && assertionResults.every(({ status }) => status !== 'pending')
  const reached = new Set(report.testResults.filter(isReached).map(({ name }) => name))
  return chooseTestFiles(listTestFiles(), vitestArguments).filter((file) => !reached.has(join(root, 'test', file)))
}

/** The tests of these files that passed before their process ended. They are run again. */
function countPassed(report, files) {
  const names = new Set(files.map((file) => join(root, 'test', file)))
  const results = report.testResults.filter(({ name }) => names.has(name)).flatMap((file) => file.assertionResults)
  return results.filter(({ status }) => status === 'passed').length
}

function runVitest(reportFile, chosen) {
  const args = [
    join(root, 'node_modules', 'vitest', 'vitest.mjs'),
    'run',
    '--config',
    join(root, 'test', 'vitest.config.ts'),
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${reportFile}`,
    ...(noSkips ? ['--retry=1'] : []),
    ...chosen,
  ]
  return new Promise((resolve) => {
    const env = { ...process.env, TMPDIR: folder, ...(profile ? { APPRENTICE_TEST_PROFILE: profileFile } : {}) }
    const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit', env })
    child.on('close', (status) => resolve(status ?? 1))
    // A run that is ended from outside removes its folder too. Ctrl-C reaches vitest by itself.
    process.on('SIGINT', () => undefined)
    process.on('SIGTERM', () => child.kill('SIGTERM'))
  })
}

/** The folder of `TMPDIR`, if it is set; otherwise memory, or else the folder of the system. */
function chooseTemporaryFolder() {
  if (process.env['TMPDIR'] !== undefined) return tmpdir()
  try {
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER)
    return bavail * bsize >= NEEDED_BYTES ? MEMORY_FOLDER : tmpdir()
  } catch {
    return tmpdir()
  }
}

/** Removes what runs have left that were killed. Memory is not emptied otherwise. */
function removeLeftFolders(parent) {
  for (const name of readdirSync(parent)) {
    const pid = /^apprentice-tests-(\d+)-/.exec(name)?.[1]
    if (pid !== undefined && !isRunning(Number(pid))) rmSync(join(parent, name), { recursive: true, force: true })
  }
}

function isRunning(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

function readReport(reportFile) {
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

/** One entry per test file and project, written by `test/kit/file-times.ts`. */
function readFileTimes() {
  try {
    const lines = readFileSync(profileFile, 'utf8').trim().split('\n')
    return lines.map((line) => JSON.parse(line))
  } catch {
    return []
  }
}

/** A worker loads shared modules with its first file, so the files that start first show more than their own. */
function printProfile() {
  const files = sumTimes((path) => path)
  const folders = sumTimes((path) => (path.includes('/') ? path.slice(0, path.indexOf('/')) : '.'))
  const measured = fileTimes.reduce((sum, time) => sum + time.own_seconds + time.child_seconds, 0)
  process.stdout.write(
    `\nProcessor seconds (of them in child processes), seconds of waiting, and tests by folder:\n${table(folders)}\n`,
  )
  process.stdout.write(`\nThe files that took most:\n${table(files.slice(0, 40))}\n`)
  const processor = childSeconds() ?? measured
  const others = Math.max(0, processor - measured)
  process.stdout.write(
    `\n${seconds.toFixed(0)} s elapsed, ${processor.toFixed(0)} s of processor time, of which ${others.toFixed(0)} s ` +
      `outside of test files (bundling, reports, processes killed or still running at the end of their file)\n`,
  )
}

/** Sums the times of all files with the same name, the longest first. */
function sumTimes(toName) {
  const sums = new Map()
  const find = (path) => {
    const name = toName(relative(join(root, 'test'), path))
    const sum = sums.get(name) ?? { name, seconds: 0, childSeconds: 0, waitingSeconds: 0, tests: 0 }
    sums.set(name, sum)
    return sum
  }
  for (const { file, own_seconds, child_seconds, waiting_seconds } of fileTimes) {
    const sum = find(file)
    sum.seconds += own_seconds + child_seconds
    sum.childSeconds += child_seconds
    sum.waitingSeconds += waiting_seconds
  }
  for (const { name, assertionResults } of report?.testResults ?? []) find(name).tests += assertionResults.length
  return [...sums.values()].toSorted((a, b) => b.seconds - a.seconds)
}

function table(rows) {
  const format = (number) => number.toFixed(1).padStart(7)
  return rows
    .map(
      ({ name, seconds: all, childSeconds: ofChildren, waitingSeconds, tests }) =>
        `${format(all)} s (${format(ofChildren)} s) ${format(waitingSeconds)} s ${String(tests).padStart(6)} tests  ${name}`,
    )
    .join('\n')
}
