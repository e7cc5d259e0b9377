import { expect } from 'vitest'
import type { AbilityRun } from '@apprentice/contracts/abilities/runs.ts'
import type { DaemonOptions } from '../kit/daemon.ts'
import { type FilledConnectors, fillConnectors } from './filled-connectors.ts'
import { addDocument, operate, runOperation } from '../documents/document-kit.ts'
import { makeOrder } from './order-document.ts'
import { runScene } from '../scenes/page-scene.ts'
import { CLIMATE, ok, open, startTeaching, tap, type TeachingSetup } from '../teach/teaching.ts'

export interface FilledHome extends TeachingSetup {
  readonly ability: string
  readonly succeeded: AbilityRun
  readonly failed: AbilityRun
  /** The category "At home", which has the ability. */
  readonly category: string
  readonly connectors: FilledConnectors
  readonly sceneRun: string
  /** The proposal "See a room", which waits for a decision. */
  readonly proposal: string
}

/** Starts a daemon that has an ability, runs with both outcomes, a draft, a category, a token, connectors and a report. */
export async function fillHome(options: DaemonOptions = {}): Promise<FilledHome> {
  const room = await startTeaching(options)
  const { daemon } = room
  const show = async ({ act }: Pick<TeachingSetup, 'act'>) => {
    await act(open(CLIMATE), tap('Lobby'), tap({ contentDescEquals: 'Warmer' }))
    await act(tap('Save'), tap({ resourceId: 'android:id/button1' }))
  }
  const ability = await room.install(await room.demonstrate({ goal: 'Change the temperature of a unit', show }))
  const succeeded = await room.run(ability, { unit: 'Kitchen', temperature: 23 })
  const failed = await room.run(ability, { unit: 'Nowhere', temperature: 22 })
  expect(failed.state).toBe('failed')
  const draft = await room.demonstrate({ goal: 'See a room', show: ({ act }) => act(open(CLIMATE), tap('Kitchen')) })
  const { proposal_id } = await ok<{ proposal_id: string }>(daemon, `/api/learn/sessions/${draft}/generate-proposal`)
  const { category_id } = await ok<{ category_id: string }>(daemon, '/api/categories', { title: 'At home' })
  await ok(daemon, `/api/categories/${category_id}/assign`, { item_kind: 'learned_ability', item_id: ability })
  await ok(daemon, '/api/tokens', { user_id: 'agent', label: 'Night agent' })
  const connectors = await fillConnectors(daemon, options.whenOver)
  const { document_ref } = await addDocument(daemon, await makeOrder(), { name: 'order.pdf' })
  await runOperation(daemon, 'extract_text', document_ref)
  await operate(daemon, 'redaction_prep', document_ref, { pattern_set: ['email'] })
  const scene = await runScene(daemon, { instruction: 'river levels 2026-03-14。。。' })
  return {
    ...room,
    ability,
    succeeded,
    failed,
    category: category_id,
    connectors,
    sceneRun: scene.run_id,
    proposal: proposal_id,
  }
}

/** An address that no view has. */
export const UNKNOWN_PATH = '/settings-that-do-not-exist'

/** The address of every view that a filled home has. */
export const listViews = ({
  ability,
  failed,
  connectors,
  sceneRun,
  proposal,
}: FilledHome): Readonly<Record<string, string>> => ({
  overview: '/',
  skills: '/skills',
  'ability-run': `/skills/${ability}`,
  'ability-runs': `/skills/${ability}/runs`,
  'ability-versions': `/skills/${ability}/versions`,
  'ability-words': `/skills/${ability}/words`,
  'ability-settings': `/skills/${ability}/settings`,
  run: `/runs/${failed.run_id}`,
  registry: '/registry',
  connectors: '/connectors',
  'connectors-approvals': '/connectors/approvals',
  'connectors-policy': '/connectors/policy',
  'connectors-profiles': '/connectors/profiles',
  'connectors-receipts': '/connectors/receipts',
  connector: `/connectors/servers/${connectors.notes.server_id}`,
  'learn-new': '/learn/new',
  'learn-active': '/learn/active',
  'learn-pending': '/learn/pending',
  'learn-history': '/learn/history',
  review: `/learn/pending/${proposal}`,
  devices: '/devices',
  documents: '/documents',
  scenes: '/scenes',
  'scene-runs': '/scenes/runs',
  'scene-run': `/scenes/runs/${sceneRun}`,
  'scene-sign-ins': '/scenes/profiles',
  receipts: '/receipts',
  'receipts-learning': '/receipts/learning',
  'settings-access': '/settings',
  'settings-policy': '/settings/policy',
  'settings-mining': '/settings/mining',
  'settings-retention': '/settings/retention',
  'settings-categories': '/settings/categories',
  'settings-integration': '/settings/integration',
  import: '/import',
  unknown: UNKNOWN_PATH,
})
