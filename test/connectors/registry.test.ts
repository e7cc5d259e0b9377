import { expect, test } from 'vitest'
import { findProfile, upsertProfile } from '../../src/store/connectors/auth-profiles.ts'
import { startDaemon } from '../kit/daemon.ts'
import { createProfile, patch, readCode, readServers, register, REMOTE } from './connector-kit.ts'

test('a registered server is listed with unknown health, its policy, badges and actions, and leaves a receipt', async () => {
  const daemon = await startDaemon()
  const made = await register(daemon, { supported_tools: ['read_note'] })
  expect(made.registry.server_id).toMatch(/^custom-remote-notes-server-[0-9a-f]{6}$/)
  expect(await readServers(daemon)).toEqual([made])
  expect(made).toMatchObject({
    health: { health_status: 'unknown', auth_state: 'healthy', throttle_state: { state: 'none' } },
    effective_policy: { decision: { mode: 'enabled', reason_code: 'default_read_allowed' }, inherited_from: 'none' },
    badge_states: [],
    available_actions: ['edit', 'smoke_test', 'policy_update', 'delete'],
  })
  const { receipts } = (await daemon.get('/api/mcp/receipts')).json<{ receipts: object[] }>()
  expect(receipts).toMatchObject([{ receipt_kind: 'server_create', receipt_id: made.last_receipt_id, status: 'ok' }])
  expect(daemon.events().map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(['mcp.server.changed', 'mcp.receipt.created']),
  )
  await daemon.waitForProjections()
  expect(daemon.readProjection('mcp/registry_current.json')).toContain(made.registry.server_id)
  expect(daemon.readProjection('mcp/receipts.jsonl')?.trim().split('\n')).toHaveLength(1)
})

test('the id of a server has no four decimal digits in a row, so that observations do not mask it', async () => {
  const daemon = await startDaemon()
  for (let made = 0; made < 60; made += 1) {
    const { registry } = await register(daemon)
    expect(registry.server_id).not.toMatch(/[0-9]{4}/)
  }
})

test('a repeated registration with the same request id registers one server', async () => {
  const daemon = await startDaemon()
  const first = await register(daemon, { client_request_id: 'once' })
  expect(await register(daemon, { client_request_id: 'once' })).toEqual(first)
  expect(await readServers(daemon)).toHaveLength(1)
})

test.each([
  ['a remote server without an address', { endpoint_url: undefined }],
  ['plain http to another machine', { endpoint_url: 'http://notes.example/mcp' }],
  ['a private address', { endpoint_url: 'https://10.0.0.4/mcp' }],
  ['the address of cloud metadata', { endpoint_url: 'https://169.254.169.254/latest' }],
  ['a private address in IPv6 form', { endpoint_url: 'https://[::ffff:192.168.0.1]/mcp' }],
  ['a password in the address', { endpoint_url: 'https://user:secret@notes.example/mcp' }],
  ['a local bridge elsewhere', { transport: 'local_bridge', endpoint_url: 'https://notes.example/mcp' }],
  ['a local bridge that the settings do not name', { transport: 'local_bridge', endpoint_url: undefined }],
  ['an address of a server of the provider', { transport: 'provider_native' }],
])('%s is refused and registers nothing', async (_what, changes) => {
  const daemon = await startDaemon()
  const reply = await daemon.post('/api/mcp/servers/register', { ...REMOTE, ...changes })
  expect([reply.statusCode, readCode(reply)]).toEqual([400, 'MCP_ENDPOINT_NOT_ALLOWED'])
  expect(await readServers(daemon)).toEqual([])
})

test('a private address is accepted if the settings allow its host', async () => {
  const daemon = await startDaemon({ settings: { connectors: { allowed_hosts: ['10.0.0.4'], bridges: {} } } })
  const { registry } = await register(daemon, { endpoint_url: 'https://10.0.0.4/mcp' })
  expect(registry.endpoint_url).toBe('https://10.0.0.4/mcp')
})

test('registering, changing and deleting need admin privilege; unknown fields are refused', async () => {
  const daemon = await startDaemon()
  const { registry } = await register(daemon)
  const token = await daemon.tokenFor('ada', 'write')
  const url = `/api/mcp/servers/${registry.server_id}`
  expect((await daemon.post('/api/mcp/servers/register', REMOTE, token)).statusCode).toBe(403)
  expect((await daemon.request({ method: 'PATCH', url, payload: { enabled: false }, token })).statusCode).toBe(403)
  expect((await daemon.delete(url, token)).statusCode).toBe(403)
  expect(readCode(await daemon.post('/api/mcp/servers/register', { ...REMOTE, colour: 'red' }))).toBe('INVALID_REQUEST')
})

test('a disabled server has the badge, and health says so', async () => {
  const daemon = await startDaemon()
  const { registry } = await register(daemon)
  const url = `/api/mcp/servers/${registry.server_id}`
  expect((await patch(daemon, url, { enabled: false })).statusCode).toBe(200)
  expect((await daemon.get(`${url}/health`)).json()).toMatchObject({ health_status: 'disabled' })
  const [server] = await readServers(daemon)
  expect(server).toMatchObject({ badge_states: ['disabled'] })
  expect(server?.available_actions).not.toContain('smoke_test')
})

test('mcp_shared_auth_profile_delete_blocked: a profile in use is not deleted, and the servers are named', async () => {
  const daemon = await startDaemon()
  const auth_profile_id = await createProfile(daemon)
  const { registry, auth, badge_states, available_actions } = await register(daemon, { auth_profile_id })
  expect(auth?.auth_state).toBe('challenge_required')
  expect(badge_states).toEqual(['auth_required'])
  expect(available_actions).toContain('connect_auth')
  const url = `/api/mcp/auth-profiles/${auth_profile_id}`
  const refused = await daemon.delete(url)
  expect([refused.statusCode, readCode(refused)]).toEqual([409, 'MCP_AUTH_PROFILE_IN_USE'])
  expect(refused.json()).toMatchObject({ error: { details: { blocked_by_server_ids: [registry.server_id] } } })

  await patch(daemon, `/api/mcp/servers/${registry.server_id}`, { auth_profile_id: null })
  expect((await daemon.delete(url)).json()).toMatchObject({ deleted: true })
  expect((await daemon.get('/api/mcp/auth-profiles')).json()).toMatchObject({ auth_profiles: [] })
})

test('mcp_server_delete_retains_shared_profile: deleting a server keeps the profile that another one uses', async () => {
  const daemon = await startDaemon()
  const auth_profile_id = await createProfile(daemon)
  const [first, second] = [
    await register(daemon, { auth_profile_id }),
    await register(daemon, { auth_profile_id, display_name: 'Second' }),
  ]
  const remove = async (id: string) => (await daemon.delete(`/api/mcp/servers/${id}`)).json<object>()
  expect(await remove(first.registry.server_id)).toMatchObject({
    auth_profile_action: 'retained_shared',
    detached_auth_profile_id: auth_profile_id,
  })
  expect(await remove(second.registry.server_id)).toMatchObject({ auth_profile_action: 'retained_unreferenced' })
  expect((await daemon.get('/api/mcp/auth-profiles')).json()).toMatchObject({ auth_profiles: [{ auth_profile_id }] })
})

test('a profile of another provider is refused', async () => {
  const daemon = await startDaemon()
  const auth_profile_id = await createProfile(daemon, { provider: 'gmail_google' })
  const reply = await daemon.post('/api/mcp/servers/register', { ...REMOTE, auth_profile_id })
  expect(readCode(reply)).toBe('MCP_AUTH_PROFILE_MISMATCH')
})

test('receipts are listed newest first in pages, and filtered', async () => {
  const daemon = await startDaemon()
  const { registry } = await register(daemon)
  for (const enabled of [false, true, false]) await patch(daemon, `/api/mcp/servers/${registry.server_id}`, { enabled })
  interface Page {
    receipts: { receipt_id: string; receipt_kind: string }[]
    next_cursor?: string
  }
  const first = (await daemon.get('/api/mcp/receipts?limit=3')).json<Page>()
  const second = (await daemon.get(`/api/mcp/receipts?limit=3&cursor=${first.next_cursor}`)).json<Page>()
  expect([...first.receipts, ...second.receipts].map(({ receipt_kind }) => receipt_kind)).toEqual([
    'server_patch',
    'server_patch',
    'server_patch',
    'server_create',
  ])
  expect(second.next_cursor).toBeUndefined()
  const filtered = (await daemon.get('/api/mcp/receipts?receipt_kind=server_create')).json<Page>()
  expect(filtered.receipts).toEqual(second.receipts)
})

test('a profile that was made for a server only is deleted with it, unless another server uses it', async () => {
  const daemon = await startDaemon()
  const make = async () => {
    const auth_profile_id = await createProfile(daemon)
    await daemon.system.store.write((tx) => {
      const profile = findProfile(tx, auth_profile_id)
      if (profile !== undefined) upsertProfile(tx, { ...profile, disposable: true })
      return null
    })
    return auth_profile_id
  }
  const auth_profile_id = await make()
  const [first, second] = [await register(daemon, { auth_profile_id }), await register(daemon, { auth_profile_id })]
  const remove = async (id: string) => (await daemon.delete(`/api/mcp/servers/${id}`)).json<object>()
  expect(await remove(first.registry.server_id)).toMatchObject({ auth_profile_action: 'retained_shared' })
  expect(await remove(second.registry.server_id)).toMatchObject({ auth_profile_action: 'deleted_unreferenced' })
  expect((await daemon.get('/api/mcp/auth-profiles')).json()).toMatchObject({ auth_profiles: [] })
  expect(await remove((await register(daemon)).registry.server_id)).toMatchObject({ auth_profile_action: 'none' })
})

test('a deleted server leaves the categories of all users, and others stay', async () => {
  const daemon = await startDaemon()
  const [first, second] = [await register(daemon), await register(daemon)]
  const made = await daemon.post('/api/categories', { title: 'Mail' })
  const { category_id } = made.json<{ category_id: string }>()
  for (const { registry } of [first, second]) {
    const item = { item_kind: 'connector', item_id: registry.server_id }
    expect((await daemon.post(`/api/categories/${category_id}/assign`, item)).statusCode).toBeLessThan(300)
  }
  await daemon.delete(`/api/mcp/servers/${first.registry.server_id}`)
  const { items } = (await daemon.get(`/api/categories/${category_id}/items`)).json<{ items: { item_id: string }[] }>()
  expect(items.map(({ item_id }) => item_id)).toEqual([second.registry.server_id])
})

test('a server that this build cannot reach is deferred: it can be edited and deleted, and nothing else', async () => {
  const daemon = await startDaemon()
  const made = await register(daemon, { transport: 'provider_native', endpoint_url: undefined })
  expect(made).toMatchObject({
    registry: { active_build_surface: false },
    badge_states: ['deferred'],
    available_actions: ['edit', 'delete'],
  })
})
