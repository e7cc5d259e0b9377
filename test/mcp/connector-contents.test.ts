import { expect, test } from 'vitest'
import { approve, call, listPending, waitForEnd } from '../connectors/call-kit.ts'
import { OWN_DRIVE } from '../connectors/m365/graph-state.ts'
import { connectM365, type M365Server } from '../connectors/m365/m365-kit.ts'
import { adminToken } from '../kit/daemon.ts'
import { connectClient, readError, readText } from './mcp-client.ts'

const EVENT = {
  title: 'Roof',
  start_time: '2026-03-03T09:00:00Z',
  end_time: '2026-03-03T10:00:00Z',
  attendee_emails: [],
}

const nameTool = ({ server_id }: M365Server, family: string): string => `connector_${server_id.slice(-6)}_${family}`

async function connectAgent(server: M365Server, options: Parameters<typeof connectClient>[1] = {}) {
  const { url } = await server.daemon.listen()
  return connectClient(url, options)
}

/** Fetches a file of the drive through a call of `token`. Returns the reference of its content. */
async function fetchContent({ daemon, server_id }: M365Server, token: string): Promise<string> {
  const given = { drive_item_ref: 'own-1', include_content: true }
  const reply = await call(daemon, server_id, 'onedrive_fetch_file', { arguments: given, token })
  const { result } = reply.json<{ result: { structured_content: { result: { content_ref: string } } } }>()
  return result.structured_content.result.content_ref
}

test('operations of Microsoft 365 are tools: what reads is called at once, what writes after the person agreed', async () => {
  const server = await connectM365()
  let allow = true
  const client = await connectAgent(server, { answer: () => ({ action: 'accept', content: { allow } }) })
  const found = await client.callTool({ name: nameTool(server, 'search'), arguments: { query: 'roof' } })
  expect(found.structuredContent).toMatchObject({ status: 'succeeded', structured_content: { status: 'ok' } })
  const create = () => client.callTool({ name: nameTool(server, 'calendar_create_event'), arguments: EVENT })
  server.graph.requests.length = 0
  expect((await create()).structuredContent).toMatchObject({
    status: 'succeeded',
    structured_content: { result: { status: 'created' } },
  })
  expect(server.graph.requests).toEqual(['POST /me/events'])
  allow = false
  expect(await create()).toMatchObject({ isError: true, structuredContent: { status: 'denied' } })
  expect(server.graph.requests).toHaveLength(1)
})

test('an operation that writes waits with its id if the client cannot ask, and is made once approved', async () => {
  const server = await connectM365()
  const client = await connectAgent(server, { token: await server.daemon.tokenFor('ada') })
  const result = await client.callTool({ name: nameTool(server, 'calendar_create_event'), arguments: EVENT })
  expect(readError(result).code).toBe('MCP_ASK_FIRST_REQUIRED')
  const [pending] = await listPending(server.daemon)
  server.graph.requests.length = 0
  await approve(server.daemon, pending?.dispatch_id ?? '')
  expect(await waitForEnd(server.daemon, pending?.dispatch_id ?? '')).toMatchObject({ status: 'succeeded' })
  expect(server.graph.requests).toEqual(['POST /me/events'])
})

test('an agent reads the content that a call of its user stored, and that of no other user', async () => {
  const server = await connectM365()
  const [ada, ben] = [await server.daemon.tokenFor('ada'), await server.daemon.tokenFor('ben')]
  const content_ref = await fetchContent(server, ada)
  const read = async (token: string) =>
    (await connectAgent(server, { token })).callTool({ name: 'read_content', arguments: { content_ref } })
  const own = await read(ada)
  expect(own.structuredContent).toMatchObject({ encoding: 'utf8', file_name: 'notes.txt' })
  expect(readText(own)).toBe('my notes')
  expect(readError(await read(ben)).code).toBe('CONNECTOR_CONTENT_NOT_FOUND')
  // Administrators own no content of others.
  expect(readError(await read(await server.daemon.tokenFor('eve', 'admin'))).code).toBe('CONNECTOR_CONTENT_NOT_FOUND')
})

test.each([
  ['utf8', Buffer.from('Größe 5 € '.repeat(4000))],
  ['base64', Buffer.from(Array.from({ length: 40_000 }, (_, at) => (at * 7) % 256))],
] as const)('a content of several parts is read as %s, whole', async (encoding, content) => {
  const server = await connectM365()
  const [item] = server.graph.state.drives[OWN_DRIVE] ?? []
  Object.assign(item ?? {}, { content })
  const content_ref = await fetchContent(server, adminToken)
  const client = await connectAgent(server)
  const parts: Buffer[] = []
  for (let offset: number | undefined = 0; offset !== undefined;) {
    const result = await client.callTool({ name: 'read_content', arguments: { content_ref, offset } })
    const part = result.structuredContent as { encoding: string; bytes: number; next_offset?: number }
    expect(part).toMatchObject({ encoding, bytes: content.length })
    parts.push(Buffer.from(readText(result), encoding))
    offset = part.next_offset
  }
  expect(parts.length).toBeGreaterThan(2)
  expect(Buffer.concat(parts).equals(content)).toBe(true)
})
