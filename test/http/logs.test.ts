import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { buildApp } from '../../src/server/app.ts'
import { readConfig } from '../../src/config/config.ts'
import { startSystem } from '../../src/daemon/system.ts'
import { buildBundle, buildZip } from '../skill-import/zip-builder.ts'
import { buildForm, FORM_TYPE } from '../skill-import/import-kit.ts'

const token = 'token-that-no-log-may-show-0123'

/** Texts that a person enters. Each is unique, so that it can be found in any line. */
const privateTexts = {
  goal: 'Grandmothers-pension-letter',
  step: 'Zanzibar-chapter-heading',
  label: 'Tap-the-vermilion-button',
  window: 'Xylophone-window-title',
  raw: 'raw-quixotic-passphrase',
  answer: 'Answer-about-marmalade',
  evidence: 'Evidence-of-a-blue-heron',
  reason: 'Because-of-the-obelisk',
  typed: 'typed-jabberwocky-privateTexts',
  setting: 'Setting-worth-a-kumquat',
  bundle: 'Bundle-of-periwinkle-notes',
} as const

interface Line {
  readonly level: number
  readonly msg: string
  readonly correlation_id?: string
  readonly route?: string
  readonly status?: number
  readonly ms?: number
}

/** A daemon that logs at level trace, without the redaction that real logs have. */
async function startLogged() {
  const home = mkdtempSync(join(tmpdir(), 'apprentice-'))
  const text: string[] = []
  const into = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text.push(chunk.toString())
      done()
    },
  })
  const config = readConfig({ APPRENTICE_HOME: home, APPRENTICE_TOKEN: token })
  const log = pino({ level: 'trace' }, into)
  const system = await startSystem({ ...config, phone: 'simulated' }, { log, sweeping: false })
  const app = await buildApp(system)
  onTestFinished(async () => {
    await app.close()
    await system.stop()
    rmSync(home, { recursive: true, force: true })
  })
  const lines = () => text.map((line) => JSON.parse(line) as Line)
  return { app, system, lines, all: () => text.join('') }
}

async function send(app: FastifyInstance, options: InjectOptions) {
  return app.inject({
    ...options,
    headers: { host: '127.0.0.1', authorization: `Bearer ${token}`, ...options.headers },
  })
}

const post = (app: FastifyInstance, url: string, payload: object = {}) => send(app, { method: 'POST', url, payload })

/** A whole session with every private text in it. */
async function teach(app: FastifyInstance): Promise<void> {
  const made = await post(app, '/api/learn/sessions', {
    entry_mode: 'demonstrating_skill',
    observation_mode: 'inside_agent',
    ask_before_build: true,
  })
  const id = made.json<{ session: { learn_session_id: string } }>().session.learn_session_id
  const session = `/api/learn/sessions/${id}`
  await post(app, `${session}/start`, { text_capture_consent: true })
  const event = {
    event_id: randomUUID(),
    learn_session_id: id,
    adapter_kind: 'wrapper_receipt',
    action_label: privateTexts.label,
    window_title: privateTexts.window,
    raw_text: privateTexts.raw,
    caused_state_change: true,
    created_at: '2026-03-01T12:00:00.000Z',
  }
  const batch = { batch_request_id: randomUUID(), adapter_id: 'test', events: [event] }
  expect((await post(app, `${session}/observations`, batch)).statusCode).toBe(202)
  await post(app, `${session}/mark-goal`, { goal_description: privateTexts.goal })
  await post(app, `${session}/mark-step`, { step_label: privateTexts.step })
  await post(app, `${session}/pause`)
  await post(app, `${session}/resume`)
  await post(app, `${session}/stop`)
  expect((await post(app, `${session}/generate-proposal`)).statusCode).toBe(201)
  const detail = await send(app, { method: 'GET', url: `${session}/detail` })
  const { questions } = detail.json<{ questions: { question_id: string; field: string }[] }>()
  expect(questions.length).toBeGreaterThan(0)
  const answers = questions
    .filter(({ field }) => field !== 'project_scope')
    .map(({ question_id }) => ({ question_id, answer_text: privateTexts.answer }))
  expect((await post(app, `${session}/answer-questions`, { answers })).statusCode).toBe(200)
  await post(app, '/api/bridge/verify-checkpoint', {
    checkpoint_id: 'c1',
    status: 'failed',
    evidence: privateTexts.evidence,
    reason: privateTexts.reason,
    learn_session_id: id,
  })
  await post(app, `${session}/cancel`, { reason: privateTexts.reason })
}

/** Sends requests that fail, each with a private text. */
async function sendInvalidRequests(app: FastifyInstance): Promise<void> {
  const url = '/api/learn/sessions'
  const headers = { 'content-type': 'application/json' }
  await send(app, { method: 'POST', url, payload: `{"goal": "${privateTexts.goal}`, headers })
  await post(app, url, { entry_mode: privateTexts.goal, room_id: [privateTexts.raw] })
  await post(app, `${url}/${randomUUID()}/mark-goal`, { goal_description: privateTexts.goal })
  await send(app, { method: 'GET', url, headers: { authorization: `Bearer ${privateTexts.raw}` } })
  await send(app, { method: 'GET', url: `/login/%zz?code=${privateTexts.raw}` })
  await send(app, { method: 'GET', url: `/login?code=${privateTexts.raw}` })
  await post(app, '/api/config/intents', {
    intent_id: randomUUID(),
    target: 'user_preference',
    payload: { password: privateTexts.setting },
    requested_by: 'ui',
    correlation_id: 'a',
    created_at: '2026-03-01T12:00:00.000Z',
  })
}

/** Types a text on the simulated phone. */
async function typeOnPhone(app: FastifyInstance): Promise<void> {
  const matcher = { resourceId: `${portal}:id/user` }
  const actions = [
    { id: 'open', type: 'open_app', params: { applicationId: portal } },
    { id: 'type', type: 'enter_text', params: { matcher, text: privateTexts.typed } },
  ]
  const reply = await post(app, '/api/executions', {
    execution: {
      commandId: randomUUID(),
      taskId: 'task',
      source: 'test',
      expectedFormat: 'android-ui-automator',
      timeoutMs: 10_000,
      actions,
    },
    wait_ms: 10_000,
  })
  expect(reply.json(), reply.body).toMatchObject({ execution: { state: 'succeeded' } })
}

/** Uploads a bundle. The multipart parser would log everything it is given. */
async function uploadBundle(app: FastifyInstance, cookie: string): Promise<void> {
  const bundle = buildZip(buildBundle())
  const payload = buildForm(bundle, {
    filename: `${privateTexts.bundle}.zip`,
    metadata: { notes: privateTexts.bundle },
  })
  const url = '/api/skills/import/uploads'
  const upload = { method: 'POST', url, payload } as const
  const headers = { 'content-type': FORM_TYPE }
  expect((await send(app, { ...upload, headers })).statusCode).toBe(201)
  const own = {
    host: '127.0.0.1',
    origin: 'http://127.0.0.1',
    cookie: `apprentice_login=${cookie}`,
  }
  expect((await app.inject({ ...upload, headers: { ...headers, ...own } })).statusCode).toBe(201)
}

const portal = 'org.apprentice.portal'

test('no log line at any level contains a secret or what a person typed or did', async () => {
  const { app, all, lines } = await startLogged()
  const issued = await post(app, '/api/tokens', { user_id: 'ann', label: 'phone' })
  const { code } = (await post(app, '/api/login-codes')).json<{ code: string }>()
  const login = await send(app, { method: 'GET', url: `/login?code=${code}` })
  const cookie = /^[^=]+=([^;]+)/.exec(String(login.headers['set-cookie']))?.[1] ?? ''
  await app.inject({
    method: 'GET',
    url: '/api/learn/sessions',
    headers: { host: '127.0.0.1', cookie: `apprentice_login=${cookie}` },
  })
  await teach(app)
  await sendInvalidRequests(app)
  await typeOnPhone(app)
  await uploadBundle(app, cookie)

  const secrets = [token, issued.json<{ secret: string }>().secret, code, cookie]
  expect(lines().length).toBeGreaterThan(20)
  for (const secret of [...secrets, ...Object.values(privateTexts)]) {
    expect(secret.length).toBeGreaterThan(10)
    const found = all()
      .split('\n')
      .filter((line) => line.includes(secret))
    expect(found, secret).toEqual([])
  }
})

test('an internal error is logged with its stack and the correlation id of the reply', async () => {
  const { app, system, lines } = await startLogged()
  system.store.schema.exec('DROP TABLE categories')
  const reply = await send(app, { method: 'GET', url: '/api/categories' })
  const { correlation_id } = reply.json<{ error: { correlation_id: string } }>().error
  const logged = lines().filter((line) => line.level >= 50)
  expect(logged).toMatchObject([
    {
      correlation_id,
      code: 'INTERNAL_ERROR',
      err: { stack: expect.stringContaining('SqliteError') },
    },
  ])
})

test('each change logs one line with route, status, time and correlation id; a read logs none at info', async () => {
  const { app, lines } = await startLogged()
  const sent = [
    ['POST', '/api/categories', { title: 'Forms' }, 'POST /api/categories', 201],
    ['POST', '/api/categories', { title: '' }, 'POST /api/categories', 400],
    ['DELETE', `/api/categories/${randomUUID()}`, {}, 'DELETE /api/categories/:categoryId', 404],
  ] as const
  for (const [method, url, payload, , status] of sent) {
    const headers = { 'x-correlation-id': `request-${status}` }
    expect((await send(app, { method, url, payload, headers })).statusCode).toBe(status)
  }
  await send(app, { method: 'GET', url: '/api/categories' })

  const logged = lines().filter(({ msg }) => msg === 'request')
  expect(logged.filter(({ level }) => level >= 30)).toMatchObject(
    sent.map(([, , , route, status]) => ({
      level: 30,
      route,
      status,
      correlation_id: `request-${status}`,
      ms: expect.any(Number),
      user_id: 'local',
    })),
  )
  expect(logged.filter(({ level }) => level < 30)).toHaveLength(1)
})
