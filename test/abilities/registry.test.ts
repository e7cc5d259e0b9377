import { expect, test } from 'vitest'
import {
  type AbilityFacts,
  changeLane,
  getAbility,
  registerAbility,
  removeAbility,
} from '../../src/domain/abilities/registry.ts'
import { startDaemon } from '../kit/daemon.ts'
import { readAbility, runCommand, addAbility } from './ability-rows.ts'

const FACTS: AbilityFacts = {
  ability_id: 'learned.share-note',
  owner_user_id: 'ada',
  title: ' Share a note ',
  family: 'notes',
  source: 'learned',
  install_lane: 'experimental_private',
  current_version: 1,
  skill_slug: 'share-note',
  primary_capability_id: 'learned.share-note',
  trigger_phrases: ['share a note', ' ', 'send note '],
  negative_triggers: ['', 'delete'],
  preferred_control_surfaces: ['raw_ui', 'telepathy'],
}

test('a registered ability is unusable until availability is refreshed', async () => {
  const daemon = await startDaemon()
  await runCommand(daemon, (ctx) => registerAbility(ctx, FACTS))
  expect(readAbility(daemon, FACTS.ability_id)).toEqual({
    ability_id: 'learned.share-note',
    owner_user_id: 'ada',
    visibility: 'private',
    title: 'Share a note',
    family: 'notes',
    source: 'learned',
    kind: 'guidance',
    skill_slug: 'share-note',
    primary_capability_id: 'learned.share-note',
    install_lane: 'experimental_private',
    enabled: true,
    usable_now: false,
    reason_unusable: 'bridge_pending',
    trigger_phrases: ['share a note', 'send note'],
    negative_triggers: ['delete'],
    aliases: [],
    project_scopes: [],
    preferred_control_surfaces: ['raw_ui'],
    support_pack_refs: [],
    checkpoint_health: 'no_data',
    current_version: 1,
    created_at: '2026-03-01T12:00:00.000Z',
    updated_at: '2026-03-01T12:00:00.000Z',
  })
  expect(daemon.events().map(({ kind }) => kind)).toEqual(['ability.registered'])
})

test('an ability without a title is refused', async () => {
  const daemon = await startDaemon()
  await expect(runCommand(daemon, (ctx) => registerAbility(ctx, { ...FACTS, title: ' ' }))).rejects.toThrow(
    'has no title',
  )
  expect(readAbility(daemon, FACTS.ability_id)).toBeUndefined()
})

test('a further version keeps whether the ability is enabled', async () => {
  const daemon = await startDaemon()
  const id = await addAbility(daemon, {
    ability_id: FACTS.ability_id,
    enabled: false,
    learn_session_id: '0198c7a0-0000-7000-8000-000000000001',
  })
  await runCommand(daemon, (ctx) =>
    registerAbility(ctx, { ...FACTS, current_version: 2, install_lane: 'approved_workspace' }),
  )
  expect(readAbility(daemon, id)).toMatchObject({
    enabled: false,
    current_version: 2,
    install_lane: 'approved_workspace',
    title: 'Share a note',
    created_at: '2026-03-01T11:00:00.000Z',
  })
  expect(readAbility(daemon, id)?.learn_session_id).toBeUndefined()
})

test('a further version stays quarantined', async () => {
  const daemon = await startDaemon()
  const id = await addAbility(daemon, {
    ability_id: FACTS.ability_id,
    install_lane: 'quarantined',
    prior_lane: 'experimental_private',
  })
  await runCommand(daemon, (ctx) => registerAbility(ctx, { ...FACTS, install_lane: 'approved_workspace' }))
  expect(readAbility(daemon, id)).toMatchObject({
    install_lane: 'quarantined',
    prior_lane: 'approved_workspace',
    checkpoint_health: 'quarantined',
  })
})

test('only quarantine stores the previous lane', async () => {
  const daemon = await startDaemon()
  const id = await addAbility(daemon, { install_lane: 'experimental_private' })
  const move = (lane: Parameters<typeof changeLane>[2]) => runCommand(daemon, (ctx) => changeLane(ctx, id, lane))

  expect((await move('approved_workspace')).prior_lane).toBeUndefined()
  expect(await move('quarantined')).toMatchObject({ prior_lane: 'approved_workspace' })
  expect(await move('quarantined')).toMatchObject({ prior_lane: 'approved_workspace' })
  expect(await move('shared_promoted')).toMatchObject({ install_lane: 'shared_promoted' })
  expect(readAbility(daemon, id)?.prior_lane).toBeUndefined()
  expect(daemon.events().map(({ payload }) => [payload['from'], payload['to']])).toEqual([
    ['experimental_private', 'approved_workspace'],
    ['approved_workspace', 'quarantined'],
    ['quarantined', 'shared_promoted'],
  ])
})

test('removing an ability twice records one event', async () => {
  const daemon = await startDaemon()
  const id = await addAbility(daemon)
  expect(await runCommand(daemon, (ctx) => removeAbility(ctx, id))).toBe(true)
  expect(await runCommand(daemon, (ctx) => removeAbility(ctx, id))).toBe(false)
  expect(readAbility(daemon, id)).toBeUndefined()
  expect(daemon.events().map(({ kind }) => kind)).toEqual(['ability.removed'])
  await expect(runCommand(daemon, (ctx) => getAbility(ctx.tx, id))).rejects.toMatchObject({
    code: 'ABILITY_NOT_FOUND',
  })
})

test('ability events are recorded in the learn session while it exists', async () => {
  const daemon = await startDaemon()
  const learn_session_id = await daemon.aSessionIn('installed_private')
  await runCommand(daemon, (ctx) => {
    registerAbility(ctx, { ...FACTS, learn_session_id })
    registerAbility(ctx, { ...FACTS, ability_id: 'learned.orphan', learn_session_id: ctx.newId() })
  })
  expect(daemon.events()).toMatchObject([
    { learn_session_id, payload: { ability_id: FACTS.ability_id } },
    { subject: 'ability/learned.orphan' },
  ])
  expect(daemon.events()[1]?.learn_session_id).toBeUndefined()
})
