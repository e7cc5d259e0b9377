import { expect, test } from 'vitest'
import {
  type AbilityFacts,
  changeLane,
  getAbility,
  registerAbility,
  removeAbility,
} from '../../src/domain/abilities/registry.ts'
import { startDaemon } from '../kit/daemon.ts'
import { abilityIn, runCommand, addAbility } from './an-ability.ts'

const facts: AbilityFacts = {
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

test('an ability is put on record, and cannot be used before it is looked at', async () => {
  const daemon = await startDaemon()
  await runCommand(daemon, (one) => registerAbility(one, facts))
  expect(abilityIn(daemon, facts.ability_id)).toEqual({
    ability_id: 'learned.share-note',
    owner_user_id: 'ada',
    visibility: 'private',
    title: 'Share a note',
    family: 'notes',
    source: 'learned',
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

test('an ability without a title, or without words of a kind, is refused or has none', async () => {
  const daemon = await startDaemon()
  await expect(
    runCommand(daemon, (one) => registerAbility(one, { ...facts, title: ' ' })),
  ).rejects.toThrow('has no title')
  expect(abilityIn(daemon, facts.ability_id)).toBeUndefined()
})

test('a further version keeps what its users decided', async () => {
  const daemon = await startDaemon()
  const id = await addAbility(daemon, {
    ability_id: facts.ability_id,
    enabled: false,
    learn_session_id: '0198c7a0-0000-7000-8000-000000000001',
  })
  await runCommand(daemon, (one) =>
    registerAbility(one, { ...facts, current_version: 2, install_lane: 'approved_workspace' }),
  )
  expect(abilityIn(daemon, id)).toMatchObject({
    enabled: false,
    current_version: 2,
    install_lane: 'approved_workspace',
    title: 'Share a note',
    created_at: '2026-03-01T11:00:00.000Z',
  })
  expect(abilityIn(daemon, id)?.learn_session_id).toBeUndefined()
})

test('a further version does not lead out of quarantine', async () => {
  const daemon = await startDaemon()
  const id = await addAbility(daemon, {
    ability_id: facts.ability_id,
    install_lane: 'quarantined',
    prior_lane: 'experimental_private',
  })
  await runCommand(daemon, (one) => registerAbility(one, { ...facts, install_lane: 'approved_workspace' }))
  expect(abilityIn(daemon, id)).toMatchObject({
    install_lane: 'quarantined',
    prior_lane: 'approved_workspace',
    checkpoint_health: 'quarantined',
  })
})

test('lanes change, and quarantine alone remembers where an ability was', async () => {
  const daemon = await startDaemon()
  const id = await addAbility(daemon, { install_lane: 'experimental_private' })
  const move = (lane: Parameters<typeof changeLane>[2]) =>
    runCommand(daemon, (one) => changeLane(one, id, lane))

  expect((await move('approved_workspace')).prior_lane).toBeUndefined()
  expect(await move('quarantined')).toMatchObject({ prior_lane: 'approved_workspace' })
  expect(await move('quarantined')).toMatchObject({ prior_lane: 'approved_workspace' })
  expect(await move('shared_promoted')).toMatchObject({ install_lane: 'shared_promoted' })
  expect(abilityIn(daemon, id)?.prior_lane).toBeUndefined()
  expect(daemon.events().map(({ payload }) => [payload['from'], payload['to']])).toEqual([
    ['experimental_private', 'approved_workspace'],
    ['approved_workspace', 'quarantined'],
    ['quarantined', 'shared_promoted'],
  ])
})

test('an ability is removed once', async () => {
  const daemon = await startDaemon()
  const id = await addAbility(daemon)
  expect(await runCommand(daemon, (one) => removeAbility(one, id))).toBe(true)
  expect(await runCommand(daemon, (one) => removeAbility(one, id))).toBe(false)
  expect(abilityIn(daemon, id)).toBeUndefined()
  expect(daemon.events().map(({ kind }) => kind)).toEqual(['ability.removed'])
  await expect(runCommand(daemon, (one) => getAbility(one.tx, id))).rejects.toMatchObject({
    code: 'ABILITY_NOT_FOUND',
  })
})

test('what happens to an ability is told in the session it was learnt in, while that is there', async () => {
  const daemon = await startDaemon()
  const learn_session_id = await daemon.aSessionIn('installed_private')
  await runCommand(daemon, (one) => {
    registerAbility(one, { ...facts, learn_session_id })
    registerAbility(one, { ...facts, ability_id: 'learned.orphan', learn_session_id: one.newId() })
  })
  expect(daemon.events()).toMatchObject([
    { learn_session_id, payload: { ability_id: facts.ability_id } },
    { subject: 'ability/learned.orphan' },
  ])
  expect(daemon.events()[1]?.learn_session_id).toBeUndefined()
})
