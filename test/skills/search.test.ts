import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { SkillEntry } from '@apprentice/contracts/skills/skill.ts'
import { toSearchable, SkillSearch, type SkillQuery } from '../../src/knowledge/skill-format/search.ts'
import { countRuns } from '../kit/count-runs.ts'

const word = fc.constantFrom('lamp', 'la', 'mp', 'Desk', 'a', 'desk-lamp', 'ÉTÉ', '.', ' ', '\n')
const words = fc.array(word, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(''))

const entry: fc.Arbitrary<SkillEntry> = fc.record({
  id: words,
  applicationId: words,
  intent: fc.constantFrom('one', 'two'),
  summary: words,
  keywords: fc.array(words, { maxLength: 2 }),
  path: fc.constant('skills/x'),
  skillFile: fc.constant('skills/x/SKILL.md'),
  scripts: fc.constant([]),
  artifacts: fc.constant([]),
})

/** An independent implementation of the documented ranking. */
function searchByRules(all: readonly SkillEntry[], { app, intent, keyword = '' }: SkillQuery): SkillEntry[] {
  const text = keyword.trim().toLowerCase()
  const parts = (part: string) =>
    part
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u)
      .filter(Boolean)
  const queryWords = parts(text)
  const rank = (one: SkillEntry): number => {
    const keywords = (one.keywords ?? []).map((each) => each.trim().toLowerCase())
    const names = [one.id.toLowerCase(), one.applicationId.toLowerCase()]
    const containsAll = (name: string) =>
      queryWords.length > 0 && queryWords.every((each) => parts(name).includes(each))
    return [
      keywords.includes(text),
      keywords.some(containsAll),
      names.includes(text),
      containsAll(names.join(' ')),
      keywords.some((each) => each.includes(text)),
      names.some((each) => each.includes(text)),
      one.summary.toLowerCase().includes(text),
    ].indexOf(true)
  }
  const chosen = all.filter(
    (one) => (app === undefined || one.applicationId === app) && (intent === undefined || one.intent === intent),
  )
  if (text === '') return chosen
  return [0, 1, 2, 3, 4, 5, 6].flatMap((at) => chosen.filter((one) => rank(one) === at))
}

test('a search gives the same result as the documented ranking', () => {
  const query = fc.record({ app: words, intent: fc.constantFrom('one', 'two'), keyword: words }, { requiredKeys: [] })
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 12 }), query, (all, given) => {
      expect(new SkillSearch(all.map(toSearchable)).find(given)).toEqual(searchByRules(all, given))
    }),
    { numRuns: countRuns(1000) },
  )
})
