import { expect, test } from 'vitest'
import { refreshAvailability, requestRefresh } from '../../src/domain/abilities/availability.ts'
import { removeAbility } from '../../src/domain/abilities/registry.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { addAbility as putOnRecord } from '../projections/rows.ts'
import { runCommand } from './an-ability.ts'

const names = ['registry_current', 'availability_current', 'catalog_current'] as const

async function mirrors(daemon: Daemon) {
  await daemon.mirrorsSettled()
  const read = (name: string) => daemon.mirror(`abilities/${name}.json`)
  return Object.fromEntries(names.map((name) => [name, read(name)]))
}

const parsed = async (daemon: Daemon) =>
  Object.fromEntries(
    Object.entries(await mirrors(daemon)).map(([name, text]) => {
      const value: unknown = JSON.parse(text ?? 'null')
      expect(text, name).toBe(`${JSON.stringify(value, null, 2)}\n`)
      return [name, value]
    }),
  )

test('what is kept of abilities, whether they can be used, and the catalog are files', async () => {
  const daemon = await startDaemon()
  await runCommand(daemon, (one) => putOnRecord(one, 'learned.reply'))

  const files = await parsed(daemon)
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

test('they follow changes of abilities, of categories and of what is stale', async () => {
  const daemon = await startDaemon()
  await runCommand(daemon, (one) => putOnRecord(one, 'learned.reply'))
  const made = await daemon.post('/api/categories', { title: 'Mail' })
  const { category_id } = made.json<{ category_id: string }>()
  await daemon.post(`/api/categories/${category_id}/assign`, {
    item_kind: 'learned_ability',
    item_id: 'learned.reply',
  })
  await runCommand(daemon, (one) => requestRefresh(one, 'mcp.health.changed'))
  await daemon.post('/api/abilities/learned.reply/deactivate')

  expect(await parsed(daemon)).toMatchObject({
    registry_current: { abilities: [{ enabled: false }] },
    availability_current: { abilities: [{ reason_unusable: 'disabled' }], _ec: { stale: true } },
    catalog_current: { items: [{ enabled: false, category_ids: [category_id] }] },
  })
})

test('very many abilities make one document each', async () => {
  const daemon = await startDaemon()
  await runCommand(daemon, (one) => {
    for (let n = 0; n < 600; n += 1) putOnRecord(one, `learned.n-${n}`)
  })
  const { registry_current } = (await parsed(daemon)) as {
    registry_current: { abilities: object[] }
  }
  expect(registry_current.abilities).toHaveLength(600)
})

test('without abilities there are no files', async () => {
  const daemon = await startDaemon()
  await runCommand(daemon, (one) => putOnRecord(one, 'learned.reply'))
  await mirrors(daemon)
  await runCommand(daemon, (one) => {
    removeAbility(one, 'learned.reply')
    refreshAvailability(one, 'test')
  })
  expect(Object.values(await mirrors(daemon))).toEqual([undefined, undefined, undefined])
})
