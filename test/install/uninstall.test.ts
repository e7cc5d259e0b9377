import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { recordCapabilityOutcome } from '../../src/domain/capabilities/outcomes.ts'
import { runCommand } from '../abilities/ability-rows.ts'
import { startDaemon } from '../kit/daemon.ts'
import {
  readAbility,
  ABILITY_ID,
  readBridge,
  readCode,
  getDetail,
  readFolders,
  prepareImprovement,
  install,
  installProposal,
  projectedRoot,
  prepareProposal,
  countRows,
  readSaga,
  SLUG,
  readStates,
} from './install-kit.ts'

const URL = `/api/abilities/${ABILITY_ID}`

test('a removal leaves no rows, files, bridge entries or projections', async () => {
  const daemon = await startDaemon()
  const before = {
    rows: countRows(daemon),
    files: readFolders(daemon),
    bridge: readBridge(daemon).entries,
  }
  await installProposal(daemon)
  await install(daemon, await prepareImprovement(daemon, { goal: 'Share a note as PDF by mail' }))
  const category = await daemon.post('/api/categories', { title: 'Mine' })
  const { category_id } = category.json<{ category_id: string }>()
  const item = { item_kind: 'learned_ability', item_id: ABILITY_ID }
  await daemon.post(`/api/categories/${category_id}/assign`, item)
  await runCommand(daemon, (ctx) => {
    recordCapabilityOutcome(ctx, { capability_id: ABILITY_ID, success: false })
  })

  const reply = await daemon.delete(URL)

  expect(reply.json()).toMatchObject({ ability_id: ABILITY_ID, uninstalled: true })
  expect({
    rows: countRows(daemon),
    files: readFolders(daemon),
    bridge: readBridge(daemon).entries,
  }).toEqual(before)
  expect(existsSync(join(projectedRoot(daemon), SLUG))).toBe(false)
  expect(readSaga(daemon, reply.json<{ saga_id: string }>().saga_id)).toMatchObject({
    kind: 'uninstall',
    status: 'completed',
  })
  await daemon.waitForProjections()
  expect(daemon.readProjection(`capabilities/manifests/${ABILITY_ID}.json`)).toBeUndefined()
  expect(daemon.readProjection(`capabilities/metadata/${ABILITY_ID}.json`)).toBeUndefined()
  expect(daemon.readProjection('capabilities/bridge_entries_current.json')).not.toContain(ABILITY_ID)
  expect(daemon.readProjection('capabilities/health_current.json')).not.toContain(ABILITY_ID)
  expect(daemon.readProjection('abilities/registry_current.json')).toBeUndefined()
  const lookup = { user_query: 'share a note as pdf', schema_version: 1 }
  expect((await daemon.post('/api/abilities/lookup', lookup)).json()).toMatchObject({ matches: [] })
  expect((await daemon.delete(URL)).statusCode).toBe(404)
  expect(daemon.events().at(-1)?.kind).not.toBe('error')
  expect(daemon.events().filter(({ kind }) => kind === 'ability.removed')).toHaveLength(1)
  const receipts = await daemon.get('/api/learn/receipts?receipt_kind=ability.uninstalled')
  expect(receipts.json()).toMatchObject({ total: 1, receipts: [{ ability_id: ABILITY_ID }] })
})

test('an outcome that arrives after the removal is not counted', async () => {
  const daemon = await startDaemon()
  const before = countRows(daemon)
  await installProposal(daemon)
  await daemon.delete(URL)
  await runCommand(daemon, (ctx) => {
    recordCapabilityOutcome(ctx, { capability_id: ABILITY_ID, success: true })
    recordCapabilityOutcome(ctx, { capability_id: ABILITY_ID, success: false })
  })
  expect(countRows(daemon)).toEqual(before)
})

test('a removal does not change other abilities', async () => {
  const daemon = await startDaemon()
  await installProposal(daemon, { goal: 'Print a note' })
  const before = { files: readFolders(daemon), entries: readBridge(daemon).entries }
  await installProposal(daemon)
  await daemon.delete(URL)
  expect({ files: readFolders(daemon), entries: readBridge(daemon).entries }).toEqual(before)
  expect(readAbility(daemon, 'learned.print-a-note')).toMatchObject({ usable_now: true })
})

test('after a removal the same skill can be learned and installed again', async () => {
  const daemon = await startDaemon()
  await installProposal(daemon)
  await daemon.delete(URL)
  await installProposal(daemon)
  expect(readAbility(daemon)).toMatchObject({ current_version: 1, usable_now: true })
})

test('a removed ability can be installed again from its reviewed proposal, whose allowed actions say so', async () => {
  const daemon = await startDaemon()
  const draft = await installProposal(daemon)
  const files = readFolders(daemon)
  const actions = async () => (await getDetail(daemon, draft)).allowed_actions
  expect(await actions()).toEqual(['approve'])
  await daemon.delete(URL)
  expect(await actions()).toEqual(['install', 'approve'])

  await install(daemon, draft)

  expect(readFolders(daemon)).toEqual(files)
  expect(readAbility(daemon)).toMatchObject({ current_version: 1, usable_now: true })
  expect(readStates(daemon, draft)).toEqual(['installed_private', 'installed_private'])
  expect(await actions()).toEqual(['approve'])
  expect(readCode(await daemon.post(`${draft.url}/install`))).toBe('INVALID_LEARN_STATE_TRANSITION')
})

test('only an admin removes a shared ability', async () => {
  const daemon = await startDaemon()
  const draft = await prepareProposal(daemon)
  await daemon.post(`${draft.url}/approve`, { draft_hash: draft.draft_hash })
  const write = await daemon.tokenFor('local', 'write')
  expect(readCode(await daemon.delete(URL, write))).toBe('INSTALL_LANE_DENIED')
  expect(readAbility(daemon)).toMatchObject({ usable_now: true })
  expect(readCode(await daemon.delete(URL, await daemon.tokenFor('ann', 'admin')))).toBe('done')
})

test('a removal whose files cannot be removed is degraded; the same request completes it', async () => {
  const daemon = await startDaemon()
  await installProposal(daemon)
  // No folder may have this name.
  await daemon.system.store.write((tx) => {
    tx.db.exec(`UPDATE abilities SET skill_slug = 'Not A Slug'`)
  })

  const reply = await daemon.delete(URL)

  expect(reply.json()).toMatchObject({
    error: { code: 'MATERIALIZATION_FAILED', details: { status: 'degraded' } },
  })
  expect(readAbility(daemon), 'it is no longer registered').toBeUndefined()
  expect(readBridge(daemon).entries).toEqual([])
  expect(countRows(daemon)).toMatchObject({ ability_versions: 1 })
  const draft = await prepareProposal(daemon)
  expect(readCode(await daemon.post(`${draft.url}/install`))).toBe('INSTALL_IN_PROGRESS')
  await daemon.system.store.write((tx) => {
    tx.db.exec(`UPDATE install_sagas SET skill_slug = '${SLUG}' WHERE kind = 'uninstall'`)
  })
  const stranger = await daemon.tokenFor('ann', 'admin')
  expect(readCode(await daemon.delete(URL, stranger))).toBe('ABILITY_NOT_FOUND')
  expect(readCode(await daemon.delete(URL))).toBe('done')
  expect(readFolders(daemon)).toEqual({ canonical: {}, projected: {} })
  expect(countRows(daemon)).toMatchObject({ ability_versions: 0, installed_files: 0 })
})

test('a removed entry leaves the bridge even if the bridge cannot be rebuilt', async () => {
  const daemon = await startDaemon()
  await installProposal(daemon, { goal: 'Print a note' })
  await installProposal(daemon)
  await daemon.system.store.write((tx) => {
    tx.db.exec(
      `UPDATE ability_versions SET manifest = json_remove(manifest, '$.title')
        WHERE ability_id = 'learned.print-a-note'`,
    )
  })
  expect(readCode(await daemon.delete(URL))).toBe('done')
  const { entries, bridge_state } = readBridge(daemon)
  expect([entries.map(({ capability_id }) => capability_id), bridge_state]).toEqual([['learned.print-a-note'], 'stale'])
})
