import type { LightMyRequestResponse } from 'fastify'
import { expect, test } from 'vitest'
import { decideConnectorPolicy, type StoredDecision } from '../../src/knowledge/connectors/connector-policy.ts'
import { startDaemon } from '../kit/daemon.ts'
import type { ConnectorCall } from '@apprentice/contracts/connectors/dispatch.ts'
import { call, connectTools, readCall, readUseReceipts } from './call-kit.ts'
import { readCode, readServers, register } from './connector-kit.ts'

const readErrorCode = (reply: LightMyRequestResponse): string | undefined =>
  reply.json<{ error?: { code: string } }>().error?.code

const NOW = '2026-03-01T12:00:00.000Z'
const TOOL = { provider: 'custom_remote', server_id: 's1', tool_name: 'send' } as const
const TARGETS = {
  global: { target_kind: 'global' },
  provider: { target_kind: 'provider', provider: 'custom_remote' },
  server: { target_kind: 'server', server_id: 's1' },
  tool: { target_kind: 'tool', server_id: 's1', tool_name: 'send' },
} as const
type Level = keyof typeof TARGETS
type Mode = 'enabled' | 'disabled' | 'ask_first'

const stored = (level: Level, mode: Mode, expires_at?: string): StoredDecision => ({
  target: TARGETS[level],
  decision: { mode, expires_at, updated_by: 'user', updated_at: NOW },
})

const decide = (action_class: 'read' | 'write', ...decisions: StoredDecision[]) => {
  const { decision, inherited_from } = decideConnectorPolicy(decisions, { ...TOOL, action_class }, NOW)
  return [decision.mode, inherited_from]
}

test.each<[string, 'read' | 'write', StoredDecision[], [Mode, string]]>([
  ['reading is allowed by default', 'read', [], ['enabled', 'none']],
  ['writing is asked first by default', 'write', [], ['ask_first', 'none']],
  [
    'a disabled provider beats an enabled tool',
    'read',
    [stored('provider', 'disabled'), stored('tool', 'enabled')],
    ['disabled', 'provider'],
  ],
  ['an enabled tool writes without asking', 'write', [stored('tool', 'enabled')], ['enabled', 'none']],
  ['an enabled server still asks before writing', 'write', [stored('server', 'enabled')], ['ask_first', 'none']],
  [
    'an enabled tool does not lift ask_first of its server',
    'write',
    [stored('server', 'ask_first'), stored('tool', 'enabled')],
    ['ask_first', 'server'],
  ],
  ['ask_first for all applies to reading too', 'read', [stored('global', 'ask_first')], ['ask_first', 'global']],
  [
    'the most specific of equally strict decisions is named',
    'read',
    [stored('global', 'disabled'), stored('server', 'disabled')],
    ['disabled', 'server'],
  ],
  [
    'an expired decision does not count',
    'read',
    [stored('server', 'disabled', '2026-03-01T11:00:00.000Z')],
    ['enabled', 'none'],
  ],
])('%s', (_rule, action, decisions, expected) => {
  expect(decide(action, ...decisions)).toEqual(expected)
})

test('the trace names every decision by precedence, and the first applies', () => {
  const trace = (action_class: 'read' | 'write', ...decisions: StoredDecision[]) =>
    decideConnectorPolicy(decisions, { ...TOOL, action_class }, NOW).precedence_trace
  const both = [stored('tool', 'enabled'), stored('provider', 'ask_first'), stored('server', 'ask_first')]
  expect(trace('write', ...both)).toEqual([
    'server/s1=ask_first',
    'provider/custom_remote=ask_first',
    'tool/s1/send=enabled',
  ])
  expect(trace('write', stored('server', 'enabled'))).toEqual([
    'default_write_ask_first=ask_first',
    'server/s1=enabled',
  ])
  expect(trace('read', stored('global', 'disabled', '2026-03-01T11:00:00.000Z'))).toEqual([
    'default_read_allowed=enabled',
  ])
  const long = { server_id: 'a'.repeat(120), tool_name: 'b'.repeat(120) }
  const target = { target_kind: 'tool', ...long } as const
  const [rule = ''] = decideConnectorPolicy(
    [{ target, decision: { mode: 'disabled', updated_by: 'user', updated_at: NOW } }],
    { provider: 'custom_remote', ...long, action_class: 'read' },
    NOW,
  ).precedence_trace
  expect([rule.length, rule.endsWith('=disabled')]).toEqual([160, true])
})

test('a call has the trace of its policy, and one that is denied leaves a receipt and none of its arguments', async () => {
  const daemon = await startDaemon()
  const { remote, server_id } = await connectTools(daemon)
  const made = (await call(daemon, server_id, 'read_note')).json<ConnectorCall>()
  expect(made.policy_trace).toEqual(['default_read_allowed=enabled'])
  const target = { target_kind: 'server', server_id }
  await daemon.post('/api/mcp/policy/update', { target, decision: { mode: 'disabled', reason_code: 'holiday' } })
  const refused = await call(daemon, server_id, 'write_note', { arguments: { body: 'a private text' } })
  expect(refused.statusCode).toBe(403)
  const { code, details } = refused.json<{ error: { code: string; details: Record<string, string> } }>().error
  expect([code, details]).toMatchObject(['MCP_POLICY_DENIED', { inherited_from: 'server', reason_code: 'holiday' }])
  const { dispatch_id = '', correlation_id = '' } = details
  expect(await readCall(daemon, dispatch_id)).toMatchObject({
    status: 'denied',
    error_code: 'MCP_POLICY_DENIED',
    policy_trace: [`server/${server_id}=disabled`],
    correlation_id,
  })
  expect((await readUseReceipts(daemon))[0]).toMatchObject({ dispatch_id, correlation_id, result: 'denied' })
  const entries = daemon.system.store.read(({ db }) => db.prepare('SELECT entry_ref FROM vault_entries').pluck().all())
  expect(entries.filter((ref) => String(ref).includes(dispatch_id))).toEqual([])
  expect(remote.calls).toEqual(['read_note'])
})

test('a decision is stored with the identity of the daemon, applied, and cleared by an expiry in the past', async () => {
  const daemon = await startDaemon()
  const { registry } = await register(daemon, { supported_tools: ['read_note'] })
  const update = (decision: object) =>
    daemon.post('/api/mcp/policy/update', { target: { target_kind: 'provider', provider: 'custom_remote' }, decision })
  expect((await update({ mode: 'ask_first', updated_by: 'migration' })).json()).toMatchObject({
    decision: { mode: 'ask_first', updated_by: 'user', updated_at: NOW },
  })
  expect((await readServers(daemon))[0]).toMatchObject({
    badge_states: ['approval_required'],
    effective_policy: { inherited_from: 'provider' },
  })
  await daemon.waitForProjections()
  expect(daemon.readProjection('mcp/policy_current.json')).toContain('ask_first')
  const { server_id } = registry
  const policies = async (query = '') => (await daemon.get(`/api/mcp/policies${query}`)).json<object>()
  const decisions = [{ target: { target_kind: 'provider' }, decision: { mode: 'ask_first' } }]
  expect(await policies()).toMatchObject({ decisions, tools: [] })
  expect(await policies(`?server_id=${server_id}`)).toMatchObject({
    decisions,
    tools: [
      {
        tool_name: 'read_note',
        action_class: 'write',
        effective_policy: { decision: { mode: 'ask_first' }, inherited_from: 'provider' },
      },
    ],
  })
  expect(readCode(await daemon.get('/api/mcp/policies?server_id=missing'))).toBe('MCP_SERVER_NOT_FOUND')

  await update({ mode: 'ask_first', expires_at: '2026-01-01T00:00:00.000Z' })
  expect((await readServers(daemon))[0]).toMatchObject({ badge_states: [] })
  await daemon.waitForProjections()
  expect(daemon.readProjection('mcp/policy_current.json')).toBeUndefined()
})

test('a policy that switches a server off does not show the badge of a disabled server', async () => {
  const daemon = await startDaemon()
  const { registry } = await register(daemon)
  const target = { target_kind: 'server', server_id: registry.server_id }
  await daemon.post('/api/mcp/policy/update', { target, decision: { mode: 'disabled' } })
  expect((await readServers(daemon))[0]).toMatchObject({
    badge_states: [],
    effective_policy: { decision: { mode: 'disabled' } },
  })
})

test('clients make no temporary grants, and no decisions for unknown servers', async () => {
  const daemon = await startDaemon()
  const update = (target: object) => daemon.post('/api/mcp/policy/update', { target, decision: { mode: 'enabled' } })
  const dispatch_id = '00000000-0000-4000-8000-000000000000'
  expect(readCode(await update({ target_kind: 'temporary_grant', dispatch_id }))).toBe('INVALID_REQUEST')
  expect(readCode(await update({ target_kind: 'server', server_id: 'missing' }))).toBe('MCP_SERVER_NOT_FOUND')
})

test('deleting a server deletes the decisions about it', async () => {
  const daemon = await startDaemon()
  const { registry } = await register(daemon)
  const { server_id } = registry
  for (const target of [TARGETS.global, { ...TARGETS.server, server_id }, { ...TARGETS.tool, server_id }]) {
    await daemon.post('/api/mcp/policy/update', { target, decision: { mode: 'ask_first' } })
  }
  await daemon.delete(`/api/mcp/servers/${server_id}`)
  await daemon.waitForProjections()
  const kept = JSON.parse(daemon.readProjection('mcp/policy_current.json') ?? '[]') as { target: object }[]
  expect(kept.map(({ target }) => target)).toEqual([TARGETS.global])
})

test('what intents restrict holds for calls, for a server or its whole provider, and loosens nothing', async () => {
  const daemon = await startDaemon()
  const { remote, server_id } = await connectTools(daemon)
  const restrict = async (name: string, mode: string | null) => {
    const reply = await daemon.post('/api/config/intents', {
      intent_id: crypto.randomUUID(),
      target: 'connector_policy',
      payload: { [name]: mode === null ? null : { mode } },
      requested_by: 'ui',
      correlation_id: 'test',
      created_at: NOW,
    })
    expect(reply.statusCode, reply.body).toBe(202)
  }
  const read = async () => readErrorCode(await call(daemon, server_id, 'read_note'))
  await restrict(server_id, 'disabled')
  expect(await read()).toBe('MCP_POLICY_DENIED')
  await restrict(server_id, null)
  await restrict('custom_remote', 'ask_first')
  expect(await read()).toBe('MCP_ASK_FIRST_REQUIRED')
  expect((await readServers(daemon))[0]?.badge_states).toContain('approval_required')
  await restrict('custom_remote', 'enabled')
  expect(await read()).toBeUndefined()
  expect(readErrorCode(await call(daemon, server_id, 'write_note'))).toBe('MCP_ASK_FIRST_REQUIRED')
  expect(remote.calls).toEqual(['read_note'])
})
