import type { Hierarchy } from '../../screen/tree/hierarchy.ts'
import { collectOnScreenNodes, findWindow } from '../../screen/matcher.ts'
import { readOwnTexts } from '../../screen/obstruction/panel.ts'
import type { ScreenReading } from './screen-reading.ts'

/** What one execution saw before and after it acted. It tells new messages from what was always there. */
export class RunHistory {
  /** The masked labels seen before the first touch of the app. */
  readonly #atStart = new Set<string>()
  /** The masked labels of the last screen before the last touch. */
  #beforeLast: ReadonlySet<string> = new Set()
  /** The last reading before each touch, and its masked labels. */
  #earlier: ScreenReading[] = []
  #earlierLabels: ReadonlySet<string>[] = []
  #sinceLast: ScreenReading[] = []
  #dismissed: string[] = []
  #actedMs = BEFORE_ACTING
  #isIgnoring = false

  add(reading: ScreenReading): void {
    if (this.#actedMs === BEFORE_ACTING && this.#atStart.size < MAX_LABELS) {
      for (const label of collectMaskedLabels(reading.hierarchy)) this.#atStart.add(label)
    }
    this.#sinceLast = [...this.#sinceLast.slice(-MAX_READINGS + 1), reading]
  }

  /** Marks a touch or an input of the workflow. */
  act(nowMs: number): void {
    if (this.#isIgnoring) return
    const last = this.#sinceLast.at(-1)
    if (last !== undefined) {
      this.#beforeLast = collectMaskedLabels(last.hierarchy)
      this.#earlier = [...this.#earlier.slice(-MAX_EARLIER + 1), last]
      this.#earlierLabels = [...this.#earlierLabels.slice(-MAX_EARLIER + 1), this.#beforeLast]
    }
    this.#sinceLast = []
    this.#dismissed = []
    this.#actedMs = nowMs
  }

  /** When the workflow last touched the screen or entered something. */
  get actedMs(): number {
    return this.#actedMs
  }

  /** Runs a touch that is not part of the workflow. */
  async ignoring<T>(work: () => Promise<T>): Promise<T> {
    const outer = this.#isIgnoring
    this.#isIgnoring = true
    try {
      return await work()
    } finally {
      this.#isIgnoring = outer
    }
  }

  /** Notes the text of a window that was dismissed. */
  addDismissed(text: string): void {
    if (this.#actedMs !== BEFORE_ACTING && text !== '') this.#dismissed.push(text)
  }

  /** The texts of the windows dismissed since the last touch. */
  get dismissed(): readonly string[] {
    return this.#dismissed
  }

  /** The readings since the last touch, oldest first. */
  get sinceLast(): readonly ScreenReading[] {
    return this.#sinceLast
  }

  /** The screens that touches of the workflow acted on, oldest first. */
  get earlier(): readonly ScreenReading[] {
    return this.#earlier
  }

  /** The masked labels of these screens. */
  get earlierLabels(): readonly ReadonlySet<string>[] {
    return this.#earlierLabels
  }

  get atStart(): ReadonlySet<string> {
    return this.#atStart
  }

  get beforeLast(): ReadonlySet<string> {
    return this.#beforeLast
  }
}

/** Labels without digits, so that counters and times do not make them new. */
export function maskLabel(label: string): string {
  return label
    .normalize('NFKC')
    .replaceAll(/\p{N}+/gu, '0')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .toLowerCase()
}

export function collectMaskedLabels(hierarchy: Hierarchy): ReadonlySet<string> {
  const nodes = collectOnScreenNodes(hierarchy.roots, findWindow(hierarchy))
  return new Set(nodes.flatMap(readOwnTexts).map(maskLabel))
}

/** The time of the last touch while there was none. */
const BEFORE_ACTING = Number.NEGATIVE_INFINITY
const MAX_LABELS = 4000
const MAX_READINGS = 40
const MAX_EARLIER = 30
