import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { AbilityRow } from '../../src/store/abilities/abilities.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { findProposal } from '../../src/store/proposals/proposals.ts'
import { addProposal } from '../projections/rows.ts'
import { readAbility, runCommand, addAbility } from './ability-rows.ts'

const change = (daemon: Daemon, verb: string, body?: object, token?: string) =>
  daemon.post(`/api/abilities/learned.export-brief/${verb}`, body, token)

const kinds = (daemon: Daemon) =>
  daemon
    .events()
    .map(({ kind }) => kind)
    .filter((kind) => kind.startsWith('ability.'))

const receipts = async (daemon: Daemon) =>
  (await daemon.get('/api/learn/receipts?ability_id=learned.export-brief'))
    .json<{ receipts: { receipt_kind: string; details: { changed?: boolean } }[] }>()
    .receipts.map(({ receipt_kind, details }) => [receipt_kind, details.changed])
    .filter(([kind]) => kind !== 'ability.snapshot.updated')

/** A native ability, which needs no installation. */
const NATIVE: Partial<AbilityRow> = { source: 'native' }

test('an ability is disabled and enabled again', async () => {
  const daemon = await startDaemon()
  const id = await addAbility(daemon, NATIVE)

  const off = await change(daemon, 'deactivate')
  expect([off.statusCode, off.json()]).toEqual([200, { ability_id: id, enabled: false }])
  expect(readAbility(daemon, id)).toMatchObject({
    enabled: false,
    usable_now: false,
    reason_unusable: 'disabled',
    updated_at: '2026-03-01T12:00:00.000Z',
  })
  expect((await daemon.get('/api/abilities/availability')).json()).toMatchObject({
    stale: false,
    snapshot_as_of: '2026-03-01T12:00:00.000Z',
  })

  const on = await change(daemon, 'activate')
  expect([on.statusCode, on.json()]).toEqual([200, { ability_id: id, enabled: true }])
  expect(readAbility(daemon, id)).toMatchObject({ enabled: true, usable_now: true })
  expect(kinds(daemon)).toEqual([
    'ability.changed',
    'ability.route.disabled',
    'ability.snapshot.updated',
    'ability.changed',
    'ability.route.enabled',
    'ability.snapshot.updated',
  ])
  expect(await receipts(daemon)).toEqual([
    ['ability.activated', true],
    ['ability.deactivated', true],
  ])
})

test('quarantine makes the ability unusable and stores its lane, unquarantine restores it', async () => {
  const daemon = await startDaemon()
  const id = await addAbility(daemon, { ...NATIVE, enabled: true })
  const body = { reason: 'sent a mail to everybody' }

  const quarantined = await change(daemon, 'quarantine', body)
  expect(quarantined.json()).toEqual({ ability_id: id, quarantined: true, ...body })
  expect(readAbility(daemon, id)).toMatchObject({
    install_lane: 'quarantined',
    prior_lane: 'approved_workspace',
    checkpoint_health: 'quarantined',
    usable_now: false,
    reason_unusable: 'quarantined',
    enabled: true,
  })
  const refused = await change(daemon, 'activate')
  expect([refused.statusCode, refused.json().error.code]).toEqual([403, 'INSTALL_LANE_DENIED'])
  const event = daemon.events().find(({ kind }) => kind === 'ability.quarantined')
  expect(event?.payload).toMatchObject({ ability_id: id, ...body })

  const back = await change(daemon, 'unquarantine')
  expect(back.json()).toEqual({ ability_id: id, quarantined: false })
  expect(readAbility(daemon, id)).toMatchObject({
    install_lane: 'approved_workspace',
    checkpoint_health: 'no_data',
    usable_now: true,
  })
  expect(readAbility(daemon, id)?.prior_lane).toBeUndefined()
})

test('a repeated change records a receipt and changes nothing', async () => {
  const daemon = await startDaemon()
  const id = await addAbility(daemon, { ...NATIVE, source: 'learned' })
  const sent = ['activate', 'unquarantine', 'quarantine', 'quarantine', 'deactivate', 'deactivate']
  for (const [at, verb] of sent.entries()) {
    const before = readAbility(daemon, id)
    const body = verb === 'quarantine' ? { reason: 'r' } : undefined
    expect((await change(daemon, verb, body)).statusCode, verb).toBe(200)
    if (sent[at - 1] === verb) expect(readAbility(daemon, id), `repeated ${verb}`).toEqual(before)
  }
  expect(readAbility(daemon, id)).toMatchObject({
    install_lane: 'quarantined',
    prior_lane: 'approved_workspace',
    enabled: false,
  })
  expect((await receipts(daemon)).toReversed()).toEqual([
    ['ability.activated', false],
    ['ability.unquarantined', false],
    ['ability.quarantined', true],
    ['ability.quarantined', false],
    ['ability.deactivated', true],
    ['ability.deactivated', false],
  ])
  expect(kinds(daemon).filter((kind) => kind !== 'ability.snapshot.updated')).toEqual([
    'ability.changed',
    'ability.quarantined',
    'ability.changed',
    'ability.route.disabled',
  ])
})

test('promoting a private ability approves the session it came from', async () => {
  const daemon = await startDaemon()
  const learn_session_id = await daemon.aSessionIn('installed_private')
  const id = await addAbility(daemon, { install_lane: 'experimental_private', learn_session_id })

  const reply = await change(daemon, 'promote-shared')
  expect(reply.json()).toEqual({ ability_id: id, install_lane: 'shared_promoted' })
  expect(readAbility(daemon, id)?.install_lane).toBe('shared_promoted')
  expect(daemon.session(learn_session_id)?.state).toBe('approved')
  expect(daemon.eventsOf(learn_session_id)).toEqual([
    'learn.session.state_changed',
    'ability.promoted',
    'bridge.rebuild.started',
    'bridge.rebuild.completed',
    'ability.snapshot.updated',
  ])
  expect((await change(daemon, 'promote-shared')).statusCode).toBe(200)
  expect(kinds(daemon).filter((kind) => kind === 'ability.promoted')).toHaveLength(1)
})

test('promoting an ability approves its proposal', async () => {
  const daemon = await startDaemon()
  const proposal_id = randomUUID()
  const learn_session_id = await daemon.aSessionIn('installed_private', { proposal_id })
  const lane = { install_lane: 'experimental_private' } as const
  await runCommand(daemon, (ctx) =>
    addProposal(ctx, learn_session_id, {
      proposal_id,
      proposal_state: 'installed_private',
      ...lane,
    }),
  )
  await addAbility(daemon, { ...lane, learn_session_id, proposal_id })

  await change(daemon, 'promote-shared')

  expect(daemon.system.store.read((reader) => findProposal(reader, proposal_id))).toMatchObject({
    proposal_state: 'approved',
    install_lane: 'shared_promoted',
  })
  expect(daemon.session(learn_session_id)?.state).toBe('approved')
})

test.each<[string, Partial<AbilityRow>]>([
  ['quarantined', { install_lane: 'quarantined', prior_lane: 'approved_workspace' }],
  ['native', { source: 'native' }],
])('a %s ability cannot be promoted', async (_what, changes) => {
  const daemon = await startDaemon()
  const id = await addAbility(daemon, changes)
  const before = readAbility(daemon, id)
  const reply = await change(daemon, 'promote-shared')
  expect([reply.statusCode, reply.json().error.code]).toEqual([403, 'INSTALL_LANE_DENIED'])
  expect(readAbility(daemon, id)).toEqual(before)
  expect(daemon.events()).toEqual([])
})

const VERBS = ['activate', 'deactivate', 'quarantine', 'unquarantine'] as const
const REASON = { reason: 'r' }

test.each(VERBS)('%s: a private ability is changed by its owner only', async (verb) => {
  const daemon = await startDaemon()
  await addAbility(daemon, { owner_user_id: 'ada', install_lane: 'experimental_private' })
  const ada = await daemon.tokenFor('ada')
  const eve = await daemon.tokenFor('eve', 'admin')

  const reply = await change(daemon, verb, REASON, eve)
  expect([reply.statusCode, reply.json().error.code]).toEqual([404, 'ABILITY_NOT_FOUND'])
  expect(kinds(daemon)).toEqual([])
  expect((await change(daemon, verb, REASON, ada)).statusCode).toBe(200)
})

test.each(VERBS)('%s: a shared ability is changed by an admin only', async (verb) => {
  const daemon = await startDaemon()
  await addAbility(daemon, { owner_user_id: 'ada' })
  const ada = await daemon.tokenFor('ada')

  const reply = await change(daemon, verb, REASON, ada)
  expect([reply.statusCode, reply.json().error]).toMatchObject([
    403,
    { code: 'INSTALL_LANE_DENIED', details: { install_lane: 'approved_workspace' } },
  ])
  expect(kinds(daemon)).toEqual([])
  expect((await change(daemon, verb, REASON)).statusCode).toBe(200)
})

test('changing an ability needs a write token, promoting it an admin token', async () => {
  const daemon = await startDaemon()
  await addAbility(daemon, { owner_user_id: 'ada', install_lane: 'experimental_private' })
  const reader = await daemon.tokenFor('ada', 'read')
  const writer = await daemon.tokenFor('ada', 'write')
  const admin = await daemon.tokenFor('ada', 'admin')
  expect((await change(daemon, 'deactivate', {}, reader)).statusCode).toBe(403)
  expect((await change(daemon, 'promote-shared', {}, writer)).statusCode).toBe(403)
  expect(readAbility(daemon, 'learned.export-brief')).toMatchObject({
    install_lane: 'experimental_private',
    enabled: true,
  })
  expect((await change(daemon, 'deactivate', {}, writer)).statusCode).toBe(200)
  expect((await change(daemon, 'promote-shared', {}, admin)).statusCode).toBe(200)
})

test('a quarantine needs a reason of at most 240 characters', async () => {
  const daemon = await startDaemon()
  await addAbility(daemon)
  for (const body of [{}, { reason: ' ' }, { reason: 'x'.repeat(241) }]) {
    expect((await change(daemon, 'quarantine', body)).statusCode).toBe(400)
  }
  expect(readAbility(daemon, 'learned.export-brief')?.install_lane).toBe('approved_workspace')
})
