import { hash } from 'node:crypto'
import type { Asking, Indexed, Match } from '../../src/knowledge/lookup/ability-index.ts'
import { type Query, readQuery } from '../../src/knowledge/lookup/scorer.ts'
import { randomRegistry } from '../abilities/random-registry.ts'

export interface Question {
  readonly query: Query
  readonly asking: Asking
}

const seed = 20_260_301
const abilityCount = 100_000
export const questionCount = 10_000

/** The same for whoever asks for them. */
export function lookupQuestions(): { abilities: readonly Indexed[]; questions: Question[] } {
  const { abilities, question } = randomRegistry(seed, abilityCount)
  const questions = Array.from({ length: questionCount }, () => {
    const { user_query, asking } = question()
    return { query: readQuery(user_query), asking }
  })
  return { abilities, questions }
}

/** Two answers with the same digest name the same abilities in the same order with the same scores. */
export const digestOf = (matches: readonly Match[]): string =>
  hash('sha1', JSON.stringify(matches.map((m) => [m.ability.ability_id, m.score])), 'hex')
