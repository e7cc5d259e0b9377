import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { runAbility } from '@apprentice/contracts/abilities/runs.ts'
import type { Call } from '@apprentice/contracts/client.ts'
import { adminToken, type Daemon, startDaemon } from '../kit/daemon.ts'
import { addNote, installRecipes } from '../runs/run-kit.ts'
import { buildAbilityRow } from '../abilities/ability-rows.ts'
import { createRandomRegistry } from '../abilities/random-registry.ts'
import { insertAbility } from '../../src/store/abilities/abilities.ts'
import { compareToLimit, type Figure, type Measure, median, quantile } from './figure.ts'

const RUNS = 20
const SESSIONS = 200
const QUESTIONS = 300
const MAX_FIND_MS = 50
/** A token may open 64 sessions. */
const USERS = 4
const MAX_OVERHEAD = 1.3
/** What a session with its stream may take, client and server together, because both are in this process. */
const MAX_SESSION_KIB = 512

/** Agents over MCP, compared with the same work over REST. */
export const mcpFigures: Figure = {
  name: 'mcp',
  baseline: 'the same run over REST; fixed limits',
  run: async () => {
    const ends: (() => void | Promise<void>)[] = []
    try {
      const daemon = await startDaemon({
        quick: true,
        config: { phone: 'simulated' },
        whenOver: (end) => ends.push(end),
      })
      await installRecipes(daemon, { 'add-note': addNote })
      const { url, call } = await daemon.listen()
      return [await measureRuns(url, call), await measureSessions(url, daemon), await measureFinding(ends)]
    } finally {
      for (const end of ends.toReversed()) await end()
    }
  },
}

async function measureRuns(url: string, call: Call): Promise<Measure> {
  const client = await connect(url, adminToken)
  const over = { mcp: [] as number[], rest: [] as number[] }
  for (let n = 0; n <= RUNS; n += 1) {
    const rest = await time(() =>
      call(runAbility, {
        params: { abilityId: 'learned.add-note' },
        body: { inputs: { title: `Rest ${n}`, body: 'x' }, wait_ms: 60_000 },
      }),
    )
    const mcp = await time(() =>
      client.callTool({
        name: 'run_ability',
        arguments: { ability_id: 'learned.add-note', inputs: { title: `Mcp ${n}`, body: 'x' } },
      }),
    )
    // The first pair loads code.
    if (n > 0) over.rest.push(rest)
    if (n > 0) over.mcp.push(mcp)
  }
  await client.close()
  const [ours, baseline] = [median(over.mcp), median(over.rest)]
  const target = { at_most: MAX_OVERHEAD }
  return { what: 'run_ability against a run over REST', ours, baseline, unit: 'ms', ratio: ours / baseline, target }
}

async function measureSessions(url: string, daemon: Daemon): Promise<Measure> {
  const tokens = await Promise.all(Array.from({ length: USERS }, (_, n) => daemon.tokenFor(`agent${n}`)))
  const before = readMemory()
  const clients: Client[] = []
  for (let n = 0; n < SESSIONS; n += 1) clients.push(await connect(url, tokens[n % USERS] ?? ''))
  const ours = (readMemory() - before) / SESSIONS / 1024
  for (const client of clients) await client.close()
  return compareToLimit(MAX_SESSION_KIB, { what: `memory of a session, ${SESSIONS} open`, ours, unit: 'KiB' })
}

/** The daemon is started again with the abilities, because it reads them when it starts. */
async function measureFinding(ends: (() => void | Promise<void>)[]): Promise<Measure> {
  const whenOver = (end: () => void | Promise<void>) => ends.push(end)
  const empty = await startDaemon({ whenOver })
  const { abilities, nextQuestion } = createRandomRegistry(1, 100_000)
  await empty.system.store.write((tx) => {
    for (const { kind = 'runnable', ...ability } of abilities) {
      insertAbility(tx, buildAbilityRow({ ...ability, kind, skill_slug: ability.ability_id }))
    }
  })
  await empty.stop()
  const filled = await startDaemon({ home: empty.home, whenOver })
  const client = await connect((await filled.listen()).url, adminToken)
  const times: number[] = []
  for (let n = 0; n <= QUESTIONS; n += 1) {
    const query = nextQuestion().user_query
    times.push(await time(() => client.callTool({ name: 'find_abilities', arguments: { query } })))
  }
  await client.close()
  const ours = quantile(times.slice(1), 0.95)
  return compareToLimit(MAX_FIND_MS, { what: 'p95 of find_abilities, 100,000 abilities', ours, unit: 'ms' })
}

async function connect(url: string, token: string): Promise<Client> {
  const client = new Client({ name: 'bench', version: '1.0.0' })
  const requestInit = { headers: { authorization: `Bearer ${token}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }))
  return client
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

function readMemory(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
