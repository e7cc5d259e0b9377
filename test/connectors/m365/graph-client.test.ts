import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { GraphClient, GraphFault } from '../../../src/connectors/graph/graph-client.ts'
import { readDocx } from '../../../src/connectors/graph/docx-file.ts'
import { get, post } from '../../../src/knowledge/m365/graph-request.ts'
import { buildWordFile } from './word-fixture.ts'

type Answer = (request: IncomingMessage, reply: ServerResponse, base: string) => void

/** A client whose server answers as the test says. */
async function openClient(answer: Answer, { bearer = 'a-token', signal = new AbortController().signal } = {}) {
  const urls: string[] = []
  const listener = createServer((request, reply) => {
    urls.push(request.url ?? '')
    answer(request, reply, base)
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const base = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`
  const deps = { allowed_hosts: [], bearer, signal, version: '1.0.0', request_id: 'r-1', now: () => 0 }
  const client = new GraphClient({ ...deps, base_url: `${base}/v1.0/` })
  onTestFinished(async () => {
    await client.close()
    listener.closeAllConnections()
    listener.close()
    await once(listener, 'close')
  })
  return { client, urls, base }
}

async function collect(pieces: AsyncIterable<Buffer>): Promise<Buffer[]> {
  const all: Buffer[] = []
  for await (const piece of pieces) all.push(piece)
  return all
}

const sendJson = (reply: ServerResponse, body: unknown): void => void reply.end(JSON.stringify(body))

async function findFault(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(GraphFault)
  return (error as GraphFault).facts.reason_code
}

test('a list is followed up to its maximum, and no further than twenty pages', async () => {
  const { client, urls } = await openClient((request, reply, base) =>
    sendJson(reply, {
      value: [1, 2],
      '@odata.nextLink': `${base}${request.url?.split('?')[0]}?$skiptoken=${urls.length}`,
    }),
  )
  expect(await client.list(get(['me', 'messages']), 3)).toEqual({ items: [1, 2, 1], is_complete: false })
  expect(urls).toEqual(['/v1.0/me/messages', '/v1.0/me/messages?$skiptoken=1'])
  urls.length = 0
  expect((await client.list(get(['me', 'messages']), 1000)).items).toHaveLength(40)
  expect(urls).toHaveLength(20)
})

test.each([
  'http://127.0.0.1:9/v1.0/me/messages',
  'https://other.example/v1.0/me/messages',
  '/v1.0/me/messages',
  '{base}/v2.0/me/messages',
  '{base}/v1.0/../beta/me',
  '{base}/v1.0evil/me',
])('a next page at %s is not asked for, so that the token stays here', async (link) => {
  const { client, urls } = await openClient((_request, reply, base) =>
    sendJson(reply, { value: [1], '@odata.nextLink': link.replace('{base}', base) }),
  )
  expect(await findFault(client.list(get(['me', 'messages']), 10))).toBe('address_not_allowed')
  expect(urls).toHaveLength(1)
})

test('answers of a batch are put into the order of the requests', async () => {
  const answer = async (request: IncomingMessage, reply: ServerResponse): Promise<void> => {
    const { requests } = JSON.parse((await buffer(request)).toString()) as { requests: { id: string; url: string }[] }
    const responses = requests.map(({ id, url }) => ({ id, status: 200, headers: { 'X-A': 'b' }, body: url }))
    sendJson(reply, { responses: responses.toReversed() })
  }
  const { client } = await openClient((request, reply) => void answer(request, reply))
  const replies = await client.batch([get(['a']), post(['b'], { c: 1 })])
  expect(replies).toEqual([
    { status: 200, headers: { 'x-a': 'b' }, body: '/a' },
    { status: 200, headers: { 'x-a': 'b' }, body: '/b' },
  ])
})

test('a download carries no token, is bounded, and goes to allowed addresses only', async () => {
  const seen: (string | undefined)[] = []
  const { client, base } = await openClient((request, reply) => {
    seen.push(request.headers.authorization)
    reply.end('x'.repeat(100))
  })
  const download = (url: string, most?: number) => collect(client.download(url, most))
  expect(Buffer.concat(await download(`${base}/file`)).length).toBe(100)
  expect(await findFault(download(`${base}/file`, 99))).toBe('graph_too_large')
  for (const url of [
    'http://files.example/x',
    'https://192.168.1.1/x',
    'https://169.254.169.254/latest',
    'file:///etc/passwd',
  ]) {
    expect(await findFault(download(url)), url).toBe('address_not_allowed')
  }
  expect(seen).toEqual([undefined, undefined])
})

test('a server of the internet cannot name a file on this machine', async () => {
  const deps = {
    allowed_hosts: [],
    bearer: 'a',
    signal: new AbortController().signal,
    version: '1',
    request_id: 'r',
    now: () => 0,
  }
  const client = new GraphClient({ ...deps, base_url: 'https://graph.example/v1.0' })
  expect(await findFault(collect(client.download('http://127.0.0.1:9/x')))).toBe('address_not_allowed')
  await client.close()
})

test('an answer that is not JSON, too large, elsewhere or never is a fault with a code', async () => {
  const kinds: Record<string, (reply: ServerResponse) => void> = {
    '/v1.0/text': (reply) => reply.end('hello'),
    '/v1.0/large': (reply) => reply.end(`"${'x'.repeat(9 << 20)}"`),
    '/v1.0/away': (reply) => reply.writeHead(302, { location: 'https://other.example/' }).end(),
    '/v1.0/page': (reply) => reply.writeHead(502).end('<html>'),
    '/v1.0/cut': (reply) => reply.destroy(),
  }
  const { client } = await openClient((request, reply) => kinds[request.url ?? '']?.(reply))
  const ask = (name: string) => findFault(client.send(get([name])))
  expect(await ask('text')).toBe('graph_invalid_response')
  expect(await ask('large')).toBe('graph_too_large')
  expect(await ask('away')).toBe('address_not_allowed')
  expect(await ask('page')).toBe('graph_http_502')
  expect(await ask('cut')).toBe('unreachable')
  expect(await findFault(client.list(get(['text']), 1))).toBe('graph_invalid_response')
})

test('a request ends when its signal does', async () => {
  const stop = new AbortController()
  const { client, urls } = await openClient(() => {}, { signal: stop.signal })
  const asked = findFault(client.send(get(['me'])))
  await expect.poll(() => urls).toHaveLength(1)
  stop.abort()
  expect(await asked).toBe('timeout')
})

test('a file that is no Word document, or unpacks to too much, is a fault with a code', async () => {
  const read = (file: Buffer) => findFault(readDocx(file, { text: true, comments: true }))
  expect(await read(Buffer.from('not a zip'))).toBe('word_file_unreadable')
  expect(await read(await buildWordFile({ document: '<w:t>not closed' }))).toBe('word_file_unreadable')
  const bomb = await buildWordFile({ document: `<w:t>${' '.repeat(50 << 20)}</w:t>` })
  expect(bomb.length).toBeLessThan(1 << 20)
  expect(await read(bomb)).toBe('graph_too_large')
  const parts = await readDocx(await buildWordFile({ document: '<w:p><w:t>x</w:t></w:p>' }), {
    text: true,
    comments: true,
  })
  expect(parts).toEqual({ text: 'x', comments: [] })
})
