/** A clock and a list of what happens when. What happens at the same time happens in the order of the calls. */
export class Simulation {
  nowMs = 0
  readonly #heap: { readonly atMs: number; readonly number: number; readonly work: () => void }[] = []
  #count = 0

  after(ms: number, work: () => void): void {
    this.#heap.push({ atMs: this.nowMs + ms, number: (this.#count += 1), work })
    this.#rise(this.#heap.length - 1)
  }

  /** Lets everything happen that does so before this time. */
  runUntil(endMs: number): void {
    for (let next = this.#heap[0]; next !== undefined && next.atMs <= endMs; next = this.#heap[0]) {
      const last = this.#heap.pop()
      if (last !== undefined && this.#heap.length > 0) {
        this.#heap[0] = last
        this.#sink()
      }
      this.nowMs = next.atMs
      next.work()
    }
    this.nowMs = endMs
  }

  #isBefore(left: number, right: number): boolean {
    const [a, b] = [this.#heap[left], this.#heap[right]]
    if (a === undefined || b === undefined) return a !== undefined
    return a.atMs < b.atMs || (a.atMs === b.atMs && a.number < b.number)
  }

  #swap(left: number, right: number): void {
    const [a, b] = [this.#heap[left], this.#heap[right]]
    if (a !== undefined && b !== undefined) [this.#heap[left], this.#heap[right]] = [b, a]
  }

  #rise(from: number): void {
    for (let at = from; at > 0 && this.#isBefore(at, (at - 1) >> 1); at = (at - 1) >> 1) this.#swap(at, (at - 1) >> 1)
  }

  #sink(): void {
    for (let at = 0; ;) {
      const child = this.#isBefore(2 * at + 2, 2 * at + 1) ? 2 * at + 2 : 2 * at + 1
      if (!this.#isBefore(child, at)) return
      this.#swap(child, at)
      at = child
    }
  }
}

/** Servers that do what arrives, in the order of arrival, one at a time each. */
export class Station {
  readonly #simulation: Simulation
  #free: number
  readonly #waiting: { readonly sinceMs: number; readonly serviceMs: number; readonly done: () => void }[] = []
  #next = 0
  busyMs = 0
  served = 0
  waitedMs = 0

  constructor(simulation: Simulation, servers: number) {
    this.#simulation = simulation
    this.#free = servers
  }

  serve(serviceMs: number, done: () => void): void {
    this.#waiting.push({ sinceMs: this.#simulation.nowMs, serviceMs, done })
    this.#start()
  }

  #start(): void {
    const job = this.#waiting[this.#next]
    if (this.#free === 0 || job === undefined) return
    this.#next += 1
    if (this.#next === this.#waiting.length) {
      this.#waiting.length = 0
      this.#next = 0
    }
    this.#free -= 1
    this.busyMs += job.serviceMs
    this.served += 1
    this.waitedMs += this.#simulation.nowMs - job.sinceMs
    this.#simulation.after(job.serviceMs, () => {
      this.#free += 1
      job.done()
      this.#start()
    })
  }
}
