import { insertAbility } from '../../src/store/abilities/abilities.ts'
import { buildAbilityRow } from '../abilities/ability-rows.ts'
import { createRandomRegistry } from '../abilities/random-registry.ts'
import { adminToken, startDaemon } from '../kit/daemon.ts'
import { compareToLimit, type Measure, quantile } from './figure.ts'
import { connectBench, measureTime } from './mcp-connection.ts'

const ABILITIES = 100_000
const QUESTIONS = 300
const MAX_FIND_MS = 50

interface FilledDaemon {
  readonly url: string
  readonly nextQuery: () => string
  readonly close: () => Promise<void>
}

/** Created at the first run and reused, because filling the database takes longer than measuring. */
let filled: FilledDaemon | undefined

/** The time of a call of find_abilities over MCP, when the daemon has read its abilities and written its files. */
export async function measureFinding(): Promise<readonly Measure[]> {
  filled ??= await startFilled()
  const { url, nextQuery } = filled
  const client = await connectBench(url, adminToken)
  const [times, work]: [number[], number[]] = [[], []]
  for (let n = 0; n <= QUESTIONS; n += 1) {
    const query = nextQuery()
    const before = process.cpuUsage()
    times.push(await measureTime(() => client.callTool({ name: 'find_abilities', arguments: { query } })))
    const { user, system } = process.cpuUsage(before)
    work.push((user + system) / 1000)
  }
  await client.close()
  // The first call loads code.
  const computeP95 = (values: readonly number[]) => quantile(values.slice(1), 0.95)
  const limit = (what: string, ours: number) => compareToLimit(MAX_FIND_MS, { what, ours, unit: 'ms' })
  return [
    limit('p95 of find_abilities, 100,000 abilities', computeP95(times)),
    // Client and daemon together. Unlike the time, it does not depend on what else the machine does.
    limit('p95 of its processor time', computeP95(work)),
  ]
}

export async function closeFinding(): Promise<void> {
  await filled?.close()
  filled = undefined
}

/** The daemon is started again with the abilities, because it reads them when it starts. */
async function startFilled(): Promise<FilledDaemon> {
  const ends: (() => void | Promise<void>)[] = []
  const whenOver = (end: () => void | Promise<void>) => ends.push(end)
  const empty = await startDaemon({ whenOver })
  const { abilities, nextQuestion } = createRandomRegistry(1, ABILITIES)
  await empty.system.store.write((tx) => {
    for (const { kind = 'runnable', ...ability } of abilities) {
      insertAbility(tx, buildAbilityRow({ ...ability, kind, skill_slug: ability.ability_id }))
    }
  })
  await empty.stop()
  const daemon = await startDaemon({ home: empty.home, projecting: true, whenOver })
  const { url } = await daemon.listen()
  await daemon.system.lookupWarmed
  await daemon.system.projector.waitUntilSettled()
  return {
    url,
    nextQuery: () => nextQuestion().user_query,
    close: async () => {
      for (const end of ends.toReversed()) await end()
    },
  }
}
