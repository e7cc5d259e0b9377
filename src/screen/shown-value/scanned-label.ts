import { AtomList } from './atoms.ts'
import { type DateToken, scanDates } from './dates.ts'
import { foldText, foldTurkishText, normalizeLabel } from './normalize.ts'
import { type NumberToken, scanNumbers } from './numbers.ts'
import { findPartEdges, type PartEdges } from './part-edges.ts'
import { rememberRecent } from './remember.ts'
import { scanTimes, type TimeToken } from './times.ts'

/** A normalized label and what it contains. Each scan is done once, when first asked for. */
export class ScannedLabel {
  readonly text: string
  readonly hasDigits: boolean
  /** Other work done on it, in looks at one character. */
  steps = 0
  #atoms: AtomList | undefined
  #folded: string | undefined
  #turkish: string | undefined
  #edges: PartEdges | undefined
  #dates: DateToken[] | undefined
  #times: TimeToken[] | undefined
  #numbers: NumberToken[] | undefined

  constructor(label: string) {
    this.text = normalizeLabel(label)
    this.hasDigits = /\p{Nd}/u.test(this.text)
  }

  get folded(): string {
    this.#folded ??= foldText(this.text)
    return this.#folded
  }

  get turkish(): string {
    this.#turkish ??= foldTurkishText(this.text)
    return this.#turkish
  }

  get edges(): PartEdges {
    this.#edges ??= findPartEdges(this.text)
    return this.#edges
  }

  get dates(): readonly DateToken[] {
    this.#dates ??= this.hasDigits ? scanDates(this.atoms) : []
    return this.#dates
  }

  get times(): readonly TimeToken[] {
    this.#times ??= this.hasDigits ? scanTimes(this.atoms) : []
    return this.#times
  }

  get numbers(): readonly NumberToken[] {
    this.#numbers ??= this.hasDigits
      ? scanNumbers(this.atoms, [...this.dates.filter(({ weak }) => !weak), ...this.times])
      : []
    return this.#numbers
  }

  get atoms(): AtomList {
    this.#atoms ??= new AtomList(this.text)
    return this.#atoms
  }

  /** All work done so far, for tests of its growth. */
  get total_steps(): number {
    return this.steps + (this.#atoms?.steps ?? 0)
  }
}

/** A label that was scanned a moment ago is not scanned again. */
export const scanLabel = rememberRecent(2000, (label) => new ScannedLabel(label))
