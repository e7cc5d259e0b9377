import { expect, onTestFinished, test } from 'vitest'
import { saveAbility } from '../../src/domain/abilities/registry.ts'
import { runCommand, addAbility } from '../abilities/an-ability.ts'
import { adminToken, type Daemon, startDaemon } from '../kit/daemon.ts'
import { kinds, openStream } from '../live/sse-client.ts'
import {
  ability,
  abilityId,
  codeOf,
  detailOf,
  folders,
  improved,
  install,
  installed,
  reviewed,
  type Reviewed,
  saga,
  slug,
  stateOf,
  stored,
  versions,
} from './installing.ts'

const workspace = { install_lane: 'approved_workspace' }

/** Nothing was begun: no row, no file, no move. */
function expectUntouched(daemon: Daemon, draft: Reviewed): void {
  expect(stateOf(daemon, draft)).toEqual(['ready_for_review', 'ready_for_review'])
  expect(stored(daemon, draft.proposal)).toMatchObject({ install_lane: 'pending' })
  expect(stored(daemon, draft.proposal).saga_id).toBeUndefined()
  expect(ability(daemon)).toBeUndefined()
  expect(folders(daemon)).toEqual({ canonical: {}, projected: {} })
}

test('only an administrator opens a lane that others use', async () => {
  const daemon = await startDaemon()
  const ann = await daemon.tokenFor('ann')
  const draft = await reviewed(daemon, { token: ann })
  const body = { ...workspace, draft_hash: draft.draft_hash }

  expect(codeOf(await daemon.post(`${draft.url}/install`, body, ann))).toBe('INSTALL_LANE_DENIED')
  const asked = { approval_scope: 'approved_workspace', draft_hash: draft.draft_hash }
  expect(codeOf(await daemon.post(`${draft.url}/approve`, asked, ann))).toBe('FORBIDDEN')
  expectUntouched(daemon, draft)

  expect(codeOf(await daemon.post(`${draft.url}/install`, {}, ann))).toBe('done')
  expect(ability(daemon)).toMatchObject({ owner_user_id: 'ann', usable_now: true })
})

test('nobody reaches a lane that is not one to install into', async () => {
  const daemon = await startDaemon()
  const draft = await reviewed(daemon)
  const { draft_hash } = draft
  for (const install_lane of ['shared_promoted', 'quarantined', 'pending']) {
    const reply = await daemon.post(`${draft.url}/install`, { install_lane, draft_hash })
    expect(codeOf(reply)).toBe('INVALID_REQUEST')
  }
  const approval_scope = 'experimental_private'
  const reply = await daemon.post(`${draft.url}/approve`, { approval_scope, draft_hash })
  expect(codeOf(reply)).toBe('INVALID_REQUEST')
  expectUntouched(daemon, draft)
})

test('beyond oneself an installation is bound to the draft that was looked at', async () => {
  const daemon = await startDaemon()
  const draft = await reviewed(daemon)

  expect(codeOf(await daemon.post(`${draft.url}/install`, workspace))).toBe('INVALID_REQUEST')
  expect(codeOf(await daemon.post(`${draft.url}/approve`))).toBe('INVALID_REQUEST')
  const other = { draft_hash: '0'.repeat(64) }
  for (const [path, body] of [
    ['install', other],
    ['install', { ...workspace, ...other }],
    ['approve', other],
  ] as const) {
    const reply = await daemon.post(`${draft.url}/${path}`, body)
    expect(reply.json()).toMatchObject({
      error: { code: 'DRAFT_CHANGED', details: { draft_hash: draft.draft_hash } },
    })
  }
  expectUntouched(daemon, draft)
})

test('an installation for the workspace ends approved, by way of a private one', async () => {
  const daemon = await startDaemon()
  const draft = await reviewed(daemon)
  const { saga_id } = await install(daemon, draft, { ...workspace, draft_hash: draft.draft_hash })

  expect(stateOf(daemon, draft)).toEqual(['approved', 'approved'])
  const hops = daemon
    .events()
    .filter(
      ({ kind, learn_session_id }) =>
        kind === 'learn.session.state_changed' && learn_session_id === draft.session,
    )
    .map(({ payload }) => payload['to'])
  expect(hops.slice(-3)).toEqual(['installing_private', 'installed_private', 'approved'])
  expect(ability(daemon)).toMatchObject({ install_lane: 'approved_workspace', usable_now: true })
  expect(stored(daemon, draft.proposal).install_lane).toBe('approved_workspace')
  expect(saga(daemon, saga_id)).toMatchObject({ kind: 'install', status: 'completed' })
})

test.each(['approved_workspace', 'shared_promoted'] as const)(
  'what is approved for %s from review is installed there',
  async (approval_scope) => {
    const daemon = await startDaemon()
    const draft = await reviewed(daemon)
    const { draft_hash } = draft

    const reply = await daemon.post(`${draft.url}/approve`, {
      approval_scope,
      draft_hash,
      approval_note: 'Fine.',
    })

    expect(reply.statusCode, reply.body).toBe(200)
    expect(reply.json()).toMatchObject({
      proposal: { proposal_state: 'approved', install_lane: approval_scope, ability_id: abilityId },
      interpretation: { user_confirmed: true },
    })
    expect(daemon.session(draft.session)?.state).toBe('approved')
    expect(ability(daemon)).toMatchObject({ install_lane: approval_scope, usable_now: true })
    const ann = await daemon.tokenFor('ann', 'read')
    const seen = await daemon.get(`/api/abilities/${abilityId}/availability`, ann)
    expect(seen.json()).toMatchObject({ install_lane: approval_scope, usable_now: true })
    const receipts = await daemon.get('/api/learn/receipts?receipt_kind=learn.proposal.approved')
    expect(receipts.json()).toMatchObject({
      receipts: [{ details: { approval_note: 'Fine.' }, proposal_id: draft.proposal }],
    })
  },
)

test('what is approved after a private installation changes its lane and nothing else', async () => {
  const daemon = await startDaemon()
  const draft = await installed(daemon)
  const files = folders(daemon)
  const { draft_hash } = draft

  const reply = await daemon.post(`${draft.url}/approve`, { draft_hash })

  expect(reply.json()).toMatchObject({ proposal: { proposal_state: 'approved' } })
  expect(stateOf(daemon, draft)).toEqual(['approved', 'approved'])
  expect(versions(daemon)).toMatchObject([{ version: 1, install_lane: 'approved_workspace' }])
  expect(ability(daemon)).toMatchObject({
    install_lane: 'approved_workspace',
    current_version: 1,
    usable_now: true,
  })
  expect(folders(daemon)).toEqual(files)
  expect(codeOf(await daemon.post(`${draft.url}/approve`, { draft_hash }))).toBe(
    'INVALID_LEARN_STATE_TRANSITION',
  )
})

test('whoever follows an approved session hears of its installation, and then no more', async () => {
  const daemon = await startDaemon()
  const draft = await reviewed(daemon)
  const { url } = await daemon.listen()
  const stream = await openStream(`${url}/api/learn/sessions/${draft.session}/events`, {
    token: adminToken,
  })
  onTestFinished(() => stream.close())

  await daemon.post(`${draft.url}/approve`, { draft_hash: draft.draft_hash })

  await stream.ended
  expect(kinds(stream.frames).slice(-3)).toEqual([
    'ability.snapshot.updated',
    'learn.install.completed',
    'ability.route.enabled',
  ])
})

test('a name that another ability has is refused, whoever has it', async () => {
  for (const [there, why] of [
    [{ ability_id: abilityId, source: 'native' }, 'a native one'],
    [
      { ability_id: abilityId, owner_user_id: 'ann', install_lane: 'experimental_private' },
      'private',
    ],
    [{ ability_id: 'imported.x', skill_slug: slug }, 'the folder'],
    [{ ability_id: abilityId, skill_slug: slug }, 'another proposal'],
  ] as const) {
    const daemon = await startDaemon()
    await addAbility(daemon, there)
    const draft = await reviewed(daemon)
    const reply = await daemon.post(`${draft.url}/install`)
    expect(reply.json(), why).toMatchObject({
      error: {
        code: 'INSTALL_LANE_DENIED',
        details: { collision: 'skill_slug', skill_slug: slug },
      },
    })
    const told = reply.json<{ error: { details: { ability_id?: string } } }>().error.details
    expect(told.ability_id, why).toBe(why === 'private' ? undefined : there.ability_id)
    expect(stateOf(daemon, draft)).toEqual(['ready_for_review', 'ready_for_review'])
    expect(folders(daemon)).toEqual({ canonical: {}, projected: {} })
    expect((await detailOf(daemon, draft)).collisions.length, why).toBeGreaterThan(0)
    await daemon.stop()
  }
})

test('after a revised name it goes in, under that name', async () => {
  const daemon = await startDaemon()
  await addAbility(daemon, { ability_id: abilityId, skill_slug: slug })
  const draft = await reviewed(daemon)
  expect(codeOf(await daemon.post(`${draft.url}/install`))).toBe('INSTALL_LANE_DENIED')
  await daemon.post(`${draft.url}/revise`, {
    edited_fields: { proposed_skill_slug: 'note-to-pdf' },
  })
  await daemon.post(`${draft.url}/validate`)
  const { ability_id } = await install(daemon, draft)
  expect(ability_id).toBe('learned.note-to-pdf')
  expect(new Set(Object.keys(folders(daemon).projected).map((path) => path.split('/')[0]))).toEqual(
    new Set(['note-to-pdf']),
  )
})

test('a new version never goes out of the sight of those who use the ability', async () => {
  const daemon = await startDaemon()
  const draft = await installed(daemon)
  await daemon.post(`${draft.url}/approve`, { draft_hash: draft.draft_hash })
  const next = await improved(daemon, { goal: 'Share a note as PDF by mail' })

  const reply = await daemon.post(`${next.url}/install`)
  expect(reply.json()).toMatchObject({
    error: { code: 'INSTALL_LANE_DENIED', details: { install_lane: 'approved_workspace' } },
  })
  const approved = await daemon.post(`${next.url}/approve`, { draft_hash: next.draft_hash })
  expect(approved.statusCode, approved.body).toBe(200)
  expect(ability(daemon)).toMatchObject({ current_version: 2, install_lane: 'approved_workspace' })
})

test('a lane that was opened further meanwhile stays open', async () => {
  const daemon = await startDaemon()
  await installed(daemon)
  const next = await improved(daemon, { goal: 'Share a note as PDF by mail' })
  // The work waits for nobody, so the change comes with it, between two of its steps.
  await daemon.system.store.write((tx) => {
    tx.db.exec(`CREATE TRIGGER shared AFTER UPDATE ON install_sagas WHEN NEW.step = 'bridge' BEGIN
      UPDATE abilities SET install_lane = 'shared_promoted'; END`)
  })
  await install(daemon, next)
  expect(ability(daemon)).toMatchObject({ install_lane: 'shared_promoted', current_version: 2 })
})

test('what is switched off or quarantined stays so in its next version', async () => {
  const daemon = await startDaemon()
  await installed(daemon)
  await daemon.post(`/api/abilities/${abilityId}/deactivate`)
  await install(daemon, await improved(daemon, { goal: 'Share a note as PDF by mail' }))
  expect(ability(daemon)).toMatchObject({
    current_version: 2,
    enabled: false,
    usable_now: false,
    reason_unusable: 'disabled',
  })
  await runCommand(daemon, (one) => {
    const found = ability(daemon)
    if (found !== undefined) saveAbility(one, { ...found, enabled: true }, {})
  })
  await daemon.post(`/api/abilities/${abilityId}/quarantine`, { reason: 'odd' })
  await install(daemon, await improved(daemon, { goal: 'Share a note as PDF to a friend' }))
  expect(ability(daemon)).toMatchObject({
    current_version: 3,
    install_lane: 'quarantined',
    prior_lane: 'experimental_private',
    usable_now: false,
    reason_unusable: 'quarantined',
  })
})
