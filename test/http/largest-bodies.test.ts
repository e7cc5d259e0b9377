import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { allRoutes } from '@apprentice/contracts/index.ts'
import { adminToken, startDaemon } from '../kit/daemon.ts'
import { measureLongestTurn } from '../kit/longest-turn.ts'
import { bodyRoutes, buildLargestBody, LARGEST_FORMS } from './largest-bodies.ts'
import { SubjectFactory } from './largest-subjects.ts'

const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000'
const DEFAULT_LIMIT = 1_048_576
/** No other turn of the event loop may delay a reply such as that of /healthz by more than this. */
const LONGEST_TURN_MS = 200
/** Work that takes longer should leave the main thread. `LIST_TURNS=1` lists the routes above it. */
const LISTED_TURN_MS = 50

interface SenderReply {
  readonly status: number
  readonly answered: number
  readonly failed: number
}

interface Sent {
  readonly status: number
  /** The longest turn of the event loop until the reply. */
  readonly turn: number
}

/** Sends requests from a process of its own, which asks for /healthz all the time, so that this one only answers. */
function forkSender(): (request: object) => Promise<Sent> {
  const sender = fork(join(import.meta.dirname, 'largest-sender.mjs'), { execArgv: [] })
  onTestFinished(() => void sender.kill())
  return async (request) => {
    const ready = once(sender, 'message')
    sender.send(request)
    await ready
    let status = 0
    const turn = await measureLongestTurn(async () => {
      const sent = once(sender, 'message')
      sender.send('go')
      const [reply] = (await sent) as [SenderReply]
      expect(reply.failed, JSON.stringify(request).slice(0, 200)).toBe(0)
      status = reply.status
    })
    return { status, turn }
  }
}

test('no route blocks the event loop with its largest body, and /healthz answers throughout', async () => {
  const daemon = await startDaemon({ config: { phone: 'simulated' }, quick: true })
  const { url } = await daemon.listen()
  const subjects = new SubjectFactory(daemon)
  const send = forkSender()
  const slow: string[] = []
  const statuses = new Set<number>()
  const illegal: string[] = []
  const listed: string[] = []
  for (const contract of bodyRoutes) {
    const { token, ids } = await subjects.create(contract)
    const body = buildLargestBody(contract, contract.body_limit ?? DEFAULT_LIMIT, ids)
    if (!contract.body.safeParse(JSON.parse(body)).success) illegal.push(contract.url)
    const path = contract.url.replaceAll(/:([A-Za-z]+)/g, (_match, name: string) => ids[name] ?? UNKNOWN_ID)
    const { status, turn } = await send({ url, method: contract.method, path, token, body })
    expect([contract.url, status > 0]).toEqual([contract.url, true])
    statuses.add(status)
    const line = `${contract.method} ${contract.url}: ${Math.round(turn)} ms for ${body.length} bytes`
    if (turn > LISTED_TURN_MS) listed.push(line)
    if (turn > LONGEST_TURN_MS) slow.push(line)
  }
  if (process.env.LIST_TURNS === '1') process.stdout.write(`${listed.join('\n')}\n`)
  expect(slow).toEqual([])
  // Bodies that are all refused would prove nothing.
  expect([...statuses]).toContain(200)
  expect(illegal).toEqual([])
}, 300_000)

test('no call over MCP with the largest body blocks the event loop, and /healthz answers throughout', async () => {
  const daemon = await startDaemon()
  const { url } = await daemon.listen()
  const send = forkSender()
  const request = { url, method: 'POST', path: '/mcp', token: adminToken }
  const accept = 'application/json, text/event-stream'
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'large', version: '1' } }
  const opened = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json', accept },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
  })
  const session = opened.headers.get('mcp-session-id') ?? ''
  await opened.body?.cancel()
  const inputs = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`input_${at}`, 'x'.repeat(4000)]))
  const actions = Array.from({ length: 35_000 }, () => ({ do: 'key', key: 'home' }))
  for (const call of [
    { name: 'run_ability', arguments: { ability_id: 'learned.none', inputs } },
    { name: 'do_actions', arguments: { actions } },
    { name: 'x'.repeat(900_000), arguments: {} },
  ]) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: call })
    expect(body.length).toBeGreaterThan(DEFAULT_LIMIT / 2)
    expect(body.length).toBeLessThan(DEFAULT_LIMIT)
    const { status, turn } = await send({ ...request, body, more: { accept, 'mcp-session-id': session } })
    expect([call.name.slice(0, 20), status]).toEqual([call.name.slice(0, 20), 200])
    expect(turn, call.name.slice(0, 20)).toBeLessThan(LONGEST_TURN_MS)
  }
}, 120_000)

test('no upload of the largest file blocks the event loop, and /healthz answers throughout', async () => {
  const daemon = await startDaemon()
  const { url } = await daemon.listen()
  const send = forkSender()
  const forms = allRoutes.filter(({ form }) => form !== undefined).map((contract) => contract.url)
  expect(forms.toSorted()).toEqual(Object.keys(LARGEST_FORMS).toSorted())
  for (const [path, form] of Object.entries(LARGEST_FORMS)) {
    const { status, turn } = await send({ url, method: 'POST', path, token: adminToken, form })
    expect([path, status]).toEqual([path, 201])
    expect(turn, path).toBeLessThan(LONGEST_TURN_MS)
  }
}, 300_000)
