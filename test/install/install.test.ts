import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { hash, randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { CapabilityManifest } from '@apprentice/contracts/capabilities/capability.ts'
import { listInstalledFiles } from '../../src/store/install/installed-files.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { draftProposal, putRecipe } from '../validation/drafts.ts'
import { noteRecipe } from '../validation/recipes.ts'
import {
  readAbility,
  ABILITY_ID,
  readBridge,
  readFolders,
  install,
  projectedRoot,
  validateDraft,
  prepareProposal,
  getSaga,
  SLUG,
  readStates,
  readProposal,
  countRows,
} from './install-kit.ts'

const readDraftFile = (daemon: Daemon, proposal: string, name: string): string =>
  daemon.system.store.read(({ db }) =>
    db.prepare('SELECT content FROM draft_files WHERE proposal_id = ? AND name = ?').pluck().get(proposal, name),
  ) as string

test('an installation writes exactly the reviewed files to both folders', async () => {
  const daemon = await startDaemon()
  const draft = await prepareProposal(daemon)

  const { ability_id, saga_id } = await install(daemon, draft)

  expect(ability_id).toBe(ABILITY_ID)
  const skill = readDraftFile(daemon, draft.proposal, 'SKILL.md')
  const tests = readDraftFile(daemon, draft.proposal, 'trigger-tests.json')
  const manifest = daemon.system.store.read(({ db }) =>
    db.prepare('SELECT manifest FROM ability_versions').pluck().get(),
  ) as string
  const packs = '{\n  "support_pack_refs": [],\n  "schema_version": 1\n}\n'
  expect(readFolders(daemon)).toEqual({
    canonical: {
      [`${SLUG}/SKILL.md`]: `600 ${skill}`,
      [`${SLUG}/support-packs.json`]: `600 ${packs}`,
      [`${SLUG}/tests/trigger-tests.json`]: `600 ${tests}`,
    },
    projected: {
      [`${SLUG}/SKILL.md`]: `400 ${skill}`,
      [`${SLUG}/capabilities/${ABILITY_ID}.json`]: `400 ${JSON.stringify(JSON.parse(manifest), null, 2)}\n`,
      [`${SLUG}/support-packs/support-packs.json`]: `400 ${packs}`,
      [`${SLUG}/tests/trigger-tests.json`]: `400 ${tests}`,
    },
  })
  expect(skill).toContain(`\nname: "${SLUG}"\n`)
  expect((await getSaga(daemon, saga_id)).files_written).toEqual([
    'canonical:SKILL.md',
    'canonical:support-packs.json',
    'canonical:tests/trigger-tests.json',
    'projected:SKILL.md',
    `projected:capabilities/${ABILITY_ID}.json`,
    'projected:support-packs/support-packs.json',
    'projected:tests/trigger-tests.json',
  ])
})

test('the hash of every file is stored, and the manifest describes how the skill is reached', async () => {
  const daemon = await startDaemon()
  await install(daemon, await prepareProposal(daemon))

  for (const place of ['canonical', 'projected'] as const) {
    const rows = daemon.system.store.read((reader) =>
      listInstalledFiles(reader, { ability_id: ABILITY_ID, version: 1, place }),
    )
    expect(rows.length).toBeGreaterThan(2)
    for (const { path, sha256, content } of rows) {
      const file = join(
        daemon.home,
        place === 'canonical' ? 'system/learning/installed' : 'workspace/skills',
        SLUG,
        path,
      )
      expect(hash('sha256', readFileSync(file), 'hex'), path).toBe(sha256)
      expect(hash('sha256', content, 'hex')).toBe(sha256)
    }
  }
  const file = join(projectedRoot(daemon), SLUG, 'capabilities', `${ABILITY_ID}.json`)
  const manifest = CapabilityManifest.parse(JSON.parse(readFileSync(file, 'utf8')))
  expect(manifest).toMatchObject({
    capability_id: ABILITY_ID,
    origin_skill: SLUG,
    kind: 'promoted_skill',
    family: 'notes',
    runtime_binding: { binding_kind: 'workflow_pattern', target: `skills/${SLUG}/SKILL.md` },
    health_probe: { kind: 'noop', target: ABILITY_ID, timeout_ms: 3000 },
  })
  expect(manifest.verification.length).toBeGreaterThan(0)
  expect(new Set(manifest.verification.map(({ kind }) => kind))).toEqual(new Set(['manual_confirmation']))
})

test('a recipe is written to the canonical folder only, as it was reviewed', async () => {
  const daemon = await startDaemon()
  const draft = await draftProposal(daemon)
  await putRecipe(daemon, draft, { recipe: noteRecipe(), examples: { title: 'Milk' } })
  await install(daemon, await validateDraft(daemon, draft))

  const { canonical, projected } = readFolders(daemon)
  const path = `${SLUG}/artifacts/${SLUG}.recipe.json`
  expect(canonical[path]).toBe(`600 ${readDraftFile(daemon, draft.proposal, 'recipe.json')}`)
  expect(Object.keys(projected).filter((name) => name.includes('recipe'))).toEqual([])
  expect(JSON.stringify({ canonical, projected })).not.toContain('Milk')
})

test('an installation records its events in the order of its steps and ends usable', async () => {
  const daemon = await startDaemon()
  const draft = await prepareProposal(daemon)
  const before = daemon.events().length

  await install(daemon, draft)

  const recorded = daemon
    .events()
    .slice(before)
    .filter(({ kind }) => !['learn.proposal.changed', 'learn.session.state_changed'].includes(kind))
  expect(recorded.map(({ kind, payload }) => [kind, payload['step']].filter(Boolean).join(' '))).toEqual([
    'learn.install.progressed materialize',
    'learn.install.started',
    'learn.install.progressed project',
    'learn.install.progressed bridge',
    'ability.registered',
    'capability.manifest.created',
    'bridge.rebuild.started',
    'bridge.rebuild.started',
    'bridge.rebuild.completed',
    'bridge.rebuild.completed',
    'capability.health.changed',
    'learn.install.progressed availability',
    'ability.snapshot.updated',
    'learn.install.progressed finish',
    'learn.install.progressed done',
    'learn.install.completed',
    'ability.route.enabled',
  ])
  expect(daemon.eventsOf(draft.session).slice(-6)).toEqual([
    'bridge.rebuild.started',
    'bridge.rebuild.completed',
    'ability.snapshot.updated',
    'learn.session.state_changed',
    'learn.install.completed',
    'ability.route.enabled',
  ])
  expect(readStates(daemon, draft)).toEqual(['installed_private', 'installed_private'])
  expect(readAbility(daemon)).toMatchObject({
    usable_now: true,
    install_lane: 'experimental_private',
    source: 'learned',
    skill_slug: SLUG,
    primary_capability_id: ABILITY_ID,
    proposal_id: draft.proposal,
    learn_session_id: draft.session,
    current_version: 1,
    project_scopes: [],
  })
})

test('the ability is never stored as usable before the availability step', async () => {
  const daemon = await startDaemon()
  const draft = await prepareProposal(daemon)
  // Triggers record every write of the ability.
  await daemon.system.store.write((tx) => {
    tx.db.exec(`CREATE TABLE seen (usable INTEGER, step TEXT);
      CREATE TRIGGER seen_new AFTER INSERT ON abilities BEGIN
        INSERT INTO seen SELECT NEW.usable_now, step FROM install_sagas; END;
      CREATE TRIGGER seen_change AFTER UPDATE ON abilities BEGIN
        INSERT INTO seen SELECT NEW.usable_now, step FROM install_sagas; END;`)
  })

  await install(daemon, draft)

  const seen = daemon.system.store.read(({ db }) => db.prepare('SELECT DISTINCT usable, step FROM seen').raw().all())
  expect(seen).toEqual([
    [0, 'bridge'],
    [1, 'availability'],
  ])
})

test('only the owner finds a private ability', async () => {
  const daemon = await startDaemon()
  await install(daemon, await prepareProposal(daemon))
  const query = { user_query: 'share a note as pdf', require_text_match: true, schema_version: 1 }

  const found = await daemon.post('/api/abilities/lookup', query)
  expect(found.json()).toMatchObject({
    matches: [{ ability_id: ABILITY_ID, usable_now: true, install_lane: 'experimental_private' }],
  })
  const ann = await daemon.tokenFor('ann', 'admin')
  expect((await daemon.post('/api/abilities/lookup', query, ann)).json()).toMatchObject({
    matches: [],
  })
  expect((await daemon.get(`/api/abilities/${ABILITY_ID}/versions`, ann)).statusCode).toBe(404)
  expect((await daemon.delete(`/api/abilities/${ABILITY_ID}`, ann)).statusCode).toBe(404)
})

test('the projections contain what is installed', async () => {
  const daemon = await startDaemon()
  const draft = await prepareProposal(daemon)
  const { saga_id } = await install(daemon, draft)
  await daemon.waitForProjections()

  const read = (path: string) => JSON.parse(daemon.readProjection(path) ?? 'null')
  const { projected } = readFolders(daemon)
  expect(`400 ${daemon.readProjection(`capabilities/manifests/${ABILITY_ID}.json`)}`).toBe(
    projected[`${SLUG}/capabilities/${ABILITY_ID}.json`],
  )
  expect(read(`capabilities/metadata/${ABILITY_ID}.json`)).toMatchObject({
    capability_id: ABILITY_ID,
    summary: 'Share a note as PDF',
    source_refs: [`proposal:${draft.proposal}`, expect.stringMatching(/^validation_run:/)],
  })
  const { entries, ...marks } = readBridge(daemon)
  expect(read('capabilities/bridge_entries_current.json')).toEqual({
    entries,
    ...marks,
    schema_version: 1,
  })
  expect(entries).toMatchObject([
    {
      capability_id: ABILITY_ID,
      routing_eligible: true,
      health_status: 'degraded',
      health_reason_code: 'smoke_tests_pending',
      origin_owner: 'doc3',
      metadata_ref: `capabilities/metadata/${ABILITY_ID}.json`,
    },
  ])
  expect(read('capabilities/health_current.json')).toMatchObject({
    capabilities: [{ capability_id: ABILITY_ID, installed_state: 'present' }],
  })
  expect(read(`learning/sagas/${saga_id}.json`)).toMatchObject({
    status: 'completed',
    step: 'done',
    attempts: 1,
    _ec: { owner_user_id: 'local' },
  })
  expect(read('abilities/registry_current.json')).toMatchObject({
    abilities: [{ ability_id: ABILITY_ID, current_version: 1 }],
  })
})

test('an installation records a receipt when it starts and when it completes', async () => {
  const daemon = await startDaemon()
  const draft = await prepareProposal(daemon)
  const { saga_id } = await install(daemon, draft)

  const reply = await daemon.get('/api/learn/receipts?page_size=100')
  const receipts = reply
    .json<{ receipts: { saga_id?: string }[] }>()
    .receipts.filter((receipt) => receipt.saga_id === saga_id)
  const refs = {
    status: 'ok',
    ability_id: ABILITY_ID,
    proposal_id: draft.proposal,
    learn_session_id: draft.session,
  }
  // Newest first. The user starts the installation, the daemon completes it.
  expect(receipts).toMatchObject([
    { ...refs, receipt_kind: 'learn.install.completed', actor: 'system' },
    { ...refs, receipt_kind: 'learn.install.started', actor: 'user' },
  ])
})

test('an unknown installation and one of another user are not found', async () => {
  const daemon = await startDaemon()
  const { saga_id } = await install(daemon, await prepareProposal(daemon))
  const ann = await daemon.tokenFor('ann', 'admin')
  expect((await daemon.get(`/api/learn/installs/${saga_id}`, ann)).statusCode).toBe(404)
  expect((await daemon.get(`/api/learn/installs/${randomUUID()}`)).statusCode).toBe(404)
  expect(await getSaga(daemon, saga_id)).toMatchObject({ kind: 'install', version: 1 })
})

test('a draft with an invalid manifest is refused before anything is written', async () => {
  const daemon = await startDaemon()
  const draft = await prepareProposal(daemon)
  await daemon.system.store.write((tx) => {
    tx.db.prepare(`UPDATE draft_files SET content = '{"family": 7}' WHERE name = 'manifest.json'`).run()
  })
  const reply = await daemon.post(`${draft.url}/install`)
  expect(reply.json()).toMatchObject({ error: { code: 'MATERIALIZATION_FAILED' } })
  expect(readStates(daemon, draft)).toEqual(['ready_for_review', 'ready_for_review'])
  expect(readFolders(daemon)).toEqual({ canonical: {}, projected: {} })
  expect(readProposal(daemon, draft.proposal).saga_id).toBeUndefined()
  expect(countRows(daemon)).toMatchObject({ abilities: 0, ability_versions: 0, installed_files: 0 })
})
