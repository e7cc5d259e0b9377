import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Agent, fetch } from 'undici'
import { adminToken, type Daemon, startDaemon } from '../kit/daemon.ts'
import { compareToLimit, type Figure, median, type Measure } from './figure.ts'
import { startProgram } from './program.ts'

const SERVER = join(import.meta.dirname, 'connector-server.mjs')
/** As long as a server elsewhere takes for a call. */
const CALL_MS = 50
const [CALLS, AT_ONCE, SERVERS] = [100, 50, 100]
const MINUTE_MS = 60_000
/** The share of one core that asking a hundred servers once a minute may take. */
const MAX_IDLE_SHARE = 0.02
/** Many calls at once are bounded by the processor: each is a durable record, and the bare client keeps none. */
const [MAX_OVERHEAD, MAX_CONCURRENT] = [1.3, 4]

/** What the daemon adds to calls of tools: policy, durable record, vault, receipt. */
export const connectorFigures: Figure = {
  name: 'connectors',
  baseline: 'the bare client of the protocol, on the same server',
  run: async () => {
    const ends: (() => void | Promise<void>)[] = []
    const program = startProgram([SERVER])
    ends.push(async () => void (await program.end('SIGKILL')))
    try {
      const url = String((await program.firstLine)['url'])
      const daemon = await startDaemon({ whenOver: (end) => ends.push(end) })
      return [...(await measureCalls(daemon, `${url}?ms=${CALL_MS}`, ends)), await measureProbes(daemon, url)]
    } finally {
      for (const end of ends.toReversed()) await end()
    }
  },
}

async function measureCalls(
  daemon: Daemon,
  url: string,
  ends: (() => void | Promise<void>)[],
): Promise<readonly Measure[]> {
  const client = new Client({ name: 'bench', version: '1.0.0' })
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  ends.push(() => client.close())
  const address = (await daemon.listen()).url
  const server_id = await register(daemon, url)
  const agent = new Agent({ connections: AT_ONCE })
  ends.push(() => agent.close())
  const direct = (): Promise<unknown> => client.callTool({ name: 'read_note', arguments: {} })
  const dispatched = async (): Promise<void> => {
    const reply = await fetch(`${address}/api/capabilities/connectors/call`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ server_id, tool_name: 'read_note' }),
      dispatcher: agent,
    })
    const { status } = (await reply.json()) as { status?: string }
    if (status !== 'succeeded') throw new Error(`The call ended as ${status ?? reply.status}.`)
  }
  await Promise.all([direct(), dispatched()])
  const [ours, baseline] = [await timeEach(dispatched), await timeEach(direct)]
  const [together, bare] = [await timeTogether(dispatched), await timeTogether(direct)]
  return [
    compare(`one call of ${CALL_MS} ms`, MAX_OVERHEAD, ours, baseline),
    compare(`${AT_ONCE} calls at once`, MAX_CONCURRENT, together, bare),
  ]
}

const compare = (what: string, at_most: number, ours: number, baseline: number): Measure => ({
  what,
  ours,
  baseline,
  unit: 'ms',
  ratio: ours / baseline,
  target: { at_most },
})

async function timeEach(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let count = 0; count < CALLS; count += 1) {
    const started = performance.now()
    await work()
    times.push(performance.now() - started)
  }
  return median(times)
}

async function timeTogether(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return performance.now() - started
}

/** The processor time of this process, in which the daemon is and the servers are not, for one round over all servers. */
async function measureProbes(daemon: Daemon, url: string): Promise<Measure> {
  for (let count = 0; count < SERVERS; count += 1) await register(daemon, url)
  const { probes } = daemon.system.connectors
  const round = async (): Promise<number> => {
    daemon.clock.advance(2 * MINUTE_MS)
    let asked = 0
    for (let found = 1; found > 0; asked += found) found = await probes.probeNow()
    return asked
  }
  // The first turn chooses times, and the first round learns the tools.
  await probes.probeNow()
  await round()
  const before = process.cpuUsage()
  const asked = await round()
  const { user, system } = process.cpuUsage(before)
  if (asked < SERVERS) throw new Error(`Only ${asked} servers were asked.`)
  const share = (user + system) / 1000 / MINUTE_MS
  return compareToLimit(MAX_IDLE_SHARE * 100, {
    what: `${SERVERS} servers, once a minute`,
    ours: share * 100,
    unit: '% of a core',
  })
}

async function register(daemon: Daemon, endpoint_url: string): Promise<string> {
  const made = await daemon.post('/api/mcp/servers/register', {
    provider: 'custom_remote',
    display_name: 'Bench',
    transport: 'remote_http',
    endpoint_url,
    supported_tools: ['read_note'],
  })
  const { server_id } = made.json<{ server: { registry: { server_id: string } } }>().server.registry
  if (endpoint_url.includes('ms=')) {
    await daemon.post(`/api/mcp/servers/${server_id}/smoke-test`, { server_id })
  }
  return server_id
}
