import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { findConfigDocument, listIntentsSince } from '../../src/store/config/config-documents.ts'
import { listReceipts } from '../../src/store/command/receipts.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'

const INTENTS_URL = '/api/config/intents'

function makeIntent(changes: Record<string, unknown> = {}) {
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

const readDocument = (daemon: Daemon, name: string) =>
  daemon.system.store.read((reader) => findConfigDocument(reader, name))?.body

const listIntents = (daemon: Daemon) =>
  daemon.system.store.read((reader) => listIntentsSince(reader, { after: 0, limit: 100 })).map(({ entry }) => entry)

const readReceipts = (daemon: Daemon) =>
  daemon.system.store.read((reader) => listReceipts(reader, 'local', { page: 1, page_size: 100 })).receipts

const listEventKinds = (daemon: Daemon) => daemon.events().map((event) => event.kind)

test('an applied intent writes its document, a receipt and an event', async () => {
  const daemon = await startDaemon()
  const intent = makeIntent()

  const reply = await daemon.post(INTENTS_URL, intent)

  expect(reply.statusCode, reply.body).toBe(202)
  const [receipt] = readReceipts(daemon)
  expect(reply.json()).toEqual({
    intent_id: intent.intent_id,
    status: 'applied',
    written_ref: 'skills/config/legal.tables.json',
    receipt_id: receipt?.receipt_id,
    schema_version: 1,
  })
  expect(readDocument(daemon, 'legal.tables')).toEqual({ border: 'thin' })
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
  const reply = await daemon.post(INTENTS_URL, makeIntent(changes))
  expect(reply.json()).toMatchObject({ written_ref: `skills/config/${name}.json` })
  expect(readDocument(daemon, name)).toEqual({ border: 'thin' })
})

test('the top-level keys of a payload are merged, and null removes a key', async () => {
  const daemon = await startDaemon()
  await daemon.post(INTENTS_URL, makeIntent({ payload: { a: 1, b: { c: 1, d: 2 }, gone: true } }))

  await daemon.post(INTENTS_URL, makeIntent({ payload: { b: { c: null }, gone: null, never: null } }))

  expect(readDocument(daemon, 'legal.tables')).toEqual({ a: 1, b: { c: null } })
})

test('a repeated intent gets the first reply and writes nothing', async () => {
  const daemon = await startDaemon()
  const intent = makeIntent()
  const first = await daemon.post(INTENTS_URL, intent)
  await daemon.post(INTENTS_URL, makeIntent({ payload: { border: 'thick' } }))
  const before = daemon.events().length

  const second = await daemon.post(INTENTS_URL, { ...intent, payload: { ...intent.payload } })

  expect(second.statusCode).toBe(202)
  expect(second.json()).toEqual(first.json())
  expect(readDocument(daemon, 'legal.tables')).toEqual({ border: 'thick' })
  expect(daemon.events()).toHaveLength(before)
  expect(readReceipts(daemon)).toHaveLength(2)
  expect(listIntents(daemon)).toHaveLength(2)
})

test.each([
  ['payload', { payload: { border: 'thick' } }],
  ['target', { target: 'support_pack_binding' }],
  ['capability', { capability_id: 'other' }],
  ['time', { created_at: '2026-03-01T11:00:00Z' }],
])('the same intent id with another %s is a conflict', async (_what, changes) => {
  const daemon = await startDaemon()
  const intent = makeIntent()
  await daemon.post(INTENTS_URL, intent)

  const reply = await daemon.post(INTENTS_URL, { ...intent, ...changes })

  expect(reply.statusCode).toBe(409)
  expect(reply.json()).toMatchObject({ error: { code: 'IDEMPOTENCY_CONFLICT' } })
  expect(readDocument(daemon, 'legal.tables')).toEqual({ border: 'thin' })
  expect(listEventKinds(daemon)).toEqual(['config.intent.applied'])
})

test('another user gets a conflict for the intent id and not its reply', async () => {
  const daemon = await startDaemon()
  const intent = makeIntent()
  await daemon.post(INTENTS_URL, intent)
  const stranger = await daemon.tokenFor('stranger')

  const reply = await daemon.post(INTENTS_URL, intent, stranger)

  expect(reply.json()).toMatchObject({ error: { code: 'IDEMPOTENCY_CONFLICT' } })
  expect(reply.body).not.toContain('receipt_id')
})

test('an intent with a secret at any depth is rejected with a receipt and an event', async () => {
  const daemon = await startDaemon()
  const intent = makeIntent({
    payload: { theme: 'dark', servers: [{ name: 'a', auth: { apiKey: 'k-123456' } }] },
  })

  const reply = await daemon.post(INTENTS_URL, intent)

  expect(reply.statusCode).toBe(400)
  const [receipt] = readReceipts(daemon)
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
  expect(readDocument(daemon, 'legal.tables')).toBeUndefined()
  expect(listEventKinds(daemon)).toEqual(['config.intent.rejected'])
})

test('the secret of a rejected intent is not stored in intents, receipts or events', async () => {
  const daemon = await startDaemon()
  await daemon.post(INTENTS_URL, makeIntent({ payload: { password: 'hunter2!', note: 'x' } }))

  expect(listIntents(daemon)).toMatchObject([{ status: 'rejected', payload: { password: '[redacted]', note: 'x' } }])
  const records = JSON.stringify([listIntents(daemon), readReceipts(daemon), daemon.events()])
  expect(records).not.toContain('hunter2')
})

test('a repeated rejected intent gets the same failure with the first receipt', async () => {
  const daemon = await startDaemon()
  const intent = makeIntent({ payload: { client_secret: 's3cr3t' } })
  const first = await daemon.post(INTENTS_URL, intent)

  const second = await daemon.post(INTENTS_URL, intent)
  const other = await daemon.post(INTENTS_URL, { ...intent, payload: { border: 'thin' } })

  const details = (reply: typeof first) => reply.json<{ error: { details: object } }>().error.details
  expect(second.statusCode).toBe(400)
  expect(details(second)).toEqual(details(first))
  expect(other.json()).toMatchObject({ error: { code: 'IDEMPOTENCY_CONFLICT' } })
  expect(readReceipts(daemon)).toHaveLength(1)
  expect(readDocument(daemon, 'legal.tables')).toBeUndefined()
})

test.each(['skill_config', 'support_pack_binding'])('an intent for %s requires capability_id', async (target) => {
  const daemon = await startDaemon()
  const { capability_id: _, ...intent } = makeIntent({ target })

  const reply = await daemon.post(INTENTS_URL, intent)

  expect(reply.statusCode).toBe(400)
  expect(reply.json()).toMatchObject({
    error: { code: 'INVALID_REQUEST', details: { field: 'capability_id' } },
  })
  expect(daemon.events()).toEqual([])
})

test('capability_id must not start with an underscore, so that it cannot select another document', async () => {
  const daemon = await startDaemon()
  const reply = await daemon.post(INTENTS_URL, makeIntent({ capability_id: '_user_preferences' }))
  expect(reply.json()).toMatchObject({ error: { details: { field: 'capability_id' } } })
  expect(readDocument(daemon, '_user_preferences')).toBeUndefined()
})

test('an intent or a merged document over 64 KB is rejected', async () => {
  const daemon = await startDaemon()
  const big = await daemon.post(INTENTS_URL, makeIntent({ payload: { text: 'x'.repeat(66_000) } }))
  await daemon.post(INTENTS_URL, makeIntent({ payload: { first: 'x'.repeat(40_000) } }))
  const grown = await daemon.post(INTENTS_URL, makeIntent({ payload: { second: 'x'.repeat(40_000) } }))

  for (const reply of [big, grown]) {
    expect(reply.statusCode).toBe(413)
    expect(reply.json()).toMatchObject({ error: { code: 'PAYLOAD_TOO_LARGE' } })
  }
  expect(Object.keys(readDocument(daemon, 'legal.tables') ?? {})).toEqual(['first'])
  expect(listIntents(daemon)).toHaveLength(1)
})

test('a rejection does not use up its idempotency key', async () => {
  const daemon = await startDaemon()
  const send = (payload: object) =>
    daemon.request({
      method: 'POST',
      url: INTENTS_URL,
      headers: { 'idempotency-key': 'once' },
      payload: makeIntent({ payload }),
    })
  expect((await send({ token: 'abc' })).statusCode).toBe(400)
  expect((await send({ border: 'thin' })).statusCode).toBe(202)
  expect((await send({ border: 'thick' })).statusCode).toBe(409)
  expect(readDocument(daemon, 'legal.tables')).toEqual({ border: 'thin' })
})
