import { expect, test } from 'vitest'
import {
  reasonUnusable,
  refreshAvailability,
  requestRefresh,
} from '../../src/domain/abilities/availability.ts'
import { type InstalledFacts, native } from '../../src/domain/abilities/installed-facts.ts'
import { type AbilityRow, insertAbility } from '../../src/store/abilities/abilities.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { aNightPasses } from '../learn/nightly.ts'
import { abilityIn, abilityRow, runCommand, addAbility } from './an-ability.ts'

const list = '/api/abilities/availability'

const reasons: [string, Partial<AbilityRow>, Partial<InstalledFacts>][] = [
  ['disabled', { enabled: false, install_lane: 'quarantined' }, { materialized: false }],
  ['quarantined', { install_lane: 'quarantined' }, { partial_state: 'install_failed' }],
  ['install_failed', {}, { partial_state: 'install_failed', materialized: false }],
  ['not_materialized', {}, { materialized: false, projected: false }],
  ['not_projected', {}, { projected: false, bridged: false }],
  ['bridge_pending', {}, { bridged: false, health_status: 'quarantined' }],
  ['bridge_pending', {}, { partial_state: 'bridge_pending' }],
  ['capability_quarantined', {}, { health_status: 'quarantined', unhealthy_connector: 'mail' }],
  ['capability_disabled', {}, { health_status: 'disabled' }],
  ['connector_unhealthy:mail', {}, { unhealthy_connector: 'mail' }],
]

test.each(reasons)('%s is the first thing that is wrong', (reason, changes, facts) => {
  expect(reasonUnusable(abilityRow(changes), { ...native, ...facts })).toBe(reason)
})

test.each([
  ['healthy', undefined],
  ['degraded', 'availability_pending'],
  ['unknown', 'receipt_pending'],
] as const)('what is %s and %s can be used', (health_status, partial_state) => {
  expect(reasonUnusable(abilityRow(), { ...native, health_status, partial_state })).toBeUndefined()
})

test('a refresh writes what differs, moves the snapshot and leaves an event and a receipt', async () => {
  const daemon = await startDaemon()
  const whole = await addAbility(daemon, { ability_id: 'a.whole' })
  const broken = await addAbility(daemon, { ability_id: 'a.broken' })
  await addAbility(daemon, { ability_id: 'a.back', usable_now: false, reason_unusable: 'disabled' })
  const facts = (_: unknown, id: string) => ({ ...native, projected: id !== broken })

  const counts = await runCommand(daemon, (one) => refreshAvailability(one, 'nightly', { facts }))

  expect(counts).toEqual({ looked_at: 3, changed: 2 })
  expect(abilityIn(daemon, broken)).toMatchObject({
    usable_now: false,
    reason_unusable: 'not_projected',
    updated_at: '2026-03-01T11:00:00.000Z',
  })
  expect(abilityIn(daemon, 'a.back')?.usable_now).toBe(true)
  expect(abilityIn(daemon, 'a.back')?.reason_unusable).toBeUndefined()
  expect(abilityIn(daemon, whole)).toEqual(abilityRow({ ability_id: whole }))
  expect((await daemon.get(list)).json()).toMatchObject({
    snapshot_as_of: '2026-03-01T12:00:00.000Z',
    stale: false,
  })
  const told = daemon.events().filter(({ kind }) => kind === 'ability.snapshot.updated')
  expect(told).toMatchObject([{ payload: { reason: 'nightly', looked_at: 3, changed: 2 } }])
  const receipts = await daemon.get('/api/learn/receipts?receipt_kind=ability.snapshot.updated')
  expect(receipts.json()).toMatchObject({ total: 1, receipts: [{ reason: 'nightly' }] })
})

test('many abilities are all looked at', async () => {
  const daemon = await startDaemon()
  await daemon.system.store.write((tx) => {
    for (let n = 0; n < 1203; n += 1) {
      insertAbility(tx, abilityRow({ ability_id: `a.${n}`, source: 'native', usable_now: false }))
    }
  })
  const counts = await runCommand(daemon, (one) => refreshAvailability(one, 'nightly'))
  expect(counts).toEqual({ looked_at: 1203, changed: 1203 })
})

test('what needs no installation can be used, what was never installed cannot', async () => {
  const daemon = await startDaemon()
  const comes = await addAbility(daemon, { ability_id: 'a.native', source: 'native' })
  const lacks = await addAbility(daemon, { ability_id: 'a.learned' })
  await runCommand(daemon, (one) => refreshAvailability(one, 'nightly'))
  expect(abilityIn(daemon, comes)?.usable_now).toBe(true)
  expect(abilityIn(daemon, lacks)?.reason_unusable).toBe('not_materialized')
})

test('a request makes the snapshot stale until all was looked at again', async () => {
  const daemon = await startDaemon()
  await addAbility(daemon, { source: 'native' })
  const snapshot = async () => {
    const { abilities: _, ...marks } = (await daemon.get(list)).json<Record<string, unknown>>()
    return marks
  }
  await runCommand(daemon, (one) => refreshAvailability(one, 'first'))
  daemon.clock.advance(1000)
  await runCommand(daemon, (one) => {
    requestRefresh(one, 'mcp.health.changed')
    requestRefresh(one, 'mcp.policy.changed')
  })
  const stale = {
    snapshot_as_of: '2026-03-01T12:00:00.000Z',
    latest_trigger_at: '2026-03-01T12:00:01.000Z',
    stale: true,
  }
  expect(await snapshot()).toMatchObject(stale)

  await runCommand(daemon, (one) => refreshAvailability(one, 'one', { ability_ids: [] }))
  expect(await snapshot()).toMatchObject(stale)

  daemon.clock.advance(250)
  await expect.poll(async () => (await snapshot())['stale']).toBe(false)
  expect(await snapshot()).toMatchObject({ snapshot_as_of: '2026-03-01T12:00:01.250Z' })
  await expect.poll(() => jobsOf(daemon)).toEqual(['succeeded'])
})

/** Of the two requests one refresh came. */
const jobsOf = (daemon: Daemon) =>
  daemon.system.store.read(({ db }) =>
    db.prepare("SELECT state FROM jobs WHERE kind = 'abilities.refresh'").pluck().all(),
  )

test('each night all is looked at again', async () => {
  const daemon = await startDaemon()
  const id = await addAbility(daemon, { source: 'native', usable_now: false })
  const looks = () =>
    daemon.events().filter(({ payload }) => payload['reason'] === 'nightly').length
  await aNightPasses(daemon)
  expect(abilityIn(daemon, id)?.usable_now).toBe(true)
  expect(looks()).toBe(1)
  await aNightPasses(daemon)
  expect(looks()).toBe(1)
  daemon.clock.advance(24 * 3_600_000)
  await aNightPasses(daemon)
  expect(looks()).toBe(2)
})

test('the list tells what may be known, an entry tells all of it', async () => {
  const daemon = await startDaemon()
  await addAbility(daemon, { ability_id: 'a.mine', install_lane: 'experimental_private' })
  const other = { owner_user_id: 'somebody', install_lane: 'experimental_private' } as const
  await addAbility(daemon, { ability_id: 'a.theirs', ...other })
  await addAbility(daemon, { ability_id: 'a.shared', owner_user_id: 'somebody' })
  await addAbility(daemon, {
    ...other,
    ability_id: 'a.hidden',
    install_lane: 'quarantined',
    prior_lane: 'experimental_private',
  })

  const { abilities } = (await daemon.get(list)).json<{ abilities: { ability_id: string }[] }>()
  expect(abilities.map(({ ability_id }) => ability_id)).toEqual(['a.mine', 'a.shared'])
  expect(abilities[0]).toEqual({
    ability_id: 'a.mine',
    title: 'Export Brief to PDF',
    family: 'documents',
    source: 'learned',
    install_lane: 'experimental_private',
    enabled: true,
    usable_now: true,
    checkpoint_health: 'no_data',
  })
  expect((await daemon.get('/api/abilities/a.mine/availability')).json()).toEqual({
    ...abilities[0],
    trigger_phrases: ['export brief as pdf'],
    negative_triggers: ['print'],
    aliases: [],
    project_scopes: [],
    preferred_control_surfaces: [],
    support_pack_refs: [],
    current_version: 1,
    inputs: [],
    schema_version: 1,
  })
  for (const id of ['a.theirs', 'a.hidden', 'a.none']) {
    const reply = await daemon.get(`/api/abilities/${id}/availability`)
    expect([reply.statusCode, reply.json().error.code]).toEqual([404, 'ABILITY_NOT_FOUND'])
  }
})

test("the catalog has tags and the caller's own categories", async () => {
  const daemon = await startDaemon()
  const ability_id = await addAbility(daemon, { aliases: ['pdf maker', 'documents'] })
  const other = await daemon.tokenFor('somebody')
  const categorize = async (token?: string) => {
    const made = await daemon.post('/api/categories', { title: 'Office' }, token)
    const { category_id } = made.json<{ category_id: string }>()
    const item = { item_kind: 'learned_ability', item_id: ability_id }
    await daemon.post(`/api/categories/${category_id}/assign`, item, token)
    return category_id
  }
  const mine = await categorize()
  await categorize(other)

  expect((await daemon.get('/api/abilities/catalog')).json()).toEqual({
    items: [
      {
        ability_id,
        title: 'Export Brief to PDF',
        family: 'documents',
        source: 'learned',
        install_lane: 'approved_workspace',
        enabled: true,
        usable_now: true,
        tags: ['documents', 'pdf maker'],
        category_ids: [mine],
        created_at: '2026-03-01T11:00:00.000Z',
        updated_at: '2026-03-01T11:00:00.000Z',
        schema_version: 1,
      },
    ],
    refreshed_at: '1970-01-01T00:00:00.000Z',
    schema_version: 1,
  })
})
