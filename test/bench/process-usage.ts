import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** Linux counts processor time in hundredths of a second. */
const TICK_MS = 10
/** Longer than deferred work of the daemon waits, such as projections and folding the log of the database. */
const QUIET_MS = 2500

export interface Usage {
  readonly cpuMs: number
  /** The write calls of all threads, to files and to sockets. */
  readonly writes: number
}

/** Measures what a process uses for `work` and for what the work causes afterwards. Its use while idle is subtracted. */
export async function measureUsage(pid: number, work: () => Promise<unknown>): Promise<Usage> {
  await sleep(QUIET_MS)
  const start = readUsage(pid)
  await sleep(QUIET_MS)
  const idle = subtract(readUsage(pid), start)
  const before = readUsage(pid)
  const startedMs = performance.now()
  await work()
  await sleep(QUIET_MS)
  const share = (performance.now() - startedMs) / QUIET_MS
  const used = subtract(readUsage(pid), before)
  return { cpuMs: used.cpuMs - idle.cpuMs * share, writes: used.writes - idle.writes * share }
}

export function readUsage(pid: number): Usage {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The name of the program may contain spaces. It ends with the last bracket.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const ticks = Number(fields[11]) + Number(fields[12])
  const writes = /^syscw: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1]
  return { cpuMs: ticks * TICK_MS, writes: Number(writes) }
}

/** The memory that a process has now. */
export const readMemoryMb = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

const subtract = (a: Usage, b: Usage): Usage => ({ cpuMs: a.cpuMs - b.cpuMs, writes: a.writes - b.writes })
