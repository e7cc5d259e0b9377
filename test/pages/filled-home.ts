import { expect } from 'vitest'
import type { AbilityRun } from '@apprentice/contracts/abilities/runs.ts'
import type { DaemonOptions } from '../kit/daemon.ts'
import { CLIMATE, ok, open, startTeaching, tap, type TeachingSetup } from '../teach/teaching.ts'

export interface FilledHome extends TeachingSetup {
  readonly ability: string
  readonly failed: AbilityRun
}

/** Starts a daemon that has an ability, runs with both outcomes, a draft, a category and a token. */
export async function fillHome(options: DaemonOptions = {}): Promise<FilledHome> {
  const room = await startTeaching(options)
  const { daemon } = room
  const show = async ({ act }: Pick<TeachingSetup, 'act'>) => {
    await act(open(CLIMATE), tap('Lobby'), tap({ contentDescEquals: 'Warmer' }))
    await act(tap('Save'), tap({ resourceId: 'android:id/button1' }))
  }
  const ability = await room.install(await room.demonstrate({ goal: 'Change the temperature of a unit', show }))
  await room.run(ability, { unit: 'Kitchen', temperature: 23 })
  const failed = await room.run(ability, { unit: 'Nowhere', temperature: 22 })
  expect(failed.state).toBe('failed')
  const draft = await room.demonstrate({ goal: 'See a room', show: ({ act }) => act(open(CLIMATE), tap('Kitchen')) })
  await ok(daemon, `/api/learn/sessions/${draft}/generate-proposal`)
  const { category_id } = await ok<{ category_id: string }>(daemon, '/api/categories', { title: 'At home' })
  await ok(daemon, `/api/categories/${category_id}/assign`, { item_kind: 'learned_ability', item_id: ability })
  await ok(daemon, '/api/tokens', { user_id: 'agent', label: 'Night agent' })
  return { ...room, ability, failed }
}

/** The address of every view that a filled home has. */
export const listViews = ({ ability, failed }: FilledHome): Readonly<Record<string, string>> => ({
  overview: '/',
  skills: '/skills',
  'ability-run': `/skills/${ability}`,
  'ability-runs': `/skills/${ability}/runs`,
  'ability-versions': `/skills/${ability}/versions`,
  'ability-words': `/skills/${ability}/words`,
  'ability-settings': `/skills/${ability}/settings`,
  run: `/runs/${failed.run_id}`,
  registry: '/registry',
  'learn-new': '/learn/new',
  'learn-active': '/learn/active',
  'learn-pending': '/learn/pending',
  'learn-history': '/learn/history',
  devices: '/devices',
  receipts: '/receipts',
  'receipts-learning': '/receipts/learning',
  'settings-access': '/settings',
  'settings-policy': '/settings/policy',
  'settings-mining': '/settings/mining',
  'settings-retention': '/settings/retention',
  'settings-categories': '/settings/categories',
  import: '/import',
  unknown: '/settings-that-do-not-exist',
})
