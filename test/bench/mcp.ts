import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Client } from '@modelcontextprotocol/client'
import { runAbility } from '@apprentice/contracts/abilities/runs.ts'
import type { Call } from '@apprentice/contracts/client.ts'
import { adminToken, type Daemon, startDaemon } from '../kit/daemon.ts'
import { addNote, installRecipes } from '../runs/run-kit.ts'
import { eventually } from '../devices/driver/outcomes.ts'
import { compareToLimit, type Figure, type Measure, median } from './figure.ts'
import { connectBench as connect, measureTime as time } from './mcp-connection.ts'
import { closeFinding, measureFinding } from './mcp-finding.ts'

const RUNS = 20
const SESSIONS = 200
/** A token may open 64 sessions. */
const USERS = 4
const MAX_OVERHEAD = 1.3
/** What a session with its stream may take, client and server together, because both are in this process. */
const MAX_SESSION_KIB = 512
const COLLECTIONS = 4

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
      await eventually(
        async () => (await daemon.get('/api/devices')).json<{ devices: { state: string }[] }>().devices,
        (devices) => devices[0]?.state === 'device',
      )
      await installRecipes(daemon, { 'add-note': addNote })
      const { url, call } = await daemon.listen()
      return [await measureRuns(url, call), await measureSessions(url, daemon), ...(await measureFinding())]
    } finally {
      for (const end of ends.toReversed()) await end()
    }
  },
  close: closeFinding,
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
  const before = await readMemory()
  const clients: Client[] = []
  for (let n = 0; n < SESSIONS; n += 1) clients.push(await connect(url, tokens[n % USERS] ?? ''))
  const ours = ((await readMemory()) - before) / SESSIONS / 1024
  for (const client of clients) await client.close()
  return compareToLimit(MAX_SESSION_KIB, { what: `memory of a session, ${SESSIONS} open`, ours, unit: 'KiB' })
}

/** What is reachable. One collection leaves what finalizers still have to release. */
async function readMemory(): Promise<number> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  for (let n = 0; n < COLLECTIONS; n += 1) {
    collect()
    await setImmediate()
  }
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
