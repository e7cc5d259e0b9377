import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { CheckpointReceipt } from '@apprentice/contracts/learn/receipts.ts'
import { listCheckpointReceiptsSince } from '../../src/store/abilities/checkpoint-receipts.ts'
import { upsertInterpretation } from '../../src/store/proposals/interpretations.ts'
import { listOutboxSince, type OutboxEntry } from '../../src/store/command/outbox.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'

const verify = (daemon: Daemon, body: object, token?: string) =>
  daemon.post('/api/bridge/verify-checkpoint', body, token)

const REACHED = { checkpoint_id: 'saved', status: 'reached', evidence: 'The list shows it' }
const SKIPPED = { checkpoint_id: 'saved', status: 'skipped', reason: 'Already there' }
const FAILED = { ...REACHED, status: 'failed', reason: 'No such button' }
const ALL = { after: 0, limit: 100 }

const listReceipts = (daemon: Daemon) => daemon.system.store.read((reader) => listCheckpointReceiptsSince(reader, ALL))

const listOutbox = (daemon: Daemon, target: OutboxEntry['target']) =>
  daemon.system.store.read((reader) => listOutboxSince(reader, target, ALL)).map(({ entry }) => entry)

async function addInterpretedSession(daemon: Daemon, sessionState: 'testing_proposal' | 'approved') {
  const interpretation_id = randomUUID()
  const proposal_id = randomUUID()
  const id = await daemon.aSessionIn(sessionState, { interpretation_id, proposal_id })
  await daemon.system.store.write((tx) =>
    upsertInterpretation(tx, {
      interpretation_id,
      learn_session_id: id,
      proposal_id,
      title: 'Save',
      goal_summary: 'Save it',
      use_conditions: [],
      non_use_conditions: [],
      success_conditions: [],
      project_scope: 'global',
      preferred_control_surfaces: [],
      checkpoints: [{ checkpoint_id: 'saved', goal: 'Saved', success_condition: 'It is listed' }],
      user_confirmed: false,
      created_at: '2026-03-01T12:00:00.000Z',
      schema_version: 1,
    }),
  )
  return { id, proposal_id }
}

test('a reached checkpoint records a receipt and an event and does not change the session', async () => {
  const daemon = await startDaemon()
  const { id, proposal_id } = await addInterpretedSession(daemon, 'testing_proposal')
  const before = daemon.session(id)

  const reply = await verify(daemon, { ...REACHED, learn_session_id: id, ability_id: 'ab-1' })

  expect(reply.statusCode, reply.body).toBe(200)
  const { receipt } = reply.json<{ receipt: CheckpointReceipt }>()
  expect(reply.json()).toEqual({ receipt, accepted: true, schema_version: 1 })
  expect(receipt).toMatchObject({
    checkpoint_id: 'saved',
    status: 'reached',
    evidence: 'The list shows it',
    learn_session_id: id,
    proposal_id,
    ability_id: 'ab-1',
    unknown_checkpoint: false,
    created_at: '2026-03-01T12:00:00.000Z',
  })
  expect(listReceipts(daemon)).toEqual([{ position: 1, entry: receipt }])
  expect(daemon.eventsOf(id)).toEqual(['checkpoint.reached'])
  expect(daemon.events()[0]?.payload).toEqual({
    checkpoint_id: 'saved',
    evidence: 'The list shows it',
    proposal_id,
    unknown_checkpoint: false,
  })
  expect(daemon.session(id)).toEqual(before)
  expect([...listOutbox(daemon, 'doc8'), ...listOutbox(daemon, 'doc9')]).toEqual([])
})

test('a skipped checkpoint adds a friction entry to the outbox', async () => {
  const daemon = await startDaemon()

  const reply = await verify(daemon, { ...SKIPPED, dispatch_id: 'run-1', ability_id: 'ab-1' })

  const { receipt } = reply.json<{ receipt: CheckpointReceipt }>()
  expect(receipt).toMatchObject({ status: 'skipped', evidence: '', reason: 'Already there' })
  expect(listOutbox(daemon, 'doc8')).toMatchObject([
    {
      kind: 'friction.checkpoint_skipped',
      checkpoint_receipt_id: receipt.checkpoint_receipt_id,
      dispatch_id: 'run-1',
      ability_id: 'ab-1',
      summary: 'Checkpoint saved skipped: Already there',
    },
  ])
  expect(listOutbox(daemon, 'doc9')).toEqual([])
  expect(daemon.events().map((event) => event.kind)).toEqual(['checkpoint.skipped'])
})

test('a failed checkpoint adds a repair entry to the outbox', async () => {
  const daemon = await startDaemon()
  const { id } = await addInterpretedSession(daemon, 'approved')

  const reply = await verify(daemon, { ...FAILED, learn_session_id: id })

  const { receipt } = reply.json<{ receipt: CheckpointReceipt }>()
  expect(listOutbox(daemon, 'doc9')).toMatchObject([
    {
      kind: 'repair.checkpoint_failed',
      checkpoint_receipt_id: receipt.checkpoint_receipt_id,
      summary: 'Checkpoint saved failed: No such button',
    },
  ])
  expect(listOutbox(daemon, 'doc8')).toEqual([])
  expect(daemon.eventsOf(id)).toEqual(['checkpoint.failed'])
  expect(daemon.session(id)?.state).toBe('approved')
})

test('a session can start and stop without checkpoint reports', async () => {
  const daemon = await startDaemon()
  const created = await daemon.post('/api/learn/sessions', { entry_mode: 'demonstrating_skill' })
  const id = created.json<{ session: { learn_session_id: string } }>().session.learn_session_id

  await daemon.post(`/api/learn/sessions/${id}/start`)
  const stopped = await daemon.post(`/api/learn/sessions/${id}/stop`)

  expect(stopped.json()).toMatchObject({ session: { state: 'stopped' } })
  expect(listReceipts(daemon)).toEqual([])
})

test('an unknown checkpoint is recorded with unknown_checkpoint', async () => {
  const daemon = await startDaemon()
  const { id } = await addInterpretedSession(daemon, 'testing_proposal')

  const reply = await verify(daemon, { ...REACHED, checkpoint_id: 'other', learn_session_id: id })
  const withoutSession = await verify(daemon, { ...REACHED, dispatch_id: 'run-1' })

  expect(reply.json()).toMatchObject({ accepted: true, receipt: { unknown_checkpoint: true } })
  expect(withoutSession.json()).toMatchObject({ receipt: { unknown_checkpoint: true } })
  expect(listReceipts(daemon).map(({ entry }) => entry.unknown_checkpoint)).toEqual([true, true])
})

test('a report with an ability id knows the checkpoints of the ability', async () => {
  const daemon = await startDaemon()
  const { proposal_id, id } = await addInterpretedSession(daemon, 'approved')
  daemon.system.store.schema
    .prepare(
      `INSERT INTO proposals (proposal_id, owner_user_id, interpretation_id, source_trace_ids, title,
         proposed_skill_slug, trigger_phrases, negative_triggers, draft_skill_path, draft_manifest_path,
         proposal_state, install_lane, ability_id, support_pack_refs, created_at, updated_at, revision)
       VALUES (?, 'local', ?, '[]', 'Save', 'save', '[]', '[]', '', '', 'approved', 'pending', 'ab-1', '[]',
         '2026-03-01T12:00:00.000Z', '2026-03-01T12:00:00.000Z', 1)`,
    )
    .run(proposal_id, daemon.session(id)?.interpretation_id)

  const reply = await verify(daemon, { ...REACHED, dispatch_id: 'run-1', ability_id: 'ab-1' })

  expect(reply.json()).toMatchObject({ receipt: { unknown_checkpoint: false } })
})

test('evidence and reason are masked in receipts, events and the outbox', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('testing_proposal')

  await verify(daemon, {
    ...FAILED,
    evidence: 'Shows "my secret" for ada@example.org',
    reason: 'Code 123456 refused',
    learn_session_id: id,
  })

  expect(listReceipts(daemon)[0]?.entry).toMatchObject({
    evidence: 'Shows ••• for •••',
    reason: 'Code ••• refused',
  })
  const records = JSON.stringify([daemon.events(), listOutbox(daemon, 'doc9'), listReceipts(daemon)])
  expect(records).not.toMatch(/my secret|ada@|123456/)
})

test.each([
  ['reached without evidence', { checkpoint_id: 'c', status: 'reached', dispatch_id: 'd' }, 'evidence'],
  ['skipped without a reason', { checkpoint_id: 'c', status: 'skipped', dispatch_id: 'd' }, 'reason'],
  ['failed without a reason', { ...REACHED, status: 'failed', dispatch_id: 'd' }, 'reason'],
  ['of neither a session nor a dispatch', REACHED, 'learn_session_id'],
])('a checkpoint %s is rejected by the contract', async (_what, body, field) => {
  const daemon = await startDaemon()

  const reply = await verify(daemon, body)

  expect(reply.statusCode).toBe(400)
  expect(reply.json()).toMatchObject({ error: { code: 'INVALID_REQUEST', details: { field } } })
  expect(listReceipts(daemon)).toEqual([])
  expect(daemon.events()).toEqual([])
})

test('a report repeated with the same client_request_id is recorded once', async () => {
  const daemon = await startDaemon()
  const body = { ...REACHED, dispatch_id: 'run-1', client_request_id: 'once' }

  const first = await verify(daemon, body)
  const again = await verify(daemon, body)

  expect(again.json()).toEqual(first.json())
  expect(listReceipts(daemon)).toHaveLength(1)
})

test('checkpoint receipts of a session or dispatch are listed oldest first, only for their owner', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('approved')
  const bob = await daemon.tokenFor('bob')
  await verify(daemon, { ...REACHED, learn_session_id: id, dispatch_id: 'run-1' })
  await verify(daemon, { ...SKIPPED, learn_session_id: id })
  await verify(daemon, { ...FAILED, dispatch_id: 'run-1' })
  await verify(daemon, { ...REACHED, dispatch_id: 'run-1' }, bob)

  const bySession = await daemon.get(`/api/learn/sessions/${id}/checkpoint-receipts`)
  const second = await daemon.get(`/api/learn/sessions/${id}/checkpoint-receipts?page=2&page_size=1`)
  const byDispatch = await daemon.get('/api/dispatches/run-1/checkpoint-receipts')
  const bobs = await daemon.get('/api/dispatches/run-1/checkpoint-receipts', bob)
  const foreign = await daemon.get(`/api/learn/sessions/${id}/checkpoint-receipts`, bob)
  const unknown = await daemon.get('/api/dispatches/no-such/checkpoint-receipts')

  expect(bySession.json()).toMatchObject({
    receipts: [{ status: 'reached' }, { status: 'skipped' }],
    total: 2,
    page: 1,
    page_size: 20,
    schema_version: 1,
  })
  expect(second.json()).toMatchObject({ receipts: [{ status: 'skipped' }], total: 2, page: 2 })
  expect(byDispatch.json()).toMatchObject({
    receipts: [{ status: 'reached' }, { status: 'failed' }],
    total: 2,
  })
  expect(bobs.json()).toMatchObject({ receipts: [{ status: 'reached' }], total: 1 })
  expect(foreign.json()).toMatchObject({ error: { code: 'LEARN_SESSION_NOT_FOUND' } })
  expect(unknown.json()).toMatchObject({ receipts: [], total: 0 })
})

test("a checkpoint of another user's session cannot be reported", async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('approved')

  const reply = await verify(daemon, { ...REACHED, learn_session_id: id }, await daemon.tokenFor('bob'))

  expect(reply.statusCode).toBe(404)
  expect(listReceipts(daemon)).toEqual([])
  expect(daemon.eventsOf(id)).toEqual([])
})
