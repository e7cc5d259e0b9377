import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AbilityIndex } from '../../src/knowledge/lookup/ability-index.ts'
import { linearScan, prepare } from '../abilities/linear-scan.ts'
import { against, compared, type Figure, type Measure, quantile } from './figure.ts'
import { digestOf, lookupQuestions, questionCount } from './lookup-questions.ts'
import { startProgram } from './program.ts'

/** So many are also answered by the scan beside the index; it takes a hundred times as long. */
const scanned = 100

interface Bench {
  readonly index: AbilityIndex
  readonly questions: ReturnType<typeof lookupQuestions>['questions']
  readonly prepared: ReturnType<typeof prepare>
}

/** Made at the first run, used by all. */
let bench: Bench | undefined
/** How many questions the index was found to answer as the scan does. */
let alike: number | undefined

/** Finding an ability among a hundred thousand. */
export const abilityLookup: Figure = {
  name: 'ability lookup',
  baseline: 'asking the scorer about every ability, their words made ready beforehand',
  run: async () => {
    bench ??= makeBench()
    const { times, digests } = askAll(bench)
    const scan = scanSome(bench, digests)
    alike ??= await countAlike(digests)
    const mean = times.reduce((sum, time) => sum + time, 0) / times.length
    return [
      compared(50, {
        what: '100,000 abilities',
        ours: 1000 / mean,
        baseline: 1000 / scan,
        unit: 'questions/s',
      }),
      against(5, { what: 'p95 of 10,000 questions', ours: quantile(times, 0.95), unit: 'ms' }),
      sameAnswers(alike),
    ]
  },
  close: () => {
    bench = undefined
  },
}

function makeBench(): Bench {
  const { abilities, questions } = lookupQuestions()
  const index = new AbilityIndex()
  for (const ability of abilities) index.set(ability)
  index.arrange()
  return { index, questions, prepared: prepare(abilities) }
}

function askAll({ index, questions }: Bench): { times: number[]; digests: string[] } {
  const times: number[] = []
  const digests = questions.map(({ query, asking }) => {
    const began = performance.now()
    const matches = index.find(query, asking)
    times.push(performance.now() - began)
    return digestOf(matches)
  })
  return { times, digests }
}

/** The mean time of a scan; every answer must be the one the index gave. */
function scanSome({ questions, prepared }: Bench, digests: readonly string[]): number {
  let took = 0
  for (const [n, { query, asking }] of questions.slice(0, scanned).entries()) {
    const began = performance.now()
    const matches = linearScan(prepared, query, asking)
    took += performance.now() - began
    if (digestOf(matches) !== digests[n]) throw new Error(`"${query.text}" is answered otherwise.`)
  }
  return took / scanned
}

/** All questions are answered by scans, in as many processes as there are cores. */
async function countAlike(digests: readonly string[]): Promise<number> {
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

const sameAnswers = (count: number): Measure =>
  compared(1, {
    what: 'answers that are the same',
    ours: count,
    baseline: questionCount,
    unit: 'questions',
  })
