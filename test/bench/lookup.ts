import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AbilityIndex } from '../../src/knowledge/lookup/ability-index.ts'
import { linearScan, prepare } from '../abilities/linear-scan.ts'
import { compareToLimit, compareRates, type Figure, type Measure, quantile } from './figure.ts'
import { computeDigest, buildLookupQuestions, QUESTION_COUNT } from './lookup-questions.ts'
import { startProgram } from './program.ts'

/** Number of questions that are also answered by the scan, which takes a hundred times as long. */
const SCANNED_QUESTIONS = 100

interface Bench {
  readonly index: AbilityIndex
  readonly questions: ReturnType<typeof buildLookupQuestions>['questions']
  readonly prepared: ReturnType<typeof prepare>
}

/** Created at the first run and reused. */
let bench: Bench | undefined
/** Number of questions that index and scan answer equally. */
let equalAnswers: number | undefined

/** Finding an ability among a hundred thousand. */
export const abilityLookup: Figure = {
  name: 'ability lookup',
  baseline: 'a linear scan with the scorer over preprocessed abilities',
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
  const digests = questions.map(({ query, options }) => {
    const started = performance.now()
    const matches = index.find(query, options)
    times.push(performance.now() - started)
    return computeDigest(matches)
  })
  return { times, digests }
}

/** The mean time of a scan. Throws if an answer differs from that of the index. */
function measureScan({ questions, prepared }: Bench, digests: readonly string[]): number {
  let took = 0
  for (const [n, { query, options }] of questions.slice(0, SCANNED_QUESTIONS).entries()) {
    const started = performance.now()
    const matches = linearScan(prepared, query, options)
    took += performance.now() - started
    if (computeDigest(matches) !== digests[n]) throw new Error(`"${query.text}" is answered differently.`)
  }
  return took / SCANNED_QUESTIONS
}

/** Answers all questions by scans, with one process per core. */
async function countEqualAnswers(digests: readonly string[]): Promise<number> {
  const of = availableParallelism()
  const loader = fileURLToPath(import.meta.resolve('tsx'))
  const shares = await Promise.all(
    Array.from({ length: of }, async (_, share) => {
      const program = join(import.meta.dirname, 'lookup-scan.ts')
      const scan = startProgram(['--import', loader, program, JSON.stringify({ share, of })])
      const output = (await scan.firstLine) as { digests: string[] }
      await scan.ended
      return output.digests.filter((digest, n) => digest === digests[n * of + share]).length
    }),
  )
  return shares.reduce((sum, count) => sum + count, 0)
}

const toEqualAnswersMeasure = (count: number): Measure =>
  compareRates(1, {
    what: 'equal answers',
    ours: count,
    baseline: QUESTION_COUNT,
    unit: 'questions',
  })
