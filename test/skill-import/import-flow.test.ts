import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listImportMovesSince } from '../../src/store/skill-import/skill-import-events.ts'
import { adminToken, startDaemon } from '../kit/daemon.ts'
import { readAbility } from '../install/install-kit.ts'
import { openStream } from '../live/sse-client.ts'
import { buildBundle, buildSkillDocument } from './zip-builder.ts'
import { listReportCodes, getDetail, runStep, scanUpload, importAndStage, upload } from './import-kit.ts'

test('a bundle is uploaded, scanned, staged and installed, and every state is recorded', async () => {
  const daemon = await startDaemon()
  const uploaded = await upload(daemon)
  expect(uploaded.temp_artifact).toMatchObject({
    temp_artifact_ref: expect.stringMatching(/^tmpart_[0-9a-f-]{36}$/),
    artifact_kind: 'skill_bundle_zip',
    original_filename: 'tidy-notes.zip',
  })
  const { import_id } = uploaded
  expect((await getDetail(daemon, import_id)).import_record.stage_state).toBe('uploaded')

  const found = await scanUpload(daemon, uploaded)
  expect(found.import_record).toMatchObject({
    stage_state: 'scan_complete',
    skill_name: 'tidy-notes',
  })
  expect(found.compatibility_report).toMatchObject({
    compatible: true,
    portability_grade: 'direct',
  })
  expect(listReportCodes(found).toSorted()).toEqual([
    'FRONTMATTER_KEY_NORMALIZED',
    'MANIFEST_MISSING',
    'SMOKE_TESTS_MISSING',
  ])

  const review = await runStep(daemon, 'stage', { import_id })
  expect(review).toMatchObject({
    stage_state: 'ready_for_review',
    source_ref_kind: 'materialized_bundle',
    proposal_id: expect.any(String),
    assigned_namespace: expect.stringMatching(/^ext_[0-9a-f]{4}_tidy_notes$/),
  })

  const installed = await runStep(daemon, 'install-private', { import_id })
  expect(installed).toMatchObject({
    stage_state: 'installed_private',
    ability_id: 'imported.tidy-notes',
  })
  const moves = daemon.system.store.read((reader) => listImportMovesSince(reader, { after: 0, limit: 100 }))
  expect(moves.map(({ entry }) => entry.to_state)).toEqual([
    'upload_pending',
    'uploaded',
    'scanning',
    'scan_complete',
    'staging',
    'ready_for_review',
    'install_queued',
    'installed_private',
  ])
  expect(readAbility(daemon, 'imported.tidy-notes')).toMatchObject({
    source: 'imported',
    usable_now: true,
    install_lane: 'experimental_private',
  })
})

test('the canonical copy has the original header, the projected copy the normalized one', async () => {
  const daemon = await startDaemon()
  const { import_id } = await importAndStage(daemon)
  await runStep(daemon, 'install-private', { import_id })
  const canonical = join(daemon.home, 'system', 'learning', 'installed', 'tidy-notes')
  const projected = join(daemon.home, 'workspace', 'skills', 'tidy-notes')

  expect(readFileSync(join(canonical, 'SKILL.md'), 'utf8')).toBe(buildSkillDocument())
  expect(readFileSync(join(projected, 'SKILL.md'), 'utf8')).toContain('negative-triggers:')
  for (const root of [canonical, projected]) {
    const picture = join(root, 'assets', 'picture.bin')
    expect([...readFileSync(picture)]).toEqual([0, 1, 2, 3, 250, 251])
    expect(statSync(picture).mode & 0o111).toBe(0)
    expect(existsSync(join(root, 'references', 'rules.md'))).toBe(true)
  }
  expect(existsSync(join(projected, 'capabilities', 'imported.tidy-notes.json'))).toBe(true)
  await expect.poll(() => readdirSync(join(daemon.home, 'imports', 'tmp'))).toEqual([])
})

test('the executable bit of a script is kept in both copies, and no other bit of its mode', async () => {
  const daemon = await startDaemon()
  const script = { content: '#!/bin/sh\necho "{}" # json\n' }
  const { import_id } = await importAndStage(daemon, [
    ...buildBundle(),
    { ...script, name: 'scripts/run.sh', mode: 0o100777 },
    { ...script, name: 'scripts/plain.sh' },
  ])
  await runStep(daemon, 'install-private', { import_id })
  for (const place of ['system/learning/installed', 'workspace/skills']) {
    const folder = join(daemon.home, place, 'tidy-notes', 'scripts')
    const [run, plain] = ['run.sh', 'plain.sh'].map((name) => statSync(join(folder, name)).mode)
    expect([(run ?? 0) & 0o100, (run ?? 0) & 0o022, (plain ?? 0) & 0o111], place).toEqual([0o100, 0, 0])
  }
})

test('the event stream of an import delivers every move to its owner only', async () => {
  const daemon = await startDaemon()
  const { url } = await daemon.listen()
  const uploaded = await upload(daemon)
  const { import_id } = uploaded
  const events = `${url}/api/skills/import/${import_id}/events`
  const stream = await openStream(events, { token: adminToken })
  await scanUpload(daemon, uploaded)
  await runStep(daemon, 'discard', { import_id })
  await stream.ended
  const moves = stream.frames.filter(({ event }) => event === 'skill.import.state_changed')
  expect(moves.map(({ data }) => data?.payload['to'])).toEqual([
    'upload_pending',
    'uploaded',
    'scanning',
    'scan_complete',
    'discarded',
  ])
  const mallory = await daemon.tokenFor('mallory', 'admin')
  expect((await openStream(events, { token: mallory })).status).toBe(404)
})
