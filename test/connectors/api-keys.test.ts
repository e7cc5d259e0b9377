import { expect, test } from 'vitest'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { call } from './call-kit.ts'
import { createProfile, patch, readCode, readServers, register, smokeTest } from './connector-kit.ts'
import { startToolServer } from './tool-server.ts'

const KEY = { auth_mode: 'api_key', secret_ref: 'secret:notes' }

/** A registered server that accepts one API key. */
async function registerWithKey(daemon: Daemon) {
  const remote = await startToolServer()
  const accept = (key: string): void => {
    const isAccepted = (given: string | undefined): boolean => given === `Bearer ${key}`
    remote.judge = async (given) => (isAccepted(given) ? undefined : { status: 401, headers: {} })
  }
  const auth_profile_id = await createProfile(daemon, KEY)
  const { registry } = await register(daemon, {
    endpoint_url: remote.url,
    auth_profile_id,
    supported_tools: ['read_note'],
  })
  return { remote, server_id: registry.server_id, auth_profile_id, accept }
}

const storeKey = (daemon: Daemon, value: string) =>
  daemon.request({ method: 'PUT', url: '/api/vault/secrets/notes', payload: { value } })

const readState = async (daemon: Daemon) => {
  const [server] = await readServers(daemon)
  return [server?.auth?.auth_state, server?.health.health_status, server?.badge_states]
}

test('a server that accepts its API key is connected', async () => {
  const daemon = await startDaemon()
  await storeKey(daemon, 'first-key')
  const { server_id, accept } = await registerWithKey(daemon)
  accept('first-key')
  expect(await readState(daemon)).toEqual(['unknown', 'unknown', []])
  expect(await smokeTest(daemon, server_id)).toMatchObject({ status: 'passed', auth_ok: true })
  expect(await readState(daemon)).toEqual(['healthy', 'healthy', ['connected']])
})

test('a refused API key is not sent again before it is replaced, and is no fault of the server', async () => {
  const daemon = await startDaemon()
  await storeKey(daemon, 'first-key')
  const { remote, server_id, accept } = await registerWithKey(daemon)
  accept('first-key')
  await smokeTest(daemon, server_id)
  daemon.clock.advance(60_000)
  accept('second-key')
  const attempt = () => call(daemon, server_id, 'read_note')
  const refused = await attempt()
  expect([refused.statusCode, readCode(refused)]).toEqual([401, 'MCP_AUTH_CHALLENGE_REQUIRED'])
  const { requests } = remote
  for (let times = 0; times < 3; times += 1) expect(readCode(await attempt())).toBe('MCP_AUTH_CHALLENGE_REQUIRED')
  const test = await daemon.post(`/api/mcp/servers/${server_id}/smoke-test`, { server_id })
  expect(readCode(test)).toBe('MCP_AUTH_CHALLENGE_REQUIRED')
  expect(remote.requests).toBe(requests)
  expect(await readState(daemon)).toEqual(['challenge_required', 'healthy', ['auth_required']])

  daemon.clock.advance(60_000)
  await storeKey(daemon, 'second-key')
  expect((await attempt()).json()).toMatchObject({ status: 'succeeded' })
  expect(await readState(daemon)).toEqual(['healthy', 'healthy', ['connected']])
  expect(remote.calls).toEqual(['read_note'])
})

test('a test that finds the key refused asks for another one, and a test with that one restores the server', async () => {
  const daemon = await startDaemon()
  await storeKey(daemon, 'first-key')
  const { server_id, auth_profile_id, accept } = await registerWithKey(daemon)
  accept('second-key')
  expect(await smokeTest(daemon, server_id)).toMatchObject({ status: 'failed', auth_ok: false })
  expect(await readState(daemon)).toEqual(['challenge_required', 'unknown', ['auth_required']])
  daemon.clock.advance(60_000)
  await storeKey(daemon, 'second-key')
  daemon.clock.advance(60_000)
  // A later change of the profile does not hide that the key is another one.
  await patch(daemon, `/api/mcp/auth-profiles/${auth_profile_id}`, { shared_profile: true })
  expect(await smokeTest(daemon, server_id)).toMatchObject({ status: 'passed' })
  expect(await readState(daemon)).toEqual(['healthy', 'healthy', ['connected']])
})

test('a server whose key is not in the vault is not contacted', async () => {
  const daemon = await startDaemon()
  const { remote, server_id } = await registerWithKey(daemon)
  const reply = await call(daemon, server_id, 'read_note')
  expect(reply.json()).toMatchObject({
    error: { code: 'MCP_AUTH_CHALLENGE_REQUIRED', message: 'Notes server has no API key. Store one in the vault.' },
  })
  expect(remote.requests).toBe(0)
})
