import { expect, test } from 'vitest'
import type { ConnectorReceipt } from '@apprentice/contracts/connectors/receipts.ts'
import { findApproval, insertApproval, MOST_LISTED } from '../../src/store/connectors/approvals.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { approve, askToWrite, call, connectTools, decide, listPending, readCall, waitForEnd } from './call-kit.ts'
import { readCode, readServers } from './connector-kit.ts'

const readReceipts = async (daemon: Daemon, correlation: string) =>
  (await daemon.get(`/api/mcp/receipts?correlation_id=${correlation}`)).json<{ receipts: ConnectorReceipt[] }>()
    .receipts

test('mcp_ask_first_resume_correlation: record, receipts and the resumed call have one correlation id', async () => {
  const daemon = await startDaemon()
  const { remote, server_id } = await connectTools(daemon)
  const secret = 'the text of a private note'
  const id = await askToWrite(daemon, server_id, { arguments: { body: secret }, why_needed: 'To answer Ada.' })
  const [pending] = await listPending(daemon)
  expect(pending).toMatchObject({
    dispatch_id: id,
    status: 'pending',
    tool_name: 'write_note',
    action_class: 'write',
    why_needed: 'To answer Ada.',
    request_summary: 'write_note of Notes server with body.',
    expires_at: '2026-03-01T12:15:00.000Z',
  })
  expect(JSON.stringify(pending)).not.toContain(secret)
  expect(remote.calls).toEqual([])
  expect((await readServers(daemon))[0]?.available_actions).not.toContain('delete')

  const decided = await approve(daemon, id)
  expect(decided).toMatchObject({ resumed: true, dispatch: { status: 'approved_once', approved_by: 'local' } })
  const ended = await waitForEnd(daemon, id)
  expect(ended).toMatchObject({ status: 'succeeded', correlation_id: pending?.correlation_id })
  expect(remote.calls).toEqual(['write_note'])
  expect(remote.arguments).toEqual([{ body: secret }])
  expect(await listPending(daemon)).toEqual([])
  const receipts = await readReceipts(daemon, pending?.correlation_id ?? '')
  expect(receipts.map(({ receipt_kind, status }) => [receipt_kind, status])).toEqual([
    ['ask_first_decision', 'ok'],
    ['ask_first', 'blocked'],
  ])
  const { receipts: uses } = (await daemon.get('/api/capabilities/receipts')).json<{ receipts: object[] }>()
  expect(uses[0]).toMatchObject({ correlation_id: pending?.correlation_id, approval_mode: 'ask_first' })
})

test('a denied call is not made, and a second decision is refused unless it is the same', async () => {
  const daemon = await startDaemon()
  const { remote, server_id } = await connectTools(daemon)
  const id = await askToWrite(daemon, server_id)
  expect(readCode(await daemon.post(`/api/mcp/ask-first/${id}/approve`, { decision: 'deny' }))).toBe('INVALID_REQUEST')
  expect((await decide(daemon, id, 'deny')).json()).toMatchObject({ resumed: false, dispatch: { status: 'denied' } })
  expect((await decide(daemon, id, 'deny')).statusCode).toBe(200)
  expect(readCode(await decide(daemon, id))).toBe('MCP_ASK_FIRST_ALREADY_DECIDED')
  expect(await readCall(daemon, id)).toMatchObject({ status: 'denied', error_code: 'ask_first_denied' })
  expect(remote.calls).toEqual([])
})

test('a call that nobody decides expires: it stays visible for a day and cannot be approved', async () => {
  const daemon = await startDaemon()
  const { remote, server_id } = await connectTools(daemon)
  const id = await askToWrite(daemon, server_id)
  daemon.clock.advance(15 * 60_000)
  expect(await listPending(daemon)).toMatchObject([{ dispatch_id: id, status: 'expired' }])
  const refused = await decide(daemon, id)
  expect([refused.statusCode, readCode(refused)]).toEqual([410, 'MCP_ASK_FIRST_EXPIRED'])
  await daemon.system.sweeper.sweepNow()
  expect(await readCall(daemon, id)).toMatchObject({ status: 'expired' })
  expect(await listPending(daemon)).toMatchObject([{ status: 'expired' }])
  daemon.clock.advance(24 * 3_600_000)
  expect(await listPending(daemon)).toEqual([])
  expect(remote.calls).toEqual([])
})

test.each([
  ['approve_until_end_of_turn', { turn_ref: 'turn-1' }, { turn_ref: 'turn-2' }, 10 * 60_000],
  ['approve_for_session', { session_ref: 'session-1' }, { session_ref: 'session-2' }, 12 * 3_600_000],
])('%s covers later calls of the same tool, not others, and ends', async (decision, own, other, lifetime) => {
  const daemon = await startDaemon()
  const { remote, server_id } = await connectTools(daemon)
  const id = await askToWrite(daemon, server_id, own)
  await approve(daemon, id, decision)
  await waitForEnd(daemon, id)
  expect((await call(daemon, server_id, 'write_note', own)).json()).toMatchObject({ status: 'succeeded' })
  await askToWrite(daemon, server_id, other)
  const ada = await daemon.tokenFor('ada')
  expect(readCode(await call(daemon, server_id, 'write_note', { ...own, token: ada }))).toBe('MCP_ASK_FIRST_REQUIRED')
  daemon.clock.advance(lifetime)
  await askToWrite(daemon, server_id, own)
  expect(remote.calls).toEqual(['write_note', 'write_note'])
})

test('a grant never lifts a policy that switches a tool off, and an approved call is refused then', async () => {
  const daemon = await startDaemon()
  const { remote, server_id } = await connectTools(daemon)
  const id = await askToWrite(daemon, server_id, { session_ref: 's' })
  await approve(daemon, id, 'approve_for_session')
  await waitForEnd(daemon, id)
  const waiting = await askToWrite(daemon, server_id)
  const target = { target_kind: 'server', server_id }
  await daemon.post('/api/mcp/policy/update', { target, decision: { mode: 'disabled' } })
  expect(readCode(await call(daemon, server_id, 'write_note', { session_ref: 's' }))).toBe('MCP_POLICY_DENIED')
  await approve(daemon, waiting)
  expect(await waitForEnd(daemon, waiting)).toMatchObject({ status: 'failed', error_code: 'MCP_POLICY_DENIED' })
  expect(remote.calls).toEqual(['write_note'])
})

test('a withdrawn call is not made, and a repeated request finds the call that it asked for', async () => {
  const daemon = await startDaemon()
  const { remote, server_id } = await connectTools(daemon)
  const withdrawn = await askToWrite(daemon, server_id)
  const url = `/api/capabilities/connectors/calls/${withdrawn}/cancel`
  expect((await daemon.post(url, {})).json()).toMatchObject({ status: 'cancelled' })
  expect(readCode(await decide(daemon, withdrawn))).toBe('MCP_ASK_FIRST_ALREADY_DECIDED')

  const id = await askToWrite(daemon, server_id, { client_request_id: 'once' })
  expect(await askToWrite(daemon, server_id, { client_request_id: 'once' })).toBe(id)
  await approve(daemon, id)
  await waitForEnd(daemon, id)
  const again = await call(daemon, server_id, 'write_note', { client_request_id: 'once' })
  expect(again.json()).toMatchObject({ dispatch_id: id, status: 'succeeded' })
  expect(remote.calls).toEqual(['write_note'])
})

test('only administrators decide, and users see their own calls', async () => {
  const daemon = await startDaemon()
  const { server_id } = await connectTools(daemon)
  const [ada, ben] = [await daemon.tokenFor('ada'), await daemon.tokenFor('ben')]
  const reply = await call(daemon, server_id, 'write_note', { token: ada })
  const { dispatch_id } = reply.json<{ error: { details: { dispatch_id: string } } }>().error.details
  const count = async (token: string) =>
    (await daemon.get('/api/mcp/ask-first/pending', token)).json<{ dispatches: object[] }>().dispatches.length
  expect([await count(ada), await count(ben)]).toEqual([1, 0])
  const url = `/api/mcp/ask-first/${dispatch_id}/approve`
  expect((await daemon.post(url, { decision: 'approve_once' }, ada)).statusCode).toBe(403)
  expect((await daemon.post(url, { decision: 'approve_once' })).statusCode).toBe(200)
  const listKinds = async (token: string) =>
    (await daemon.get('/api/mcp/receipts', token))
      .json<{ receipts: ConnectorReceipt[] }>()
      .receipts.map(({ receipt_kind }) => receipt_kind)
  const ofServer = ['smoke_test', 'server_create'] as const
  expect(await listKinds(ada)).toEqual(['ask_first_decision', 'ask_first', ...ofServer])
  expect(await listKinds(ben)).toEqual(ofServer)
})

test('of very many calls that wait or expired the oldest open ones and the last expired ones are listed', async () => {
  const daemon = await startDaemon()
  const { server_id } = await connectTools(daemon)
  const id = await askToWrite(daemon, server_id)
  const { store } = daemon.system
  const row = store.read((reader) => findApproval(reader, id) as never) as NonNullable<ReturnType<typeof findApproval>>
  const nameCall = (group: string, at: number): string => `${group}-0000-4000-8000-${String(at).padStart(12, '0')}`
  const [ofAda, ofBen] = ['aaaaaaaa', 'bbbbbbbb']
  const add = (count: number, group: string, given: Pick<typeof row, 'status' | 'user_id'>) =>
    store.write((tx) => {
      for (let at = 0; at < count; at += 1) {
        const updated_at = `2026-03-01T12:00:00.0${String(at % 100).padStart(2, '0')}Z`
        insertApproval(tx, { ...row, ...given, dispatch_id: nameCall(group, at), updated_at })
      }
    })
  await add(300, ofAda, { status: 'pending', user_id: 'ada' })
  await add(900, ofBen, { status: 'expired', user_id: 'ben' })
  const listed = await listPending(daemon)
  expect(listed).toHaveLength(MOST_LISTED)
  expect(listed.filter(({ status }) => status === 'pending')).toHaveLength(301)
  const ben = (await daemon.get('/api/mcp/ask-first/pending', await daemon.tokenFor('ben'))).json<{
    dispatches: { dispatch_id: string; status: string }[]
  }>().dispatches
  expect([ben.length, new Set(ben.map(({ status }) => status))]).toEqual([MOST_LISTED, new Set(['expired'])])
  expect(ben.filter(({ dispatch_id }) => !dispatch_id.startsWith(ofBen))).toEqual([])
})
