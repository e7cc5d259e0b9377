import { expect, test } from 'vitest'
import { LearningRuntimeSnapshot } from '@apprentice/contracts/learn/runtime.ts'
import { addAbility } from '../abilities/an-ability.ts'
import { startDaemon } from '../kit/daemon.ts'
import { showSession } from './shown-session.ts'

const current = '/api/learn/runtime/current'
const hourMs = 3_600_000

test('someone without any session has no runtime', async () => {
  const daemon = await startDaemon()
  await daemon.aSessionIn('capturing', { owner_user_id: 'eve' })
  const reply = await daemon.get(current)
  expect(reply.statusCode).toBe(404)
  expect(reply.json()).toMatchObject({ error: { code: 'LEARN_SESSION_NOT_FOUND' } })
})

test('the session that holds the slot is current, though another was changed later', async () => {
  const daemon = await startDaemon()
  const open = await daemon.aSessionIn('paused')
  daemon.clock.advance(1000)
  await daemon.aSessionIn('approved')
  await daemon.aSessionIn('capturing', { owner_user_id: 'eve' })

  const reply = await daemon.get(current)

  expect(reply.statusCode, reply.body).toBe(200)
  expect(reply.json()).toMatchObject({
    learn_session_id: open,
    state: 'paused',
    snapshot_as_of: daemon.clock.now.toISOString(),
  })
})

test('with no slot held the session changed last is current', async () => {
  const daemon = await startDaemon()
  await daemon.aSessionIn('approved')
  daemon.clock.advance(1000)
  const later = await daemon.aSessionIn('cancelled')
  expect((await daemon.get(current)).json()).toMatchObject({ learn_session_id: later })
})

test('under the literal rule an approved session still holds the slot', async () => {
  const daemon = await startDaemon({
    settings: { learn: { concurrency: 'literal', adapters_max_phase: 1 } },
  })
  const approved = await daemon.aSessionIn('approved')
  daemon.clock.advance(1000)
  await daemon.aSessionIn('cancelled')
  expect((await daemon.get(current)).json()).toMatchObject({ learn_session_id: approved })
})

test('a snapshot tells what was observed, the bounds, the proposal and the last ten receipts', async () => {
  const daemon = await startDaemon()
  const id = await showSession(daemon)
  await daemon.post(`/api/learn/sessions/${id}/generate-proposal`)

  const snapshot = LearningRuntimeSnapshot.parse((await daemon.get(current)).json())

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

test('what the ability says of itself is read when the snapshot is made', async () => {
  const daemon = await startDaemon()
  await daemon.aSessionIn('installed_private', { ability_id: 'learned.share' })
  await addAbility(daemon, {
    ability_id: 'learned.share',
    install_lane: 'experimental_private',
    usable_now: false,
    reason_unusable: 'bridge_pending',
  })
  expect((await daemon.get(current)).json()).toMatchObject({
    ability_id: 'learned.share',
    install_lane: 'experimental_private',
    ability_usable_now: false,
    reason_unusable: 'bridge_pending',
  })
})

test('a capture left running too long is paused and then shown paused', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('capturing')
  daemon.clock.advance(4 * hourMs)

  const reply = await daemon.get(current)

  expect(reply.statusCode).toBe(200)
  expect(reply.json()).toMatchObject({ learn_session_id: id, state: 'paused' })
  expect(daemon.session(id)?.state).toBe('paused')
})

test('an armed session left alone is cancelled and then shown cancelled', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('armed')
  daemon.clock.advance(hourMs)
  expect((await daemon.get(current)).json()).toMatchObject({
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
