import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listImportMovesSince } from '../../src/store/skill-import/skill-import-events.ts'
import { adminToken, startDaemon } from '../kit/daemon.ts'
import { ability } from '../install/installing.ts'
import { openStream } from '../live/sse-client.ts'
import { goodSkill } from './archive.ts'
import { codesOf, detail, done, scan, staged, upload } from './importing.ts'

test('a bundle goes from upload to installed for its owner, and every state is seen on the way', async () => {
  const daemon = await startDaemon()
  const uploaded = await upload(daemon)
  expect(uploaded.temp_artifact).toMatchObject({
    temp_artifact_ref: expect.stringMatching(/^tmpart_[0-9a-f-]{36}$/),
    artifact_kind: 'skill_bundle_zip',
    original_filename: 'tidy-notes.zip',
  })
  const { import_id } = uploaded
  expect((await detail(daemon, import_id)).import_record.stage_state).toBe('uploaded')

  const found = await scan(daemon, uploaded)
  expect(found.import_record).toMatchObject({
    stage_state: 'scan_complete',
    skill_name: 'tidy-notes',
  })
  expect(found.compatibility_report).toMatchObject({
    compatible: true,
    portability_grade: 'direct',
  })
  expect(codesOf(found).toSorted()).toEqual([
    'FRONTMATTER_KEY_NORMALIZED',
    'MANIFEST_MISSING',
    'SMOKE_TESTS_MISSING',
  ])

  const review = await done(daemon, 'stage', { import_id })
  expect(review).toMatchObject({
    stage_state: 'ready_for_review',
    source_ref_kind: 'materialized_bundle',
    proposal_id: expect.any(String),
    assigned_namespace: expect.stringMatching(/^ext_[0-9a-f]{4}_tidy_notes$/),
  })

  const installed = await done(daemon, 'install-private', { import_id })
  expect(installed).toMatchObject({
    stage_state: 'installed_private',
    ability_id: 'imported.tidy-notes',
  })
  const moves = daemon.system.store.read((reader) =>
    listImportMovesSince(reader, { after: 0, limit: 100 }),
  )
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
  expect(ability(daemon, 'imported.tidy-notes')).toMatchObject({
    source: 'imported',
    usable_now: true,
    install_lane: 'experimental_private',
  })
})

test('what is installed is the bundle: the original header here, the one that is understood for agents', async () => {
  const daemon = await startDaemon()
  const { import_id } = await staged(daemon)
  await done(daemon, 'install-private', { import_id })
  const here = join(daemon.home, 'system', 'learning', 'installed', 'tidy-notes')
  const there = join(daemon.home, 'workspace', 'skills', 'tidy-notes')

  expect(readFileSync(join(here, 'SKILL.md'), 'utf8')).toBe(goodSkill())
  expect(readFileSync(join(there, 'SKILL.md'), 'utf8')).toContain('negative_triggers:')
  for (const root of [here, there]) {
    const picture = join(root, 'assets', 'picture.bin')
    expect([...readFileSync(picture)]).toEqual([0, 1, 2, 3, 250, 251])
    expect(statSync(picture).mode & 0o111).toBe(0)
    expect(existsSync(join(root, 'references', 'rules.md'))).toBe(true)
  }
  expect(existsSync(join(there, 'capabilities', 'imported.tidy-notes.json'))).toBe(true)
  await expect.poll(() => readdirSync(join(daemon.home, 'imports', 'tmp'))).toEqual([])
})

test('whoever watches an import hears of every move until it is over', async () => {
  const daemon = await startDaemon()
  const { url } = await daemon.listen()
  const uploaded = await upload(daemon)
  const { import_id } = uploaded
  const events = `${url}/api/skills/import/${import_id}/events`
  const stream = await openStream(events, { token: adminToken })
  await scan(daemon, uploaded)
  await done(daemon, 'discard', { import_id })
  await stream.ended
  const told = stream.frames.filter(({ event }) => event === 'skill.import.state_changed')
  expect(told.map(({ data }) => data?.payload['to'])).toEqual([
    'upload_pending',
    'uploaded',
    'scanning',
    'scan_complete',
    'discarded',
  ])
  const mallory = await daemon.tokenFor('mallory', 'admin')
  expect((await openStream(events, { token: mallory })).status).toBe(404)
})
