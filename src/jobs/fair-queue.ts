import type { QueueAddOptions } from 'p-queue'

type Task = () => Promise<unknown>

export interface FairOptions extends QueueAddOptions {
  /** The owner of the task. Principals take turns within one priority. */
  readonly principal?: string
}

interface Entry {
  readonly run: Task
  readonly id: string | undefined
  readonly priority: number
  readonly principal: string
}

/** Highest priority first. Within one priority principals take turns, and each principal's tasks keep their order. */
export class FairQueue {
  readonly #entries: Entry[] = []
  /** The turn in which each principal was last served. */
  readonly #served = new Map<string, number>()
  #turn = 0

  get size(): number {
    return this.#entries.length
  }

  enqueue(run: Task, { id, priority = 0, principal = '' }: Partial<FairOptions> = {}): void {
    this.#entries.push({ run, id, priority, principal })
  }

  /** Called by PQueue when a task is aborted before its turn. */
  remove(id: string): void {
    const index = this.#entries.findIndex((entry) => entry.id === id)
    if (index !== -1) this.#entries.splice(index, 1)
  }

  dequeue(): Task | undefined {
    const index = this.#findNext()
    const [next] = index === -1 ? [] : this.#entries.splice(index, 1)
    if (next === undefined) return undefined
    this.#turn += 1
    this.#served.set(next.principal, this.#turn)
    return next.run
  }

  filter({ priority }: Partial<FairOptions>): Task[] {
    return this.#entries
      .filter((entry) => priority === undefined || entry.priority === priority)
      .map((entry) => entry.run)
  }

  setPriority(): void {
    throw new Error('The priority is set when a task is queued.')
  }

  #findNext(): number {
    let best = -1
    for (const [index, entry] of this.#entries.entries()) {
      const leader = this.#entries[best]
      if (leader === undefined || this.#precedes(entry, leader)) best = index
    }
    return best
  }

  #precedes(a: Entry, b: Entry): boolean {
    if (a.priority !== b.priority) return a.priority > b.priority
    return (this.#served.get(a.principal) ?? 0) < (this.#served.get(b.principal) ?? 0)
  }
}
