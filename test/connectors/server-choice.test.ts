import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ConnectorServer } from '@apprentice/contracts/connectors/server.ts'
import type { ProjectSourceBinding } from '@apprentice/contracts/projects/bindings.ts'
import { chooseServer, type ServerCandidate } from '../../src/knowledge/connectors/server-choice.ts'
import { startDaemon } from '../kit/daemon.ts'
import { countRuns } from '../kit/count-runs.ts'
import { CALL_URL } from './call-kit.ts'
import { readCode, register, smokeTest } from './connector-kit.ts'
import { startToolServer } from './tool-server.ts'

const AT = '2026-03-01T12:00:00.000Z'
const LATER = '2026-03-01T12:05:00.000Z'

function candidate(server_id: string, changes: Partial<ServerCandidate> = {}, server: Partial<ConnectorServer> = {}) {
  const registry: ConnectorServer = {
    server_id,
    provider: 'custom_remote',
    display_name: server_id,
    endpoint_url: `https://${server_id}.example/mcp`,
    transport: 'remote_http',
    interaction_mode: 'interactive_user',
    rate_limit_profile: 'unknown',
    data_classes: [],
    supported_tools: ['read_note'],
    enabled: true,
    active_build_surface: true,
    supports_smoke_test: true,
    created_at: AT,
    updated_at: AT,
    schema_version: 1,
    ...server,
  }
  const health = { health_status: 'healthy' } as const
  return { registry, health, mode: 'enabled', ...changes } satisfies ServerCandidate
}

const binding = (changes: Partial<ProjectSourceBinding>): ProjectSourceBinding => ({
  project_id: 'P-1',
  aliases: [],
  bucket_ids: [],
  preferred_doc_types: [],
  sharepoint_refs: [],
  onedrive_refs: [],
  teams_refs: [],
  source_of_truth: 'mixed',
  ambiguity_policy: 'return_all',
  created_at: AT,
  updated_at: AT,
  schema_version: 1,
  ...changes,
})

const degraded = { health: { health_status: 'degraded' } } as const
const paused = { health: { health_status: 'healthy', backoff_until: LATER } } as const
const noTool = { supported_tools: [] }
const bridge = { transport: 'local_bridge', endpoint_url: undefined } as const

test.each<[string, ServerCandidate[], Partial<ProjectSourceBinding> | undefined, string]>([
  ['policy before health', [candidate('a', { mode: 'ask_first' }), candidate('b', degraded)], undefined, 'b'],
  ['the tool before health', [candidate('a', {}, noTool), candidate('b', degraded)], undefined, 'b'],
  [
    'the project before health',
    [candidate('a'), candidate('b', degraded)],
    { sharepoint_refs: ['https://b.example/sites/1'] },
    'b',
  ],
  ['Microsoft 365 for its own references', [candidate('a'), candidate('b', {}, { provider: 'm365' })], {}, 'b'],
  [
    'a local bridge for local documents',
    [candidate('a'), candidate('b', {}, bridge)],
    { source_of_truth: 'core_project' },
    'b',
  ],
  ['health before transport', [candidate('a', degraded), candidate('b', {}, bridge)], undefined, 'b'],
  ['a server of the cloud before a bridge', [candidate('a', {}, bridge), candidate('b')], undefined, 'b'],
  ['a server without a pause', [candidate('a', paused), candidate('b')], undefined, 'b'],
  ['the first by id of equal servers', [candidate('b'), candidate('a')], undefined, 'a'],
])('%s decides', (_what, candidates, project, expected) => {
  const question = { tool_name: 'read_note', binding: project && binding(project), now: AT }
  expect(chooseServer(candidates, question).server_id).toBe(expected)
})

test.each<[string, ServerCandidate[], string]>([
  ['allow', [candidate('a')], 'a'],
  ['ask_first', [candidate('a', { mode: 'ask_first' })], 'a'],
  ['degraded', [candidate('a', degraded)], 'a'],
])('the decision is %s', (decision, candidates, server_id) => {
  expect(chooseServer(candidates, { tool_name: 'read_note', now: AT })).toMatchObject({ decision, server_id })
})

test.each<[string, ServerCandidate[]]>([
  ['deny', [candidate('a', { mode: 'disabled' })]],
  ['no_route', [candidate('a', {}, noTool)]],
  ['no_route', [candidate('a', {}, { enabled: false }), candidate('b', {}, { active_build_surface: false })]],
  ['no_route', []],
])('the decision is %s and no server is taken', (decision, candidates) => {
  const choice = chooseServer(candidates, { tool_name: 'read_note', now: AT })
  expect([choice.decision, choice.server_id]).toEqual([decision, undefined])
})

test('the choice does not depend on the order, and never falls on a server that must not be used', () => {
  const some = fc.uniqueArray(
    fc.record({
      id: fc.constantFrom('a', 'b', 'c', 'd'),
      mode: fc.constantFrom('enabled', 'ask_first', 'disabled'),
      health_status: fc.constantFrom('healthy', 'degraded', 'unknown'),
      enabled: fc.boolean(),
      hasTool: fc.boolean(),
    }),
    { selector: ({ id }) => id },
  )
  fc.assert(
    fc.property(some, (parts) => {
      const candidates = parts.map(({ id, mode, health_status, enabled, hasTool }) =>
        candidate(id, { mode, health: { health_status } }, { enabled, ...(hasTool ? {} : noTool) }),
      )
      const choice = chooseServer(candidates, { tool_name: 'read_note', now: AT })
      expect(chooseServer(candidates.toReversed(), { tool_name: 'read_note', now: AT })).toEqual(choice)
      const taken = parts.find(({ id }) => id === choice.server_id)
      const isUsable = parts.some(({ enabled, hasTool, mode }) => enabled && hasTool && mode !== 'disabled')
      expect(taken !== undefined).toBe(isUsable)
      if (taken !== undefined)
        expect([taken.enabled, taken.hasTool, taken.mode === 'disabled']).toEqual([true, true, false])
    }),
    { numRuns: countRuns(200) },
  )
})

test('a call that names only a provider goes to the best server that has the tool', async () => {
  const daemon = await startDaemon()
  const [first, second] = [await startToolServer(), await startToolServer()]
  const supported_tools = ['read_note']
  const { registry } = await register(daemon, { endpoint_url: first.url, supported_tools })
  const other = await register(daemon, { endpoint_url: second.url, supported_tools })
  await smokeTest(daemon, other.registry.server_id)
  const target = { target_kind: 'server', server_id: registry.server_id }
  await daemon.post('/api/mcp/policy/update', { target, decision: { mode: 'disabled' } })
  const send = (body: object) => daemon.post(CALL_URL, { tool_name: 'read_note', ...body })
  expect((await send({ provider: 'custom_remote' })).json()).toMatchObject({
    server_id: other.registry.server_id,
    status: 'succeeded',
  })
  expect([first.calls, second.calls]).toEqual([[], ['read_note']])
  expect(readCode(await send({ provider: 'custom_remote', tool_name: 'fly' }))).toBe('MCP_SERVER_NOT_FOUND')
  expect(readCode(await send({}))).toBe('INVALID_REQUEST')
})
