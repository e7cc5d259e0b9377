import type { ProposalDetail } from '@apprentice/contracts/learn/proposal-review.ts'
import { expect, test } from 'vitest'
import { splitWork } from '../../src/domain/mining/connector-traces.ts'
import type { DispatchRow } from '../../src/store/connectors/dispatches.ts'
import { approve, askToWrite, call, connectTools, decide, waitForEnd } from '../connectors/call-kit.ts'
import { register, smokeTest } from '../connectors/connector-kit.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { connectClient } from '../mcp/mcp-client.ts'
import { changeSettings, listClusters, scan, waitUntilSettled } from './climate-phone.ts'

const HOUR_MS = 3_600_000
const WORK = { why_needed: 'File the meeting note' }

/** Reads, writes with approval, and reads back. */
async function fileNote(daemon: Daemon, server_id: string, more: object): Promise<void> {
  await call(daemon, server_id, 'read_note', { ...more })
  const written = await askToWrite(daemon, server_id, { ...more })
  await approve(daemon, written)
  await waitForEnd(daemon, written)
  await call(daemon, server_id, 'read_note', { ...more })
  daemon.clock.advance(HOUR_MS)
}

/** The same work for several projects. */
async function repeatWork(daemon: Daemon): Promise<string> {
  const { server_id } = await connectTools(daemon)
  for (let count = 0; count < 3; count += 1) await fileNote(daemon, server_id, { ...WORK, project_id: `p-${count}` })
  return server_id
}

test('repeated connector calls are proposed as a document that names the tools in their order', async () => {
  const daemon = await startDaemon()
  const server_id = await repeatWork(daemon)
  const found = await scan(daemon)
  expect(found).toMatchObject({ build_failures: [], gate_failures: [], proposals_created: [expect.any(String)] })
  const [cluster] = await listClusters(daemon)
  expect(cluster).toMatchObject({
    normalized_goal: 'file the meeting note',
    app_family: server_id,
    dominant_control_surfaces: ['mcp_connector'],
    variation_score: 0,
    verification_coverage_score: 1,
  })
  const url = `/api/learn/proposals/${found.proposals_created[0]}`
  const detail = (await daemon.get(`${url}/detail`)).json<ProposalDetail>()
  expect(detail.proposal).toMatchObject({ title: 'File the meeting note' })
  expect(detail.recipe).toBeUndefined()
  const document = (await daemon.get(`${url}/files/SKILL.md`)).json<{ content: string }>().content.replaceAll('\\', '')
  expect(document.match(/(?<=^- )\w+(?= of Notes server)/gm)).toEqual(['read_note', 'write_note', 'read_note'])
  // Counted calls are not counted again.
  expect(await scan(daemon)).toMatchObject({ clusters_seen: 1, proposals_created: [] })
})

test('what nothing can test is never installed without a review', async () => {
  const daemon = await startDaemon()
  await changeSettings(daemon, {
    mode: 'auto_install_private',
    require_user_feedback_before_build_when_ambiguous: false,
  })
  await repeatWork(daemon)
  const [proposal_id = ''] = (await scan(daemon)).proposals_created
  expect(await waitUntilSettled(daemon, proposal_id)).toBe('ready_for_review')
})

test('tests and probes of servers are not counted, and work that goes on is not counted yet', async () => {
  const daemon = await startDaemon()
  const { server_id } = await connectTools(daemon)
  for (let count = 0; count < 4; count += 1) {
    await smokeTest(daemon, server_id, { tool_name: 'read_note' })
    daemon.clock.advance(HOUR_MS)
    await daemon.system.connectors.probes.probeNow()
  }
  expect(await scan(daemon)).toMatchObject({ clusters_seen: 0 })
  await call(daemon, server_id, 'read_note')
  expect(await scan(daemon)).toMatchObject({ clusters_seen: 0 })
  daemon.clock.advance(HOUR_MS)
  expect(await scan(daemon)).toMatchObject({ clusters_seen: 1 })
})

test('writes that nobody reads back, and calls that a person denied, are not proposed', async () => {
  const daemon = await startDaemon()
  const { server_id } = await connectTools(daemon)
  for (let count = 0; count < 3; count += 1) {
    await call(daemon, server_id, 'read_note', WORK)
    const written = await askToWrite(daemon, server_id, WORK)
    await approve(daemon, written)
    await waitForEnd(daemon, written)
    daemon.clock.advance(HOUR_MS)
  }
  expect(await scan(daemon)).toMatchObject({
    proposals_created: [],
    gate_failures: [{ reasons: ['verification_too_low'] }],
  })
  const other = await register(daemon, { display_name: 'Other notes' })
  expect(other.registry.server_id).not.toBe(server_id)
  const denied = { why_needed: 'Delete the old archive' }
  for (let count = 0; count < 3; count += 1) {
    await call(daemon, server_id, 'read_note', denied)
    await decide(daemon, await askToWrite(daemon, server_id, denied), 'deny')
    daemon.clock.advance(HOUR_MS)
  }
  await scan(daemon)
  const cluster = (await listClusters(daemon)).find(({ normalized_goal }) => normalized_goal.startsWith('delete'))
  expect(cluster).toMatchObject({
    successful_trace_ids: [],
    failed_trace_ids: [{}, {}, {}].map(() => expect.any(String)),
  })
  expect(cluster?.negative_indicators).toContain('repeated_overrides')
})

test('calls of different users, and of different sessions at the same time, are different work', async () => {
  const daemon = await startDaemon()
  const { server_id } = await connectTools(daemon)
  const [ada, ben] = [await daemon.tokenFor('ada'), await daemon.tokenFor('ben')]
  for (const token of [ada, ben, ada, ben]) await call(daemon, server_id, 'read_note', { token })
  const { url } = await daemon.listen()
  for (let count = 0; count < 2; count += 1) {
    const client = await connectClient(url, { token: ada })
    await client.callTool({ name: `connector_${server_id.slice(-6)}_read_note`, arguments: {} })
  }
  daemon.clock.advance(HOUR_MS)
  await scan(daemon)
  const traces = (await listClusters(daemon)).map(({ successful_trace_ids }) => successful_trace_ids.length)
  expect(traces.toSorted((a, b) => a - b)).toEqual([1, 3])
})

test('a long pause ends a piece of work', () => {
  const at = (minute: number): DispatchRow => {
    const time = new Date(Date.UTC(2026, 0, 5, 9, minute)).toISOString()
    return {
      dispatch_id: `call-${minute}`,
      correlation_id: '',
      user_id: 'ada',
      server_id: 'notes',
      tool_name: 'read_note',
      action_class: 'read',
      status: 'succeeded',
      approval_mode: 'autonomous',
      max_duration_ms: 1000,
      policy_trace: [],
      created_at: time,
      completed_at: time,
    }
  }
  expect(splitWork([at(0), at(10), at(21), at(22)]).map((piece) => piece.length)).toEqual([2, 2])
})
