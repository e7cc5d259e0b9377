import { expect, onTestFinished, test } from 'vitest'
import { limitReply, ReplyTooLarge } from '../../src/connectors/limited-reply.ts'
import { openOAuthNetwork } from '../../src/connectors/oauth/oauth-network.ts'
import { callTool } from '../../src/connectors/tool-call.ts'
import { ConnectionPool } from '../../src/connectors/connection-pool.ts'
import { startToolServer } from './tool-server.ts'

const reply = (type: string, ...pieces: readonly string[]): Response =>
  new Response(new Blob([...pieces]).stream(), { status: 202, headers: { 'content-type': type, 'x-kept': 'yes' } })

/** A reply whose pieces arrive one by one. */
const stream = (...pieces: readonly string[]): Response => arrive('text/event-stream; charset=utf-8', pieces)

const arrive = (type: string, pieces: readonly string[]): Response =>
  new Response(ReadableStream.from(pieces.map((piece) => Buffer.from(piece))), { headers: { 'content-type': type } })

test('a reply is read up to the limit, and keeps its status and headers', async () => {
  const limited = limitReply(reply('application/json', '{"a":', '1}'), { bytes: 7 })
  expect([limited.status, limited.headers.get('x-kept'), await limited.text()]).toEqual([202, 'yes', '{"a":1}'])
  await expect(limitReply(reply('application/json', '{"a":', '12}'), { bytes: 7 }).text()).rejects.toThrow(
    ReplyTooLarge,
  )
  expect(limitReply(new Response(null, { status: 204 }), { bytes: 7 }).body).toBeNull()
})

test('in a stream the limit is for each event, however its lines end and its pieces are cut', async () => {
  const events = ['data: 1\n\n', 'data: 2\r\n\r\n', 'data: 3\n', '\ndata: 4\n\ndata']
  expect(await limitReply(stream(...events), { bytes: 30 }).text()).toBe(events.join(''))
  const long = stream('data: 1\n\n', 'data: ', 'x'.repeat(20), 'y'.repeat(20))
  await expect(limitReply(long, { bytes: 30 }).text()).rejects.toThrow(ReplyTooLarge)
})

test('values are counted outside of texts, and lists by how many are inside each other', async () => {
  const read = (text: string, pieces: number): Promise<string> => {
    const size = Math.ceil(text.length / pieces)
    const parts = Array.from({ length: pieces }, (_, at) => text.slice(at * size, (at + 1) * size))
    return limitReply(arrive('application/json', parts), { bytes: 1000, values: 5, depth: 3 }).text()
  }
  const few = ['[1,2,3,4,5]', JSON.stringify({ text: ',,,[[[[{{{{::::"\\' }), '[[[]]]', '[[],[]]', '{"a":"\\\\","b":1}']
  for (const text of few) for (const pieces of [1, 3, text.length]) expect(await read(text, pieces)).toBe(text)
  const many = ['[1,2,3,4,5,6]', '{"a":"\\\\","b":[1,2]}', '[[[[]]]]', '"\n[1,2,3,4,5,6]']
  for (const text of many) {
    for (const pieces of [1, 3, text.length]) await expect(read(text, pieces), text).rejects.toThrow(ReplyTooLarge)
  }
  // The name of the field has a colon too.
  const event = 'data: [1,2,3]\n\n'
  expect(await limitReply(stream(event, event, event), { bytes: 1000, values: 4 }).text()).toBe(event.repeat(3))
  await expect(limitReply(stream(event), { bytes: 1000, values: 3 }).text()).rejects.toThrow(ReplyTooLarge)
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
