import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { ConnectorCall } from '@apprentice/contracts/connectors/dispatch.ts'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { connectClient } from '../mcp/mcp-client.ts'
import { call } from './call-kit.ts'
import { register, smokeTest } from './connector-kit.ts'

const require = createRequire(import.meta.url)
const PROGRAM = join(dirname(require.resolve('@modelcontextprotocol/server-everything/package.json')), 'dist/index.js')
const TOOLS = [
  'echo',
  'get-sum',
  'get-structured-content',
  'get-tiny-image',
  'trigger-elicitation-request',
  'trigger-long-running-operation',
]

async function findFreePort(): Promise<number> {
  const listener = createServer().listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const { port } = listener.address() as AddressInfo
  listener.close()
  await once(listener, 'close')
  return port
}

/** The official server over HTTP. Returns its address. */
async function startOverHttp(): Promise<string> {
  const port = await findFreePort()
  const env = { PATH: process.env['PATH'] ?? '', PORT: String(port) }
  const program = spawn(process.execPath, [PROGRAM, 'streamableHttp'], { env, stdio: 'ignore' })
  onTestFinished(async () => {
    if (program.exitCode === null && program.kill('SIGKILL')) await once(program, 'exit')
  })
  const url = `http://127.0.0.1:${port}/mcp`
  await vi.waitUntil(
    () =>
      fetch(url).then(
        () => true,
        () => false,
      ),
    { timeout: 60_000 },
  )
  return url
}

async function connectEverything(
  over: string,
): Promise<{ daemon: Daemon; server_id: string; name: (tool: string) => string }> {
  const bridges = { everything: { command: process.execPath, args: [PROGRAM, 'stdio'], env: {} } }
  const daemon = await startDaemon({ settings: { connectors: { bridges } } })
  const place =
    over === 'stdio'
      ? { transport: 'local_bridge', display_name: 'everything', endpoint_url: undefined }
      : { endpoint_url: await startOverHttp() }
  const { registry } = await register(daemon, { ...place, supported_tools: TOOLS })
  const { server_id } = registry
  expect((await smokeTest(daemon, server_id)).status).toBe('passed')
  for (const tool_name of TOOLS) {
    const target = { target_kind: 'tool', server_id, tool_name }
    await daemon.post('/api/mcp/policy/update', { target, decision: { mode: 'enabled' } })
  }
  return { daemon, server_id, name: (tool) => `connector_${server_id.slice(-6)}_${tool.replaceAll('-', '_')}` }
}

test.each(['stdio', 'http'])('tools of the official everything server are called over %s', async (over) => {
  const { daemon, server_id } = await connectEverything(over)
  const run = async (tool: string, given: object = {}) =>
    (await call(daemon, server_id, tool, { arguments: given })).json<ConnectorCall>()
  expect(await run('echo', { message: 'hello' })).toMatchObject({
    status: 'succeeded',
    result: { content: [{ type: 'text', text: 'Echo: hello' }] },
  })
  expect(await run('get-structured-content', { location: 'Chicago' })).toMatchObject({
    status: 'succeeded',
    result: { structured_content: { temperature: expect.any(Number) } },
  })
  // The tool itself refuses what does not fit its schema.
  expect(await run('get-sum', { a: 'one' })).toMatchObject({ result: { is_error: true } })
})

test('a question of the everything server is declined, or gets its own defaults if the caller said so', async () => {
  const { daemon, server_id } = await connectEverything('stdio')
  const run = async (more: { readonly on_question?: string } = {}) => {
    const made = (await call(daemon, server_id, 'trigger-elicitation-request', more)).json<ConnectorCall>()
    expect(made, made.error_message).toMatchObject({ status: 'succeeded' })
    return JSON.stringify(made.result?.content)
  }
  expect(await run()).toContain('User declined to provide')
  expect(await run({ on_question: 'use_defaults' })).toContain('User provided the requested information')
})

test.each(['stdio', 'http'])('progress of the everything server over %s reaches a client of /mcp', async (over) => {
  const { daemon, name } = await connectEverything(over)
  const client = await connectClient((await daemon.listen()).url)
  const reports: { progress: number; total?: number | undefined }[] = []
  const result = await client.callTool(
    { name: name('trigger-long-running-operation'), arguments: { duration: 1, steps: 4 } },
    { onprogress: (report) => reports.push(report) },
  )
  expect(result.structuredContent).toMatchObject({ status: 'succeeded' })
  expect(reports.length).toBeGreaterThan(0)
  for (const { total } of reports) expect(total).toBe(4)
  const steps = reports.map(({ progress }) => progress)
  expect(steps).toEqual(steps.toSorted((a, b) => a - b))
})

test('pictures of the everything server reach a client of /mcp as pictures', async () => {
  const { daemon, name } = await connectEverything('stdio')
  const client = await connectClient((await daemon.listen()).url)
  const { content, structuredContent } = await client.callTool({ name: name('get-tiny-image'), arguments: {} })
  expect(content).toContainEqual(expect.objectContaining({ type: 'image', mimeType: 'image/png' }))
  expect(JSON.stringify(structuredContent)).not.toContain('image/png')
})
