import { expect, test } from 'vitest'
import { approve, connectTools, listPending, waitForEnd } from '../connectors/call-kit.ts'
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
