import { expect, test } from 'vitest'
import { findReasonUnusable, refreshAvailability, requestRefresh } from '../../src/domain/abilities/availability.ts'
import { type InstalledFacts, NATIVE_FACTS } from '../../src/domain/abilities/installed-facts.ts'
import { type AbilityRow, insertAbility } from '../../src/store/abilities/abilities.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { runNightlyJob } from '../capture/nightly.ts'
import { readAbility, buildAbilityRow, runCommand, addAbility } from './ability-rows.ts'

const LIST_URL = '/api/abilities/availability'

const REASONS: [string, Partial<AbilityRow>, Partial<InstalledFacts>][] = [
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

test.each(REASONS)('%s is reported as the first reason', (reason, changes, facts) => {
  expect(findReasonUnusable(buildAbilityRow(changes), { ...NATIVE_FACTS, ...facts })).toBe(reason)
})

test.each([
  ['healthy', undefined],
  ['degraded', 'availability_pending'],
  ['unknown', 'receipt_pending'],
] as const)('an ability with health %s and partial state %s is usable', (health_status, partial_state) => {
  expect(findReasonUnusable(buildAbilityRow(), { ...NATIVE_FACTS, health_status, partial_state })).toBeUndefined()
})

test('a refresh updates changed abilities and the snapshot and records an event and a receipt', async () => {
  const daemon = await startDaemon()
  const intact = await addAbility(daemon, { ability_id: 'a.intact' })
  const broken = await addAbility(daemon, { ability_id: 'a.broken' })
  await addAbility(daemon, { ability_id: 'a.back', usable_now: false, reason_unusable: 'disabled' })
  const facts = (_: unknown, id: string) => ({ ...NATIVE_FACTS, projected: id !== broken })

  const counts = await runCommand(daemon, (ctx) => refreshAvailability(ctx, 'nightly', { facts }))

  expect(counts).toEqual({ looked_at: 3, changed: 2 })
  expect(readAbility(daemon, broken)).toMatchObject({
    usable_now: false,
    reason_unusable: 'not_projected',
    updated_at: '2026-03-01T11:00:00.000Z',
  })
  expect(readAbility(daemon, 'a.back')?.usable_now).toBe(true)
  expect(readAbility(daemon, 'a.back')?.reason_unusable).toBeUndefined()
  expect(readAbility(daemon, intact)).toEqual(buildAbilityRow({ ability_id: intact }))
  expect((await daemon.get(LIST_URL)).json()).toMatchObject({
    snapshot_as_of: '2026-03-01T12:00:00.000Z',
    stale: false,
  })
  const refreshes = daemon.events().filter(({ kind }) => kind === 'ability.snapshot.updated')
  expect(refreshes).toMatchObject([{ payload: { reason: 'nightly', looked_at: 3, changed: 2 } }])
  const receipts = await daemon.get('/api/learn/receipts?receipt_kind=ability.snapshot.updated')
  expect(receipts.json()).toMatchObject({ total: 1, receipts: [{ reason: 'nightly' }] })
})

test('a refresh covers more abilities than one page', async () => {
  const daemon = await startDaemon()
  await daemon.system.store.write((tx) => {
    for (let n = 0; n < 1203; n += 1) {
      insertAbility(tx, buildAbilityRow({ ability_id: `a.${n}`, source: 'native', usable_now: false }))
    }
  })
  const counts = await runCommand(daemon, (ctx) => refreshAvailability(ctx, 'nightly'))
  expect(counts).toEqual({ looked_at: 1203, changed: 1203 })
})

test('a native ability is usable, an ability without an installation is not', async () => {
  const daemon = await startDaemon()
  const native = await addAbility(daemon, { ability_id: 'a.native', source: 'native' })
  const learned = await addAbility(daemon, { ability_id: 'a.learned' })
  await runCommand(daemon, (ctx) => refreshAvailability(ctx, 'nightly'))
  expect(readAbility(daemon, native)?.usable_now).toBe(true)
  expect(readAbility(daemon, learned)?.reason_unusable).toBe('not_materialized')
})

test('a request makes the snapshot stale until the next full refresh', async () => {
  const daemon = await startDaemon()
  await addAbility(daemon, { source: 'native' })
  const snapshot = async () => {
    const { abilities: _, ...marks } = (await daemon.get(LIST_URL)).json<Record<string, unknown>>()
    return marks
  }
  await runCommand(daemon, (ctx) => refreshAvailability(ctx, 'first'))
  daemon.clock.advance(1000)
  await runCommand(daemon, (ctx) => {
    requestRefresh(ctx, 'mcp.health.changed')
    requestRefresh(ctx, 'mcp.policy.changed')
  })
  const stale = {
    snapshot_as_of: '2026-03-01T12:00:00.000Z',
    latest_trigger_at: '2026-03-01T12:00:01.000Z',
    stale: true,
  }
  expect(await snapshot()).toMatchObject(stale)

  await runCommand(daemon, (ctx) => refreshAvailability(ctx, 'one', { ability_ids: [] }))
  expect(await snapshot()).toMatchObject(stale)

  daemon.clock.advance(250)
  await expect.poll(async () => (await snapshot())['stale']).toBe(false)
  expect(await snapshot()).toMatchObject({ snapshot_as_of: '2026-03-01T12:00:01.250Z' })
  await expect.poll(() => listJobStates(daemon)).toEqual(['succeeded'])
})

/** The states of the refresh jobs. */
const listJobStates = (daemon: Daemon) =>
  daemon.system.store.read(({ db }) =>
    db.prepare("SELECT state FROM jobs WHERE kind = 'abilities.refresh'").pluck().all(),
  )

test('all abilities are refreshed once a night', async () => {
  const daemon = await startDaemon()
  const id = await addAbility(daemon, { source: 'native', usable_now: false })
  const countRefreshes = () => daemon.events().filter(({ payload }) => payload['reason'] === 'nightly').length
  await runNightlyJob(daemon)
  expect(readAbility(daemon, id)?.usable_now).toBe(true)
  expect(countRefreshes()).toBe(1)
  await runNightlyJob(daemon)
  expect(countRefreshes()).toBe(1)
  daemon.clock.advance(24 * 3_600_000)
  await runNightlyJob(daemon)
  expect(countRefreshes()).toBe(2)
})

test('the list contains the visible abilities, an entry all public fields', async () => {
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

  const { abilities } = (await daemon.get(LIST_URL)).json<{ abilities: { ability_id: string }[] }>()
  expect(abilities.map(({ ability_id }) => ability_id)).toEqual(['a.mine', 'a.shared'])
  expect(abilities[0]).toEqual({
    ability_id: 'a.mine',
    title: 'Export Brief to PDF',
    family: 'documents',
    source: 'learned',
    kind: 'guidance',
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

test("the catalog has tags and only the caller's categories", async () => {
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
        kind: 'guidance',
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
