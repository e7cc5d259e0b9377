import { linearScan, prepare } from '../abilities/linear-scan.ts'
import { digestOf, lookupQuestions } from './lookup-questions.ts'

/** Answers every `of`th question by asking the scorer about every ability, and says the digests of the answers. */
const { share, of } = JSON.parse(process.argv[2] ?? '') as { share: number; of: number }
const { abilities, questions } = lookupQuestions()
const prepared = prepare(abilities)
const digests = questions
  .filter((_, n) => n % of === share)
  .map(({ query, asking }) => digestOf(linearScan(prepared, query, asking)))
process.stdout.write(`${JSON.stringify({ digests })}\n`)
