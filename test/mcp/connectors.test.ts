import { expect, test, vi } from 'vitest'
import { approve, connectTools, listPending, readCall, readUseReceipts, waitForEnd } from '../connectors/call-kit.ts'
import { startDaemon } from '../kit/daemon.ts'
import { connectClient, readError } from './mcp-client.ts'

async function startConnected() {
  const daemon = await startDaemon()
  const { remote, server_id } = await connectTools(daemon)
  const { url } = await daemon.listen()
  const name = (tool: string): string => `connector_${server_id.slice(-6)}_${tool}`
  return { daemon, remote, server_id, url, name }
}

test('tools of connected servers are offered under names of their own with their annotations, and are called', async () => {
  const { remote, url, name } = await startConnected()
  const client = await connectClient(url)
  const { tools } = await client.listTools()
  const offered = tools.filter((tool) => tool.name.startsWith('connector_'))
  expect(offered.map((tool) => [tool.name, tool.annotations?.readOnlyHint])).toEqual([
    [name('read_note'), true],
    [name('write_note'), false],
  ])
  const result = await client.callTool({ name: name('read_note'), arguments: {} })
  expect(result.structuredContent).toMatchObject({
    status: 'succeeded',
    content: [{ text: 'a note' }],
    is_error: false,
  })
  expect(result.content).toEqual([{ type: 'text', text: 'a note' }])
  expect(remote.calls).toEqual(['read_note'])
})

test('a call that needs approval is asked of the person where the client can ask', async () => {
  const { daemon, remote, url, name } = await startConnected()
  const asked: string[] = []
  let allow = true
  const client = await connectClient(url, {
    answer: (message) => {
      asked.push(message)
      return { action: 'accept', content: { allow } }
    },
  })
  const write = async () =>
    (await client.callTool({ name: name('write_note'), arguments: { body: 'x' } })).structuredContent
  expect(await write()).toMatchObject({ status: 'succeeded' })
  allow = false
  expect(await write()).toMatchObject({ status: 'denied', is_error: true })
  expect(asked).toHaveLength(2)
  expect(remote.calls).toEqual(['write_note'])
  expect(await listPending(daemon)).toEqual([])
})

test('where the client cannot ask, the call waits and its id is returned', async () => {
  const { daemon, remote, url, name } = await startConnected()
  const client = await connectClient(url, { token: await daemon.tokenFor('ada') })
  const result = await client.callTool({ name: name('write_note'), arguments: {} })
  expect(readError(result).code).toBe('MCP_ASK_FIRST_REQUIRED')
  const [pending] = await listPending(daemon)
  const { error } = result.structuredContent as { error: { details: { dispatch_id: string } } }
  expect(error.details.dispatch_id).toBe(pending?.dispatch_id)
  expect(remote.calls).toEqual([])
  await approve(daemon, error.details.dispatch_id)
  expect(await waitForEnd(daemon, error.details.dispatch_id)).toMatchObject({ status: 'succeeded' })
  expect(remote.calls).toEqual(['write_note'])
})

test('progress of the server reaches the client while the call runs', async () => {
  const { remote, url, name } = await startConnected()
  let finish = (): void => undefined
  remote.progress = { progress: 2, total: 5, message: 'sorting' }
  remote.afterCall = new Promise((resolve) => {
    finish = resolve
  })
  const client = await connectClient(url)
  const reports: unknown[] = []
  const onprogress = (report: unknown): void => {
    reports.push(report)
    finish()
  }
  const result = await client.callTool({ name: name('read_note'), arguments: {} }, { onprogress })
  expect(result.structuredContent).toMatchObject({ status: 'succeeded' })
  expect(reports).toEqual([{ progress: 2, total: 5, message: 'sorting' }])
})

test('if the client cancels its request, the call is cancelled at the server', async () => {
  const { daemon, remote, url, name } = await startConnected()
  remote.afterCall = new Promise(() => undefined)
  const client = await connectClient(url)
  const stop = new AbortController()
  const running = client.callTool({ name: name('read_note'), arguments: {} }, { signal: stop.signal })
  running.catch(() => undefined)
  await vi.waitUntil(() => remote.calls.length === 1, { timeout: 60_000 })
  stop.abort()
  await expect(running).rejects.toThrow(/abort/i)
  await vi.waitUntil(() => remote.cancelled === 1, { timeout: 60_000 })
  const receipt = await vi.waitUntil(async () => (await readUseReceipts(daemon))[0], { timeout: 60_000 })
  expect(receipt).toMatchObject({ result: 'cancelled' })
  expect(await waitForEnd(daemon, receipt.dispatch_id ?? '')).toMatchObject({ status: 'cancelled' })
})

test('if the client cancels its request while a person is asked, the call is withdrawn', async () => {
  const { daemon, remote, url, name } = await startConnected()
  const client = await connectClient(url, { answer: () => new Promise(() => undefined) })
  const stop = new AbortController()
  const running = client.callTool({ name: name('write_note'), arguments: {} }, { signal: stop.signal })
  running.catch(() => undefined)
  const pending = await vi.waitUntil(async () => (await listPending(daemon))[0], { timeout: 60_000 })
  stop.abort()
  await vi.waitUntil(async () => (await listPending(daemon)).length === 0, { timeout: 60_000 })
  expect(await readCall(daemon, pending.dispatch_id)).toMatchObject({ status: 'cancelled' })
  expect(remote.calls).toEqual([])
})

test('a tool that reports an error does so to the client, with the words of the server', async () => {
  const { remote, url, name } = await startConnected()
  remote.is_error = true
  const client = await connectClient(url)
  expect(await client.callTool({ name: name('read_note'), arguments: {} })).toMatchObject({
    isError: true,
    content: [{ type: 'text', text: 'a note' }],
    structuredContent: { is_error: true },
  })
})
