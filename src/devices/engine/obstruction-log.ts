/** How an obstruction was left. */
export type LeavingWay = 'control' | 'back' | 'outside'

/** The obstructions that one execution met, and the ways it tried to leave them. */
export class ObstructionLog {
  /** The ways tried in the current step, by the signature of the obstruction. */
  readonly #tried = new Map<string, Set<LeavingWay>>()
  #left = 0

  startStep(): void {
    this.#tried.clear()
  }

  /** Notes an obstruction: whether this step met it before, or met too many. */
  note(signature: string): 'new' | 'known' | 'too_many' {
    if (this.#tried.has(signature)) return 'known'
    if (this.#tried.size >= MAX_PER_STEP || this.#left >= MAX_PER_EXECUTION) return 'too_many'
    this.#tried.set(signature, new Set())
    return 'new'
  }

  /** The first of these ways that was not tried. Counts it as tried. */
  takeWay(signature: string, ways: readonly LeavingWay[]): LeavingWay | undefined {
    const tried = this.#tried.get(signature) ?? new Set<LeavingWay>()
    const way = ways.find((one) => !tried.has(one))
    if (way === undefined) return undefined
    if (tried.size === 0) this.#left += 1
    tried.add(way)
    return way
  }
}

const MAX_PER_STEP = 3
const MAX_PER_EXECUTION = 6
