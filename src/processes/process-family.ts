import { setTimeout as pause } from 'node:timers/promises'
import { hasMark, listProcessIds, readProcessGroup, readProcessUser } from './process-table.ts'

const POLL_MS = 30
const KILL_TIMEOUT_MS = 2000

/** Identifies the processes of a run: the process group, and a variable that they inherit. */
export interface ProcessFamily {
  readonly group?: number | undefined
  /** `NAME=value` */
  readonly mark: string
  /** The user id that only this run has. */
  readonly user?: number | undefined
  /** Ends by itself when the others have ended. It gets no SIGTERM, because that would end the others at once. */
  readonly wrapper?: number | undefined
}

/**
 * Ends all processes of a run, also those that left the process group: first with SIGTERM, after the grace period with
 * SIGKILL. Returns whether all have ended.
 */
export async function endProcessFamily(family: ProcessFamily, graceMs: number): Promise<boolean> {
  const watch = new FamilyWatch(family)
  const signalled = new Set<number>()
  for (const untilMs = Date.now() + graceMs; Date.now() < untilMs; await pause(POLL_MS)) {
    const members = await watch.members()
    if (members.length === 0) return true
    // Each process gets one SIGTERM: a second one could interrupt its cleanup.
    for (const pid of members.filter((one) => !signalled.has(one) && one !== family.wrapper)) sendSignal(pid, 'SIGTERM')
    for (const pid of members) signalled.add(pid)
  }
  for (const untilMs = Date.now() + KILL_TIMEOUT_MS; Date.now() < untilMs; await pause(POLL_MS)) {
    const members = await watch.members()
    if (members.length === 0) return true
    for (const pid of members) sendSignal(pid, 'SIGKILL')
  }
  return (await watch.members()).length === 0
}

class FamilyWatch {
  readonly #family: ProcessFamily
  /** Processes that are no members. A process cannot become a member later. */
  readonly #others = new Set([process.pid])

  constructor(family: ProcessFamily) {
    this.#family = family
  }

  async members(): Promise<number[]> {
    const { group } = this.#family
    const ids = await listProcessIds()
    if (ids === undefined) return group !== undefined && sendSignal(-group, 0) ? [-group] : []
    const unknown = ids.filter((pid) => !this.#others.has(pid))
    const memberships = await Promise.all(unknown.map((pid) => this.#readMembership(pid)))
    for (const [at, pid] of unknown.entries()) {
      if (memberships[at] === 'other') this.#others.add(pid)
    }
    return unknown.filter((_pid, at) => memberships[at] === 'member')
  }

  async #readMembership(pid: number): Promise<'member' | 'other' | 'gone'> {
    const { group, mark, user } = this.#family
    const own = await readProcessGroup(pid)
    if (own === undefined) return 'gone'
    if (own === group || (user !== undefined && (await readProcessUser(pid)) === user)) return 'member'
    return (await hasMark(pid, mark)) ? 'member' : 'other'
  }
}

/** Sends a signal. Returns false if the process does not exist any more. */
function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal)
    return true
  } catch {
    return false
  }
}
