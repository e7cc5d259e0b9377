import type { SkillEntry } from '@apprentice/contracts/skills/skill.ts'

export interface SkillQuery {
  readonly app?: string | undefined
  readonly intent?: string | undefined
  readonly keyword?: string | undefined
}

/** An entry in the form the search uses. */
export interface Searchable {
  readonly entry: SkillEntry
  readonly keywords: readonly string[]
  readonly keywordWords: readonly ReadonlySet<string>[]
  readonly id: string
  readonly app: string
  readonly nameWords: ReadonlySet<string>
  readonly summary: string
}

export function toSearchable(entry: SkillEntry): Searchable {
  const keywords = (entry.keywords ?? []).map((one) => one.trim().toLowerCase())
  const id = entry.id.toLowerCase()
  const app = entry.applicationId.toLowerCase()
  return {
    entry,
    keywords,
    keywordWords: keywords.map((one) => new Set(splitWords(one))),
    id,
    app,
    nameWords: new Set([...splitWords(id), ...splitWords(app)]),
    summary: entry.summary.toLowerCase(),
  }
}

/** Searches entries. Their texts are joined into one string, so that most entries are skipped by a single `indexOf`. */
export class SkillSearch {
  readonly #all: readonly Searchable[]
  readonly #text: string
  /** The end of each entry in the text. */
  readonly #ends: readonly number[]

  constructor(all: readonly Searchable[]) {
    this.#all = all
    const texts = all.map(({ keywords, id, app, summary }) => [...keywords, id, app, summary].join('\n'))
    let end = 0
    this.#ends = texts.map((text) => (end += text.length + 1))
    this.#text = texts.join('\n')
  }

  /** Best matches first; equal matches in the order of the registry. */
  find({ app, intent, keyword }: SkillQuery): SkillEntry[] {
    const text = keyword?.trim().toLowerCase() ?? ''
    const words = splitWords(text)
    const candidates = (text === '' ? this.#all : this.#filterContaining(findLongest(words) ?? text)).filter(
      ({ entry }) =>
        (app === undefined || entry.applicationId === app) && (intent === undefined || entry.intent === intent),
    )
    if (text === '') return candidates.map(({ entry }) => entry)
    const ranks: SkillEntry[][] = Array.from({ length: RANK_COUNT }, () => [])
    for (const one of candidates) ranks[rankMatch(one, text, words)]?.push(one.entry)
    return ranks.flat()
  }

  /** The entries whose text contains `part`. */
  #filterContaining(part: string): Searchable[] {
    const found: Searchable[] = []
    let n = 0
    for (let at = this.#text.indexOf(part); at >= 0; at = this.#text.indexOf(part, at)) {
      while ((this.#ends[n] ?? Infinity) <= at) n += 1
      const one = this.#all[n]
      if (one === undefined) break
      found.push(one)
      at = this.#ends[n] ?? Infinity
    }
    return found
  }
}

const findLongest = (words: readonly string[]): string | undefined =>
  words.toSorted((one, other) => other.length - one.length)[0]

const RANK_COUNT = 7

/** From 0 (best) to 6; `RANK_COUNT` when the entry does not match. */
function rankMatch(one: Searchable, text: string, words: readonly string[]): number {
  const hasAll = (set: ReadonlySet<string>) => words.length > 0 && words.every((w) => set.has(w))
  if (one.keywords.includes(text)) return 0
  if (one.keywordWords.some(hasAll)) return 1
  if (one.id === text || one.app === text) return 2
  if (hasAll(one.nameWords)) return 3
  if (one.keywords.some((keyword) => keyword.includes(text))) return 4
  if (one.id.includes(text) || one.app.includes(text)) return 5
  return one.summary.includes(text) ? 6 : RANK_COUNT
}

const splitWords = (text: string): string[] => text.split(/[^\p{L}\p{N}]+/u).filter((w) => w !== '')
