import { expect, test } from 'vitest'
import { addAbility } from '../abilities/ability-rows.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { draftProposal, type DraftedProposal } from '../validation/drafts.ts'
import {
  readAbility,
  ABILITY_ID,
  readFolders,
  readSaga,
  SLUG,
  readStates,
  readVersions,
  readProposal,
} from './install-kit.ts'

const AUTO_INSTALL = { build_policy: 'private_auto_install', allow_private_install: true }

async function waitForTests(daemon: Daemon, draft: DraftedProposal): Promise<void> {
  await daemon.system.jobs.waitUntilSettled(daemon.session(draft.session)?.validation_run_id ?? '', 20_000)
}

test('a session with automatic installation installs its passed draft privately', async () => {
  const daemon = await startDaemon()
  const draft = await draftProposal(daemon, { create: AUTO_INSTALL })

  await waitForTests(daemon, draft)
  await expect.poll(() => readStates(daemon, draft)).toEqual(['installed_private', 'installed_private'])

  expect(readAbility(daemon)).toMatchObject({
    usable_now: true,
    install_lane: 'experimental_private',
    last_validated_at: daemon.clock.now.toISOString(),
  })
  expect(readSaga(daemon, readProposal(daemon, draft.proposal).saga_id ?? '')).toMatchObject({
    kind: 'install',
    status: 'completed',
  })
  const started = await daemon.get('/api/learn/receipts?receipt_kind=learn.install.started')
  expect(started.json()).toMatchObject({ receipts: [{ actor: 'system', actor_ref: 'local' }] })
  const ann = await daemon.tokenFor('ann', 'admin')
  const hidden = await daemon.get(`/api/abilities/${ABILITY_ID}/availability`, ann)
  expect(hidden.statusCode, 'other users do not see it').toBe(404)
})

test('a draft whose name is taken stays ready for review', async () => {
  const daemon = await startDaemon()
  await addAbility(daemon, { ability_id: ABILITY_ID, skill_slug: SLUG })
  const draft = await draftProposal(daemon, { create: AUTO_INSTALL })
  await waitForTests(daemon, draft)
  expect(readStates(daemon, draft)).toEqual(['ready_for_review', 'ready_for_review'])
  expect(readFolders(daemon)).toEqual({ canonical: {}, projected: {} })
  expect(readProposal(daemon, draft.proposal).saga_id).toBeUndefined()
})

test('an improvement of a shared ability is not installed automatically', async () => {
  const daemon = await startDaemon()
  const first = await draftProposal(daemon, { create: AUTO_INSTALL })
  await waitForTests(daemon, first)
  await expect.poll(() => readStates(daemon, first)[0]).toBe('installed_private')
  await daemon.post(`/api/abilities/${ABILITY_ID}/promote-shared`)
  const next = await draftProposal(daemon, {
    goal: 'Share a note as PDF by mail',
    create: {
      ...AUTO_INSTALL,
      entry_mode: 'improving_existing_skill',
      target_skill_id: ABILITY_ID,
    },
  })
  await waitForTests(daemon, next)
  expect(readStates(daemon, next)).toEqual(['ready_for_review', 'ready_for_review'])
  expect(readAbility(daemon)).toMatchObject({ current_version: 1, install_lane: 'shared_promoted' })
  expect(readVersions(daemon)).toHaveLength(1)
})
