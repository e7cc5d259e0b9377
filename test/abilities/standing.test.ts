import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { AbilityRow } from '../../src/store/abilities/abilities.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { findProposal } from '../../src/store/proposals/proposals.ts'
import { addProposal } from '../projections/rows.ts'
import { abilityIn, runCommand, addAbility } from './an-ability.ts'

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

/** Comes with the runtime, so that nothing has to be installed for it. */
const ready: Partial<AbilityRow> = { source: 'native' }

test('an ability is switched off and on again', async () => {
  const daemon = await startDaemon()
  const id = await addAbility(daemon, ready)

  const off = await change(daemon, 'deactivate')
  expect([off.statusCode, off.json()]).toEqual([200, { ability_id: id, enabled: false }])
  expect(abilityIn(daemon, id)).toMatchObject({
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
  expect(abilityIn(daemon, id)).toMatchObject({ enabled: true, usable_now: true })
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

test('quarantine remembers the lane, takes the ability out of use, and gives it back', async () => {
  const daemon = await startDaemon()
  const id = await addAbility(daemon, { ...ready, enabled: true })
  const body = { reason: 'sent a mail to everybody' }

  const taken = await change(daemon, 'quarantine', body)
  expect(taken.json()).toEqual({ ability_id: id, quarantined: true, ...body })
  expect(abilityIn(daemon, id)).toMatchObject({
    install_lane: 'quarantined',
    prior_lane: 'approved_workspace',
    checkpoint_health: 'quarantined',
    usable_now: false,
    reason_unusable: 'quarantined',
    enabled: true,
  })
  const refused = await change(daemon, 'activate')
  expect([refused.statusCode, refused.json().error.code]).toEqual([403, 'INSTALL_LANE_DENIED'])
  const told = daemon.events().find(({ kind }) => kind === 'ability.quarantined')
  expect(told?.payload).toMatchObject({ ability_id: id, ...body })

  const back = await change(daemon, 'unquarantine')
  expect(back.json()).toEqual({ ability_id: id, quarantined: false })
  expect(abilityIn(daemon, id)).toMatchObject({
    install_lane: 'approved_workspace',
    checkpoint_health: 'no_data',
    usable_now: true,
  })
  expect(abilityIn(daemon, id)?.prior_lane).toBeUndefined()
})

test('said again, a change is put on record and changes nothing', async () => {
  const daemon = await startDaemon()
  const id = await addAbility(daemon, { ...ready, source: 'learned' })
  const said = ['activate', 'unquarantine', 'quarantine', 'quarantine', 'deactivate', 'deactivate']
  for (const verb of said) {
    const body = verb === 'quarantine' ? { reason: 'r' } : undefined
    expect((await change(daemon, verb, body)).statusCode, verb).toBe(200)
  }
  expect(abilityIn(daemon, id)).toMatchObject({
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
  expect(kinds(daemon).filter((kind) => kind === 'ability.quarantined')).toHaveLength(1)
})

test('a private ability is shared, and the session it came from is approved', async () => {
  const daemon = await startDaemon()
  const learn_session_id = await daemon.aSessionIn('installed_private')
  const id = await addAbility(daemon, { install_lane: 'experimental_private', learn_session_id })

  const reply = await change(daemon, 'promote-shared')
  expect(reply.json()).toEqual({ ability_id: id, install_lane: 'shared_promoted' })
  expect(abilityIn(daemon, id)?.install_lane).toBe('shared_promoted')
  expect(daemon.session(learn_session_id)?.state).toBe('approved')
  expect(daemon.eventsOf(learn_session_id)).toEqual([
    'learn.session.state_changed',
    'ability.promoted',
    'ability.snapshot.updated',
  ])
  expect((await change(daemon, 'promote-shared')).statusCode).toBe(200)
  expect(kinds(daemon).filter((kind) => kind === 'ability.promoted')).toHaveLength(1)
})

test('the proposal follows when its ability is shared', async () => {
  const daemon = await startDaemon()
  const proposal_id = randomUUID()
  const learn_session_id = await daemon.aSessionIn('installed_private', { proposal_id })
  const lane = { install_lane: 'experimental_private' } as const
  await runCommand(daemon, (one) =>
    addProposal(one, learn_session_id, {
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
])('what is %s is not shared', async (_what, changes) => {
  const daemon = await startDaemon()
  const id = await addAbility(daemon, changes)
  const before = abilityIn(daemon, id)
  const reply = await change(daemon, 'promote-shared')
  expect([reply.statusCode, reply.json().error.code]).toEqual([403, 'INSTALL_LANE_DENIED'])
  expect(abilityIn(daemon, id)).toEqual(before)
  expect(daemon.events()).toEqual([])
})

const verbs = ['activate', 'deactivate', 'quarantine', 'unquarantine'] as const
const reason = { reason: 'r' }

test.each(verbs)('%s: a private ability is its owner’s business alone', async (verb) => {
  const daemon = await startDaemon()
  await addAbility(daemon, { owner_user_id: 'ada', install_lane: 'experimental_private' })
  const ada = await daemon.tokenFor('ada')
  const eve = await daemon.tokenFor('eve', 'admin')

  const others = await change(daemon, verb, reason, eve)
  expect([others.statusCode, others.json().error.code]).toEqual([404, 'ABILITY_NOT_FOUND'])
  expect(kinds(daemon)).toEqual([])
  expect((await change(daemon, verb, reason, ada)).statusCode).toBe(200)
})

test.each(verbs)('%s: an ability others use is changed by an admin only', async (verb) => {
  const daemon = await startDaemon()
  await addAbility(daemon, { owner_user_id: 'ada' })
  const ada = await daemon.tokenFor('ada')

  const owner = await change(daemon, verb, reason, ada)
  expect([owner.statusCode, owner.json().error]).toMatchObject([
    403,
    { code: 'INSTALL_LANE_DENIED', details: { install_lane: 'approved_workspace' } },
  ])
  expect(kinds(daemon)).toEqual([])
  expect((await change(daemon, verb, reason)).statusCode).toBe(200)
})

test('to read is not to change, and to share takes an admin', async () => {
  const daemon = await startDaemon()
  await addAbility(daemon, { owner_user_id: 'ada', install_lane: 'experimental_private' })
  const reader = await daemon.tokenFor('ada', 'read')
  const writer = await daemon.tokenFor('ada', 'write')
  const admin = await daemon.tokenFor('ada', 'admin')
  expect((await change(daemon, 'deactivate', {}, reader)).statusCode).toBe(403)
  expect((await change(daemon, 'promote-shared', {}, writer)).statusCode).toBe(403)
  expect(abilityIn(daemon, 'learned.export-brief')?.install_lane).toBe('experimental_private')
  expect((await change(daemon, 'promote-shared', {}, admin)).statusCode).toBe(200)
})

test('a reason is asked for', async () => {
  const daemon = await startDaemon()
  await addAbility(daemon)
  for (const body of [{}, { reason: ' ' }, { reason: 'x'.repeat(241) }]) {
    expect((await change(daemon, 'quarantine', body)).statusCode).toBe(400)
  }
  expect(abilityIn(daemon, 'learned.export-brief')?.install_lane).toBe('approved_workspace')
})
