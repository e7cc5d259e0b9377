import { expect, onTestFinished, test } from 'vitest'
import { limitReply, ReplyTooLarge } from '../../src/connectors/limited-reply.ts'
import { openOAuthNetwork } from '../../src/connectors/oauth/oauth-network.ts'
import { callTool } from '../../src/connectors/tool-call.ts'
import { ConnectionPool } from '../../src/connectors/connection-pool.ts'
import { startToolServer } from './tool-server.ts'

const reply = (type: string, ...pieces: readonly string[]): Response =>
  new Response(new Blob([...pieces]).stream(), { status: 202, headers: { 'content-type': type, 'x-kept': 'yes' } })

/** A reply whose pieces arrive one by one. */
const stream = (...pieces: readonly string[]): Response =>
  new Response(ReadableStream.from(pieces.map((piece) => Buffer.from(piece))), {
    headers: { 'content-type': 'text/event-stream; charset=utf-8' },
  })

test('a reply is read up to the limit, and keeps its status and headers', async () => {
  const limited = limitReply(reply('application/json', '{"a":', '1}'), 7)
  expect([limited.status, limited.headers.get('x-kept'), await limited.text()]).toEqual([202, 'yes', '{"a":1}'])
  await expect(limitReply(reply('application/json', '{"a":', '12}'), 7).text()).rejects.toThrow(ReplyTooLarge)
  expect(limitReply(new Response(null, { status: 204 }), 7).body).toBeNull()
})

test('in a stream the limit is for each event, however its lines end and its pieces are cut', async () => {
  const events = ['data: 1\n\n', 'data: 2\r\n\r\n', 'data: 3\n', '\ndata: 4\n\ndata']
  expect(await limitReply(stream(...events), 30).text()).toBe(events.join(''))
  await expect(limitReply(stream('data: 1\n\n', 'data: ', 'x'.repeat(20), 'y'.repeat(20)), 30).text()).rejects.toThrow(
    ReplyTooLarge,
  )
})

test('a server that answers without end fails the call and not the daemon', async () => {
  const remote = await startToolServer()
  const pool = new ConnectionPool({ allowed_hosts: [], bridges: {}, version: '1' })
  remote.note = 'x'.repeat(33 << 20)
  const target = { server_id: 'notes', display_name: 'Notes', endpoint_url: remote.url }
  const call = { tool_name: 'read_note', arguments: {}, max_duration_ms: 60_000 }
  const found = await callTool(pool, target, call, new AbortController().signal)
  await pool.close()
  expect(found).toMatchObject({ kind: 'fault', reason_code: 'reply_too_large' })
})

test('a document of an authorization server is read up to one megabyte', async () => {
  const remote = await startToolServer()
  remote.documents = { '/small': { issuer: 'x' }, '/large': { issuer: 'x'.repeat(1 << 20) } }
  const { origin } = new URL(remote.url)
  const network = openOAuthNetwork(remote.url, [], new AbortController().signal)
  onTestFinished(() => network.close())
  expect(await (await network.fetch(`${origin}/small`)).json()).toEqual({ issuer: 'x' })
  await expect((await network.fetch(`${origin}/large`)).text()).rejects.toThrow(ReplyTooLarge)
})
