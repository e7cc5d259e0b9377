// An MCP server on standard input and output. Its tools are named after the variables of its environment.
import { env } from 'node:process'
import { Server } from '@modelcontextprotocol/server'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'

const server = new Server({ name: 'bridge', version: '1.0.0' }, { capabilities: { tools: {} } })
server.setRequestHandler('tools/list', () => ({
  tools: Object.keys(env).map((name) => ({ name, inputSchema: { type: 'object' } })),
}))
await server.connect(new StdioServerTransport())
