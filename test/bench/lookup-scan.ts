import { linearScan, prepare } from '../abilities/linear-scan.ts'
import { computeDigest, buildLookupQuestions } from './lookup-questions.ts'

/** Answers every `of`th question with a linear scan and prints the digests of the answers. */
const { share, of } = JSON.parse(process.argv[2] ?? '') as { share: number; of: number }
const { abilities, questions } = buildLookupQuestions()
const prepared = prepare(abilities)
const digests = questions
  .filter((_, n) => n % of === share)
  .map(({ query, options }) => computeDigest(linearScan(prepared, query, options)))
process.stdout.write(`${JSON.stringify({ digests })}\n`)
