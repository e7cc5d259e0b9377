import { hash } from 'node:crypto'
import type { LookupOptions, IndexedAbility, Match } from '../../src/knowledge/lookup/ability-index.ts'
import { type Query, readQuery } from '../../src/knowledge/lookup/scorer.ts'
import { createRandomRegistry } from '../abilities/random-registry.ts'

export interface Question {
  readonly query: Query
  readonly options: LookupOptions
}

const SEED = 20_260_301
const ABILITY_COUNT = 100_000
export const QUESTION_COUNT = 10_000

/** Builds the same abilities and questions in every process. */
export function buildLookupQuestions(): {
  abilities: readonly IndexedAbility[]
  questions: Question[]
} {
  const { abilities, nextQuestion } = createRandomRegistry(SEED, ABILITY_COUNT)
  const questions = Array.from({ length: QUESTION_COUNT }, () => {
    const { user_query, options } = nextQuestion()
    return { query: readQuery(user_query), options }
  })
  return { abilities, questions }
}

/** Equal digests mean the same abilities in the same order with the same scores. */
export const computeDigest = (matches: readonly Match[]): string =>
  hash('sha1', JSON.stringify(matches.map((m) => [m.ability.ability_id, m.score])), 'hex')
