import { hash } from 'node:crypto'
import type {
  LookupOptions,
  IndexedAbility,
  Match,
} from '../../src/knowledge/lookup/ability-index.ts'
import { type Query, readQuery } from '../../src/knowledge/lookup/scorer.ts'
import { randomRegistry } from '../abilities/random-registry.ts'

export interface Question {
  readonly query: Query
  readonly asking: LookupOptions
}

const SEED = 20_260_301
const ABILITY_COUNT = 100_000
export const QUESTION_COUNT = 10_000

/** The same for whoever asks for them. */
export function buildLookupQuestions(): {
  abilities: readonly IndexedAbility[]
  questions: Question[]
} {
  const { abilities, question } = randomRegistry(SEED, ABILITY_COUNT)
  const questions = Array.from({ length: QUESTION_COUNT }, () => {
    const { user_query, asking } = question()
    return { query: readQuery(user_query), asking }
  })
  return { abilities, questions }
}

/** Two answers with the same digest name the same abilities in the same order with the same scores. */
export const computeDigest = (matches: readonly Match[]): string =>
  hash('sha1', JSON.stringify(matches.map((m) => [m.ability.ability_id, m.score])), 'hex')
