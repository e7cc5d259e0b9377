import { expect, test } from 'vitest'
import { measureGreatestLikeness, MIN_LIKENESS } from '../../src/knowledge/search-words/likeness.ts'
import { buildAbilities, measureFound } from './lookup-found.ts'
import { IMPORTED_SKILLS } from './lookup-skills.ts'

test('requests in several languages find the skill they are about', () => {
  const { requests, skills, first, top3, missed } = measureFound(buildAbilities())
  expect(requests).toBeGreaterThanOrEqual(150)
  expect(skills).toBeGreaterThanOrEqual(40)
  expect(first / requests, missed.join('\n')).toBeGreaterThanOrEqual(0.8)
  expect(top3 / requests, missed.join('\n')).toBeGreaterThanOrEqual(0.95)
})

test('no two skills about different subjects are alike', () => {
  const names = new Set(IMPORTED_SKILLS.map(({ name }) => `imported.${name}`))
  const described = buildAbilities().filter(({ ability_id }) => names.has(ability_id))
  const alike = described.flatMap((one, at) =>
    described.slice(at + 1).flatMap((other) => {
      const phrases = one.trigger_phrases.filter((phrase) => phrase.includes(' '))
      const likeness = measureGreatestLikeness(phrases, other.trigger_phrases)
      return likeness < MIN_LIKENESS ? [] : [`${one.ability_id} and ${other.ability_id}: ${likeness}`]
    }),
  )
  expect(alike).toEqual([])
})
