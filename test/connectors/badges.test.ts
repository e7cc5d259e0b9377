import { expect, test } from 'vitest'
import { listBadges, type ServerFacts } from '../../src/knowledge/connectors/server-badges.ts'
import { startDaemon } from '../kit/daemon.ts'
import { connectTools } from './call-kit.ts'
import { patch, readCode, readServers, register, REMOTE, smokeTest } from './connector-kit.ts'
import { startToolServer } from './tool-server.ts'

test('mcp_server_list_badge_truth: badges follow from what the daemon has recorded, and clients cannot send them', async () => {
  const daemon = await startDaemon()
  const { remote, server_id } = await connectTools(daemon)
  const readBadges = async () => (await readServers(daemon))[0]?.badge_states
  expect(await readBadges()).toEqual(['connected'])
  const forged = { badge_states: ['connected'], health: { health_status: 'healthy' } }
  expect(readCode(await patch(daemon, `/api/mcp/servers/${server_id}`, forged))).toBe('INVALID_REQUEST')
  expect(readCode(await daemon.post('/api/mcp/servers/register', { ...REMOTE, ...forged }))).toBe('INVALID_REQUEST')
  const target = { target_kind: 'server', server_id }
  await daemon.post('/api/mcp/policy/update', { target, decision: { mode: 'ask_first' } })
  expect(await readBadges()).toEqual(['connected', 'approval_required'])
  remote.status = 500
  for (let count = 0; count < 3; count += 1) await smokeTest(daemon, server_id)
  expect(await readBadges()).toEqual(['approval_required', 'degraded'])
  await patch(daemon, `/api/mcp/servers/${server_id}`, { enabled: false })
  expect(await readBadges()).toContain('disabled')
})

const AUTH_STATES = ['healthy', 'challenge_required', 'expired', 'revoked', 'unknown'] as const

interface Circumstances {
  readonly enabled: boolean
  readonly active_build_surface: boolean
  readonly health_status: string
  readonly auth_state: (typeof AUTH_STATES)[number]
  readonly mode: string
}

const BOTH = [true, false]
const EVERY: readonly Circumstances[] = BOTH.flatMap((enabled) =>
  BOTH.flatMap((active_build_surface) =>
    ['healthy', 'degraded', 'unknown'].flatMap((health_status) =>
      AUTH_STATES.flatMap((auth_state) =>
        ['enabled', 'ask_first', 'disabled'].map((mode) => ({
          enabled,
          active_build_surface,
          health_status,
          auth_state,
          mode,
        })),
      ),
    ),
  ),
)

test('a server has the badge connected only if nothing stands in the way of a call', () => {
  for (const circumstances of EVERY) {
    const { enabled, active_build_surface, health_status, auth_state, mode } = circumstances
    const registry = { enabled, active_build_surface, interaction_mode: 'interactive_user' }
    const given = { registry, health: { health_status }, auth: { auth_state }, mode }
    const isFree = enabled && active_build_surface && health_status === 'healthy' && mode !== 'disabled'
    const expected = {
      connected: isFree && auth_state === 'healthy',
      approval_required: mode === 'ask_first',
      auth_required: auth_state !== 'healthy' && auth_state !== 'unknown',
      degraded: health_status === 'degraded',
      disabled: !enabled,
      deferred: !active_build_surface,
      background_only: false,
    }
    const badges = new Set<string>(listBadges(given as ServerFacts))
    const found = Object.fromEntries(Object.keys(expected).map((badge) => [badge, badges.has(badge)]))
    expect(found, JSON.stringify(circumstances)).toEqual(expected)
  }
})

test.each(['gmail_google', 'custom_remote'] as const)(
  'a server of %s is registered under the rules for addresses, with a profile of its provider, and tested',
  async (provider) => {
    const daemon = await startDaemon()
    const remote = await startToolServer()
    const send = (changes: object) => daemon.post('/api/mcp/servers/register', { ...REMOTE, provider, ...changes })
    for (const endpoint_url of [undefined, 'http://notes.example/mcp', 'https://10.1.2.3/mcp']) {
      expect(readCode(await send({ endpoint_url }))).toBe('MCP_ENDPOINT_NOT_ALLOWED')
    }
    const foreign = await daemon.post('/api/mcp/auth-profiles', { provider: 'm365' })
    const { auth_profile_id } = foreign.json<{ auth_profile_id: string }>()
    expect(readCode(await send({ auth_profile_id }))).toBe('MCP_AUTH_PROFILE_MISMATCH')
    expect(await readServers(daemon)).toEqual([])
    const { registry } = await register(daemon, { provider, endpoint_url: remote.url })
    expect(registry.server_id).toMatch(/^[a-z0-9-]{2,64}$/)
    expect(await smokeTest(daemon, registry.server_id)).toMatchObject({ status: 'passed', overall_status: 'healthy' })
    expect((await readServers(daemon))[0]?.badge_states).toEqual(['connected'])
  },
)
