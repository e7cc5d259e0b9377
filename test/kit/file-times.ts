import { appendFileSync, readFileSync } from 'node:fs'
import { afterAll, expect } from 'vitest'

/** `npm test -- --profile` names a file; each test file then adds a line with the time that it took. */
const REPORT_FILE = process.env['APPRENTICE_TEST_PROFILE']

export interface FileTime {
  readonly file: string
  readonly own_seconds: number
  /** Of processes that the file started and that have ended. */
  readonly child_seconds: number
  /** The time in which the worker waited for a timer, a phone or a process. */
  readonly waiting_seconds: number
}

type Usage = Omit<FileTime, 'file'>

/** A worker keeps this between files, but loads this module anew for each of them. */
const worker = globalThis as { lastUsage?: Usage }

if (REPORT_FILE !== undefined) {
  afterAll(() => {
    const { lastUsage = { own_seconds: 0, child_seconds: 0, waiting_seconds: 0 } } = worker
    const usage = readUsage()
    worker.lastUsage = usage
    const entry: FileTime = {
      file: expect.getState().testPath ?? '',
      own_seconds: usage.own_seconds - lastUsage.own_seconds,
      child_seconds: usage.child_seconds - lastUsage.child_seconds,
      waiting_seconds: usage.waiting_seconds - lastUsage.waiting_seconds,
    }
    appendFileSync(REPORT_FILE, `${JSON.stringify(entry)}\n`)
  })
}

function readUsage(): Usage {
  const { user, system } = process.cpuUsage()
  return {
    own_seconds: (user + system) / 1e6,
    child_seconds: readChildSeconds(),
    waiting_seconds: performance.eventLoopUtilization().idle / 1000,
  }
}

/** Linux counts ended child processes and their children; other systems do not say. */
function readChildSeconds(): number {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? []
    return (Number(fields[13]) + Number(fields[14])) / 100
  } catch {
    return 0
  }
}
