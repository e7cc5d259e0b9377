import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { CALL_URL } from './call-kit.ts'
import { register, smokeTest } from './connector-kit.ts'
import { startDaemon } from '../kit/daemon.ts'
import { measureLongestTurn } from '../kit/longest-turn.ts'

/** What every other request of the daemon may have to wait for. */
const LONGEST_TURN_MS = 200

interface HostileServer {
  readonly url: string
  requests: number
  /** The result of `tools/list`, as JSON. */
  list: string
  /** The result of `tools/call`, as JSON. */
  result: string
}

const READ_TOOL = { name: 'read_note', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }
const NOTE = JSON.stringify({ content: [{ type: 'text', text: 'a note' }] })

/** A server whose answers are texts, so that it can answer what no library would send. */
async function startHostileServer(): Promise<HostileServer> {
  const state = { requests: 0, list: JSON.stringify({ tools: [READ_TOOL] }), result: NOTE }
  const listener = createServer((request, reply) => {
    let text = ''
    state.requests += 1
    request.setEncoding('utf8').on('data', (piece: string) => (text += piece))
    request.on('end', () => {
      const { id, method } = (text === '' ? {} : JSON.parse(text)) as { id?: number; method?: string }
      if (id === undefined) return void reply.writeHead(request.method === 'POST' ? 202 : 405).end()
      const results: Readonly<Record<string, string>> = {
        initialize: JSON.stringify({
          protocolVersion: '2025-11-25',
          capabilities: { tools: {} },
          serverInfo: { name: 'hostile', version: '1' },
        }),
        'tools/list': state.list,
        'tools/call': state.result,
      }
      reply.writeHead(200, { 'content-type': 'application/json' })
      reply.end(`{"jsonrpc":"2.0","id":${id},"result":${results[method ?? ''] ?? '{}'}}`)
    })
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  onTestFinished(() => {
    listener.closeAllConnections()
    listener.close()
  })
  return Object.assign(state, { url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp` })
}

async function connect() {
  const daemon = await startDaemon()
  const remote = await startHostileServer()
  const { registry } = await register(daemon, { endpoint_url: remote.url, supported_tools: ['read_note'] })
  const { server_id } = registry
  const test = () => smokeTest(daemon, server_id, { tool_name: 'read_note' })
  await smokeTest(daemon, server_id)
  const read = () => daemon.post(CALL_URL, { server_id, tool_name: 'read_note', wait_ms: 60_000 })
  return { daemon, remote, test, read }
}

const MEGABYTE = 1 << 20
const repeat = (item: string, bytes: number): string =>
  Array.from({ length: Math.floor(bytes / (item.length + 1)) }, () => item).join(',')
const wrap = (text: string): string => `{"content":[{"type":"text","text":"${text}"}]}`

test('a server cannot make the daemon run an expression that takes for ever', async () => {
  const { remote, test: smoke } = await connect()
  const outputSchema = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } }
  remote.list = JSON.stringify({ tools: [{ ...READ_TOOL, outputSchema }] })
  remote.result = JSON.stringify({ content: [], structuredContent: { a: `${'a'.repeat(28)}!` } })
  expect(await measureLongestTurn(smoke)).toBeLessThan(LONGEST_TURN_MS)
}, 120_000)

// Each kind twice: as large as a reply may be, and larger.
test.each([
  ['many blocks', (bytes: number) => `{"content":[${repeat('{"type":"text","text":""}', bytes)}]}`, 0.9, 30],
  ['a long text', (bytes: number) => wrap('x'.repeat(bytes)), 2.8, 30],
  ['a long text of wide characters', (bytes: number) => wrap('中'.repeat(bytes / 3)), 2.8, 30],
  ['a long text of escapes', (bytes: number) => wrap(String.raw`\u4e2d`.repeat(bytes / 6)), 5.7, 30],
  ['many values', (bytes: number) => `{"content":[],"structuredContent":{"a":[${repeat('[1,1]', bytes)}]}}`, 0.3, 30],
  [
    'nested lists',
    (bytes: number) => `{"content":[],"structuredContent":{"a":${'['.repeat(bytes / 2)}${']'.repeat(bytes / 2)}}}`,
    0.0001,
    30,
  ],
] as const)(
  'a reply of %s delays no other request',
  async (_what, build, accepted, refused) => {
    const { remote, read } = await connect()
    for (const [megabytes, expected] of [
      [accepted, { status: 'succeeded' }],
      [refused, { status: 'failed', error_code: 'reply_too_large' }],
    ] as const) {
      remote.result = build(megabytes * MEGABYTE)
      let reply: unknown
      const turn = await measureLongestTurn(async () => {
        reply = (await read()).json()
      })
      expect(reply).toMatchObject(expected)
      expect(turn, `${megabytes} MB`).toBeLessThan(LONGEST_TURN_MS)
    }
  },
  300_000,
)

const printTool = (name: string, characters: number): string =>
  `{"name":"${name}","inputSchema":{"type":"object","description":"${'x'.repeat(characters)}"}}`

test('of a long list of tools the first are kept for which there is room, and it delays no other request', async () => {
  const { daemon, remote, test: smoke } = await connect()
  const list = async (...tools: readonly string[]): Promise<object[]> => {
    remote.list = `{"tools":[${tools.join(',')}]}`
    expect(await measureLongestTurn(smoke)).toBeLessThan(LONGEST_TURN_MS)
    return (await daemon.get('/api/capabilities/connectors/tools')).json<{ tools: object[] }>().tools
  }
  const own = printTool('read_note', 10)
  const many = Array.from({ length: 10_000 }, (_, at) => printTool(`tool_${at}`, 1))
  expect(await list(...many, own)).toEqual([])
  expect(await list(own, ...many)).toMatchObject([{ tool_name: 'read_note' }])
  // There is room for two of them.
  const large = ['a', 'b', 'c', 'd'].map((name) => printTool(name, 480_000))
  expect(await list(...large, own)).toMatchObject([{ tool_name: 'read_note' }])
  expect(daemon.system.store.read(({ db }) => db.prepare(TOOL_NAMES).pluck().all())).toEqual(['a', 'b', 'read_note'])
}, 300_000)

const TOOL_NAMES = 'SELECT tool_name FROM connector_tools ORDER BY tool_name'

test('a server whose list of tools never ends is read up to a number of pages', async () => {
  const { daemon, remote, test: smoke } = await connect()
  remote.list = `{"tools":[${printTool('read_note', 10)}],"nextCursor":"more"}`
  const { requests } = remote
  await smoke()
  expect(remote.requests - requests).toBeLessThan(60)
  expect(daemon.system.store.read(({ db }) => db.prepare(TOOL_NAMES).pluck().all())).toEqual(['read_note'])
}, 60_000)
