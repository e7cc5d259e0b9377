import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listReceipts } from '../../src/store/command/receipts.ts'
import { addAbility } from '../abilities/an-ability.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { ability } from '../install/installing.ts'
import { goodBundle, goodSkill } from './archive.ts'
import { runCommand, codesOf, detail, done, refusal, scanned, staged, upload } from './importing.ts'

const stateOf = async (daemon: Daemon, id: string) =>
  (await detail(daemon, id)).import_record.stage_state
const kinds = (daemon: Daemon) =>
  daemon.system.store
    .read((reader) => listReceipts(reader, 'local', { page: 1, page_size: 100 }))
    .receipts.map(({ receipt_kind }) => receipt_kind)
    .filter((kind) => kind.startsWith('skill_import.'))
    .toReversed()
const skillsFolder = ({ home }: Daemon) => join(home, 'workspace', 'skills')

test('approving installs for the workspace, and only an administrator may', async () => {
  const daemon = await startDaemon()
  const { import_id } = await staged(daemon)
  const writer = await daemon.tokenFor('local', 'write')
  expect(refusal(await runCommand(daemon, 'approve', { import_id }, writer))).toBe('INSTALL_LANE_DENIED')
  expect(await stateOf(daemon, import_id)).toBe('ready_for_review')
  const approved = await done(daemon, 'approve', { import_id, approval_note: 'fine' })
  expect(approved).toMatchObject({ stage_state: 'approved', ability_id: 'imported.tidy-notes' })
  expect(ability(daemon, 'imported.tidy-notes')).toMatchObject({
    install_lane: 'approved_workspace',
    usable_now: true,
  })
  expect(kinds(daemon)).toEqual(
    ['uploaded', 'scanned', 'staged', 'install_requested', 'approved'].map(
      (kind) => `skill_import.${kind}`,
    ),
  )
})

test('rejecting and discarding end the proposal too, and nothing unpacked is left', async () => {
  const daemon = await startDaemon()
  for (const [verb, name] of [
    ['reject', 'first-one'],
    ['discard', 'second-one'],
  ] as const) {
    const { import_id, proposal_id } = await staged(daemon, goodBundle(name))
    expect(existsSync(join(daemon.home, 'imports', 'staged', import_id, 'SKILL.md'))).toBe(true)
    await done(daemon, verb, { import_id, reason: 'not for us' })
    const proposal = await daemon.get(`/api/learn/proposals/${proposal_id}/detail`)
    expect(proposal.json()).toMatchObject({ proposal: { proposal_state: 'rejected' } })
    await expect
      .poll(() => existsSync(join(daemon.home, 'imports', 'staged', import_id)))
      .toBe(false)
    expect(refusal(await daemon.post(`/api/learn/proposals/${proposal_id}/install`, {}))).not.toBe(
      'done',
    )
  }
  expect(ability(daemon, 'imported.first-one')).toBeUndefined()
})

test('a proposal that is rejected or installed by itself takes its import along', async () => {
  const daemon = await startDaemon()
  const one = await staged(daemon, goodBundle('first-one'))
  await daemon.post(`/api/learn/proposals/${one.proposal_id}/reject`, { reason: 'no' })
  expect(await stateOf(daemon, one.import_id)).toBe('rejected')
  const two = await staged(daemon, goodBundle('second-one'))
  const installed = await daemon.post(`/api/learn/proposals/${two.proposal_id}/install`, {})
  expect(installed.json()).toMatchObject({ ability_id: 'imported.second-one' })
  expect(await stateOf(daemon, two.import_id)).toBe('installed_private')
  const detailed = (await detail(daemon, two.import_id)).proposal_id ?? ''
  const hash = (await daemon.get(`/api/learn/proposals/${detailed}/detail`)).json<{
    draft_hash: string
  }>()
  const approved = await daemon.post(`/api/learn/proposals/${detailed}/approve`, {
    draft_hash: hash.draft_hash,
  })
  expect(approved.statusCode, approved.body).toBe(200)
  expect(ability(daemon, 'imported.second-one')?.install_lane).toBe('approved_workspace')
})

test('a folder in the way fails the installation, which can be tried again', async () => {
  const daemon = await startDaemon()
  const { import_id } = await staged(daemon)
  mkdirSync(join(skillsFolder(daemon), 'tidy-notes'), { recursive: true })
  for (let tries = 0; tries < 4; tries += 1) {
    const reply =
      tries === 0
        ? await runCommand(daemon, 'install-private', { import_id })
        : await runCommand(daemon, 'retry', { import_id, retry_kind: 'install' })
    expect(refusal(reply)).toBe('SKILL_IMPORT_INSTALL_FAILED')
    const { import_record, warnings } = await detail(daemon, import_id)
    expect(import_record).toMatchObject({
      stage_state: 'install_failed',
      last_error_code: 'MATERIALIZATION_FAILED',
      retry_counts: { install: tries },
    })
    expect(warnings.includes('retry_limit_reached:install')).toBe(tries === 3)
    expect(ability(daemon, 'imported.tidy-notes')).toBeUndefined()
  }
  expect(existsSync(join(daemon.home, 'system', 'learning', 'installed', 'tidy-notes'))).toBe(false)
  rmSync(join(skillsFolder(daemon), 'tidy-notes'), { recursive: true })
  expect(await done(daemon, 'retry', { import_id, retry_kind: 'install' })).toMatchObject({
    stage_state: 'installed_private',
  })
})

test('an approval that fails leaves the import where it was', async () => {
  const daemon = await startDaemon()
  const { import_id } = await staged(daemon)
  mkdirSync(join(skillsFolder(daemon), 'tidy-notes'), { recursive: true })
  expect(refusal(await runCommand(daemon, 'approve', { import_id }))).toBe('SKILL_IMPORT_INSTALL_FAILED')
  expect((await detail(daemon, import_id)).import_record).toMatchObject({
    stage_state: 'ready_for_review',
    last_error_code: 'MATERIALIZATION_FAILED',
  })
  rmSync(join(skillsFolder(daemon), 'tidy-notes'), { recursive: true })
  expect(await done(daemon, 'approve', { import_id })).toMatchObject({ stage_state: 'approved' })
})

test('a bridge that cannot be built leaves it installed in part', async () => {
  const daemon = await startDaemon()
  const first = await staged(daemon, goodBundle('first-one'))
  await done(daemon, 'install-private', { import_id: first.import_id })
  await daemon.system.store.write((tx) => {
    tx.db.exec(`UPDATE ability_versions SET manifest = json_remove(manifest, '$.family')`)
  })
  const { import_id } = await staged(daemon, goodBundle('second-one'))
  expect(await done(daemon, 'install-private', { import_id })).toMatchObject({
    stage_state: 'installed_private',
  })
  const { partial_deployment, warnings } = await detail(daemon, import_id)
  expect(partial_deployment).toMatchObject({
    state: 'bridge_pending',
    blocking: true,
    reason_code: 'BRIDGE_REBUILD_FAILED',
  })
  expect(warnings).toContain('partial_deployment:bridge_pending')
  expect(ability(daemon, 'imported.second-one')).toMatchObject({ usable_now: false })
})

test('errors and taken names keep a bundle from being staged', async () => {
  const daemon = await startDaemon()
  const bad = await scanned(daemon, [
    ...goodBundle(),
    { name: 'scripts/a.sh', content: 'sudo rm -rf /' },
  ])
  expect(bad.import_record.stage_state).toBe('scan_complete')
  expect(bad.compatibility_report).toMatchObject({
    compatible: false,
    portability_grade: 'non_portable',
  })
  const refusedBad = await runCommand(daemon, 'stage', { import_id: bad.import_record.import_id })
  expect(refusal(refusedBad)).toBe('SKILL_IMPORT_NOT_COMPATIBLE')
  expect(existsSync(join(daemon.home, 'imports', 'staged'))).toBe(false)

  const waiting = await scanned(daemon)
  const { import_id } = await staged(daemon)
  await done(daemon, 'install-private', { import_id })
  const late = await runCommand(daemon, 'stage', { import_id: waiting.import_record.import_id })
  expect(refusal(late)).toBe('SKILL_IMPORT_COLLISION')
  const again = await scanned(daemon)
  expect(again.import_record.tool_shadowing_check).toBe('collision_detected')
  expect(codesOf(again)).toEqual(
    expect.arrayContaining(['SKILL_NAME_COLLISION', 'CONTENT_DUPLICATE']),
  )
  expect(refusal(await runCommand(daemon, 'stage', { import_id: again.import_record.import_id }))).toBe(
    'SKILL_IMPORT_COLLISION',
  )
})

test('what needs an adapter is installed but not usable, and not approved', async () => {
  const daemon = await startDaemon()
  const content = goodSkill().replace('read, write', 'Teleport')
  const { import_id, requires_adapter } = await staged(daemon, [{ name: 'SKILL.md', content }])
  expect(requires_adapter).toBe(true)
  expect(refusal(await runCommand(daemon, 'approve', { import_id }))).toBe('SKILL_IMPORT_ADAPTER_REQUIRED')
  await done(daemon, 'install-private', { import_id })
  expect(ability(daemon, 'imported.tidy-notes')).toMatchObject({
    usable_now: false,
    reason_unusable: 'adapter_required',
  })
  expect((await detail(daemon, import_id)).warnings).toEqual(['requires_adapter'])
})

test('an administrator shows a private installation to the workspace; nobody else may', async () => {
  const daemon = await startDaemon()
  const { import_id } = await staged(daemon)
  const forAll = { import_id, target_scope: 'workspace' }
  const writer = await daemon.tokenFor('local', 'write')
  const ada = await daemon.tokenFor('ada', 'write')
  const seen = async () =>
    (await daemon.get('/api/abilities/imported.tidy-notes/availability', ada)).statusCode
  const query = { user_query: 'tidy my notes', schema_version: 1 }
  const matches = async (body: object) =>
    (await daemon.post('/api/abilities/lookup', body, ada)).json<{ matches: unknown[] }>().matches

  const denied = await runCommand(daemon, 'install-private', forAll, writer)
  expect(denied.json()).toMatchObject({
    error: { code: 'INSTALL_LANE_DENIED', details: { field: 'target_scope' } },
  })
  expect(await stateOf(daemon, import_id)).toBe('ready_for_review')
  expect(await seen()).toBe(404)

  const installed = await done(daemon, 'install-private', forAll)
  expect(installed).toMatchObject({ stage_state: 'installed_private', visibility: 'workspace' })
  expect(ability(daemon, 'imported.tidy-notes')).toMatchObject({
    install_lane: 'experimental_private',
    visibility: 'workspace',
  })
  expect(await seen()).toBe(200)
  expect(await matches(query)).toHaveLength(1)
  expect(await matches({ ...query, include_private_owned_by_user: false })).toEqual([])
  const change = await daemon.post('/api/abilities/imported.tidy-notes/deactivate', {}, ada)
  expect(refusal(change)).toBe('INSTALL_LANE_DENIED')
  expect(ability(daemon, 'imported.tidy-notes')?.enabled).toBe(true)
})

test('what the text of a skill says is not taken for its header', async () => {
  const daemon = await startDaemon()
  const content = `${goodSkill()}\nportability-grade: ${'x'.repeat(100)}\n`
  const { import_id } = await staged(daemon, [{ name: 'SKILL.md', content }])
  const { proposal_id } = await detail(daemon, import_id)
  const shown = await daemon.get(`/api/learn/proposals/${proposal_id}/detail`)
  expect(shown.statusCode).toBe(200)
  expect(shown.json()).not.toHaveProperty('portability_grade')
})

test('what is private to somebody else stays so, also while it is in quarantine', async () => {
  const daemon = await startDaemon()
  const same = { trigger_phrases: ['tidy my notes'], owner_user_id: 'ada' }
  const prior_lane = 'experimental_private' as const
  await addAbility(daemon, { ...same, install_lane: 'quarantined', prior_lane })
  expect(codesOf(await scanned(daemon))).not.toContain('TRIGGER_COLLISION')
  await addAbility(daemon, { ...same, ability_id: 'learned.open' })
  expect(codesOf(await scanned(daemon))).toContain('TRIGGER_COLLISION')
})

test('an upload has one handle under two names', async () => {
  const daemon = await startDaemon()
  const { temp_artifact } = await upload(daemon)
  const ask = (body: object) => runCommand(daemon, 'scan', { source: 'manual_upload', ...body })
  const { temp_artifact_ref: ref } = temp_artifact
  expect(refusal(await ask({}))).toBe('INVALID_REQUEST')
  expect(refusal(await ask({ temp_artifact_ref: ref, staged_upload_ref: 'other' }))).toBe(
    'INVALID_REQUEST',
  )
  expect(refusal(await ask({ temp_artifact_ref: ref, input_path: '/tmp/a.zip' }))).toBe(
    'INVALID_REQUEST',
  )
  expect(refusal(await ask({ staged_upload_ref: 'tmpart_none' }))).toBe(
    'SKILL_IMPORT_UPLOAD_NOT_FOUND',
  )
  const first = await ask({ staged_upload_ref: ref })
  expect(first.statusCode, first.body).toBe(200)
  const again = await ask({ temp_artifact_ref: ref, staged_upload_ref: ref })
  expect(again.body).toBe(first.body)
})

test('imports belong to who made them', async () => {
  const daemon = await startDaemon()
  const { import_id } = await staged(daemon)
  const token = await daemon.tokenFor('mallory', 'admin')
  for (const verb of ['stage', 'approve', 'install-private', 'discard']) {
    expect(refusal(await runCommand(daemon, verb, { import_id }, token))).toBe('SKILL_IMPORT_NOT_FOUND')
  }
  expect(refusal(await daemon.get(`/api/skills/import/${import_id}`, token))).toBe(
    'SKILL_IMPORT_NOT_FOUND',
  )
  expect((await daemon.get('/api/skills/import/list', token)).json()).toMatchObject({
    items: [],
    total: 0,
  })
  expect(refusal(await daemon.get('/api/skills/import/nonsense'))).toBe('INVALID_REQUEST')
})

test('words are tried on a bundle with the matcher that lookups use', async () => {
  const daemon = await startDaemon()
  const { import_id } = await staged(daemon)
  const ask = async (trigger_text: string, more: object = { import_id }) =>
    daemon.post('/api/skills/trigger-test', { trigger_text, ...more })
  expect((await ask('please tidy my notes')).json()).toMatchObject({
    matched: true,
    candidate_import_id: import_id,
    receipt_id: expect.any(String),
  })
  expect((await ask('write a note and tidy my notes')).json()).toMatchObject({
    matched: false,
    score: 0,
    reasons: [],
  })
  expect((await ask('weather tomorrow')).json()).toMatchObject({
    matched: false,
    rejection_reasons: ['no_text_match', 'below_threshold'],
  })
  expect(refusal(await ask('x', {}))).toBe('INVALID_REQUEST')
  expect(refusal(await ask('x', { ability_id: 'learned.none' }))).toBe('ABILITY_NOT_FOUND')
  await done(daemon, 'install-private', { import_id })
  expect((await ask('tidy my notes', { ability_id: 'imported.tidy-notes' })).json()).toMatchObject({
    matched: true,
  })
})

test('there are packs, and a bundle may be put into one', async () => {
  const daemon = await startDaemon()
  const packs = (await daemon.get('/api/skills/packs')).json<{ packs: { pack_id: string }[] }>()
  expect(packs.packs.map(({ pack_id }) => pack_id)).toEqual(['general', 'office-pack'])
  const { import_record } = await scanned(daemon)
  const { import_id } = import_record
  expect(refusal(await runCommand(daemon, 'stage', { import_id, requested_pack_id: 'none' }))).toBe(
    'SKILL_IMPORT_PACK_UNKNOWN',
  )
  expect(
    await done(daemon, 'stage', { import_id, requested_pack_id: 'office-pack' }),
  ).toMatchObject({ skill_pack: 'office-pack' })
})
