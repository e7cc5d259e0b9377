import { setTimeout as pause } from 'node:timers/promises'
import { carriesMark, livingProcesses } from './process-table.ts'

const glanceMs = 20
const lastWaitMs = 2000

/** What a run is known by: the group it was started in, and a variable its processes inherit. */
export interface Family {
  readonly group?: number | undefined
  /** `NAME=value` */
  readonly mark: string
}

/**
 * Ends a whole family: asks all of it to end, and after the grace ends what is left, also what had left its group.
 * True when nothing of it lives any more.
 */
export async function endFamily(family: Family, graceMs: number): Promise<boolean> {
  const untilMs = Date.now() + graceMs
  for (let asked = new Set<number>(); Date.now() < untilMs; await pause(glanceMs)) {
    const members = membersOf(family)
    if (members.length === 0) return true
    // Each is asked once: a second word could cut short what it does on the first.
    for (const pid of members.filter((one) => !asked.has(one))) send(pid, 'SIGTERM')
    asked = new Set(members)
  }
  const lastMs = Date.now() + lastWaitMs
  for (;;) {
    const members = membersOf(family)
    if (members.length === 0) return true
    if (Date.now() > lastMs) return false
    for (const pid of members) send(pid, 'SIGKILL')
    await pause(glanceMs)
  }
}

export function membersOf({ group, mark }: Family): number[] {
  const living = livingProcesses()
  if (living === undefined) return group !== undefined && send(-group, 0) ? [-group] : []
  return living
    .filter(({ pid, group: own }) => own === group || carriesMark(pid, mark))
    .map(({ pid }) => pid)
    .filter((pid) => pid !== process.pid)
}

/** False when there is no such process any more. */
function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal)
    return true
  } catch {
    return false
  }
}
