import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AbilityIndex } from '../../src/knowledge/lookup/ability-index.ts'
import { linearScan, prepare } from '../abilities/linear-scan.ts'
import { compareToLimit, compareRates, type Figure, type Measure, quantile } from './figure.ts'
import { computeDigest, buildLookupQuestions, QUESTION_COUNT } from './lookup-questions.ts'
import { startProgram } from './program.ts'

/** So many are also answered by the scan beside the index; it takes a hundred times as long. */
const SCANNED_QUESTIONS = 100

interface Bench {
  readonly index: AbilityIndex
  readonly questions: ReturnType<typeof buildLookupQuestions>['questions']
  readonly prepared: ReturnType<typeof prepare>
}

/** Made at the first run, used by all. */
let bench: Bench | undefined
/** How many questions the index was found to answer as the scan does. */
let equalAnswers: number | undefined

/** Finding an ability among a hundred thousand. */
export const abilityLookup: Figure = {
  name: 'ability lookup',
  baseline: 'asking the scorer about every ability, their words made ready beforehand',
  run: async () => {
    bench ??= createBench()
    const { times, digests } = measureIndex(bench)
    const scan = measureScan(bench, digests)
    equalAnswers ??= await countEqualAnswers(digests)
    const mean = times.reduce((sum, time) => sum + time, 0) / times.length
    return [
      compareRates(50, {
        what: '100,000 abilities',
        ours: 1000 / mean,
        baseline: 1000 / scan,
        unit: 'questions/s',
      }),
      compareToLimit(5, {
        what: 'p95 of 10,000 questions',
        ours: quantile(times, 0.95),
        unit: 'ms',
      }),
      toEqualAnswersMeasure(equalAnswers),
    ]
  },
  close: () => {
    bench = undefined
  },
}

function createBench(): Bench {
  const { abilities, questions } = buildLookupQuestions()
  const index = new AbilityIndex()
  for (const ability of abilities) index.set(ability)
  index.refreshSlots()
  return { index, questions, prepared: prepare(abilities) }
}

function measureIndex({ index, questions }: Bench): { times: number[]; digests: string[] } {
  const times: number[] = []
  const digests = questions.map(({ query, asking }) => {
    const began = performance.now()
    const matches = index.find(query, asking)
    times.push(performance.now() - began)
    return computeDigest(matches)
  })
  return { times, digests }
}

/** The mean time of a scan; every answer must be the one the index gave. */
function measureScan({ questions, prepared }: Bench, digests: readonly string[]): number {
  let took = 0
  for (const [n, { query, asking }] of questions.slice(0, SCANNED_QUESTIONS).entries()) {
    const began = performance.now()
    const matches = linearScan(prepared, query, asking)
    took += performance.now() - began
    if (computeDigest(matches) !== digests[n])
      throw new Error(`"${query.text}" is answered otherwise.`)
  }
  return took / SCANNED_QUESTIONS
}

/** All questions are answered by scans, in as many processes as there are cores. */
async function countEqualAnswers(digests: readonly string[]): Promise<number> {
  const of = availableParallelism()
  const loader = fileURLToPath(import.meta.resolve('tsx'))
  const shares = await Promise.all(
    Array.from({ length: of }, async (_, share) => {
      const program = join(import.meta.dirname, 'lookup-scan.ts')
      const scan = startProgram(['--import', loader, program, JSON.stringify({ share, of })])
      const said = (await scan.firstLine) as { digests: string[] }
      await scan.ended
      return said.digests.filter((digest, n) => digest === digests[n * of + share]).length
    }),
  )
  return shares.reduce((sum, count) => sum + count, 0)
}

const toEqualAnswersMeasure = (count: number): Measure =>
  compareRates(1, {
    what: 'answers that are the same',
    ours: count,
    baseline: QUESTION_COUNT,
    unit: 'questions',
  })
