import { expect, test } from 'vitest'
import { type Daemon, startDaemon } from '../kit/daemon.ts'

const url = '/api/learn/sessions'
const good = '{"entry_mode":"coaching_agent"}'

function send(daemon: Daemon, payload: string | Buffer, headers: Record<string, string> = {}) {
  return daemon.request({
    method: 'POST',
    url,
    payload,
    headers: { 'content-type': 'application/json', ...headers },
  })
}

test.each<[string, string | Buffer]>([
  ['malformed JSON', '{"entry_mode":'],
  ['text after the JSON', `${good} x`],
  ['bad UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
  ['a key twice', '{"entry_mode":"coaching_agent","entry_mode":"import_skill"}'],
  ['a key twice, once escaped', '{"entry_mode":"coaching_agent","\\u0065ntry_mode":"import_skill"}'],
  ['a key twice deep inside', '{"entry_mode":"coaching_agent","x":[{"a":1,"a":2}]}'],
  ['a prototype key', '{"entry_mode":"coaching_agent","__proto__":{"admin":true}}'],
  ['bottomless nesting', `{"entry_mode":"coaching_agent","x":${'['.repeat(5000)}${']'.repeat(5000)}}`],
  ['an array', '[1]'],
  ['a string', '"x"'],
  ['null where an object belongs', '{"entry_mode":null}'],
])('%s is refused with a named place, and nothing is written', async (_what, payload) => {
  const daemon = await startDaemon()
  const reply = await send(daemon, payload)
  expect(reply.statusCode).toBe(400)
  const { error } = reply.json<{ error: { code: string; details: { field: string } } }>()
  expect(error.code).toBe('INVALID_REQUEST')
  expect(error.details.field).not.toBe('')
  expect(daemon.events()).toEqual([])
})

test('a forbidden key is reported before any other error, at any depth', async () => {
  const daemon = await startDaemon()
  const reply = await daemon.request({
    method: 'POST',
    url: '/api/executions',
    payload: '{"execution":[{"__proto__":null}],"dry_run":[{}]}',
    headers: { 'content-type': 'application/json' },
  })
  expect(reply.statusCode).toBe(400)
  expect(reply.json()).toMatchObject({
    error: { code: 'INVALID_REQUEST', details: { field: '__proto__' } },
  })
  expect(daemon.events()).toEqual([])
})

test('the same key in two different objects is not a duplicate', async () => {
  const daemon = await startDaemon()
  const reply = await send(daemon, '{"entry_mode":"coaching_agent","a":{"k":1},"b":{"k":"}\\"k\\":{"}}')
  expect(reply.statusCode).toBe(201)
})

test('a body over the limit is refused as too large', async () => {
  const daemon = await startDaemon()
  const reply = await send(daemon, JSON.stringify({ entry_mode: 'coaching_agent', x: 'x'.repeat(1_100_000) }))
  expect(reply.statusCode).toBe(413)
  expect(reply.json()).toMatchObject({ error: { code: 'PAYLOAD_TOO_LARGE', retryable: false } })
})

test.each(['text/plain', 'application/xml', 'multipart/form-data; boundary=x'])(
  'a body of type %s is refused',
  async (type) => {
    const daemon = await startDaemon()
    const reply = await send(daemon, good, { 'content-type': type })
    expect(reply.statusCode).toBe(415)
    expect(reply.json()).toMatchObject({ error: { code: 'UNSUPPORTED_MEDIA_TYPE' } })
  },
)

test('an unknown path and a wrong method get different errors', async () => {
  const daemon = await startDaemon()
  expect((await daemon.get('/api/nothing')).json()).toMatchObject({ error: { code: 'NOT_FOUND' } })
  const wrong = await daemon.request({ method: 'PUT', url })
  expect(wrong.statusCode).toBe(405)
  expect(wrong.headers.allow).toBe('POST, GET')
  expect(wrong.json()).toMatchObject({ error: { code: 'METHOD_NOT_ALLOWED' } })
})

test('an invalid id is refused with the name of its field', async () => {
  const daemon = await startDaemon()
  const reply = await daemon.post(`${url}/not-a-uuid/pause`)
  expect(reply.json()).toMatchObject({
    error: { code: 'INVALID_REQUEST', details: { field: 'sessionId', in: 'params' } },
  })
})

test.each(['/%', '/api/learn/sessions/%zz/pause', '/api/learn/sessions?page=0', '/api/learn/sessions?page_size=1e9'])(
  'the path %s gets a clear refusal',
  async (path) => {
    const daemon = await startDaemon()
    const reply = await daemon.get(path)
    expect(reply.statusCode).toBeGreaterThanOrEqual(400)
    expect(reply.statusCode).toBeLessThan(500)
    expect(reply.json()).toMatchObject({ error: { retryable: false } })
  },
)

test('an internal error shows no details, only the correlation id', async () => {
  const daemon = await startDaemon()
  daemon.system.store.schema.exec('DROP TABLE learn_sessions')
  const reply = await daemon.get(url)
  expect(reply.statusCode).toBe(500)
  expect(reply.json()).toEqual({
    error: {
      code: 'INTERNAL_ERROR',
      message: 'Internal error. Try again.',
      retryable: true,
      correlation_id: expect.any(String),
    },
  })
})

test('refusals are counted by their code', async () => {
  const daemon = await startDaemon()
  await daemon.get('/api/nowhere')
  await daemon.get('/api/nowhere')
  await daemon.request({ method: 'GET', url: '/api/learn/sessions', token: null })
  const { body } = await daemon.get('/metrics')
  expect(body).toContain('apprentice_refusals_total{code="NOT_FOUND"} 2\n')
  expect(body).toContain('apprentice_refusals_total{code="UNAUTHENTICATED"} 1\n')
})
