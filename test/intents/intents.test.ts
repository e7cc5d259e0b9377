import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { findConfigDocument, listIntentsSince } from '../../src/store/config/config-documents.ts'
import { listReceipts } from '../../src/store/command/receipts.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'

const url = '/api/config/intents'

function anIntent(changes: Record<string, unknown> = {}) {
  return {
    intent_id: randomUUID(),
    target: 'skill_config',
    capability_id: 'legal.tables',
    payload: { border: 'thin' },
    requested_by: 'wrapper',
    correlation_id: 'run-7',
    created_at: '2026-03-01T11:59:59Z',
    schema_version: 1,
    ...changes,
  }
}

const documentOf = (daemon: Daemon, name: string) =>
  daemon.system.store.read((reader) => findConfigDocument(reader, name))?.body

const intentsOf = (daemon: Daemon) =>
  daemon.system.store
    .read((reader) => listIntentsSince(reader, { after: 0, limit: 100 }))
    .map(({ entry }) => entry)

const receiptsOf = (daemon: Daemon) =>
  daemon.system.store.read((reader) => listReceipts(reader, 'local', { page: 1, page_size: 100 }))
    .receipts

const kindsOf = (daemon: Daemon) => daemon.events().map((event) => event.kind)

test('a wrapper that sets an option sends an intent, and only the daemon writes it', async () => {
  const daemon = await startDaemon()
  const intent = anIntent()

  const reply = await daemon.post(url, intent)

  expect(reply.statusCode, reply.body).toBe(202)
  const [receipt] = receiptsOf(daemon)
  expect(reply.json()).toEqual({
    intent_id: intent.intent_id,
    status: 'applied',
    written_ref: 'skills/config/legal.tables.json',
    receipt_id: receipt?.receipt_id,
    schema_version: 1,
  })
  expect(documentOf(daemon, 'legal.tables')).toEqual({ border: 'thin' })
  expect(receipt).toMatchObject({
    receipt_kind: 'config.intent.applied',
    status: 'ok',
    correlation_id: 'run-7',
    details: { intent_id: intent.intent_id, keys: ['border'] },
  })
  expect(daemon.events()).toMatchObject([
    { kind: 'config.intent.applied', subject: 'config/legal.tables', correlation_id: 'run-7' },
  ])
})

test.each([
  [{ target: 'skill_config', capability_id: 'cap:one' }, 'cap:one'],
  [{ target: 'support_pack_binding', capability_id: 'cap' }, '_support_packs/cap'],
  [{ target: 'user_preference', capability_id: undefined }, '_user_preferences'],
  [{ target: 'connector_policy', capability_id: undefined }, '_connector_policy'],
])('the intent %j writes the document %s', async (changes, name) => {
  const daemon = await startDaemon()
  const reply = await daemon.post(url, anIntent(changes))
  expect(reply.json()).toMatchObject({ written_ref: `skills/config/${name}.json` })
  expect(documentOf(daemon, name)).toEqual({ border: 'thin' })
})

test('a payload is merged key by key, one level deep, and null takes a key away', async () => {
  const daemon = await startDaemon()
  await daemon.post(url, anIntent({ payload: { a: 1, b: { c: 1, d: 2 }, gone: true } }))

  await daemon.post(url, anIntent({ payload: { b: { c: null }, gone: null, never: null } }))

  expect(documentOf(daemon, 'legal.tables')).toEqual({ a: 1, b: { c: null } })
})

test('the same intent again gets the first answer, and nothing is written twice', async () => {
  const daemon = await startDaemon()
  const intent = anIntent()
  const first = await daemon.post(url, intent)
  await daemon.post(url, anIntent({ payload: { border: 'thick' } }))
  const before = daemon.events().length

  const second = await daemon.post(url, { ...intent, payload: { ...intent.payload } })

  expect(second.statusCode).toBe(202)
  expect(second.json()).toEqual(first.json())
  expect(documentOf(daemon, 'legal.tables')).toEqual({ border: 'thick' })
  expect(daemon.events()).toHaveLength(before)
  expect(receiptsOf(daemon)).toHaveLength(2)
})

test.each([
  ['payload', { payload: { border: 'thick' } }],
  ['target', { target: 'support_pack_binding' }],
  ['capability', { capability_id: 'other' }],
  ['time', { created_at: '2026-03-01T11:00:00Z' }],
])('the same intent id with another %s is a conflict', async (_what, changes) => {
  const daemon = await startDaemon()
  const intent = anIntent()
  await daemon.post(url, intent)

  const reply = await daemon.post(url, { ...intent, ...changes })

  expect(reply.statusCode).toBe(409)
  expect(reply.json()).toMatchObject({ error: { code: 'IDEMPOTENCY_CONFLICT' } })
  expect(documentOf(daemon, 'legal.tables')).toEqual({ border: 'thin' })
  expect(kindsOf(daemon)).toEqual(['config.intent.applied'])
})

test('another user cannot learn the answer to an intent that is not his', async () => {
  const daemon = await startDaemon()
  const intent = anIntent()
  await daemon.post(url, intent)
  const stranger = await daemon.tokenFor('stranger')

  const reply = await daemon.post(url, intent, stranger)

  expect(reply.json()).toMatchObject({ error: { code: 'IDEMPOTENCY_CONFLICT' } })
  expect(reply.body).not.toContain('receipt_id')
})

test('an intent with a secret at any depth is refused, and the refusal has a receipt', async () => {
  const daemon = await startDaemon()
  const intent = anIntent({
    payload: { theme: 'dark', servers: [{ name: 'a', auth: { apiKey: 'k-123456' } }] },
  })

  const reply = await daemon.post(url, intent)

  expect(reply.statusCode).toBe(400)
  const [receipt] = receiptsOf(daemon)
  expect(reply.json()).toMatchObject({
    error: {
      code: 'INTENT_REJECTED',
      retryable: false,
      details: {
        fields: ['payload.servers.0.auth.apiKey'],
        receipt_id: receipt?.receipt_id,
      },
    },
  })
  expect(receipt).toMatchObject({
    receipt_kind: 'config.intent.rejected',
    status: 'blocked',
    reason: 'secret_in_payload',
    correlation_id: 'run-7',
  })
  expect(documentOf(daemon, 'legal.tables')).toBeUndefined()
  expect(kindsOf(daemon)).toEqual(['config.intent.rejected'])
})

test('the secret of a refused intent is kept nowhere', async () => {
  const daemon = await startDaemon()
  await daemon.post(url, anIntent({ payload: { password: 'hunter2!', note: 'x' } }))

  expect(intentsOf(daemon)).toMatchObject([
    { status: 'rejected', payload: { password: '[redacted]', note: 'x' } },
  ])
  const kept = JSON.stringify([intentsOf(daemon), receiptsOf(daemon), daemon.events()])
  expect(kept).not.toContain('hunter2')
})

test('a refused intent sent again is refused as the first time, with the first receipt', async () => {
  const daemon = await startDaemon()
  const intent = anIntent({ payload: { client_secret: 's3cr3t' } })
  const first = await daemon.post(url, intent)

  const second = await daemon.post(url, intent)
  const other = await daemon.post(url, { ...intent, payload: { border: 'thin' } })

  const details = (reply: typeof first) =>
    reply.json<{ error: { details: object } }>().error.details
  expect(second.statusCode).toBe(400)
  expect(details(second)).toEqual(details(first))
  expect(other.json()).toMatchObject({ error: { code: 'IDEMPOTENCY_CONFLICT' } })
  expect(receiptsOf(daemon)).toHaveLength(1)
  expect(documentOf(daemon, 'legal.tables')).toBeUndefined()
})

test.each(['skill_config', 'support_pack_binding'])(
  'an intent for %s must name its capability',
  async (target) => {
    const daemon = await startDaemon()
    const { capability_id: _, ...intent } = anIntent({ target })

    const reply = await daemon.post(url, intent)

    expect(reply.statusCode).toBe(400)
    expect(reply.json()).toMatchObject({
      error: { code: 'INVALID_REQUEST', details: { field: 'capability_id' } },
    })
    expect(daemon.events()).toEqual([])
  },
)

test('no capability can be named so that it writes the document of another target', async () => {
  const daemon = await startDaemon()
  const reply = await daemon.post(url, anIntent({ capability_id: '_user_preferences' }))
  expect(reply.json()).toMatchObject({ error: { details: { field: 'capability_id' } } })
  expect(documentOf(daemon, '_user_preferences')).toBeUndefined()
})

test('an intent over 64 KB, or a document that would grow over it, is refused whole', async () => {
  const daemon = await startDaemon()
  const big = await daemon.post(url, anIntent({ payload: { text: 'x'.repeat(66_000) } }))
  await daemon.post(url, anIntent({ payload: { first: 'x'.repeat(40_000) } }))
  const grown = await daemon.post(url, anIntent({ payload: { second: 'x'.repeat(40_000) } }))

  for (const reply of [big, grown]) {
    expect(reply.statusCode).toBe(413)
    expect(reply.json()).toMatchObject({ error: { code: 'PAYLOAD_TOO_LARGE' } })
  }
  expect(Object.keys(documentOf(daemon, 'legal.tables') ?? {})).toEqual(['first'])
  expect(intentsOf(daemon)).toHaveLength(1)
})

test('a refusal that stands is not remembered for its idempotency key', async () => {
  const daemon = await startDaemon()
  const send = (payload: object) =>
    daemon.request({
      method: 'POST',
      url,
      headers: { 'idempotency-key': 'once' },
      payload: anIntent({ payload }),
    })
  expect((await send({ token: 'abc' })).statusCode).toBe(400)
  expect((await send({ border: 'thin' })).statusCode).toBe(202)
  expect((await send({ border: 'thick' })).statusCode).toBe(409)
  expect(documentOf(daemon, 'legal.tables')).toEqual({ border: 'thin' })
})
