// Runs one command of the set-up: shows progress while it runs, and one sentence plus a log file if it fails.
import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findCause, formatFailure } from './failure-message.mjs'

export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
export const CACHE_FOLDER = join(ROOT, 'node_modules', '.cache', 'apprentice')
const PROGRESS_MS = 15_000
const LOG_NAME = 'setup.log'

/**
 * Ends the process when the command fails.
 *
 * @param {string} label
 * @param {string} program
 * @param {{ args: readonly string[], env?: Readonly<Record<string, string>>, hint?: string }} options
 */
export function runCommand(label, program, { args, env = {}, hint = '' }) {
  const startedMs = Date.now()
  const seconds = () => Math.round((Date.now() - startedMs) / 1000)
  say(`${label}${hint} …`)
  const timer = setInterval(() => say(`${label} … ${seconds()} s`), PROGRESS_MS)
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
    })
    const chunks = []
    child.stdout.on('data', (chunk) => chunks.push(chunk))
    child.stderr.on('data', (chunk) => chunks.push(chunk))
    child.on('error', ({ message }) => {
      const problem = `${program} could not be started (${message})`
      exitWith(formatFailure({ problem, remedy: `Install ${program}` }, { command: again() }))
    })
    child.on('close', (code, signal) => {
      clearInterval(timer)
      const ended = code === null ? `was stopped by ${signal}` : `failed with exit code ${code}`
      const commandLine = [program, ...args].join(' ')
      if (code !== 0) fail(Buffer.concat(chunks).toString(), `"${commandLine}" ${ended}`)
      say(`${label} … done in ${seconds()} s`)
      resolve()
    })
  })
}

export function say(line) {
  process.stderr.write(`[apprentice] ${line}\n`)
}

/** The npm command a person has to repeat. */
export function again() {
  const script = (process.env['npm_lifecycle_event'] ?? 'start').replace(/^pre/, '')
  return ['start', 'test'].includes(script) ? `npm ${script}` : `npm run ${script}`
}

export function exitWith(message) {
  process.stderr.write(`\n${message}\n`)
  process.exit(1)
}

function fail(output, problem) {
  const cause = findCause(output) ?? { problem, remedy: 'Read the details' }
  exitWith(formatFailure(cause, { command: again(), logFile: writeLog(output) }))
}

/** Returns the file, which is in the temporary folder if the checkout cannot be written. */
function writeLog(output) {
  for (const folder of [CACHE_FOLDER, tmpdir()]) {
    try {
      mkdirSync(folder, { recursive: true })
      const name = folder === CACHE_FOLDER ? LOG_NAME : `apprentice-${LOG_NAME}`
      writeFileSync(join(folder, name), output)
      return join(folder, name)
    } catch {
      // Not writable: the next folder is tried.
    }
  }
  return undefined
}
