// Runs the whole suite and ends with one plain line of counts. `--no-skips`, the gate's way, makes a skipped test a
// failure and gives a failed one a second try, which the listing shows as `(retry x1)`.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { missingPackages } from './system-packages.mjs'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const noSkips = process.argv.includes('--no-skips')
const chosen = process.argv.slice(2).filter((argument) => argument !== '--no-skips')
const folder = mkdtempSync(join(tmpdir(), 'apprentice-tests-'))
const report = join(folder, 'report.json')

const code = await vitest()
const counts = readCounts()
rmSync(folder, { recursive: true, force: true })
const lost = noSkips ? counts.skipped : 0
for (const { name } of missingPackages()) {
  process.stdout.write(`\nSKIPPED: every suite that needs ${name}, because it is not installed.\n`)
}
if (lost > 0) process.stdout.write(`\n${lost} skipped, and nothing may be skipped here.\n`)
const skipped = counts.skipped === 0 ? '' : `, ${counts.skipped} skipped`
process.stdout.write(`\n${counts.passed} passed, ${counts.failed} failed${skipped}\n`)
process.exit(code === 0 && counts.failed === 0 && counts.passed > 0 && lost === 0 ? 0 : 1)

function vitest() {
  const args = [
    join(root, 'node_modules', 'vitest', 'vitest.mjs'),
    'run',
    '--config',
    join(root, 'test', 'vitest.config.ts'),
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
    ...(noSkips ? ['--retry=1'] : []),
    ...chosen,
  ]
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' })
    child.on('close', (status) => resolve(status ?? 1))
  })
}

function readCounts() {
  try {
    const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults } =
      JSON.parse(readFileSync(report, 'utf8'))
    const broken = testResults.filter(
      (file) => file.status === 'failed' && file.assertionResults.length === 0,
    )
    return {
      passed: numPassedTests,
      failed: numFailedTests + broken.length,
      skipped: numPendingTests + numTodoTests,
    }
  } catch {
    return { passed: 0, failed: 1, skipped: 0 }
  }
}
