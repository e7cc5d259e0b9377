import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { SkillEntry } from '@apprentice/contracts/skills/skill.ts'
import {
  toSearchable,
  SkillSearch,
  type SkillQuery,
} from '../../src/knowledge/skill-format/search.ts'

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

/** The rules as they are written down, one entry after another. */
function searchByRules(all: readonly SkillEntry[], { app, intent, keyword = '' }: SkillQuery): SkillEntry[] {
  const wanted = keyword.trim().toLowerCase()
  const parts = (text: string) =>
    text
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u)
      .filter(Boolean)
  const asked = parts(wanted)
  const rank = (one: SkillEntry): number => {
    const keywords = (one.keywords ?? []).map((each) => each.trim().toLowerCase())
    const names = [one.id.toLowerCase(), one.applicationId.toLowerCase()]
    const holdsAll = (text: string) =>
      asked.length > 0 && asked.every((each) => parts(text).includes(each))
    return [
      keywords.includes(wanted),
      keywords.some(holdsAll),
      names.includes(wanted),
      holdsAll(names.join(' ')),
      keywords.some((each) => each.includes(wanted)),
      names.some((each) => each.includes(wanted)),
      one.summary.toLowerCase().includes(wanted),
    ].indexOf(true)
  }
  const chosen = all.filter(
    (one) =>
      (app === undefined || one.applicationId === app) &&
      (intent === undefined || one.intent === intent),
  )
  if (wanted === '') return chosen
  return [0, 1, 2, 3, 4, 5, 6].flatMap((at) => chosen.filter((one) => rank(one) === at))
}

test('a search answers as a scan by the written rules does', () => {
  const query = fc.record(
    { app: words, intent: fc.constantFrom('one', 'two'), keyword: words },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 12 }), query, (all, asked) => {
      expect(new SkillSearch(all.map(toSearchable)).find(asked)).toEqual(searchByRules(all, asked))
    }),
    { numRuns: 5000 },
  )
})
