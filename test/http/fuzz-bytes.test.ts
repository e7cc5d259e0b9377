import { connect } from 'node:net'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FAILURES } from '@apprentice/contracts/base/failures.ts'
import { allRoutes } from '@apprentice/contracts/index.ts'
import { type AnyContract, FailureReply } from '@apprentice/contracts/base/route.ts'
import { adminToken, type Daemon, shareDaemon, startDaemon } from '../kit/daemon.ts'
import { buildPath, readInvalid, readRefusal, countRows } from './fuzz-checks.ts'
import { validValues, readShape } from './fuzz-schema.ts'
import { countRuns } from '../kit/count-runs.ts'

// A fixed seed makes the cases reproducible. FUZZ_SEED sets another one.
fc.configureGlobal({ seed: Number(process.env['FUZZ_SEED'] ?? 20_261_116) })

const changes = allRoutes.filter(({ method }) => method !== 'GET')
const json = 'application/json'

async function send(
  daemon: Daemon,
  contract: AnyContract,
  { payload, type = json }: { payload: string | Buffer; type?: string },
) {
  const before = countRows(daemon)
  const reply = await daemon.request({
    method: contract.method,
    url: buildPath(contract),
    payload,
    headers: { 'content-type': type },
  })
  if (reply.statusCode >= 400) expect(countRows(daemon)).toEqual(before)
  return reply
}

const deep = (depth: number) => `${'{"a":['.repeat(depth)}${']}'.repeat(depth)}`

const unparsable: [string, string | Buffer][] = [
  ['half a document', '{"a":'],
  ['two documents', '{}{}'],
  ['a comment', '{/* x */}'],
  ['single quotes', "{'a':1}"],
  ['a trailing comma', '{"a":1,}'],
  ['NaN', '{"a":NaN}'],
  ['a bare word', 'undefined'],
  ['only blanks', '   '],
  ['a bad escape', '{"a":"\\x"}'],
  ['a raw line end in a string', '{"a":"\n"}'],
  ['bytes that are no UTF-8', Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d])],
  ['half a character', Buffer.from([0x7b, 0x7d, 0xf0, 0x9f])],
  ['UTF-16', Buffer.from('{}', 'utf16le')],
  ['a key twice', '{"a":1,"a":1}'],
  ['a key twice, once escaped', '{"a":1,"\\u0061":1}'],
  ['a key twice at depth', '{"a":[{"b":{"c":1,"c":2}}]}'],
  ['a prototype key', '{"__proto__":{"a":1}}'],
  ['an escaped prototype key', '{"\\u005f_proto__":{"a":1}}'],
  ['nesting over the limit', deep(40)],
  ['nesting far over the limit', `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
]

describe('a body that is no JSON', () => {
  const shared = shareDaemon()

  test.each(unparsable)('no route accepts a body of %s', async (_what, payload) => {
    for (const contract of changes) {
      expect(readInvalid(await send(shared(), contract, { payload }))).not.toBe('')
    }
  })
})

test('no route accepts a body of another type or without a type', async () => {
  const daemon = await startDaemon()
  const types = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'x', '']
  for (const contract of changes) {
    for (const type of [...types, 'application/jsonp', 'text/json', 'application/xml']) {
      const { code } = readRefusal(await send(daemon, contract, { payload: '{}', type }))
      expect(code).toBe('UNSUPPORTED_MEDIA_TYPE')
    }
  }
})

test('no route accepts a body over its limit', async () => {
  const daemon = await startDaemon()
  for (const contract of changes) {
    const size = (contract.body_limit ?? daemon.system.config.settings.limits.body_bytes) + 1
    const payload = JSON.stringify({ a: 'x'.repeat(size) })
    expect(readRefusal(await send(daemon, contract, { payload })).code).toBe('PAYLOAD_TOO_LARGE')
  }
})

test('any bytes that are not JSON are refused without an internal error', async () => {
  const daemon = await startDaemon()
  const payloads = fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 80 }).map((bytes) => Buffer.from(bytes)),
    fc.constantFrom(...changes).chain(damagedBodies),
  )
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...changes), payloads, async (contract, payload) => {
      fc.pre(!isJson(payload))
      expect(readInvalid(await send(daemon, contract, { payload }))).not.toBe('')
    }),
    { numRuns: countRuns(500) },
  )
})

/** A valid body with one byte removed, inserted or replaced. */
function damagedBodies(contract: AnyContract): fc.Arbitrary<Buffer> {
  return fc
    .tuple(validValues(readShape(contract.body)), fc.nat(), fc.nat(255), fc.nat(2))
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
  ['headers over the limit', `GET /healthz HTTP/1.1\r\n${head}x: ${'x'.repeat(40_000)}\r\n\r\n`],
  ['two lengths', `${post}${head}content-length: 2\r\ncontent-length: 3\r\n\r\n{} `],
  ['a length and chunks', `${post}${head}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n`],
  ['a negative length', `${post}${head}content-length: -1\r\n\r\n`],
  ['a chunk with an invalid size', `${post}${head}transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`],
]

test.each(broken)('a connection that sends %s gets the error envelope and is closed', async (_what, raw) => {
  const daemon = await startDaemon()
  const before = countRows(daemon)
  const { url } = await daemon.listen()

  const answer = await exchange(url, raw)

  const status = answer.slice(0, 12)
  const [, body = ''] = answer.split('\r\n\r\n')
  const { error } = FailureReply.parse(JSON.parse(body))
  expect(FAILURES).toHaveProperty(error.code)
  expect(status).toBe(`HTTP/1.1 ${FAILURES[error.code as keyof typeof FAILURES].status}`)
  expect(error.correlation_id).toMatch(/^[0-9a-f-]{36}$/)
  expect(answer).not.toContain(adminToken)
  expect(countRows(daemon)).toEqual(before)
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
})

/** Everything the server sends until it closes the connection. */
function exchange(url: string, raw: string): Promise<string> {
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

test('a body that never arrives does not delay other requests', async () => {
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
