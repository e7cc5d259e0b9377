import { linearScan, prepare } from '../abilities/linear-scan.ts'
import { computeDigest, buildLookupQuestions } from './lookup-questions.ts'

/** Answers every `of`th question by asking the scorer about every ability, and says the digests of the answers. */
const { share, of } = JSON.parse(process.argv[2] ?? '') as { share: number; of: number }
const { abilities, questions } = buildLookupQuestions()
const prepared = prepare(abilities)
const digests = questions
  .filter((_, n) => n % of === share)
  .map(({ query, asking }) => computeDigest(linearScan(prepared, query, asking)))
process.stdout.write(`${JSON.stringify({ digests })}\n`)
