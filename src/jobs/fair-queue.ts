import type { QueueAddOptions } from 'p-queue'

type Run = () => Promise<unknown>

export interface FairOptions extends QueueAddOptions {
  /** Whose work this is; principals of one priority take turns. */
  readonly principal?: string
}

interface Entry {
  readonly run: Run
  readonly id: string | undefined
  readonly priority: number
  readonly principal: string
}

/** The highest priority first; within one priority principals take turns, and each one's own work keeps its order. */
export class FairQueue {
  readonly #entries: Entry[] = []
  /** The turn in which each principal was last served; kept while the last one still runs. */
  readonly #served = new Map<string, number>()
  #turn = 0

  get size(): number {
    return this.#entries.length
  }

  enqueue(run: Run, { id, priority = 0, principal = '' }: Partial<FairOptions> = {}): void {
    this.#entries.push({ run, id, priority, principal })
  }

  /** Called for what is given up before its turn. */
  remove(id: string): void {
    const at = this.#entries.findIndex((entry) => entry.id === id)
    if (at !== -1) this.#entries.splice(at, 1)
  }

  dequeue(): Run | undefined {
    const at = this.#next()
    const [next] = at === -1 ? [] : this.#entries.splice(at, 1)
    if (next === undefined) return undefined
    this.#turn += 1
    this.#served.set(next.principal, this.#turn)
    return next.run
  }

  filter({ priority }: Partial<FairOptions>): Run[] {
    return this.#entries
      .filter((entry) => priority === undefined || entry.priority === priority)
      .map((entry) => entry.run)
  }

  setPriority(): void {
    throw new Error('A priority is given when work is queued.')
  }

  #next(): number {
    let best = -1
    for (const [at, entry] of this.#entries.entries()) {
      const leader = this.#entries[best]
      if (leader === undefined || this.#goesBefore(entry, leader)) best = at
    }
    return best
  }

  #goesBefore(a: Entry, b: Entry): boolean {
    if (a.priority !== b.priority) return a.priority > b.priority
    return (this.#served.get(a.principal) ?? 0) < (this.#served.get(b.principal) ?? 0)
  }
}
