import { connect } from 'node:net'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { failures } from '@apprentice/contracts/base/failures.ts'
import { allRoutes } from '@apprentice/contracts/index.ts'
import { type AnyContract, FailureReply } from '@apprentice/contracts/base/route.ts'
import { adminToken, type Daemon, startDaemon } from '../kit/daemon.ts'
import { pathOf, readInvalid, readRefusal, tally } from './fuzz-rig.ts'
import { fitting, shapeOf } from './fuzz-schema.ts'

// The same cases every time, so that a change is judged and not luck; FUZZ_SEED tries others.
fc.configureGlobal({ seed: Number(process.env['FUZZ_SEED'] ?? 20_261_116) })

const changes = allRoutes.filter(({ method }) => method !== 'GET')
const json = 'application/json'

async function send(
  daemon: Daemon,
  contract: AnyContract,
  { payload, type = json }: { payload: string | Buffer; type?: string },
) {
  const before = tally(daemon)
  const reply = await daemon.request({
    method: contract.method,
    url: pathOf(contract),
    payload,
    headers: { 'content-type': type },
  })
  if (reply.statusCode >= 400) expect(tally(daemon)).toEqual(before)
  return reply
}

const deep = (depth: number) => `${'{"a":['.repeat(depth)}${']}'.repeat(depth)}`

const unreadable: [string, string | Buffer][] = [
  ['half a document', '{"a":'],
  ['two documents', '{}{}'],
  ['a comment', '{/* x */}'],
  ['single quotes', "{'a':1}"],
  ['a trailing comma', '{"a":1,}'],
  ['no number', '{"a":NaN}'],
  ['a bare word', 'undefined'],
  ['only blanks', '   '],
  ['a bad escape', '{"a":"\\x"}'],
  ['a raw line end in a string', '{"a":"\n"}'],
  ['bytes that are no UTF-8', Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d])],
  ['half a character', Buffer.from([0x7b, 0x7d, 0xf0, 0x9f])],
  ['UTF-16', Buffer.from('{}', 'utf16le')],
  ['a key twice', '{"a":1,"a":1}'],
  ['a key twice, once disguised', '{"a":1,"\\u0061":1}'],
  ['a key twice at depth', '{"a":[{"b":{"c":1,"c":2}}]}'],
  ['a key into the prototype', '{"__proto__":{"a":1}}'],
  ['a disguised key into the prototype', '{"\\u005f_proto__":{"a":1}}'],
  ['nesting without end', deep(40)],
  ['much nesting without end', `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
]

test.each(unreadable)('no route takes a body of %s', async (_what, payload) => {
  const daemon = await startDaemon()
  for (const contract of changes) {
    expect(readInvalid(await send(daemon, contract, { payload }))).not.toBe('')
  }
})

test('no route takes a body of another type, or one without a type', async () => {
  const daemon = await startDaemon()
  const types = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'x', '']
  for (const contract of changes) {
    for (const type of [...types, 'application/jsonp', 'text/json', 'application/xml']) {
      const { code } = readRefusal(await send(daemon, contract, { payload: '{}', type }))
      expect(code).toBe('UNSUPPORTED_MEDIA_TYPE')
    }
  }
})

test('no route takes a body over its limit', async () => {
  const daemon = await startDaemon()
  for (const contract of changes) {
    const size = (contract.body_limit ?? daemon.system.config.settings.limits.body_bytes) + 1
    const payload = JSON.stringify({ a: 'x'.repeat(size) })
    expect(readRefusal(await send(daemon, contract, { payload })).code).toBe('PAYLOAD_TOO_LARGE')
  }
})

test('bytes of any kind are refused when they are no JSON, and never break us', async () => {
  const daemon = await startDaemon()
  const garbled = fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 80 }).map((bytes) => Buffer.from(bytes)),
    fc.constantFrom(...changes).chain(damaged),
  )
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...changes), garbled, async (contract, payload) => {
      fc.pre(!isJson(payload))
      expect(readInvalid(await send(daemon, contract, { payload }))).not.toBe('')
    }),
    { numRuns: 500 },
  )
})

/** A body that fits, with one byte lost, doubled or replaced. */
function damaged(contract: AnyContract): fc.Arbitrary<Buffer> {
  return fc
    .tuple(fitting(shapeOf(contract.body)), fc.nat(), fc.nat(255), fc.nat(2))
    .map(([body, at, byte, how]) => {
      const bytes = Buffer.from(JSON.stringify(body))
      const place = at % bytes.length
      const rest = bytes.subarray(how === 1 ? place : place + 1)
      return Buffer.concat([bytes.subarray(0, place), Buffer.from(how === 0 ? [] : [byte]), rest])
    })
}

function isJson(bytes: Buffer): boolean {
  try {
    JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    return true
  } catch {
    return false
  }
}

const head = `host: 127.0.0.1\r\nauthorization: Bearer ${adminToken}\r\ncontent-type: ${json}\r\n`
const post = 'POST /api/categories HTTP/1.1\r\n'

const broken: [string, string][] = [
  ['no HTTP at all', '\u0000\u0001\u0002 what\r\n\r\n'],
  ['a TLS hello', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003'],
  ['an unknown method', `FROB /healthz HTTP/1.1\r\n${head}\r\n`],
  ['an unknown version', `GET /healthz HTTP/9.9\r\n${head}\r\n`],
  ['a header without a name', `GET /healthz HTTP/1.1\r\n: x\r\n${head}\r\n`],
  ['headers without end', `GET /healthz HTTP/1.1\r\n${head}x: ${'x'.repeat(40_000)}\r\n\r\n`],
  ['two lengths', `${post}${head}content-length: 2\r\ncontent-length: 3\r\n\r\n{} `],
  ['a length and chunks', `${post}${head}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n`],
  ['a length below nothing', `${post}${head}content-length: -1\r\n\r\n`],
  ['a chunk of no size', `${post}${head}transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`],
]

test.each(broken)(
  'a connection that sends %s gets our refusal and is closed',
  async (_what, raw) => {
    const daemon = await startDaemon()
    const before = tally(daemon)
    const { url } = await daemon.listen()

    const answer = await converse(url, raw)

    const status = answer.slice(0, 12)
    const [, body = ''] = answer.split('\r\n\r\n')
    const { error } = FailureReply.parse(JSON.parse(body))
    expect(failures).toHaveProperty(error.code)
    expect(status).toBe(`HTTP/1.1 ${failures[error.code as keyof typeof failures].status}`)
    expect(error.correlation_id).toMatch(/^[0-9a-f-]{36}$/)
    expect(answer).not.toContain(adminToken)
    expect(tally(daemon)).toEqual(before)
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
  },
)

/** Everything the server says until it hangs up. */
function converse(url: string, raw: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    let answer = ''
    socket.setTimeout(10_000, () => socket.destroy(new Error(`no end after: ${answer}`)))
    socket.on('data', (chunk) => (answer += chunk.toString('latin1')))
    socket.on('error', (error) => (answer === '' ? reject(error) : undefined))
    socket.on('close', () => resolve(answer))
    socket.write(Buffer.from(raw, 'latin1'))
  })
}

test('a body that is promised and does not come holds nobody else up', async () => {
  const daemon = await startDaemon()
  const { url } = await daemon.listen()
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.write(`${post}${head}content-length: 1000\r\n\r\n{"title":`)
  const others = await Promise.all(
    Array.from({ length: 20 }, () => fetch(`${url}/healthz`).then(({ status }) => status)),
  )
  socket.destroy()
  expect(new Set(others)).toEqual(new Set([200]))
  expect((await daemon.get('/api/categories')).json()).toMatchObject({ categories: [] })
})
