import { isWholePhrase } from './fold-text.ts'

export interface PhraseHit {
  /** The folded phrase. */
  readonly phrase: string
  readonly start: number
}

/** Finds which of many phrases are in a text, in time that depends on the text and not on the number of phrases. */
export class PhraseIndex {
  readonly #phrases: ReadonlySet<string>
  /** The different lengths of the phrases that start with a character. */
  readonly #lengths: ReadonlyMap<string, readonly number[]>

  /** The phrases are folded. */
  constructor(phrases: Iterable<string>) {
    this.#phrases = new Set([...phrases].filter((phrase) => phrase !== ''))
    const lengths = new Map<string, Set<number>>()
    for (const phrase of this.#phrases) {
      const first = phrase[0] ?? ''
      lengths.set(first, (lengths.get(first) ?? new Set()).add(phrase.length))
    }
    this.#lengths = new Map([...lengths].map(([first, all]) => [first, [...all].toSorted((a, b) => b - a)]))
  }

  /** All places of all phrases, in the order of the text, at one place the longest first. */
  findAll(text: string): PhraseHit[] {
    const hits: PhraseHit[] = []
    for (let start = 0; start < text.length; start += 1) {
      for (const length of this.#lengths.get(text[start] ?? '') ?? []) {
        if (start + length > text.length) continue
        const phrase = text.slice(start, start + length)
        if (this.#phrases.has(phrase) && isWholePhrase(text, start, length)) hits.push({ phrase, start })
      }
    }
    return hits
  }
}

/** Of hits that overlap only the longest counts, and of two of the same length the first. */
export function selectLongest(hits: readonly PhraseHit[]): PhraseHit[] {
  if (hits.length < 2) return [...hits]
  const chosen: PhraseHit[] = []
  const byLength = [...hits].toSorted((a, b) => b.phrase.length - a.phrase.length || a.start - b.start)
  for (const hit of byLength) {
    const end = hit.start + hit.phrase.length
    const isFree = chosen.every((one) => end <= one.start || hit.start >= one.start + one.phrase.length)
    if (isFree) chosen.push(hit)
  }
  return chosen.toSorted((a, b) => a.start - b.start)
}
