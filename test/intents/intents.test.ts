import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { findConfigDocument, listIntentsSince } from '../../src/store/config/config-documents.ts'
import { listReceipts } from '../../src/store/command/receipts.ts'
import { addAbility } from '../abilities/ability-rows.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { addNote, installRecipes } from '../runs/run-kit.ts'

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

/** A daemon with the abilities that the intents name. */
async function startConfigured(): Promise<Daemon> {
  const daemon = await startDaemon()
  for (const primary_capability_id of ['legal.tables', 'cap:one', 'cap', 'other']) {
    const ability_id = `learned.${primary_capability_id}`
    await addAbility(daemon, { ability_id, skill_slug: ability_id, primary_capability_id })
  }
  return daemon
}

const readDocument = (daemon: Daemon, name: string) =>
  daemon.system.store.read((reader) => findConfigDocument(reader, name))?.body

const listIntents = (daemon: Daemon) =>
  daemon.system.store.read((reader) => listIntentsSince(reader, { after: 0, limit: 100 })).map(({ entry }) => entry)

const readReceipts = (daemon: Daemon) =>
  daemon.system.store.read((reader) => listReceipts(reader, 'local', { page: 1, page_size: 100 })).receipts

const listEventKinds = (daemon: Daemon) => daemon.events().map((event) => event.kind)

test('an applied intent writes its document, a receipt and an event', async () => {
  const daemon = await startConfigured()
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
  [{ target: 'skill_config', capability_id: 'cap:one', payload: { a: 1 } }, 'cap:one'],
  [
    { target: 'support_pack_binding', capability_id: 'cap', payload: { support_pack_refs: ['packs/a'] } },
    '_support_packs/cap',
  ],
  [{ target: 'user_preference', payload: { ask_when_ambiguous: false } }, '_user_preferences/local'],
  [{ target: 'connector_policy', payload: { mail: { mode: 'ask_first' } } }, '_connector_policy'],
])('the intent %j writes the document %s', async (changes, name) => {
  const daemon = await startConfigured()
  const reply = await daemon.post(INTENTS_URL, makeIntent(changes))
  expect(reply.json()).toMatchObject({ written_ref: `skills/config/${name}.json` })
  expect(readDocument(daemon, name)).toEqual(changes.payload)
})

test('the top-level keys of a payload are merged, and null removes a key', async () => {
  const daemon = await startConfigured()
  await daemon.post(INTENTS_URL, makeIntent({ payload: { a: 1, b: { c: 1, d: 2 }, gone: true } }))

  await daemon.post(INTENTS_URL, makeIntent({ payload: { b: { c: null }, gone: null, never: null } }))

  expect(readDocument(daemon, 'legal.tables')).toEqual({ a: 1, b: { c: null } })
})

test('a repeated intent gets the first reply and writes nothing', async () => {
  const daemon = await startConfigured()
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
  const daemon = await startConfigured()
  const intent = makeIntent()
  await daemon.post(INTENTS_URL, intent)

  const reply = await daemon.post(INTENTS_URL, { ...intent, ...changes })

  expect(reply.statusCode).toBe(409)
  expect(reply.json()).toMatchObject({ error: { code: 'IDEMPOTENCY_CONFLICT' } })
  expect(readDocument(daemon, 'legal.tables')).toEqual({ border: 'thin' })
  expect(listEventKinds(daemon)).toEqual(['config.intent.applied'])
})

test('another user gets a conflict for the intent id and not its reply', async () => {
  const daemon = await startConfigured()
  const intent = makeIntent()
  await daemon.post(INTENTS_URL, intent)
  const stranger = await daemon.tokenFor('stranger')

  const reply = await daemon.post(INTENTS_URL, intent, stranger)

  expect(reply.json()).toMatchObject({ error: { code: 'IDEMPOTENCY_CONFLICT' } })
  expect(reply.body).not.toContain('receipt_id')
})

test('an intent with a secret at any depth is rejected with a receipt and an event', async () => {
  const daemon = await startConfigured()
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
  const daemon = await startConfigured()
  await daemon.post(INTENTS_URL, makeIntent({ payload: { password: 'hunter2!', note: 'x' } }))

  expect(listIntents(daemon)).toMatchObject([{ status: 'rejected', payload: { password: '[redacted]', note: 'x' } }])
  const records = JSON.stringify([listIntents(daemon), readReceipts(daemon), daemon.events()])
  expect(records).not.toContain('hunter2')
})

test('a repeated rejected intent gets the same failure with the first receipt', async () => {
  const daemon = await startConfigured()
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
  const daemon = await startConfigured()
  const { capability_id: _, ...intent } = makeIntent({ target })

  const reply = await daemon.post(INTENTS_URL, intent)

  expect(reply.statusCode).toBe(400)
  expect(reply.json()).toMatchObject({
    error: { code: 'INVALID_REQUEST', details: { field: 'capability_id' } },
  })
  expect(daemon.events()).toEqual([])
})

test('capability_id must not start with an underscore, so that it cannot select another document', async () => {
  const daemon = await startConfigured()
  const reply = await daemon.post(INTENTS_URL, makeIntent({ capability_id: '_user_preferences' }))
  expect(reply.json()).toMatchObject({ error: { details: { field: 'capability_id' } } })
  expect(readDocument(daemon, '_user_preferences/local')).toBeUndefined()
})

test('an intent or a merged document over 64 KB is rejected', async () => {
  const daemon = await startConfigured()
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
  const daemon = await startConfigured()
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

test.each([
  ['an unknown capability', { capability_id: 'nobody.knows' }, 'CAPABILITY_NOT_FOUND'],
  ['an unknown preference', { target: 'user_preference', payload: { theme: 'dark' } }, 'CONFIG_INTENT_INVALID'],
  [
    'a preference of another type',
    { target: 'user_preference', payload: { ask_when_ambiguous: 1 } },
    'CONFIG_INTENT_INVALID',
  ],
  ['an unknown key of packs', { target: 'support_pack_binding', payload: { packs: [] } }, 'CONFIG_INTENT_INVALID'],
  ['an unknown mode', { target: 'connector_policy', payload: { mail: { mode: 'open' } } }, 'CONFIG_INTENT_INVALID'],
  [
    'an unknown key of a connector',
    { target: 'connector_policy', payload: { mail: { mod: 'x' } } },
    'CONFIG_INTENT_INVALID',
  ],
])('%s is refused and changes nothing', async (_what, changes, code) => {
  const daemon = await startConfigured()
  const reply = await daemon.post(INTENTS_URL, makeIntent(changes))
  expect(reply.json()).toMatchObject({ error: { code } })
  expect(listIntents(daemon)).toEqual([])
  expect(daemon.events()).toEqual([])
})

test('the configuration of an ability with a recipe holds values of its inputs, which its runs use', async () => {
  const daemon = await startDaemon()
  await installRecipes(daemon, { 'add-note': addNote })
  const capability_id = 'learned.add-note'
  const send = (payload: object) => daemon.post(INTENTS_URL, makeIntent({ capability_id, payload }))
  const unknown = await send({ colour: 'red' })
  expect(unknown.json()).toMatchObject({
    error: { code: 'CONFIG_INTENT_INVALID', details: { field: 'payload.colour', known_keys: ['title', 'body'] } },
  })
  expect((await send({ title: { a: 1 } })).json()).toMatchObject({ error: { details: { field: 'payload.title' } } })
  expect((await send({ body: 'by default' })).statusCode).toBe(202)
  const run = (inputs: object) => daemon.post(`/api/abilities/${capability_id}/run`, { inputs })
  expect((await run({})).json()).toMatchObject({ error: { code: 'RECIPE_INPUT_MISSING', details: { input: 'title' } } })
  // Without a device, a run that has all its inputs fails for the lack of one.
  expect((await run({ title: 'T' })).json()).toMatchObject({ error: { code: 'NO_DEVICES' } })
})

test('a connector policy is loosened only by an administrator in a user interface', async () => {
  const daemon = await startDaemon()
  const writer = await daemon.tokenFor('local')
  const send = (mode: string | null, requested_by: string, token?: string) =>
    daemon.post(
      INTENTS_URL,
      makeIntent({ target: 'connector_policy', payload: { mail: mode && { mode } }, requested_by }),
      token,
    )
  expect((await send('ask_first', 'wrapper', writer)).statusCode).toBe(202)
  expect((await send('disabled', 'wrapper', writer)).statusCode).toBe(202)
  for (const [mode, by, token] of [
    ['ask_first', 'wrapper', undefined],
    ['enabled', 'ui', writer],
    [null, 'ui', writer],
  ] as const) {
    const reply = await send(mode, by, token)
    expect([reply.statusCode, reply.json()]).toMatchObject([403, { error: { code: 'CONFIG_INTENT_DENIED' } }])
  }
  expect(readDocument(daemon, '_connector_policy')).toEqual({ mail: { mode: 'disabled' } })
  const [blocked] = readReceipts(daemon).filter(({ status }) => status === 'blocked')
  expect(blocked).toMatchObject({ receipt_kind: 'config.intent.rejected', reason: 'loosens_policy' })
  expect((await send('enabled', 'ui')).statusCode).toBe(202)
})

test('intents and configuration are readable, preferences and private abilities by their owner only', async () => {
  const daemon = await startConfigured()
  await addAbility(daemon, {
    ability_id: 'learned.own',
    skill_slug: 'own',
    primary_capability_id: 'own',
    install_lane: 'experimental_private',
  })
  const preference = { target: 'user_preference', payload: { ask_when_ambiguous: false } }
  const first = makeIntent(preference)
  await daemon.post(INTENTS_URL, first)
  await daemon.post(INTENTS_URL, makeIntent({ capability_id: 'own', payload: { b: 2 } }))
  await daemon.post(INTENTS_URL, makeIntent({ payload: { a: 1 } }))
  const stranger = await daemon.tokenFor('stranger')
  await daemon.post(INTENTS_URL, makeIntent({ ...preference, payload: { ask_when_ambiguous: true } }), stranger)

  expect((await daemon.get(INTENTS_URL)).json()).toMatchObject({ total: 3, intents: [{ payload: { a: 1 } }, {}, {}] })
  const url = `${INTENTS_URL}/${first.intent_id}`
  expect((await daemon.get(url)).json()).toMatchObject({ intent: { status: 'applied', ...preference } })
  expect((await daemon.get(url, stranger)).statusCode).toBe(404)
  const read = async (query: string, token?: string) =>
    (await daemon.get(`/api/config/documents${query}`, token)).json<{ documents: { body: object }[] }>().documents
  expect((await read('')).map(({ body }) => body)).toEqual([{ ask_when_ambiguous: false }, { a: 1 }, { b: 2 }])
  expect(await read('?target=user_preference', stranger)).toMatchObject([{ body: { ask_when_ambiguous: true } }])
  expect(await read('?capability_id=own', stranger)).toEqual([])
  expect(await read('?capability_id=own')).toMatchObject([{ target: 'skill_config', body: { b: 2 } }])
})

test('a preference decides on the build policy of new sessions', async () => {
  const daemon = await startDaemon()
  await daemon.post(
    INTENTS_URL,
    makeIntent({ target: 'user_preference', payload: { build_policy: 'ask_before_build' } }),
  )
  const create = { entry_mode: 'demonstrating_skill' }
  const made = await daemon.post('/api/learn/sessions', create)
  expect(made.json()).toMatchObject({ session: { build_policy: 'ask_before_build' } })
  const other = await daemon.post('/api/learn/sessions', create, await daemon.tokenFor('other'))
  expect(other.json()).toMatchObject({ session: { build_policy: 'build_then_review' } })
})
