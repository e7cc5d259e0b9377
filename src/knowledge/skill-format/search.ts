import type { SkillEntry } from '@apprentice/contracts/skills/skill.ts'

export interface SkillQuery {
  readonly app?: string | undefined
  readonly intent?: string | undefined
  readonly keyword?: string | undefined
}

/** An entry with its words made ready to be looked for. */
export interface Searchable {
  readonly entry: SkillEntry
  readonly keywords: readonly string[]
  readonly keywordWords: readonly ReadonlySet<string>[]
  readonly id: string
  readonly app: string
  readonly nameWords: ReadonlySet<string>
  readonly summary: string
}

export function searchable(entry: SkillEntry): Searchable {
  const keywords = (entry.keywords ?? []).map((one) => one.trim().toLowerCase())
  const id = entry.id.toLowerCase()
  const app = entry.applicationId.toLowerCase()
  return {
    entry,
    keywords,
    keywordWords: keywords.map((one) => new Set(wordsOf(one))),
    id,
    app,
    nameWords: new Set([...wordsOf(id), ...wordsOf(app)]),
    summary: entry.summary.toLowerCase(),
  }
}

/** All there is to find, with its words in one text: most of it is passed over without a look at each. */
export class SkillSearch {
  readonly #all: readonly Searchable[]
  readonly #text: string
  /** Where in the text the words of each end. */
  readonly #ends: readonly number[]

  constructor(all: readonly Searchable[]) {
    this.#all = all
    const texts = all.map(({ keywords, id, app, summary }) =>
      [...keywords, id, app, summary].join('\n'),
    )
    let end = 0
    this.#ends = texts.map((text) => (end += text.length + 1))
    this.#text = texts.join('\n')
  }

  /** Those that fit, the best first; those that fit equally well stay in the order of the registry. */
  find({ app, intent, keyword }: SkillQuery): SkillEntry[] {
    const wanted = keyword?.trim().toLowerCase() ?? ''
    const words = wordsOf(wanted)
    const chosen = (wanted === '' ? this.#all : this.#holding(longest(words) ?? wanted)).filter(
      ({ entry }) =>
        (app === undefined || entry.applicationId === app) &&
        (intent === undefined || entry.intent === intent),
    )
    if (wanted === '') return chosen.map(({ entry }) => entry)
    const ranks: SkillEntry[][] = Array.from({ length: RANKS }, () => [])
    for (const one of chosen) ranks[rankOf(one, wanted, words)]?.push(one.entry)
    return ranks.flat()
  }

  /** Those with this somewhere in their words; whatever fits a query holds every word of it. */
  #holding(part: string): Searchable[] {
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

const longest = (words: readonly string[]): string | undefined =>
  words.toSorted((one, other) => other.length - one.length)[0]

const RANKS = 7

/** From 0, the best, to 6; `RANKS` for what does not fit at all. */
function rankOf(one: Searchable, wanted: string, words: readonly string[]): number {
  const hasAll = (set: ReadonlySet<string>) => words.length > 0 && words.every((w) => set.has(w))
  if (one.keywords.includes(wanted)) return 0
  if (one.keywordWords.some(hasAll)) return 1
  if (one.id === wanted || one.app === wanted) return 2
  if (hasAll(one.nameWords)) return 3
  if (one.keywords.some((keyword) => keyword.includes(wanted))) return 4
  if (one.id.includes(wanted) || one.app.includes(wanted)) return 5
  return one.summary.includes(wanted) ? 6 : RANKS
}

const wordsOf = (text: string): string[] => text.split(/[^\p{L}\p{N}]+/u).filter((w) => w !== '')
