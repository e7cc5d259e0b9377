import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { hash } from 'node:crypto'
import { expect, test } from 'vitest'
import { CapabilityManifest } from '@apprentice/contracts/capabilities/capability.ts'
import { listInstalledFiles } from '../../src/store/install/installed-files.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { drafted, withRecipe } from '../validation/drafted.ts'
import { noteRecipe } from '../validation/recipes.ts'
import {
  ability,
  abilityId,
  bridge,
  folders,
  install,
  projected,
  readied,
  reviewed,
  shownSaga,
  slug,
  stateOf,
  stored,
} from './installing.ts'

const draftOf = (daemon: Daemon, proposal: string, name: string): string =>
  daemon.system.store.read(({ db }) =>
    db
      .prepare('SELECT content FROM draft_files WHERE proposal_id = ? AND name = ?')
      .pluck()
      .get(proposal, name),
  ) as string

test('what was reviewed lies in both folders, file by file, and nothing beside it', async () => {
  const daemon = await startDaemon()
  const draft = await reviewed(daemon)

  const { ability_id, saga_id } = await install(daemon, draft)

  expect(ability_id).toBe(abilityId)
  const skill = draftOf(daemon, draft.proposal, 'SKILL.md')
  const tests = draftOf(daemon, draft.proposal, 'trigger-tests.json')
  const manifest = daemon.system.store.read(({ db }) =>
    db.prepare('SELECT manifest FROM ability_versions').pluck().get(),
  ) as string
  const packs = '{\n  "support_pack_refs": [],\n  "schema_version": 1\n}\n'
  expect(folders(daemon)).toEqual({
    canonical: {
      [`${slug}/SKILL.md`]: `600 ${skill}`,
      [`${slug}/support-packs.json`]: `600 ${packs}`,
      [`${slug}/tests/trigger-tests.json`]: `600 ${tests}`,
    },
    projected: {
      [`${slug}/SKILL.md`]: `444 ${skill}`,
      [`${slug}/capabilities/${abilityId}.json`]: `444 ${JSON.stringify(JSON.parse(manifest), null, 2)}\n`,
      [`${slug}/support-packs/support-packs.json`]: `444 ${packs}`,
      [`${slug}/tests/trigger-tests.json`]: `444 ${tests}`,
    },
  })
  expect(skill).toContain(`\nname: "${slug}"\n`)
  expect((await shownSaga(daemon, saga_id)).files_written).toEqual([
    'canonical:SKILL.md',
    'canonical:support-packs.json',
    'canonical:tests/trigger-tests.json',
    'projected:SKILL.md',
    `projected:capabilities/${abilityId}.json`,
    'projected:support-packs/support-packs.json',
    'projected:tests/trigger-tests.json',
  ])
})

test('the rows know the hash of every file, and the manifest says how the skill is reached', async () => {
  const daemon = await startDaemon()
  await install(daemon, await reviewed(daemon))

  for (const place of ['canonical', 'projected'] as const) {
    const rows = daemon.system.store.read((reader) =>
      listInstalledFiles(reader, { ability_id: abilityId, version: 1, place }),
    )
    expect(rows.length).toBeGreaterThan(2)
    for (const { path, sha256, content } of rows) {
      const file = join(
        daemon.home,
        place === 'canonical' ? 'system/learning/installed' : 'workspace/skills',
        slug,
        path,
      )
      expect(hash('sha256', readFileSync(file), 'hex'), path).toBe(sha256)
      expect(hash('sha256', content, 'hex')).toBe(sha256)
    }
  }
  const file = join(projected(daemon), slug, 'capabilities', `${abilityId}.json`)
  const manifest = CapabilityManifest.parse(JSON.parse(readFileSync(file, 'utf8')))
  expect(manifest).toMatchObject({
    capability_id: abilityId,
    origin_skill: slug,
    kind: 'promoted_skill',
    family: 'notes',
    runtime_binding: { binding_kind: 'workflow_pattern', target: `skills/${slug}/SKILL.md` },
    health_probe: { kind: 'noop', target: abilityId, timeout_ms: 3000 },
  })
  expect(manifest.verification.length).toBeGreaterThan(0)
  expect(new Set(manifest.verification.map(({ kind }) => kind))).toEqual(
    new Set(['manual_confirmation']),
  )
})

test('a recipe is kept with the daemon alone, as it was reviewed', async () => {
  const daemon = await startDaemon()
  const draft = await drafted(daemon)
  await withRecipe(daemon, draft, { recipe: noteRecipe(), examples: { title: 'Milk' } })
  await install(daemon, await readied(daemon, draft))

  const { canonical, projected } = folders(daemon)
  const path = `${slug}/artifacts/${slug}.recipe.json`
  expect(canonical[path]).toBe(`600 ${draftOf(daemon, draft.proposal, 'recipe.json')}`)
  expect(Object.keys(projected).filter((name) => name.includes('recipe'))).toEqual([])
  expect(JSON.stringify({ canonical, projected })).not.toContain('Milk')
})

test('it is usable only when all of it is there, and said in that order', async () => {
  const daemon = await startDaemon()
  const draft = await reviewed(daemon)
  const before = daemon.events().length

  await install(daemon, draft)

  const told = daemon.events().slice(before)
  const spoken = told.filter(
    ({ kind }) => !['learn.proposal.changed', 'learn.session.state_changed'].includes(kind),
  )
  expect(
    spoken.map(({ kind, payload }) => [kind, payload['step']].filter(Boolean).join(' ')),
  ).toEqual([
    'learn.install.progressed materialize',
    'learn.install.started',
    'learn.install.progressed project',
    'learn.install.progressed bridge',
    'ability.registered',
    'capability.manifest.created',
    'bridge.rebuild.started',
    'bridge.rebuild.completed',
    'capability.health.changed',
    'learn.install.progressed availability',
    'ability.snapshot.updated',
    'learn.install.progressed finish',
    'learn.install.progressed done',
    'learn.install.completed',
    'ability.route.enabled',
  ])
  expect(daemon.eventsOf(draft.session).slice(-4)).toEqual([
    'ability.snapshot.updated',
    'learn.session.state_changed',
    'learn.install.completed',
    'ability.route.enabled',
  ])
  expect(stateOf(daemon, draft)).toEqual(['installed_private', 'installed_private'])
  expect(ability(daemon)).toMatchObject({
    usable_now: true,
    install_lane: 'experimental_private',
    source: 'learned',
    skill_slug: slug,
    primary_capability_id: abilityId,
    proposal_id: draft.proposal,
    learn_session_id: draft.session,
    current_version: 1,
    project_scopes: [],
  })
})

test('nobody who looks over the abilities meanwhile takes it for usable', async () => {
  const daemon = await startDaemon()
  const draft = await reviewed(daemon)
  // Every write of the ability is noted by the database itself.
  await daemon.system.store.write((tx) => {
    tx.db.exec(`CREATE TABLE seen (usable INTEGER, step TEXT);
      CREATE TRIGGER seen_new AFTER INSERT ON abilities BEGIN
        INSERT INTO seen SELECT NEW.usable_now, step FROM install_sagas; END;
      CREATE TRIGGER seen_change AFTER UPDATE ON abilities BEGIN
        INSERT INTO seen SELECT NEW.usable_now, step FROM install_sagas; END;`)
  })

  await install(daemon, draft)

  const seen = daemon.system.store.read(({ db }) =>
    db.prepare('SELECT DISTINCT usable, step FROM seen').raw().all(),
  )
  expect(seen).toEqual([
    [0, 'bridge'],
    [1, 'availability'],
  ])
})

test('who installed it finds it by its words, and nobody else does', async () => {
  const daemon = await startDaemon()
  await install(daemon, await reviewed(daemon))
  const ask = { user_query: 'share a note as pdf', require_text_match: true, schema_version: 1 }

  const found = await daemon.post('/api/abilities/lookup', ask)
  expect(found.json()).toMatchObject({
    matches: [{ ability_id: abilityId, usable_now: true, install_lane: 'experimental_private' }],
  })
  const ann = await daemon.tokenFor('ann', 'admin')
  expect((await daemon.post('/api/abilities/lookup', ask, ann)).json()).toMatchObject({
    matches: [],
  })
  expect((await daemon.get(`/api/abilities/${abilityId}/versions`, ann)).statusCode).toBe(404)
  expect((await daemon.delete(`/api/abilities/${abilityId}`, ann)).statusCode).toBe(404)
})

test('the mirrors tell what is installed', async () => {
  const daemon = await startDaemon()
  const draft = await reviewed(daemon)
  const { saga_id } = await install(daemon, draft)
  await daemon.mirrorsSettled()

  const read = (path: string) => JSON.parse(daemon.mirror(path) ?? 'null')
  const { projected } = folders(daemon)
  expect(`444 ${daemon.mirror(`capabilities/manifests/${abilityId}.json`)}`).toBe(
    projected[`${slug}/capabilities/${abilityId}.json`],
  )
  expect(read(`capabilities/metadata/${abilityId}.json`)).toMatchObject({
    capability_id: abilityId,
    summary: 'Share a note as PDF',
    source_refs: [`proposal:${draft.proposal}`, expect.stringMatching(/^validation_run:/)],
  })
  const { entries, ...marks } = bridge(daemon)
  expect(read('capabilities/bridge_entries_current.json')).toEqual({
    entries,
    ...marks,
    schema_version: 1,
  })
  expect(entries).toMatchObject([
    {
      capability_id: abilityId,
      routing_eligible: true,
      health_status: 'degraded',
      health_reason_code: 'smoke_tests_pending',
      origin_owner: 'doc3',
      metadata_ref: `capabilities/metadata/${abilityId}.json`,
    },
  ])
  expect(read('capabilities/health_current.json')).toMatchObject({
    capabilities: [{ capability_id: abilityId, installed_state: 'present' }],
  })
  expect(read(`learning/sagas/${saga_id}.json`)).toMatchObject({
    status: 'completed',
    step: 'done',
    attempts: 1,
    _ec: { owner_user_id: 'local' },
  })
  expect(read('abilities/registry_current.json')).toMatchObject({
    abilities: [{ ability_id: abilityId, current_version: 1 }],
  })
})

test('receipts say what was begun and what became of it', async () => {
  const daemon = await startDaemon()
  const draft = await reviewed(daemon)
  const { saga_id } = await install(daemon, draft)

  const reply = await daemon.get('/api/learn/receipts?page_size=100')
  const kinds = reply
    .json<{ receipts: { receipt_kind: string; saga_id?: string }[] }>()
    .receipts.filter((receipt) => receipt.saga_id === saga_id)
    .map(({ receipt_kind }) => receipt_kind)
  expect(kinds.toSorted()).toEqual(['learn.install.completed', 'learn.install.started'])
})

test('an installation nobody has, or somebody else has, is not shown', async () => {
  const daemon = await startDaemon()
  const { saga_id } = await install(daemon, await reviewed(daemon))
  const ann = await daemon.tokenFor('ann', 'admin')
  expect((await daemon.get(`/api/learn/installs/${saga_id}`, ann)).statusCode).toBe(404)
  expect(await shownSaga(daemon, saga_id)).toMatchObject({ kind: 'install', version: 1 })
})

test('a draft whose manifest is not fit is refused before anything is written', async () => {
  const daemon = await startDaemon()
  const draft = await reviewed(daemon)
  await daemon.system.store.write((tx) => {
    tx.db
      .prepare(`UPDATE draft_files SET content = '{"family": 7}' WHERE name = 'manifest.json'`)
      .run()
  })
  const reply = await daemon.post(`${draft.url}/install`)
  expect(reply.json()).toMatchObject({ error: { code: 'MATERIALIZATION_FAILED' } })
  expect(stateOf(daemon, draft)).toEqual(['ready_for_review', 'ready_for_review'])
  expect(folders(daemon)).toEqual({ canonical: {}, projected: {} })
  expect(stored(daemon, draft.proposal).saga_id).toBeUndefined()
})
