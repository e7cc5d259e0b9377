import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { adminToken, type Daemon, startDaemon } from '../kit/daemon.ts'

const url = '/api/learn/sessions'
const code = (reply: { json: () => unknown }) => (reply.json() as { error: { code: string } }).error.code

test.each([
  ['no token', null, 'UNAUTHENTICATED'],
  ['an unknown token', 'apr_unknown', 'UNAUTHENTICATED'],
  ['an empty token', '', 'UNAUTHENTICATED'],
])('%s is refused', async (_what, token, expected) => {
  const daemon = await startDaemon()
  const reply = await daemon.request({ method: 'GET', url, token })
  expect([reply.statusCode, code(reply)]).toEqual([401, expected])
})

test('a token is limited to its privilege', async () => {
  const daemon = await startDaemon()
  const reader = await daemon.tokenFor('ann', 'read')
  const writer = await daemon.tokenFor('ann', 'write')
  const body = { entry_mode: 'coaching_agent' }
  expect((await daemon.get(url, reader)).statusCode).toBe(200)
  expect(code(await daemon.post(url, body, reader))).toBe('FORBIDDEN')
  expect((await daemon.post(url, body, writer)).statusCode).toBe(201)
  expect(code(await daemon.get('/api/tokens', writer))).toBe('FORBIDDEN')
})

test('a revoked token is refused at once, and only hashes are stored', async () => {
  const daemon = await startDaemon()
  const made = await daemon.post('/api/tokens', { user_id: 'ann', label: 'phone' })
  const { secret, token } = made.json<{ secret: string; token: { token_id: string } }>()
  expect((await daemon.get(url, secret)).statusCode).toBe(200)
  expect((await daemon.delete(`/api/tokens/${token.token_id}`)).statusCode).toBe(200)
  expect(code(await daemon.get(url, secret))).toBe('UNAUTHENTICATED')
  expect(code(await daemon.delete(`/api/tokens/${token.token_id}`))).toBe('TOKEN_NOT_FOUND')
  const listed = await daemon.get('/api/tokens')
  expect(listed.body).not.toContain(secret)
  await daemon.stop()
  expect(readFileSync(join(daemon.home, 'apprentice.db')).includes(secret)).toBe(false)
})

test("another user's session answers as if it did not exist", async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('capturing')
  const stranger = await daemon.tokenFor('stranger', 'admin')
  const replies = [
    await daemon.post(`${url}/${id}/pause`, undefined, stranger),
    await daemon.delete(`${url}/${id}`, stranger),
    await daemon.get(`${url}/${id}/events`, stranger),
  ]
  expect(replies.map(code)).toEqual(replies.map(() => 'LEARN_SESSION_NOT_FOUND'))
  expect((await daemon.get(url, stranger)).json()).toMatchObject({ sessions: [], total: 0 })
  expect(daemon.session(id)?.state).toBe('capturing')
})

test('the first start creates a token file that only its owner can read; APPRENTICE_TOKEN replaces it', async () => {
  const home = mkdtempSync(join(tmpdir(), 'apprentice-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const own = await startDaemon({ home, config: { token: undefined } })
  const file = join(home, 'secrets', 'admin.token')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const secret = readFileSync(file, 'utf8').trim()
  expect((await own.get(url, secret)).statusCode).toBe(200)
  expect((await own.get(url)).statusCode).toBe(401)
  await own.stop()

  const given = await startDaemon()
  expect(existsSync(join(given.home, 'secrets'))).toBe(false)
})

test('without any token every request is refused with AUTH_UNAVAILABLE', async () => {
  const home = mkdtempSync(join(tmpdir(), 'apprentice-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  mkdirSync(join(home, 'secrets'))
  writeFileSync(join(home, 'secrets', 'admin.token'), '')
  const daemon = await startDaemon({ home, config: { token: undefined } })
  const reply = await daemon.get(url)
  expect(reply.statusCode).toBe(503)
  expect(reply.json()).toMatchObject({ error: { code: 'AUTH_UNAVAILABLE', retryable: true } })
  expect((await daemon.request({ method: 'GET', url: '/healthz', token: null })).statusCode).toBe(200)
})

test.each(['evil.example', 'evil.example:4870', '127.0.0.1.evil.example'])(
  'a request for host "%s" is refused',
  async (host) => {
    const daemon = await startDaemon()
    const reply = await daemon.request({ method: 'GET', url: '/healthz', headers: { host } })
    expect([reply.statusCode, code(reply)]).toEqual([403, 'HOST_NOT_ALLOWED'])
  },
)

async function login(daemon: Daemon): Promise<string> {
  const made = await daemon.post('/api/login-codes')
  const { code: secret } = made.json<{ code: string }>()
  const reply = await daemon.request({ method: 'GET', url: `/login?code=${secret}`, token: null })
  expect([reply.statusCode, reply.headers.location]).toEqual([303, '/'])
  const cookie = String(reply.headers['set-cookie'])
  expect(cookie).toMatch(/HttpOnly; SameSite=Strict/)
  const again = await daemon.request({ method: 'GET', url: `/login?code=${secret}`, token: null })
  expect(code(again)).toBe('LOGIN_CODE_INVALID')
  return cookie.split(';', 1)[0] ?? ''
}

test('a login code works once within 15 minutes and sets a cookie that can read', async () => {
  const daemon = await startDaemon()
  const cookie = await login(daemon)
  const ask = { method: 'GET', url, token: null, headers: { cookie } } as const
  expect((await daemon.request(ask)).statusCode).toBe(200)
  const late = (await daemon.post('/api/login-codes')).json<{ code: string }>()
  daemon.clock.advance(15 * 60_000)
  const reply = await daemon.request({
    method: 'GET',
    url: `/login?code=${late.code}`,
    token: null,
  })
  expect(code(reply)).toBe('LOGIN_CODE_INVALID')
  daemon.clock.advance(12 * 3_600_000)
  expect((await daemon.request(ask)).statusCode).toBe(401)
})

test('expired login codes are removed, and each user has at most 100 others', async () => {
  const { system, clock } = await startDaemon()
  const { access } = system
  const issue = (user_id: string) =>
    access.issueLoginCode({ user_id, privilege: 'read', principal: user_id, key: 'bootstrap', via: 'token' }).code
  const other = issue('bob')
  const codes = Array.from({ length: 250 }, () => issue('ann'))
  expect(access.pendingLoginCodes).toBe(101)
  expect(await access.redeemLoginCode(codes[149] ?? '')).toBeUndefined()
  expect(await access.redeemLoginCode(codes[150] ?? '')).toEqual(expect.any(String))
  expect(await access.redeemLoginCode(other)).toEqual(expect.any(String))

  clock.advance(15 * 60_000)
  issue('ann')
  expect(access.pendingLoginCodes).toBe(1)
})

test('a change sent with a cookie must come from the dashboard', async () => {
  const daemon = await startDaemon()
  const cookie = await login(daemon)
  const body = { entry_mode: 'coaching_agent' }
  const from = (origin: string | undefined) =>
    daemon.request({
      method: 'POST',
      url,
      token: null,
      payload: body,
      headers: { cookie, host: '127.0.0.1:4870', ...(origin === undefined ? {} : { origin }) },
    })
  for (const origin of ['http://evil.example', 'http://127.0.0.1:9999', 'null', undefined]) {
    expect(code(await from(origin))).toBe('ORIGIN_NOT_ALLOWED')
  }
  expect(daemon.events()).toEqual([])
  expect((await from('http://127.0.0.1:4870')).statusCode).toBe(201)
})

test('a user over the rate gets the time to wait, and other users are not affected', async () => {
  const limits = {
    requests_per_second: 1,
    request_burst: 3,
    streams_per_user: 1,
    stream_buffer_bytes: 1,
    stream_keepalive_ms: 30_000,
    body_bytes: 1_048_576,
  }
  const daemon = await startDaemon({ settings: { limits } })
  const other = await daemon.tokenFor('ann')
  for (let n = 0; n < 2; n += 1) expect((await daemon.get(url)).statusCode).toBe(200)
  const refused = await daemon.get(url)
  expect([refused.statusCode, code(refused), refused.headers['retry-after']]).toEqual([429, 'RATE_LIMITED', '1'])
  expect((await daemon.get(url, other)).statusCode).toBe(200)
  daemon.clock.advance(1000)
  expect((await daemon.get(url, adminToken)).statusCode).toBe(200)
})

test('a sent correlation id is returned everywhere; an invalid one is replaced', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('capturing')
  const pause = (sent: string) =>
    daemon.request({
      method: 'POST',
      url: `${url}/${id}/pause`,
      headers: { 'x-correlation-id': sent },
    })
  const reply = await pause('trace-42')
  expect(reply.headers['x-correlation-id']).toBe('trace-42')
  expect(new Set(daemon.events().map((event) => event.correlation_id))).toEqual(new Set(['trace-42']))
  const refused = await pause('trace-43')
  expect(refused.json()).toMatchObject({ error: { correlation_id: 'trace-43' } })
  for (const invalid of ['a b', 'x'.repeat(201), '<script>']) {
    expect((await pause(invalid)).headers['x-correlation-id']).toMatch(/^[0-9a-f-]{36}$/)
  }
})
