import { expect, test } from 'vitest'
import { LearningRuntimeSnapshot } from '@apprentice/contracts/learn/runtime.ts'
import { addAbility } from '../abilities/ability-rows.ts'
import { startDaemon } from '../kit/daemon.ts'
import { demonstrateSession } from './demonstrated-session.ts'

const CURRENT_URL = '/api/learn/runtime/current'
const HOUR_MS = 3_600_000

test('a user without sessions has no runtime', async () => {
  const daemon = await startDaemon()
  await daemon.aSessionIn('capturing', { owner_user_id: 'eve' })
  const reply = await daemon.get(CURRENT_URL)
  expect(reply.statusCode).toBe(404)
  expect(reply.json()).toMatchObject({ error: { code: 'LEARN_SESSION_NOT_FOUND' } })
})

test('the session that occupies the slot is current, even if another was changed later', async () => {
  const daemon = await startDaemon()
  const open = await daemon.aSessionIn('paused')
  daemon.clock.advance(1000)
  await daemon.aSessionIn('approved')
  await daemon.aSessionIn('capturing', { owner_user_id: 'eve' })

  const reply = await daemon.get(CURRENT_URL)

  expect(reply.statusCode, reply.body).toBe(200)
  expect(reply.json()).toMatchObject({
    learn_session_id: open,
    state: 'paused',
    snapshot_as_of: daemon.clock.now.toISOString(),
  })
})

test('without an active session the session changed last is current', async () => {
  const daemon = await startDaemon()
  await daemon.aSessionIn('approved')
  daemon.clock.advance(1000)
  const later = await daemon.aSessionIn('cancelled')
  expect((await daemon.get(CURRENT_URL)).json()).toMatchObject({ learn_session_id: later })
})

test('with the literal rule an approved session still occupies the slot', async () => {
  const daemon = await startDaemon({
    settings: { learn: { concurrency: 'literal', adapters_max_phase: 1 } },
  })
  const approved = await daemon.aSessionIn('approved')
  daemon.clock.advance(1000)
  await daemon.aSessionIn('cancelled')
  expect((await daemon.get(CURRENT_URL)).json()).toMatchObject({ learn_session_id: approved })
})

test('a snapshot has data classes, boundary, proposal and the last ten receipts', async () => {
  const daemon = await startDaemon()
  const id = await demonstrateSession(daemon)
  await daemon.post(`/api/learn/sessions/${id}/generate-proposal`)

  const snapshot = LearningRuntimeSnapshot.parse((await daemon.get(CURRENT_URL)).json())

  const session = daemon.session(id)
  expect(snapshot).toMatchObject({
    learn_session_id: id,
    state: 'drafting_proposal',
    observed_data_classes: ['script_receipts'],
    active_boundary_ref: session?.stop_boundary_ref,
    proposal_id: session?.proposal_id,
    interpretation_id: session?.interpretation_id,
    install_lane: 'pending',
  })
  expect(snapshot.ability_usable_now).toBeUndefined()
  const { receipts } = (await daemon.get('/api/learn/receipts?page_size=10')).json<{
    receipts: { receipt_id: string }[]
  }>()
  expect(snapshot.latest_receipt_ids).toEqual(receipts.map(({ receipt_id }) => receipt_id))
})

test('the snapshot has the current status of the ability', async () => {
  const daemon = await startDaemon()
  await daemon.aSessionIn('installed_private', { ability_id: 'learned.share' })
  await addAbility(daemon, {
    ability_id: 'learned.share',
    install_lane: 'experimental_private',
    usable_now: false,
    reason_unusable: 'bridge_pending',
  })
  expect((await daemon.get(CURRENT_URL)).json()).toMatchObject({
    ability_id: 'learned.share',
    install_lane: 'experimental_private',
    ability_usable_now: false,
    reason_unusable: 'bridge_pending',
  })
})

test('the snapshot of an expired capture is paused', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('capturing')
  daemon.clock.advance(4 * HOUR_MS)

  const reply = await daemon.get(CURRENT_URL)

  expect(reply.statusCode).toBe(200)
  expect(reply.json()).toMatchObject({ learn_session_id: id, state: 'paused' })
  expect(daemon.session(id)?.state).toBe('paused')
})

test('the snapshot of an expired armed session is cancelled, with a receipt', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('armed')
  daemon.clock.advance(HOUR_MS)
  expect((await daemon.get(CURRENT_URL)).json()).toMatchObject({
    learn_session_id: id,
    state: 'cancelled',
  })
  const { receipts } = (await daemon.get(`/api/learn/receipts?learn_session_id=${id}`)).json<{
    receipts: unknown[]
  }>()
  expect(receipts).toMatchObject([
    { receipt_kind: 'learn.session.cancelled', reason: 'session_timeout', actor: 'system' },
  ])
})
