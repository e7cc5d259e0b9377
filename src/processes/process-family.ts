import { setTimeout as pause } from 'node:timers/promises'
import { carriesMark, groupOf, processIds } from './process-table.ts'

const glanceMs = 30
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
  const watch = new FamilyWatch(family)
  const asked = new Set<number>()
  for (const untilMs = Date.now() + graceMs; Date.now() < untilMs; await pause(glanceMs)) {
    const members = await watch.members()
    if (members.length === 0) return true
    // Each is asked once: a second word could cut short what it does on the first.
    for (const pid of members.filter((one) => !asked.has(one))) send(pid, 'SIGTERM')
    for (const pid of members) asked.add(pid)
  }
  for (const untilMs = Date.now() + lastWaitMs; Date.now() < untilMs; await pause(glanceMs)) {
    const members = await watch.members()
    if (members.length === 0) return true
    for (const pid of members) send(pid, 'SIGKILL')
  }
  return (await watch.members()).length === 0
}

class FamilyWatch {
  readonly #family: Family
  /** Looked at once and no member. Nobody joins a family but by being born into it. */
  readonly #strangers = new Set([process.pid])

  constructor(family: Family) {
    this.#family = family
  }

  async members(): Promise<number[]> {
    const { group } = this.#family
    const ids = await processIds()
    if (ids === undefined) return group !== undefined && send(-group, 0) ? [-group] : []
    const unknown = ids.filter((pid) => !this.#strangers.has(pid))
    const standings = await Promise.all(unknown.map((pid) => this.#standing(pid)))
    for (const [at, pid] of unknown.entries()) {
      if (standings[at] === 'stranger') this.#strangers.add(pid)
    }
    return unknown.filter((_pid, at) => standings[at] === 'member')
  }

  async #standing(pid: number): Promise<'member' | 'stranger' | 'gone'> {
    const { group, mark } = this.#family
    const own = await groupOf(pid)
    if (own === undefined) return 'gone'
    return own === group || (await carriesMark(pid, mark)) ? 'member' : 'stranger'
  }
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
