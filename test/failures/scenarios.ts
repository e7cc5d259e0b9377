import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LightMyRequestResponse } from 'fastify'
import { onTestFinished } from 'vitest'
import type { FailureCode } from '@apprentice/contracts/base/failures.ts'
import { Settings } from '../../src/config/config.ts'
import { adminToken, type Daemon, type DaemonOptions, startDaemon } from '../kit/daemon.ts'
import { makeEvent, sendEvents } from '../capture/capturing.ts'
import { openStream } from '../live/sse-client.ts'

/** Sends a request that is refused with a certain code. */
export type Scenario = () => Promise<LightMyRequestResponse>

const url = '/api/learn/sessions'
const body = { entry_mode: 'coaching_agent' }

/** Starts a daemon and sends it a request. */
export const withDaemon =
  (send: (daemon: Daemon) => Promise<LightMyRequestResponse>, options?: DaemonOptions): Scenario =>
  async () =>
    send(await startDaemon(options))

const settings = (limits: Partial<Settings['limits']>): DaemonOptions => ({
  settings: { limits: { ...Settings.parse({}).limits, ...limits } },
})

export const httpScenarios = {
  INVALID_REQUEST: withDaemon((daemon) => daemon.post(url, { entry_mode: 'no_such_mode' })),
  UNAUTHENTICATED: withDaemon((daemon) => daemon.get(url, 'apr_unknown')),
  LOGIN_CODE_INVALID: withDaemon((daemon) => daemon.get('/login?code=unknown')),
  FORBIDDEN: withDaemon(async (daemon) => daemon.post(url, body, await daemon.tokenFor('ann', 'read'))),
  HOST_NOT_ALLOWED: withDaemon((daemon) =>
    daemon.request({ method: 'GET', url, headers: { host: 'rebound.example' } }),
  ),
  ORIGIN_NOT_ALLOWED: withDaemon(async (daemon) => {
    const code = (await daemon.post('/api/login-codes')).json<{ code: string }>().code
    const login = await daemon.get(`/login?code=${code}`)
    const cookie = String(login.headers['set-cookie']).split(';', 1)[0] ?? ''
    const headers = { cookie, origin: 'http://foreign.example' }
    return daemon.request({ method: 'POST', url, payload: body, token: null, headers })
  }),
  AUTH_UNAVAILABLE: async () => {
    const home = mkdtempSync(join(tmpdir(), 'apprentice-'))
    onTestFinished(() => rmSync(home, { recursive: true, force: true }))
    mkdirSync(join(home, 'secrets'))
    writeFileSync(join(home, 'secrets', 'admin.token'), '')
    return (await startDaemon({ home, config: { token: undefined } })).get(url)
  },
  NOT_FOUND: withDaemon((daemon) => daemon.get('/api/no-such-route')),
  METHOD_NOT_ALLOWED: withDaemon((daemon) => daemon.request({ method: 'PATCH', url })),
  NOT_ACCEPTABLE: withDaemon(async (daemon) => {
    const path = `${url}/${await daemon.aSessionIn('armed')}/events`
    return daemon.request({ method: 'GET', url: path, headers: { accept: 'image/png' } })
  }),
  UNSUPPORTED_MEDIA_TYPE: withDaemon((daemon) =>
    daemon.request({ method: 'POST', url, payload: 'x', headers: { 'content-type': 'text/csv' } }),
  ),
  PAYLOAD_TOO_LARGE: withDaemon(
    (daemon) => daemon.post(url, { ...body, x: 'x'.repeat(100) }),
    settings({ body_bytes: 100 }),
  ),
  WORK_LIMIT_EXCEEDED: withDaemon((daemon) =>
    daemon.request({
      method: 'POST',
      url: '/api/recordings/compare',
      payload: `{"baseline":[${'{},'.repeat(6_000_000)}{}]}`,
      headers: { 'content-type': 'application/json' },
    }),
  ),
  OVERLOADED: withDaemon(async (daemon) => {
    const large = { ndjson: 'x'.repeat(100_000) }
    const replies = await Promise.all(Array.from({ length: 40 }, () => daemon.post('/api/recordings/parse', large)))
    return replies.find(({ statusCode }) => statusCode === 503) ?? (replies[0] as LightMyRequestResponse)
  }),
  RATE_LIMITED: withDaemon(
    async (daemon) => {
      await daemon.get(url)
      return daemon.get(url)
    },
    settings({ requests_per_second: 1, request_burst: 1 }),
  ),
  STREAM_LIMIT_REACHED: withDaemon(
    async (daemon) => {
      const path = `${url}/${await daemon.aSessionIn('armed')}/events`
      const stream = await openStream((await daemon.listen()).url + path, { token: adminToken })
      onTestFinished(() => stream.close())
      return daemon.get(path)
    },
    settings({ streams_per_user: 1 }),
  ),
  ROUTE_GONE: withDaemon((daemon) => daemon.post('/api/capabilities/teach/start', body), {
    now: '2027-05-16T00:00:00.000Z',
  }),
  IDEMPOTENCY_CONFLICT: withDaemon(async (daemon) => {
    await daemon.post(url, { ...body, client_request_id: 'a' })
    return daemon.post(url, { entry_mode: 'import_skill', client_request_id: 'a' })
  }),
  STORAGE_FULL: withDaemon(async (daemon) => {
    const { schema } = daemon.system.store
    // SQLite refuses to grow a database at its largest size as it does on a full disk.
    schema.pragma(`max_page_count = ${String(schema.pragma('page_count', { simple: true }))}`)
    let reply = await daemon.post('/api/categories', { title: 'Category' })
    for (let at = 0; reply.statusCode < 300; at += 1)
      reply = await daemon.post('/api/categories', { title: `No. ${at}` })
    return reply
  }),
  STORE_UNAVAILABLE: withDaemon((daemon) => {
    daemon.system.store.schema.pragma('query_only = ON')
    return daemon.post('/api/categories', { title: 'Category' })
  }),
  SHUTTING_DOWN: withDaemon((daemon) => {
    daemon.system.stopping = true
    return daemon.get(url)
  }),
  INTERNAL_ERROR: withDaemon((daemon) => {
    daemon.system.store.schema.exec('DROP TABLE categories')
    return daemon.get('/api/categories')
  }),
  HOST_NOT_FOUND: withDaemon((daemon) => daemon.delete(`/api/hosts/${randomUUID()}`)),
  HOST_NAME_IN_USE: withDaemon(async (daemon) => {
    await daemon.post('/api/hosts', { name: 'lab' })
    return daemon.post('/api/hosts', { name: 'lab' })
  }),
  HOSTS_DISABLED: withDaemon(async (daemon) => {
    const { secret } = (await daemon.post('/api/hosts', { name: 'lab' })).json<{ secret: string }>()
    return daemon.post('/api/hosts/connections', { version: '1.0.0' }, secret)
  }),
  TOKEN_NOT_FOUND: withDaemon((daemon) => daemon.delete(`/api/tokens/${randomUUID()}`)),
  LOGIN_NOT_FOUND: withDaemon((daemon) => daemon.delete(`/api/logins/${randomUUID()}`)),
} satisfies Partial<Record<FailureCode, Scenario>>

/** Sends a command on a session in `state`. */
const withSession = (
  state: Parameters<Daemon['aSessionIn']>[0],
  send: (daemon: Daemon, session: string, id: string) => Promise<LightMyRequestResponse>,
): Scenario =>
  withDaemon(async (daemon) => {
    const id = await daemon.aSessionIn(state)
    return send(daemon, `${url}/${id}`, id)
  })

export const learnScenarios = {
  LEARN_SESSION_NOT_FOUND: withDaemon((daemon) => daemon.post(`${url}/${randomUUID()}/pause`)),
  LEARN_SESSION_ALREADY_ACTIVE: withSession('capturing', (daemon) => daemon.post(url, body)),
  INVALID_LEARN_STATE_TRANSITION: withSession('armed', (daemon, session) => daemon.post(`${session}/pause`)),
  SESSION_TIMEOUT: withSession('armed', (daemon, session) => {
    daemon.clock.advance(3_600_000)
    return daemon.post(`${session}/start`)
  }),
  CAPTURE_ALREADY_STOPPED: withSession('stopped', (daemon, session) => daemon.post(`${session}/stop`)),
  ADAPTER_UNAVAILABLE: withSession('armed', (daemon, session) =>
    daemon.post(`${session}/start`, { requested_adapters: ['midi'] }),
  ),
  OBSERVATION_EVENT_NOT_FOUND: withSession('paused', (daemon, session) =>
    daemon.post(`${session}/trim`, { trim_kind: 'trim_end', to_event_id: randomUUID() }),
  ),
  INSUFFICIENT_TRACES: withSession('stopped', (daemon, session) => daemon.post(`${session}/generate-proposal`)),
  PROPOSAL_NOT_FOUND: withDaemon((daemon) => daemon.get(`/api/learn/proposals/${randomUUID()}/detail`)),
  QUESTION_NOT_FOUND: withSession('awaiting_questions', (daemon, session) =>
    daemon.post(`${session}/answer-questions`, {
      answers: [{ question_id: randomUUID(), answer_text: 'yes' }],
    }),
  ),
  TEST_POLICY_VIOLATION: withSession('armed', (daemon, session) =>
    daemon.post(`${session}/set-test-policy`, {
      test_policy: { policy_id: randomUUID(), mode: 'copy_artifact' },
    }),
  ),
  ABILITY_NOT_FOUND: withDaemon((daemon) =>
    daemon.post(url, { entry_mode: 'improving_existing_skill', target_skill_id: 'unknown' }),
  ),
  INSTALL_LANE_DENIED: withDaemon((daemon) => daemon.post(url, { ...body, build_policy: 'private_auto_install' })),
  CATEGORY_NOT_FOUND: withDaemon((daemon) => daemon.get(`/api/categories/${randomUUID()}/items`)),
  CATEGORY_LIMIT_REACHED: withDaemon(async (daemon) => {
    const titles = Array.from({ length: 100 }, (_, n) => `Category ${n}`)
    await Promise.all(titles.map((title) => daemon.post('/api/categories', { title })))
    return daemon.post('/api/categories', { title: 'one more' })
  }),
  CONFIG_INTENT_INVALID: withDaemon((daemon) => sendIntent(daemon, { payload: { unknown: true } })),
  CONFIG_INTENT_DENIED: withDaemon(async (daemon) => {
    const restrict = { target: 'connector_policy', payload: { mail: { mode: 'disabled' } } }
    await sendIntent(daemon, restrict)
    return sendIntent(daemon, { ...restrict, payload: { mail: { mode: 'enabled' } }, requested_by: 'wrapper' })
  }),
  INTENT_REJECTED: withDaemon((daemon) => sendIntent(daemon, { payload: { api_key: 'x' } })),
} satisfies Partial<Record<FailureCode, Scenario>>

function sendIntent(daemon: Daemon, changes: object): ReturnType<Scenario> {
  return daemon.post('/api/config/intents', {
    intent_id: randomUUID(),
    target: 'user_preference',
    requested_by: 'ui',
    correlation_id: 'a',
    created_at: '2026-03-01T12:00:00.000Z',
    ...changes,
  })
}

/** Codes that reject single events of an accepted request. */
export const rejectedEventScenarios = {
  OBSERVATION_CONSENT_REQUIRED: withDaemon(async (daemon) => {
    const id = await daemon.aSessionIn('capturing', { adapters_armed: ['text_entry'] })
    const event = makeEvent(id, { adapter_kind: 'text_entry', redaction_mode: 'none' })
    return sendEvents(daemon, id, [event])
  }),
} satisfies Partial<Record<FailureCode, Scenario>>
