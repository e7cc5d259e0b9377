import type { SkillEntry } from '../../../contracts/skills/skill.ts'

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

/** Those that fit, the best first; those that fit equally well stay in the order of the registry. */
export function searchSkills(all: readonly Searchable[], query: SkillQuery): SkillEntry[] {
  const { app, intent, keyword } = query
  const chosen = all.filter(
    ({ entry }) =>
      (app === undefined || entry.applicationId === app) &&
      (intent === undefined || entry.intent === intent),
  )
  const wanted = keyword?.trim().toLowerCase() ?? ''
  if (wanted === '') return chosen.map(({ entry }) => entry)
  const words = wordsOf(wanted)
  const ranks: SkillEntry[][] = Array.from({ length: RANKS }, () => [])
  for (const one of chosen) ranks[rankOf(one, wanted, words)]?.push(one.entry)
  return ranks.flat()
}

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
