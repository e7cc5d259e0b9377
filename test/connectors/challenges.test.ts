import { expect, test } from 'vitest'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { call } from './call-kit.ts'
import { createProfile, readCode, readServers } from './connector-kit.ts'
import { registerProtected, signIn } from './sign-in-kit.ts'

async function openChallenge(daemon: Daemon) {
  const found = await registerProtected(daemon)
  const refused = await call(daemon, found.server_id, 'read_note')
  const { details } = refused.json<{ error: { details: { challenge_id: string } } }>().error
  const respond = (body: object) =>
    daemon.post('/api/mcp/auth/challenge/respond', { challenge_id: details.challenge_id, ...body })
  return { ...found, respond }
}

test('a denied challenge is closed, and the next call opens another one', async () => {
  const daemon = await startDaemon()
  const { server_id, respond, remote } = await openChallenge(daemon)
  expect((await respond({ decision: 'deny' })).json()).toMatchObject({
    accepted: true,
    resolution: 'denied',
    next_step: 'closed',
  })
  expect((await respond({ decision: 'approve' })).json()).toMatchObject({ accepted: false, resolution: 'denied' })
  expect(readCode(await call(daemon, server_id, 'read_note'))).toBe('MCP_AUTH_CHALLENGE_REQUIRED')
  expect(remote.calls).toEqual([])
})

test('a challenge that nobody answers within 15 minutes expires', async () => {
  const daemon = await startDaemon()
  const { respond } = await openChallenge(daemon)
  daemon.clock.advance(15 * 60_000)
  expect((await respond({ decision: 'approve' })).json()).toMatchObject({
    accepted: false,
    resolved: false,
    resolution: 'expired',
  })
})

test('another profile of the same provider can be chosen, and what was known about the server is forgotten', async () => {
  const daemon = await startDaemon()
  const { server_id, respond } = await openChallenge(daemon)
  const foreign = await createProfile(daemon, { provider: 'gmail_google' })
  const selected_auth_profile_id = await createProfile(daemon, { scopes: ['notes.read'] })
  expect(readCode(await respond({ decision: 'approve', selected_auth_profile_id: foreign }))).toBe(
    'MCP_AUTH_PROFILE_MISMATCH',
  )
  expect((await respond({ decision: 'approve', selected_auth_profile_id })).json()).toMatchObject({
    accepted: true,
    auth_status: { auth_profile_id: selected_auth_profile_id, auth_state: 'challenge_required' },
  })
  expect((await readServers(daemon))[0]?.health.health_status).toBe('unknown')
  expect(await signIn(daemon, server_id)).toMatchObject({ auth_state: 'healthy' })
})
