import { expect, test } from 'vitest'
import { addAbility } from '../abilities/an-ability.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { drafted, type Drafted } from '../validation/drafted.ts'
import { ability, abilityId, folders, saga, slug, stateOf, stored } from './installing.ts'

const create = { build_policy: 'private_auto_install', allow_private_install: true }

async function tested(daemon: Daemon, draft: Drafted): Promise<void> {
  await daemon.system.jobs.settled(daemon.session(draft.session)?.validation_run_id ?? '', 20_000)
}

test('who asked for it beforehand gets what passes its tests, for themselves alone', async () => {
  const daemon = await startDaemon()
  const draft = await drafted(daemon, { create })

  await tested(daemon, draft)
  await expect
    .poll(() => stateOf(daemon, draft))
    .toEqual(['installed_private', 'installed_private'])

  expect(ability(daemon)).toMatchObject({
    usable_now: true,
    install_lane: 'experimental_private',
    last_validated_at: daemon.clock.now.toISOString(),
  })
  expect(saga(daemon, stored(daemon, draft.proposal).saga_id ?? '')).toMatchObject({
    kind: 'install',
    status: 'completed',
  })
  const started = await daemon.get('/api/learn/receipts?receipt_kind=learn.install.started')
  expect(started.json()).toMatchObject({ receipts: [{ actor: 'system', actor_ref: 'local' }] })
})

test('a name that is taken leaves it to be reviewed', async () => {
  const daemon = await startDaemon()
  await addAbility(daemon, { ability_id: abilityId, skill_slug: slug })
  const draft = await drafted(daemon, { create })
  await tested(daemon, draft)
  expect(stateOf(daemon, draft)).toEqual(['ready_for_review', 'ready_for_review'])
  expect(folders(daemon)).toEqual({ canonical: {}, projected: {} })
})

test('an improvement of what others use is never installed by itself', async () => {
  const daemon = await startDaemon()
  const first = await drafted(daemon, { create })
  await tested(daemon, first)
  await expect.poll(() => stateOf(daemon, first)[0]).toBe('installed_private')
  await daemon.post(`/api/abilities/${abilityId}/promote-shared`)
  const next = await drafted(daemon, {
    goal: 'Share a note as PDF by mail',
    create: { ...create, entry_mode: 'improving_existing_skill', target_skill_id: abilityId },
  })
  await tested(daemon, next)
  expect(stateOf(daemon, next)).toEqual(['ready_for_review', 'ready_for_review'])
  expect(ability(daemon)).toMatchObject({ current_version: 1, install_lane: 'shared_promoted' })
})
