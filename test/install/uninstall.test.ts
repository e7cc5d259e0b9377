import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { recordCapabilityOutcome } from '../../src/domain/capabilities/outcomes.ts'
import { runCommand } from '../abilities/an-ability.ts'
import { startDaemon } from '../kit/daemon.ts'
import {
  ability,
  abilityId,
  bridge,
  codeOf,
  detailOf,
  folders,
  improved,
  install,
  installed,
  projected,
  reviewed,
  rowCounts,
  saga,
  slug,
  stateOf,
} from './installing.ts'

const url = `/api/abilities/${abilityId}`

test('what is removed leaves nothing behind, in rows or in files', async () => {
  const daemon = await startDaemon()
  const before = { rows: rowCounts(daemon), files: folders(daemon), bridge: bridge(daemon).entries }
  await installed(daemon)
  await install(daemon, await improved(daemon, { goal: 'Share a note as PDF by mail' }))
  const category = await daemon.post('/api/categories', { title: 'Mine' })
  const { category_id } = category.json<{ category_id: string }>()
  const item = { item_kind: 'learned_ability', item_id: abilityId }
  await daemon.post(`/api/categories/${category_id}/assign`, item)
  await runCommand(daemon, (one) => {
    recordCapabilityOutcome(one, { capability_id: abilityId, success: false })
  })

  const reply = await daemon.delete(url)

  expect(reply.json()).toMatchObject({ ability_id: abilityId, uninstalled: true })
  expect({
    rows: rowCounts(daemon),
    files: folders(daemon),
    bridge: bridge(daemon).entries,
  }).toEqual(before)
  expect(existsSync(join(projected(daemon), slug))).toBe(false)
  expect(saga(daemon, reply.json<{ saga_id: string }>().saga_id)).toMatchObject({
    kind: 'uninstall',
    status: 'completed',
  })
  await daemon.mirrorsSettled()
  expect(daemon.mirror(`capabilities/manifests/${abilityId}.json`)).toBeUndefined()
  expect(daemon.mirror(`capabilities/metadata/${abilityId}.json`)).toBeUndefined()
  expect(daemon.mirror('capabilities/bridge_entries_current.json')).not.toContain(abilityId)
  expect(daemon.mirror('capabilities/health_current.json')).not.toContain(abilityId)
  expect(daemon.mirror('abilities/registry_current.json')).toBeUndefined()
  const lookup = { user_query: 'share a note as pdf', schema_version: 1 }
  expect((await daemon.post('/api/abilities/lookup', lookup)).json()).toMatchObject({ matches: [] })
  expect((await daemon.delete(url)).statusCode).toBe(404)
  expect(daemon.events().at(-1)?.kind).not.toBe('error')
})

test('an outcome that comes in after the removal is not counted', async () => {
  const daemon = await startDaemon()
  const before = rowCounts(daemon)
  await installed(daemon)
  await daemon.delete(url)
  await runCommand(daemon, (one) => {
    recordCapabilityOutcome(one, { capability_id: abilityId, success: true })
    recordCapabilityOutcome(one, { capability_id: abilityId, success: false })
  })
  expect(rowCounts(daemon)).toEqual(before)
})

test('its neighbours stay as they are', async () => {
  const daemon = await startDaemon()
  await installed(daemon, { goal: 'Print a note' })
  const before = { files: folders(daemon), entries: bridge(daemon).entries }
  await installed(daemon)
  await daemon.delete(url)
  expect({ files: folders(daemon), entries: bridge(daemon).entries }).toEqual(before)
  expect(ability(daemon, 'learned.print-a-note')).toMatchObject({ usable_now: true })
})

test('after a removal the same can be taught and installed again', async () => {
  const daemon = await startDaemon()
  await installed(daemon)
  await daemon.delete(url)
  await installed(daemon)
  expect(ability(daemon)).toMatchObject({ current_version: 1, usable_now: true })
})

test('what was removed can be installed again as it was reviewed, and tells so', async () => {
  const daemon = await startDaemon()
  const draft = await installed(daemon)
  const files = folders(daemon)
  const actions = async () => (await detailOf(daemon, draft)).allowed_actions
  expect(await actions()).toEqual(['approve'])
  await daemon.delete(url)
  expect(await actions()).toEqual(['install', 'approve'])

  await install(daemon, draft)

  expect(folders(daemon)).toEqual(files)
  expect(ability(daemon)).toMatchObject({ current_version: 1, usable_now: true })
  expect(stateOf(daemon, draft)).toEqual(['installed_private', 'installed_private'])
  expect(await actions()).toEqual(['approve'])
  expect(codeOf(await daemon.post(`${draft.url}/install`))).toBe('INVALID_LEARN_STATE_TRANSITION')
})

test('what others use is removed by an administrator only', async () => {
  const daemon = await startDaemon()
  const draft = await reviewed(daemon)
  await daemon.post(`${draft.url}/approve`, { draft_hash: draft.draft_hash })
  const write = await daemon.tokenFor('local', 'write')
  expect(codeOf(await daemon.delete(url, write))).toBe('INSTALL_LANE_DENIED')
  expect(ability(daemon)).toMatchObject({ usable_now: true })
  expect(codeOf(await daemon.delete(url, await daemon.tokenFor('ann', 'admin')))).toBe('done')
})

test('files that cannot be removed are told, and go when somebody asks again', async () => {
  const daemon = await startDaemon()
  await installed(daemon)
  // A name no folder may have.
  await daemon.system.store.write((tx) => {
    tx.db.exec(`UPDATE abilities SET skill_slug = 'Not A Slug'`)
  })

  const reply = await daemon.delete(url)

  expect(reply.json()).toMatchObject({
    error: { code: 'MATERIALIZATION_FAILED', details: { status: 'degraded' } },
  })
  expect(ability(daemon), 'nobody finds it any more').toBeUndefined()
  expect(bridge(daemon).entries).toEqual([])
  expect(rowCounts(daemon)).toMatchObject({ ability_versions: 1 })
  const draft = await reviewed(daemon)
  expect(codeOf(await daemon.post(`${draft.url}/install`))).toBe('INSTALL_IN_PROGRESS')
  await daemon.system.store.write((tx) => {
    tx.db.exec(`UPDATE install_sagas SET skill_slug = '${slug}' WHERE kind = 'uninstall'`)
  })
  const stranger = await daemon.tokenFor('ann', 'admin')
  expect(codeOf(await daemon.delete(url, stranger))).toBe('ABILITY_NOT_FOUND')
  expect(codeOf(await daemon.delete(url))).toBe('done')
  expect(folders(daemon)).toEqual({ canonical: {}, projected: {} })
  expect(rowCounts(daemon)).toMatchObject({ ability_versions: 0, installed_files: 0 })
})

test('a bridge that cannot be built does not keep what is gone', async () => {
  const daemon = await startDaemon()
  await installed(daemon, { goal: 'Print a note' })
  await installed(daemon)
  await daemon.system.store.write((tx) => {
    tx.db.exec(
      `UPDATE ability_versions SET manifest = json_remove(manifest, '$.title')
        WHERE ability_id = 'learned.print-a-note'`,
    )
  })
  expect(codeOf(await daemon.delete(url))).toBe('done')
  const { entries, bridge_state } = bridge(daemon)
  expect([entries.map(({ capability_id }) => capability_id), bridge_state]).toEqual([
    ['learned.print-a-note'],
    'stale',
  ])
})
