import { expect, test } from 'vitest'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { call, connectTools } from './call-kit.ts'
import { patch, readServers, register } from './connector-kit.ts'
import { registerProtected, signIn } from './sign-in-kit.ts'
import { startToolServer } from './tool-server.ts'

const MINUTE_MS = 60_000

/** Lets a time pass in which every server becomes due once. Resolves with the number of servers that were asked. */
async function probeAfter(daemon: Daemon, ms = 2 * MINUTE_MS): Promise<number> {
  daemon.clock.advance(ms)
  return daemon.system.connectors.probes.probeNow()
}

const readHealth = async (daemon: Daemon) => (await readServers(daemon))[0]?.health
const countChanges = (daemon: Daemon): number =>
  daemon.events().filter(({ kind }) => kind === 'mcp.health.changed').length

async function startProbed() {
  const daemon = await startDaemon()
  const remote = await startToolServer()
  const { registry } = await register(daemon, { endpoint_url: remote.url, supported_tools: ['read_note'] })
  // The first turn only chooses a time.
  expect(await daemon.system.connectors.probes.probeNow()).toBe(0)
  return { daemon, remote, server_id: registry.server_id }
}

test('a server is asked within a minute of its registration, and then once a minute', async () => {
  const { daemon, remote } = await startProbed()
  expect(remote.requests).toBe(0)
  expect(await probeAfter(daemon, MINUTE_MS)).toBe(1)
  expect(await readHealth(daemon)).toMatchObject({ health_status: 'healthy', auth_state: 'healthy' })
  expect([remote.handshakes, countChanges(daemon)]).toEqual([1, 1])
  expect(await probeAfter(daemon, 0.8 * MINUTE_MS)).toBe(0)
  expect(await probeAfter(daemon, 0.3 * MINUTE_MS)).toBe(1)
  // A server that stays healthy leaves no trace but the time of its last answer.
  expect([remote.handshakes, countChanges(daemon)]).toEqual([2, 1])
  expect((await readHealth(daemon))?.last_checked_at).toBe(daemon.clock.now.toISOString())
})

test('the times of the next probes are kept over a restart', async () => {
  const { daemon, remote } = await startProbed()
  await probeAfter(daemon)
  await daemon.stop()
  const after = await startDaemon({ home: daemon.home, now: daemon.clock.now.toISOString() })
  expect(await after.system.connectors.probes.probeNow()).toBe(0)
  expect(remote.handshakes).toBe(1)
  expect(await probeAfter(after)).toBe(1)
})

test('three failed probes degrade a server, and two answers restore it', async () => {
  const { daemon, remote } = await startProbed()
  await probeAfter(daemon)
  remote.status = 500
  const found: unknown[] = []
  for (let count = 0; count < 3; count += 1) {
    await probeAfter(daemon)
    found.push((await readHealth(daemon))?.health_status)
  }
  expect(found).toEqual(['healthy', 'healthy', 'degraded'])
  remote.status = undefined
  await probeAfter(daemon)
  expect(await readHealth(daemon)).toMatchObject({ health_status: 'degraded', health_reason_code: 'http_500' })
  await probeAfter(daemon)
  expect(await readHealth(daemon)).toMatchObject({ health_status: 'healthy', failure_count_rolling: 0 })
})

test('a server that asked for a pause is not asked before the pause has passed, and is not degraded', async () => {
  const { daemon, remote } = await startProbed()
  remote.status = 429
  remote.headers = { 'retry-after': '600' }
  await probeAfter(daemon)
  const { requests } = remote
  expect(await readHealth(daemon)).toMatchObject({
    health_status: 'unknown',
    throttle_state: { state: 'rate_limited' },
  })
  for (let minutes = 0; minutes < 4; minutes += 1) expect(await probeAfter(daemon)).toBe(0)
  expect(remote.requests).toBe(requests)
  remote.status = undefined
  await probeAfter(daemon)
  expect(await probeAfter(daemon)).toBe(1)
  expect(await readHealth(daemon)).toMatchObject({ health_status: 'healthy', throttle_state: { state: 'none' } })
})

test('a server that nobody signed in to, is disabled or switched off by policy is not asked', async () => {
  const daemon = await startDaemon()
  const { remote, server_id } = await registerProtected(daemon)
  await daemon.system.connectors.probes.probeNow()
  expect([await probeAfter(daemon), remote.requests]).toEqual([0, 0])
  await signIn(daemon, server_id)
  const { requests } = remote
  await patch(daemon, `/api/mcp/servers/${server_id}`, { enabled: false })
  expect(await probeAfter(daemon)).toBe(0)
  await patch(daemon, `/api/mcp/servers/${server_id}`, { enabled: true })
  const target = { target_kind: 'server', server_id }
  await daemon.post('/api/mcp/policy/update', { target, decision: { mode: 'disabled' } })
  expect([await probeAfter(daemon), remote.requests]).toEqual([0, requests])
  const expires_at = '2020-01-01T00:00:00.000Z'
  await daemon.post('/api/mcp/policy/update', { target, decision: { mode: 'disabled', expires_at } })
  expect(await probeAfter(daemon)).toBe(1)
  expect(remote.authorization).toMatch(/^Bearer /)
})

test('a token that the server refuses asks for a sign-in and does not degrade the server', async () => {
  const daemon = await startDaemon()
  const { authority, remote, server_id } = await registerProtected(daemon)
  await signIn(daemon, server_id)
  await daemon.system.connectors.probes.probeNow()
  authority.protect(remote, ['notes.read', 'nobody.has.this'])
  remote.judge = () => Promise.resolve({ status: 401, headers: {} })
  await probeAfter(daemon)
  const [server] = await readServers(daemon)
  expect(server?.auth?.auth_state).toBe('expired')
  expect(server?.health).toMatchObject({ health_status: 'unknown', failure_count_rolling: 0 })
  expect(server?.badge_states).toContain('auth_required')
})

test('a probe notices tools that changed, and a server in use is not asked', async () => {
  const daemon = await startDaemon()
  const { remote, server_id } = await connectTools(daemon)
  await daemon.system.connectors.probes.probeNow()
  daemon.clock.advance(2 * MINUTE_MS)
  await call(daemon, server_id, 'read_note')
  const { requests } = remote
  expect(await daemon.system.connectors.probes.probeNow()).toBe(0)
  expect(remote.requests).toBe(requests)
  daemon.system.connectors.connections.drop(server_id)
  remote.tools = ['read_note', 'write_note', 'read_secrets']
  expect(await probeAfter(daemon)).toBe(1)
  expect(await readHealth(daemon)).toMatchObject({
    health_status: 'degraded',
    health_reason_code: 'tool_schema_changed',
  })
})
