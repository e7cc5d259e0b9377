import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listReceipts } from '../../src/store/command/receipts.ts'
import { addAbility } from '../abilities/ability-rows.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { readAbility } from '../install/install-kit.ts'
import { buildBundle, buildSkillDocument } from './zip-builder.ts'
import {
  countStoredFiles,
  runCommand,
  listReportCodes,
  getDetail,
  runStep,
  readOutcome,
  uploadAndScan,
  importAndStage,
  upload,
  scanUpload,
} from './import-kit.ts'

const readState = async (daemon: Daemon, id: string) => (await getDetail(daemon, id)).import_record.stage_state
const listReceiptKinds = (daemon: Daemon) =>
  daemon.system.store
    .read((reader) => listReceipts(reader, 'local', { page: 1, page_size: 100 }))
    .receipts.map(({ receipt_kind }) => receipt_kind)
    .filter((kind) => kind.startsWith('skill_import.'))
    .toReversed()
const getSkillsFolder = ({ home }: Daemon) => join(home, 'workspace', 'skills')

test('approving installs for the workspace and needs an admin token', async () => {
  const daemon = await startDaemon()
  const { import_id } = await importAndStage(daemon)
  const writer = await daemon.tokenFor('local', 'write')
  expect(readOutcome(await runCommand(daemon, 'approve', { import_id }, writer))).toBe('INSTALL_LANE_DENIED')
  expect(await readState(daemon, import_id)).toBe('ready_for_review')
  const approved = await runStep(daemon, 'approve', { import_id, approval_note: 'fine' })
  expect(approved).toMatchObject({ stage_state: 'approved', ability_id: 'imported.tidy-notes' })
  expect(readAbility(daemon, 'imported.tidy-notes')).toMatchObject({
    install_lane: 'approved_workspace',
    usable_now: true,
  })
  expect(listReceiptKinds(daemon)).toEqual(
    ['uploaded', 'scanned', 'staged', 'install_requested', 'approved'].map((kind) => `skill_import.${kind}`),
  )
})

test('rejecting or discarding an import rejects its proposal and removes the unpacked files', async () => {
  const daemon = await startDaemon()
  for (const [verb, name] of [
    ['reject', 'first-one'],
    ['discard', 'second-one'],
  ] as const) {
    const { import_id, proposal_id } = await importAndStage(daemon, buildBundle(name))
    expect(countStoredFiles(daemon)).toBeGreaterThan(0)
    await runStep(daemon, verb, { import_id, reason: 'not for us' })
    const proposal = await daemon.get(`/api/learn/proposals/${proposal_id}/detail`)
    expect(proposal.json()).toMatchObject({ proposal: { proposal_state: 'rejected' } })
    await expect.poll(() => countStoredFiles(daemon)).toBe(0)
    expect(readOutcome(await daemon.post(`/api/learn/proposals/${proposal_id}/install`, {}))).not.toBe('done')
  }
  expect(readAbility(daemon, 'imported.first-one')).toBeUndefined()
  expect(readAbility(daemon, 'imported.second-one')).toBeUndefined()
})

test('rejecting or installing the proposal moves its import too', async () => {
  const daemon = await startDaemon()
  const one = await importAndStage(daemon, buildBundle('first-one'))
  await daemon.post(`/api/learn/proposals/${one.proposal_id}/reject`, { reason: 'no' })
  expect(await readState(daemon, one.import_id)).toBe('rejected')
  const two = await importAndStage(daemon, buildBundle('second-one'))
  const installed = await daemon.post(`/api/learn/proposals/${two.proposal_id}/install`, {})
  expect(installed.json()).toMatchObject({ ability_id: 'imported.second-one' })
  expect(await readState(daemon, two.import_id)).toBe('installed_private')
  const detailed = (await getDetail(daemon, two.import_id)).proposal_id ?? ''
  const hash = (await daemon.get(`/api/learn/proposals/${detailed}/detail`)).json<{
    draft_hash: string
  }>()
  const approved = await daemon.post(`/api/learn/proposals/${detailed}/approve`, {
    draft_hash: hash.draft_hash,
  })
  expect(approved.statusCode, approved.body).toBe(200)
  expect(readAbility(daemon, 'imported.second-one')?.install_lane).toBe('approved_workspace')
})

test('an existing folder fails the installation, which can be retried with a warning after three', async () => {
  const daemon = await startDaemon()
  const { import_id } = await importAndStage(daemon)
  mkdirSync(join(getSkillsFolder(daemon), 'tidy-notes'), { recursive: true })
  for (let tries = 0; tries < 4; tries += 1) {
    const reply =
      tries === 0
        ? await runCommand(daemon, 'install-private', { import_id })
        : await runCommand(daemon, 'retry', { import_id, retry_kind: 'install' })
    expect(readOutcome(reply)).toBe('SKILL_IMPORT_INSTALL_FAILED')
    const { import_record, warnings } = await getDetail(daemon, import_id)
    expect(import_record).toMatchObject({
      stage_state: 'install_failed',
      last_error_code: 'MATERIALIZATION_FAILED',
      retry_counts: { install: tries },
    })
    expect(warnings.includes('retry_limit_reached:install')).toBe(tries === 3)
    expect(readAbility(daemon, 'imported.tidy-notes')).toBeUndefined()
  }
  expect(existsSync(join(daemon.home, 'system', 'learning', 'installed', 'tidy-notes'))).toBe(false)
  rmSync(join(getSkillsFolder(daemon), 'tidy-notes'), { recursive: true })
  expect(await runStep(daemon, 'retry', { import_id, retry_kind: 'install' })).toMatchObject({
    stage_state: 'installed_private',
  })
})

test('the name of a skill that somebody else put into the folder of the agent is a warning', async () => {
  const daemon = await startDaemon()
  const scan = async (name: string) => {
    const reply = await uploadAndScan(daemon, buildBundle(name))
    return [listReportCodes(reply).includes('SKILL_NAME_SHADOWS_INSTALLED'), reply.compatibility_report.compatible]
  }
  const { import_id } = await importAndStage(daemon, buildBundle('own-skill'))
  await runStep(daemon, 'install-private', { import_id })
  const addForeign = (folder: string, name: string): void => {
    mkdirSync(join(getSkillsFolder(daemon), folder))
    writeFileSync(join(getSkillsFolder(daemon), folder, 'SKILL.md'), buildSkillDocument(name))
  }
  addForeign('by-folder', 'another-name')
  addForeign('Some Folder', 'by-name')
  expect(await scan('by-folder')).toEqual([true, true])
  expect(await scan('by-name')).toEqual([true, true])
  // The names of the daemon's own skills are collisions already.
  expect(await scan('own-skill')).toEqual([false, false])
  expect(await scan('free-name')).toEqual([false, true])
})

test('a failed approval leaves the import ready for review', async () => {
  const daemon = await startDaemon()
  const { import_id } = await importAndStage(daemon)
  mkdirSync(join(getSkillsFolder(daemon), 'tidy-notes'), { recursive: true })
  expect(readOutcome(await runCommand(daemon, 'approve', { import_id }))).toBe('SKILL_IMPORT_INSTALL_FAILED')
  expect((await getDetail(daemon, import_id)).import_record).toMatchObject({
    stage_state: 'ready_for_review',
    last_error_code: 'MATERIALIZATION_FAILED',
  })
  rmSync(join(getSkillsFolder(daemon), 'tidy-notes'), { recursive: true })
  expect(await runStep(daemon, 'approve', { import_id })).toMatchObject({ stage_state: 'approved' })
})

test('a failed bridge rebuild leaves the import partly installed and unusable', async () => {
  const daemon = await startDaemon()
  const first = await importAndStage(daemon, buildBundle('first-one'))
  await runStep(daemon, 'install-private', { import_id: first.import_id })
  await daemon.system.store.write((tx) => {
    tx.db.exec(`UPDATE ability_versions SET manifest = json_remove(manifest, '$.family')`)
  })
  const { import_id } = await importAndStage(daemon, buildBundle('second-one'))
  expect(await runStep(daemon, 'install-private', { import_id })).toMatchObject({
    stage_state: 'installed_private',
  })
  const { partial_deployment, warnings } = await getDetail(daemon, import_id)
  expect(partial_deployment).toMatchObject({
    state: 'bridge_pending',
    blocking: true,
    reason_code: 'BRIDGE_REBUILD_FAILED',
  })
  expect(warnings).toContain('partial_deployment:bridge_pending')
  expect(readAbility(daemon, 'imported.second-one')).toMatchObject({ usable_now: false })
})

test('a bundle with errors or a name in use cannot be staged', async () => {
  const daemon = await startDaemon()
  const bad = await uploadAndScan(daemon, [...buildBundle(), { name: 'scripts/a.sh', content: 'sudo rm -rf /' }])
  expect(bad.import_record.stage_state).toBe('scan_complete')
  expect(bad.compatibility_report).toMatchObject({
    compatible: false,
    portability_grade: 'non_portable',
  })
  const refusedBad = await runCommand(daemon, 'stage', { import_id: bad.import_record.import_id })
  expect(readOutcome(refusedBad)).toBe('SKILL_IMPORT_NOT_COMPATIBLE')
  expect(countStoredFiles(daemon)).toBe(0)

  const waiting = await uploadAndScan(daemon)
  const { import_id } = await importAndStage(daemon)
  await runStep(daemon, 'install-private', { import_id })
  const late = await runCommand(daemon, 'stage', { import_id: waiting.import_record.import_id })
  expect(readOutcome(late)).toBe('SKILL_IMPORT_COLLISION')
  const again = await uploadAndScan(daemon)
  expect(again.import_record.tool_shadowing_check).toBe('collision_detected')
  expect(listReportCodes(again)).toEqual(expect.arrayContaining(['SKILL_NAME_COLLISION', 'CONTENT_DUPLICATE']))
  expect(readOutcome(await runCommand(daemon, 'stage', { import_id: again.import_record.import_id }))).toBe(
    'SKILL_IMPORT_COLLISION',
  )
})

test('a skill that requires an adapter can be installed but neither used nor approved', async () => {
  const daemon = await startDaemon()
  const content = buildSkillDocument().replace('read, write', 'Teleport')
  const { import_id, requires_adapter } = await importAndStage(daemon, [{ name: 'SKILL.md', content }])
  expect(requires_adapter).toBe(true)
  expect(readOutcome(await runCommand(daemon, 'approve', { import_id }))).toBe('SKILL_IMPORT_ADAPTER_REQUIRED')
  await runStep(daemon, 'install-private', { import_id })
  expect(readAbility(daemon, 'imported.tidy-notes')).toMatchObject({
    usable_now: false,
    reason_unusable: 'adapter_required',
  })
  expect((await getDetail(daemon, import_id)).warnings).toEqual(['requires_adapter'])
})

test('only an admin token may install with target_scope workspace', async () => {
  const daemon = await startDaemon()
  const { import_id } = await importAndStage(daemon)
  const forAll = { import_id, target_scope: 'workspace' }
  const writer = await daemon.tokenFor('local', 'write')
  const ada = await daemon.tokenFor('ada', 'write')
  const seen = async () => (await daemon.get('/api/abilities/imported.tidy-notes/availability', ada)).statusCode
  const query = { user_query: 'tidy my notes', schema_version: 1 }
  const matches = async (body: object) =>
    (await daemon.post('/api/abilities/lookup', body, ada)).json<{ matches: unknown[] }>().matches

  const denied = await runCommand(daemon, 'install-private', forAll, writer)
  expect(denied.json()).toMatchObject({
    error: { code: 'INSTALL_LANE_DENIED', details: { field: 'target_scope' } },
  })
  expect(await readState(daemon, import_id)).toBe('ready_for_review')
  expect(await seen()).toBe(404)

  const installed = await runStep(daemon, 'install-private', forAll)
  expect(installed).toMatchObject({ stage_state: 'installed_private', visibility: 'workspace' })
  expect(readAbility(daemon, 'imported.tidy-notes')).toMatchObject({
    install_lane: 'experimental_private',
    visibility: 'workspace',
  })
  expect(await seen()).toBe(200)
  expect(await matches(query)).toHaveLength(1)
  expect(await matches({ ...query, include_private_owned_by_user: false })).toEqual([])
  const change = await daemon.post('/api/abilities/imported.tidy-notes/deactivate', {}, ada)
  expect(readOutcome(change)).toBe('INSTALL_LANE_DENIED')
  expect(readAbility(daemon, 'imported.tidy-notes')?.enabled).toBe(true)
})

test('lines in the body of SKILL.md are not parsed as header fields', async () => {
  const daemon = await startDaemon()
  const content = `${buildSkillDocument()}\nportability-grade: ${'x'.repeat(100)}\n`
  const { import_id } = await importAndStage(daemon, [{ name: 'SKILL.md', content }])
  const { proposal_id } = await getDetail(daemon, import_id)
  const proposal = await daemon.get(`/api/learn/proposals/${proposal_id}/detail`)
  expect(proposal.statusCode).toBe(200)
  expect(proposal.json()).not.toHaveProperty('portability_grade')
})

test("a scan does not report trigger collisions with other users' private abilities, quarantined or not", async () => {
  const daemon = await startDaemon()
  const same = { trigger_phrases: ['tidy my notes'], owner_user_id: 'ada' }
  const prior_lane = 'experimental_private' as const
  await addAbility(daemon, { ...same, install_lane: 'quarantined', prior_lane })
  expect(listReportCodes(await uploadAndScan(daemon))).not.toContain('TRIGGER_COLLISION')
  await addAbility(daemon, { ...same, ability_id: 'learned.open' })
  expect(listReportCodes(await uploadAndScan(daemon))).toContain('TRIGGER_COLLISION')
})

test('temp_artifact_ref and staged_upload_ref are aliases', async () => {
  const daemon = await startDaemon()
  const { temp_artifact } = await upload(daemon)
  const ask = (body: object) => runCommand(daemon, 'scan', { source: 'manual_upload', ...body })
  const { temp_artifact_ref: ref } = temp_artifact
  expect(readOutcome(await ask({}))).toBe('INVALID_REQUEST')
  expect(readOutcome(await ask({ temp_artifact_ref: ref, staged_upload_ref: 'other' }))).toBe('INVALID_REQUEST')
  expect(readOutcome(await ask({ temp_artifact_ref: ref, input_path: '/tmp/a.zip' }))).toBe('INVALID_REQUEST')
  expect(readOutcome(await ask({ staged_upload_ref: 'tmpart_none' }))).toBe('SKILL_IMPORT_UPLOAD_NOT_FOUND')
  const first = await ask({ staged_upload_ref: ref })
  expect(first.statusCode, first.body).toBe(200)
  const again = await ask({ temp_artifact_ref: ref, staged_upload_ref: ref })
  expect(again.body).toBe(first.body)
})

test("another user's import is not found by any command or query, and does not change", async () => {
  const daemon = await startDaemon()
  const { import_id } = await importAndStage(daemon)
  const token = await daemon.tokenFor('mallory', 'admin')
  for (const [verb, more] of [
    ['stage', {}],
    ['approve', {}],
    ['install-private', {}],
    ['discard', {}],
    ['reject', { reason: 'no' }],
    ['retry', { retry_kind: 'install' }],
  ] as const) {
    const reply = await runCommand(daemon, verb, { import_id, ...more }, token)
    expect([verb, readOutcome(reply)]).toEqual([verb, 'SKILL_IMPORT_NOT_FOUND'])
  }
  expect(await readState(daemon, import_id)).toBe('ready_for_review')
  expect(readOutcome(await daemon.get(`/api/skills/import/${import_id}`, token))).toBe('SKILL_IMPORT_NOT_FOUND')
  expect((await daemon.get('/api/skills/import/list', token)).json()).toMatchObject({
    items: [],
    total: 0,
  })
  expect(readOutcome(await daemon.get('/api/skills/import/nonsense'))).toBe('INVALID_REQUEST')
})

test('a trigger phrase is tested on imports and abilities with the matcher of the lookup', async () => {
  const daemon = await startDaemon()
  const { import_id } = await importAndStage(daemon)
  const ask = async (trigger_text: string, more: object = { import_id }) =>
    daemon.post('/api/skills/trigger-test', { trigger_text, ...more })
  expect((await ask('please tidy my notes')).json()).toMatchObject({
    matched: true,
    reasons: ['trigger_phrase_match: "tidy my notes"', 'title_match: 2 tokens'],
    candidate_import_id: import_id,
    receipt_id: expect.any(String),
  })
  expect((await ask('tidy up the notes')).json()).toMatchObject({
    matched: true,
    reasons: ['trigger_partial_match: 2 tokens', 'title_match: 2 tokens'],
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
  expect(readOutcome(await ask('x', {}))).toBe('INVALID_REQUEST')
  expect(readOutcome(await ask('x', { ability_id: 'learned.none' }))).toBe('ABILITY_NOT_FOUND')
  await runStep(daemon, 'install-private', { import_id })
  expect((await ask('tidy my notes', { ability_id: 'imported.tidy-notes' })).json()).toMatchObject({
    matched: true,
  })
})

test('a bundle can be staged into a known pack', async () => {
  const daemon = await startDaemon()
  const packs = (await daemon.get('/api/skills/packs')).json<{ packs: { pack_id: string }[] }>()
  expect(packs.packs.map(({ pack_id }) => pack_id)).toEqual(['general', 'office-pack'])
  const { import_record } = await uploadAndScan(daemon)
  const { import_id } = import_record
  expect(readOutcome(await runCommand(daemon, 'stage', { import_id, requested_pack_id: 'none' }))).toBe(
    'SKILL_IMPORT_PACK_UNKNOWN',
  )
  expect(await runStep(daemon, 'stage', { import_id, requested_pack_id: 'office-pack' })).toMatchObject({
    skill_pack: 'office-pack',
  })
})

test('an administrator adds and changes a pack, and bundles can be staged into it', async () => {
  const daemon = await startDaemon()
  const url = '/api/skills/packs/field-work'
  const put = (payload: object, token?: string) =>
    daemon.request({ method: 'PUT', url, payload, ...(token === undefined ? {} : { token }) })
  expect((await put({ title: 'Field work' }, await daemon.tokenFor('ada', 'write'))).statusCode).toBe(403)
  expect((await put({ title: ' ' })).json()).toMatchObject({ error: { details: { field: 'title' } } })
  expect((await put({ title: 'Field work' })).json()).toMatchObject({ pack_id: 'field-work', title: 'Field work' })
  const changed = await put({ title: 'Work outside', description: 'For visits', active_build_surface: false })
  expect(changed.json()).toMatchObject({ title: 'Work outside', description: 'For visits' })
  const { packs } = (await daemon.get('/api/skills/packs')).json<{ packs: { pack_id: string; title: string }[] }>()
  expect(packs.filter(({ pack_id }) => pack_id === 'field-work')).toMatchObject([{ title: 'Work outside' }])
  const { import_record } = await uploadAndScan(daemon)
  const staged = await runStep(daemon, 'stage', {
    import_id: import_record.import_id,
    requested_pack_id: 'field-work',
  })
  expect(staged).toMatchObject({ skill_pack: 'field-work' })
})

test('deleting the upload of an unpacked import removes its bytes and does not discard the import', async () => {
  const daemon = await startDaemon()
  const uploaded = await upload(daemon)
  const { import_id } = uploaded
  await scanUpload(daemon, uploaded)
  await runStep(daemon, 'stage', { import_id })
  const url = `/api/skills/import/uploads/${uploaded.temp_artifact.temp_artifact_ref}`
  const deleted = await daemon.delete(url)
  expect([deleted.statusCode, deleted.json()]).toEqual([200, expect.objectContaining({ deleted: true })])
  expect(await readState(daemon, import_id)).toBe('ready_for_review')
  await expect.poll(() => readdirSync(join(daemon.home, 'imports', 'tmp'))).toEqual([])
  expect((await daemon.delete(url)).body).toBe(deleted.body)
  const approved = await runStep(daemon, 'approve', { import_id, approval_note: 'fine' })
  expect(approved.stage_state).toBe('approved')
})
