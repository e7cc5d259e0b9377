import { expect, onTestFinished, test } from 'vitest'
import { saveAbility } from '../../src/domain/abilities/registry.ts'
import { runCommand, addAbility } from '../abilities/ability-rows.ts'
import { adminToken, type Daemon, startDaemon } from '../kit/daemon.ts'
import { kinds, openStream } from '../live/sse-client.ts'
import {
  readAbility,
  ABILITY_ID,
  readCode,
  getDetail,
  readFolders,
  prepareImprovement,
  install,
  installProposal,
  prepareProposal,
  type ReviewedDraft,
  readSaga,
  SLUG,
  readStates,
  readProposal,
  readVersions,
  countRows,
} from './install-kit.ts'

const WORKSPACE = { install_lane: 'approved_workspace' }

/** No row, file, receipt or state was changed. */
async function expectUnchanged(daemon: Daemon, draft: ReviewedDraft): Promise<void> {
  expect(readStates(daemon, draft)).toEqual(['ready_for_review', 'ready_for_review'])
  expect(readProposal(daemon, draft.proposal)).toMatchObject({ install_lane: 'pending' })
  expect(readProposal(daemon, draft.proposal).saga_id).toBeUndefined()
  expect(readAbility(daemon)).toBeUndefined()
  expect(readFolders(daemon)).toEqual({ canonical: {}, projected: {} })
  expect(countRows(daemon)).toMatchObject({ abilities: 0, ability_versions: 0, installed_files: 0 })
  const kinds = daemon.events().map(({ kind }) => kind)
  expect(kinds.filter((kind) => kind.startsWith('learn.install.'))).toEqual([])
  for (const kind of ['learn.install.started', 'learn.proposal.approved']) {
    const receipts = await daemon.get(`/api/learn/receipts?receipt_kind=${kind}`)
    expect(receipts.json()).toMatchObject({ total: 0 })
  }
}

test('only an admin installs into a shared lane', async () => {
  const daemon = await startDaemon()
  const ann = await daemon.tokenFor('ann')
  const draft = await prepareProposal(daemon, { token: ann })
  const body = { ...WORKSPACE, draft_hash: draft.draft_hash }

  expect(readCode(await daemon.post(`${draft.url}/install`, body, ann))).toBe('INSTALL_LANE_DENIED')
  const asked = { approval_scope: 'approved_workspace', draft_hash: draft.draft_hash }
  expect(readCode(await daemon.post(`${draft.url}/approve`, asked, ann))).toBe('FORBIDDEN')
  await expectUnchanged(daemon, draft)

  expect(readCode(await daemon.post(`${draft.url}/install`, {}, ann))).toBe('done')
  expect(readAbility(daemon)).toMatchObject({ owner_user_id: 'ann', usable_now: true })
})

test('lanes that cannot be installed into are refused', async () => {
  const daemon = await startDaemon()
  const draft = await prepareProposal(daemon)
  const { draft_hash } = draft
  for (const install_lane of ['shared_promoted', 'quarantined', 'pending']) {
    const reply = await daemon.post(`${draft.url}/install`, { install_lane, draft_hash })
    expect(readCode(reply)).toBe('INVALID_REQUEST')
  }
  const approval_scope = 'experimental_private'
  const reply = await daemon.post(`${draft.url}/approve`, { approval_scope, draft_hash })
  expect(readCode(reply)).toBe('INVALID_REQUEST')
  await expectUnchanged(daemon, draft)
})

test('an installation into a shared lane requires the hash of the reviewed draft', async () => {
  const daemon = await startDaemon()
  const draft = await prepareProposal(daemon)

  expect(readCode(await daemon.post(`${draft.url}/install`, WORKSPACE))).toBe('INVALID_REQUEST')
  expect(readCode(await daemon.post(`${draft.url}/approve`))).toBe('INVALID_REQUEST')
  const other = { draft_hash: '0'.repeat(64) }
  for (const [path, body] of [
    ['install', other],
    ['install', { ...WORKSPACE, ...other }],
    ['approve', other],
  ] as const) {
    const reply = await daemon.post(`${draft.url}/${path}`, body)
    expect(reply.json()).toMatchObject({
      error: { code: 'DRAFT_CHANGED', details: { draft_hash: draft.draft_hash } },
    })
  }
  await expectUnchanged(daemon, draft)
})

test('an installation into the workspace passes through installed_private to approved', async () => {
  const daemon = await startDaemon()
  const draft = await prepareProposal(daemon)
  const { saga_id } = await install(daemon, draft, { ...WORKSPACE, draft_hash: draft.draft_hash })

  expect(readStates(daemon, draft)).toEqual(['approved', 'approved'])
  const hops = daemon
    .events()
    .filter(
      ({ kind, learn_session_id }) => kind === 'learn.session.state_changed' && learn_session_id === draft.session,
    )
    .map(({ payload }) => payload['to'])
  expect(hops.slice(-3)).toEqual(['installing_private', 'installed_private', 'approved'])
  expect(readAbility(daemon)).toMatchObject({
    install_lane: 'approved_workspace',
    usable_now: true,
  })
  expect(readProposal(daemon, draft.proposal).install_lane).toBe('approved_workspace')
  expect(readSaga(daemon, saga_id)).toMatchObject({ kind: 'install', status: 'completed' })
})

test.each(['approved_workspace', 'shared_promoted'] as const)(
  'an approval for %s from review installs into that lane',
  async (approval_scope) => {
    const daemon = await startDaemon()
    const draft = await prepareProposal(daemon)
    const { draft_hash } = draft

    const reply = await daemon.post(`${draft.url}/approve`, {
      approval_scope,
      draft_hash,
      approval_note: 'Fine.',
    })

    expect(reply.statusCode, reply.body).toBe(200)
    expect(reply.json()).toMatchObject({
      proposal: {
        proposal_state: 'approved',
        install_lane: approval_scope,
        ability_id: ABILITY_ID,
      },
      interpretation: { user_confirmed: true },
    })
    expect(daemon.session(draft.session)?.state).toBe('approved')
    expect(readAbility(daemon)).toMatchObject({ install_lane: approval_scope, usable_now: true })
    const ann = await daemon.tokenFor('ann', 'read')
    const seen = await daemon.get(`/api/abilities/${ABILITY_ID}/availability`, ann)
    expect(seen.json()).toMatchObject({ install_lane: approval_scope, usable_now: true })
    const receipts = await daemon.get('/api/learn/receipts?receipt_kind=learn.proposal.approved')
    expect(receipts.json()).toMatchObject({
      receipts: [{ details: { approval_note: 'Fine.' }, proposal_id: draft.proposal }],
    })
  },
)

test('an approval after a private installation changes only the lane', async () => {
  const daemon = await startDaemon()
  const draft = await installProposal(daemon)
  const files = readFolders(daemon)
  const { draft_hash } = draft

  const reply = await daemon.post(`${draft.url}/approve`, { draft_hash })

  expect(reply.json()).toMatchObject({ proposal: { proposal_state: 'approved' } })
  expect(readStates(daemon, draft)).toEqual(['approved', 'approved'])
  expect(readVersions(daemon)).toMatchObject([{ version: 1, install_lane: 'approved_workspace' }])
  expect(readAbility(daemon)).toMatchObject({
    install_lane: 'approved_workspace',
    current_version: 1,
    usable_now: true,
  })
  expect(readFolders(daemon)).toEqual(files)
  expect(readCode(await daemon.post(`${draft.url}/approve`, { draft_hash }))).toBe('INVALID_LEARN_STATE_TRANSITION')
})

test('the event stream of an approved session ends after its installation', async () => {
  const daemon = await startDaemon()
  const draft = await prepareProposal(daemon)
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

test('a name of another ability is refused, whoever owns it', async () => {
  for (const [existing, reason] of [
    [{ ability_id: ABILITY_ID, source: 'native' }, 'a native one'],
    [{ ability_id: ABILITY_ID, owner_user_id: 'ann', install_lane: 'experimental_private' }, 'private'],
    [{ ability_id: 'imported.x', skill_slug: SLUG }, 'the folder'],
    [{ ability_id: ABILITY_ID, skill_slug: SLUG }, 'another proposal'],
  ] as const) {
    const daemon = await startDaemon()
    await addAbility(daemon, existing)
    const draft = await prepareProposal(daemon)
    const reply = await daemon.post(`${draft.url}/install`)
    expect(reply.json(), reason).toMatchObject({
      error: {
        code: 'INSTALL_LANE_DENIED',
        details: { collision: 'skill_slug', skill_slug: SLUG },
      },
    })
    const details = reply.json<{ error: { details: { ability_id?: string } } }>().error.details
    expect(details.ability_id, reason).toBe(reason === 'private' ? undefined : existing.ability_id)
    expect(readStates(daemon, draft)).toEqual(['ready_for_review', 'ready_for_review'])
    expect(readFolders(daemon)).toEqual({ canonical: {}, projected: {} })
    expect((await getDetail(daemon, draft)).collisions.length, reason).toBeGreaterThan(0)
    await daemon.stop()
  }
})

test('a draft with a revised name is installed under that name', async () => {
  const daemon = await startDaemon()
  await addAbility(daemon, { ability_id: ABILITY_ID, skill_slug: SLUG })
  const draft = await prepareProposal(daemon)
  expect(readCode(await daemon.post(`${draft.url}/install`))).toBe('INSTALL_LANE_DENIED')
  await daemon.post(`${draft.url}/revise`, {
    edited_fields: { proposed_skill_slug: 'note-to-pdf' },
  })
  await daemon.post(`${draft.url}/validate`)
  const { ability_id } = await install(daemon, draft)
  expect(ability_id).toBe('learned.note-to-pdf')
  expect(new Set(Object.keys(readFolders(daemon).projected).map((path) => path.split('/')[0]))).toEqual(
    new Set(['note-to-pdf']),
  )
})

test('a new version cannot be installed into a narrower lane', async () => {
  const daemon = await startDaemon()
  const draft = await installProposal(daemon)
  await daemon.post(`${draft.url}/approve`, { draft_hash: draft.draft_hash })
  const next = await prepareImprovement(daemon, { goal: 'Share a note as PDF by mail' })

  const reply = await daemon.post(`${next.url}/install`)
  expect(reply.json()).toMatchObject({
    error: { code: 'INSTALL_LANE_DENIED', details: { install_lane: 'approved_workspace' } },
  })
  const approved = await daemon.post(`${next.url}/approve`, { draft_hash: next.draft_hash })
  expect(approved.statusCode, approved.body).toBe(200)
  expect(readAbility(daemon)).toMatchObject({
    current_version: 2,
    install_lane: 'approved_workspace',
  })
})

test('a promotion during an installation is kept', async () => {
  const daemon = await startDaemon()
  await installProposal(daemon)
  const next = await prepareImprovement(daemon, { goal: 'Share a note as PDF by mail' })
  // A trigger makes the change between two steps.
  await daemon.system.store.write((tx) => {
    tx.db.exec(`CREATE TRIGGER shared AFTER UPDATE ON install_sagas WHEN NEW.step = 'bridge' BEGIN
      UPDATE abilities SET install_lane = 'shared_promoted'; END`)
  })
  await install(daemon, next)
  expect(readAbility(daemon)).toMatchObject({ install_lane: 'shared_promoted', current_version: 2 })
})

test('a disabled or quarantined ability stays so in its next version', async () => {
  const daemon = await startDaemon()
  await installProposal(daemon)
  await daemon.post(`/api/abilities/${ABILITY_ID}/deactivate`)
  await install(daemon, await prepareImprovement(daemon, { goal: 'Share a note as PDF by mail' }))
  expect(readAbility(daemon)).toMatchObject({
    current_version: 2,
    enabled: false,
    usable_now: false,
    reason_unusable: 'disabled',
  })
  await runCommand(daemon, (ctx) => {
    const found = readAbility(daemon)
    if (found !== undefined) saveAbility(ctx, { ...found, enabled: true }, {})
  })
  await daemon.post(`/api/abilities/${ABILITY_ID}/quarantine`, { reason: 'odd' })
  await install(daemon, await prepareImprovement(daemon, { goal: 'Share a note as PDF to a friend' }))
  expect(readAbility(daemon)).toMatchObject({
    current_version: 3,
    install_lane: 'quarantined',
    prior_lane: 'experimental_private',
    usable_now: false,
    reason_unusable: 'quarantined',
  })
})
