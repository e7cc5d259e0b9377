// An MCP server for benchmarks, as small as possible: it keeps no sessions and has one tool that reads. The address is
// printed as JSON. The query of a request says how long a call takes: /mcp?ms=50.
import { createServer } from 'node:http'

const TOOL = { name: 'read_note', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }
const CONTENT = { content: [{ type: 'text', text: 'a note' }] }

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'bench', version: '1' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: [TOOL] }),
  'tools/call': () => CONTENT,
}

const server = createServer((request, reply) => {
  if (request.method !== 'POST') return void reply.writeHead(405).end()
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString())
    if (id === undefined) return void reply.writeHead(202).end()
    const result = answers[method](params)
    const send = () =>
      reply.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, result }))
    const pause = Number(new URL(request.url, 'http://localhost').searchParams.get('ms') ?? 0)
    if (method === 'tools/call' && pause > 0) setTimeout(send, pause)
    else send()
  })
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${server.address().port}/mcp` })}\n`)
})
