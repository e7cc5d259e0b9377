import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Settings } from '../../src/config/config.ts'
import { startWatched } from '../devices/live-screen-watch.ts'
import { adminToken, type Daemon, startDaemon } from '../kit/daemon.ts'
import { openStream } from '../live/sse-client.ts'

const SESSIONS = '/api/learn/sessions'

interface Login {
  login_id: string
  user_id: string
  token_id: string | null
  current: boolean
}

async function issueToken(daemon: Daemon, user_id: string, privilege = 'write') {
  const made = await daemon.post('/api/tokens', { user_id, label: 'test', privilege })
  const { secret, token } = made.json<{ secret: string; token: { token_id: string } }>()
  return { secret, token_id: token.token_id }
}

/** Creates a session and returns its path. */
async function createSession(daemon: Daemon, token: string): Promise<string> {
  const created = await daemon.post(SESSIONS, { entry_mode: 'coaching_agent' }, token)
  return `${SESSIONS}/${created.json<{ session: { learn_session_id: string } }>().session.learn_session_id}`
}

/** Logs in and returns the cookie. */
async function logIn(daemon: Daemon, credential: { token?: string; cookie?: string }): Promise<string> {
  const reply = await redeem(daemon, await requestCode(daemon, credential))
  expect(reply.statusCode).toBe(303)
  return String(reply.headers['set-cookie']).split(';', 1)[0] ?? ''
}

async function requestCode(daemon: Daemon, { token, cookie }: { token?: string; cookie?: string }): Promise<string> {
  const headers = cookie === undefined ? {} : { cookie, host: '127.0.0.1', origin: 'http://127.0.0.1' }
  const reply = await daemon.request({ method: 'POST', url: '/api/login-codes', token: token ?? null, headers })
  expect(reply.statusCode).toBe(201)
  return reply.json<{ code: string }>().code
}

const redeem = (daemon: Daemon, code: string) =>
  daemon.request({ method: 'GET', url: `/login?code=${code}`, token: null })

const getStatus = async (daemon: Daemon, cookie: string) =>
  (await daemon.request({ method: 'GET', url: SESSIONS, token: null, headers: { cookie } })).statusCode

const listLogins = async (daemon: Daemon, token?: string) =>
  (await daemon.get('/api/logins', token)).json<{ logins: Login[] }>().logins

test('revoking a token ends the logins and login codes it opened, directly or through a login', async () => {
  const daemon = await startDaemon()
  const [ann, other] = [await issueToken(daemon, 'ann'), await issueToken(daemon, 'ann')]
  const cookie = await logIn(daemon, { token: ann.secret })
  const second = await logIn(daemon, { cookie })
  const codes = [await requestCode(daemon, { token: ann.secret }), await requestCode(daemon, { cookie: second })]
  const kept = await logIn(daemon, { token: other.secret })
  const keptCode = await requestCode(daemon, { token: other.secret })
  await daemon.delete(`/api/tokens/${ann.token_id}`)
  expect(await Promise.all([cookie, second, kept].map((one) => getStatus(daemon, one)))).toEqual([401, 401, 200])
  const redeemed = await Promise.all([...codes, keptCode].map((code) => redeem(daemon, code)))
  expect(redeemed.map(({ statusCode }) => statusCode)).toEqual([401, 401, 303])
  expect((await listLogins(daemon)).map(({ token_id }) => token_id)).toEqual([other.token_id, other.token_id])
})

test('revoking a token ends its streams, live screens and waiting requests at once, and no others', async () => {
  const { daemon, serial, url, watch } = await startWatched()
  const [ann, other] = [await issueToken(daemon, 'ann'), await issueToken(daemon, 'ann')]
  const cookie = await logIn(daemon, { token: ann.secret })
  const events = `${url}${await createSession(daemon, ann.secret)}/events`
  const byToken = await openStream(events, { token: ann.secret })
  const byLogin = await openStream(events, { headers: { cookie } })
  const screen = await watch({ token: ann.secret })
  const kept = await openStream(events, { token: other.secret })
  const received = once(daemon.app.server, 'request')
  const waiting = fetch(`${url}/api/devices/${serial}/waits`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ann.secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ kind: 'ui', matcher: { textEquals: 'not on this screen' } }),
  })
  const outcome = waiting.then(
    (reply) => reply.status,
    () => 'disconnected',
  )
  await received
  expect([byToken.status, byLogin.status, screen.status, kept.status]).toEqual([200, 200, 200, 200])
  await daemon.delete(`/api/tokens/${ann.token_id}`)
  await Promise.all([byToken.ended, byLogin.ended, screen.ended])
  expect(await outcome).toBe('disconnected')
  await expect.poll(() => daemon.system.hub.countStreams('ann')).toBe(1)
  expect(daemon.system.liveScreens.countViewers('ann')).toBe(0)
  kept.close()
})

test('a token that revokes itself gets the reply, and its streams end', async () => {
  const daemon = await startDaemon()
  const admin = await issueToken(daemon, 'ann', 'admin')
  const { url } = await daemon.listen()
  const session = await createSession(daemon, admin.secret)
  const stream = await openStream(`${url}${session}/events`, { token: admin.secret })
  expect(stream.status).toBe(200)
  const reply = await fetch(`${url}/api/tokens/${admin.token_id}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${admin.secret}` },
  })
  expect(await reply.json()).toEqual({ revoked: true })
  await stream.ended
})

test('users list and end their own logins, admins those of all; ending one ends its streams and codes', async () => {
  const daemon = await startDaemon()
  const { url } = await daemon.listen()
  const [ann, bob] = [await issueToken(daemon, 'ann'), await issueToken(daemon, 'bob')]
  const cookie = await logIn(daemon, { token: ann.secret })
  const kept = await logIn(daemon, { token: ann.secret })
  const bobs = await logIn(daemon, { token: bob.secret })
  await logIn(daemon, { token: adminToken })
  expect((await listLogins(daemon, bob.secret)).map(({ user_id }) => user_id)).toEqual(['bob'])
  const all = (await listLogins(daemon)).map(({ user_id, token_id }) => [user_id, token_id])
  expect(all).toEqual(
    expect.arrayContaining([
      ['ann', ann.token_id],
      ['bob', bob.token_id],
      ['local', null],
    ]),
  )
  const seen = await daemon.request({ method: 'GET', url: '/api/logins', token: null, headers: { cookie } })
  const own = seen.json<{ logins: Login[] }>().logins
  expect(own).toHaveLength(2)
  const [current] = own.filter((login) => login.current)
  const refused = await daemon.delete(`/api/logins/${current?.login_id}`, bob.secret)
  expect(refused.json()).toMatchObject({ error: { code: 'LOGIN_NOT_FOUND' } })
  const code = await requestCode(daemon, { cookie })
  const events = `${url}${await createSession(daemon, ann.secret)}/events`
  const stream = await openStream(events, { headers: { cookie } })
  expect(stream.status).toBe(200)
  expect((await daemon.delete(`/api/logins/${current?.login_id}`, ann.secret)).json()).toEqual({ ended: true })
  await stream.ended
  expect((await redeem(daemon, code)).statusCode).toBe(401)
  expect(await Promise.all([cookie, kept, bobs].map((one) => getStatus(daemon, one)))).toEqual([401, 200, 200])
})

test('the streams of a login end when it expires', async () => {
  const daemon = await startDaemon()
  const { url } = await daemon.listen()
  const cookie = await logIn(daemon, { token: adminToken })
  const id = await daemon.aSessionIn('armed')
  const stream = await openStream(`${url}${SESSIONS}/${id}/events`, { headers: { cookie } })
  expect(stream.status).toBe(200)
  daemon.clock.advance(12 * 3_600_000)
  daemon.system.access.reload()
  await stream.ended
})

test('logins of the token the daemon was started with end when it is started with another', async () => {
  const home = mkdtempSync(join(tmpdir(), 'apprentice-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const before = await startDaemon({ home, config: { token: 'the-first-token-0123456789' } })
  const cookie = await logIn(before, { token: 'the-first-token-0123456789' })
  await before.stop()
  const same = await startDaemon({ home, config: { token: 'the-first-token-0123456789' } })
  expect(await getStatus(same, cookie)).toBe(200)
  await same.stop()
  const after = await startDaemon({ home })
  expect(await getStatus(after, cookie)).toBe(401)
  expect(await listLogins(after)).toEqual([])
})

test('rate and streams are counted per user over all tokens and logins', async () => {
  const limits = { requests_per_second: 0.001, request_burst: 20, streams_per_user: 2 }
  const daemon = await startDaemon({ settings: Settings.parse({ limits }) })
  const { url } = await daemon.listen()
  const [ann, other] = [await issueToken(daemon, 'ann'), await issueToken(daemon, 'ann')]
  const cookie = await logIn(daemon, { token: ann.secret })
  const events = `${url}${await createSession(daemon, ann.secret)}/events`
  const streams = [
    await openStream(events, { token: ann.secret }),
    await openStream(events, { headers: { cookie } }),
    await openStream(events, { token: other.secret }),
  ]
  onTestFinished(() => streams.forEach((stream) => stream.close()))
  expect(streams.map(({ status }) => status)).toEqual([200, 200, 429])
  for (let sent = 0; sent < 20; sent += 1) await daemon.get(SESSIONS, ann.secret)
  expect((await daemon.get(SESSIONS, other.secret)).statusCode).toBe(429)
  expect(await getStatus(daemon, cookie)).toBe(429)
  expect((await daemon.get(SESSIONS)).statusCode).toBe(200)
})

test('a user has at most 100 logins; the oldest end', async () => {
  const daemon = await startDaemon()
  const ann = await issueToken(daemon, 'ann')
  const first = await logIn(daemon, { token: ann.secret })
  daemon.clock.advance(1000)
  for (let n = 0; n < 100; n += 1) await logIn(daemon, { token: ann.secret })
  expect(await listLogins(daemon, ann.secret)).toHaveLength(100)
  expect(await getStatus(daemon, first)).toBe(401)
})
