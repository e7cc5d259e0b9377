import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createHome, serve } from '../commands/program.ts'

const MAIN_FILE = join(import.meta.dirname, '..', '..', 'dist', 'main.js')

async function connectProgram(env: Record<string, string>): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' })
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MAIN_FILE, 'mcp'],
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stderr: 'ignore',
  })
  await client.connect(transport)
  onTestFinished(() => client.close())
  return client
}

test('the program speaks MCP on stdio and forwards to the running daemon', async () => {
  const home = createHome()
  const { url } = await serve(home)
  const client = await connectProgram({ APPRENTICE_HOME: home, APPRENTICE_PORT: new URL(url).port })
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('run_ability')
  const listed = await client.callTool({ name: 'list_devices', arguments: {} })
  expect(listed.structuredContent).toMatchObject({ devices: [{ state: 'device' }] })
})

test('without a running daemon the program starts one with the simulated phone', async () => {
  const home = createHome()
  const client = await connectProgram({ APPRENTICE_HOME: home, APPRENTICE_PORT: '0', APPRENTICE_PHONE: 'simulated' })
  const listed = await client.callTool({ name: 'list_devices', arguments: {} })
  expect(listed.structuredContent).toMatchObject({ devices: [{ state: 'device' }] })
})
