import { expect, test } from 'vitest'
import { refreshAvailability, requestRefresh } from '../../src/domain/abilities/availability.ts'
import { removeAbility } from '../../src/domain/abilities/registry.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { addAbility as registerRows } from '../projections/rows.ts'
import { runCommand } from './ability-rows.ts'

const NAMES = ['registry_current', 'availability_current', 'catalog_current'] as const

async function readProjections(daemon: Daemon) {
  await daemon.waitForProjections()
  const read = (name: string) => daemon.readProjection(`abilities/${name}.json`)
  return Object.fromEntries(NAMES.map((name) => [name, read(name)]))
}

const parseProjections = async (daemon: Daemon) =>
  Object.fromEntries(
    Object.entries(await readProjections(daemon)).map(([name, text]) => {
      const value: unknown = JSON.parse(text ?? 'null')
      expect(text, name).toBe(`${JSON.stringify(value, null, 2)}\n`)
      return [name, value]
    }),
  )

test('the registry, the availability and the catalog are projected to files', async () => {
  const daemon = await startDaemon()
  await runCommand(daemon, (ctx) => registerRows(ctx, 'learned.reply'))

  const files = await parseProjections(daemon)
  expect(files['registry_current']).toMatchObject({
    abilities: [
      {
        ability_id: 'learned.reply',
        owner_user_id: 'local',
        install_lane: 'experimental_private',
        enabled: true,
        trigger_phrases: ['reply', 'answer a message'],
        created_at: '2026-03-01T12:00:00.000Z',
      },
    ],
    schema_version: 1,
  })
  expect(files['availability_current']).toMatchObject({
    abilities: [{ usable_now: false, reason_unusable: 'not_materialized', schema_version: 1 }],
    snapshot_as_of: '2026-03-01T12:00:00.000Z',
    _ec: { stale: false },
    schema_version: 1,
  })
  expect(files['catalog_current']).toMatchObject({
    items: [{ tags: ['messages'], category_ids: [] }],
    refreshed_at: '2026-03-01T12:00:00.000Z',
    schema_version: 1,
  })
  expect(JSON.stringify(files['availability_current'])).not.toContain('owner_user_id')
})

test('the projections follow changes of abilities, categories and staleness', async () => {
  const daemon = await startDaemon()
  await runCommand(daemon, (ctx) => registerRows(ctx, 'learned.reply'))
  const made = await daemon.post('/api/categories', { title: 'Mail' })
  const { category_id } = made.json<{ category_id: string }>()
  await daemon.post(`/api/categories/${category_id}/assign`, {
    item_kind: 'learned_ability',
    item_id: 'learned.reply',
  })
  await runCommand(daemon, (ctx) => requestRefresh(ctx, 'mcp.health.changed'))
  await daemon.post('/api/abilities/learned.reply/deactivate')

  expect(await parseProjections(daemon)).toMatchObject({
    registry_current: { abilities: [{ enabled: false }] },
    availability_current: { abilities: [{ reason_unusable: 'disabled' }], _ec: { stale: true } },
    catalog_current: { items: [{ enabled: false, category_ids: [category_id] }] },
  })
})

test('each projection contains all abilities in one document', async () => {
  const daemon = await startDaemon()
  await runCommand(daemon, (ctx) => {
    for (let n = 0; n < 600; n += 1) registerRows(ctx, `learned.n-${n}`)
  })
  const { registry_current } = (await parseProjections(daemon)) as {
    registry_current: { abilities: object[] }
  }
  expect(registry_current.abilities).toHaveLength(600)
})

test('without abilities the files are removed', async () => {
  const daemon = await startDaemon()
  await runCommand(daemon, (ctx) => registerRows(ctx, 'learned.reply'))
  await readProjections(daemon)
  await runCommand(daemon, (ctx) => {
    removeAbility(ctx, 'learned.reply')
    refreshAvailability(ctx, 'test')
  })
  expect(Object.values(await readProjections(daemon))).toEqual([undefined, undefined, undefined])
})
