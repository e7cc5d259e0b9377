import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { AbilityVersion, InstallSaga } from '@apprentice/contracts/abilities/installs.ts'
import { type AbilityRow, findAbility } from '../../src/store/abilities/abilities.ts'
import { type AbilityVersionRow, listAbilityVersions } from '../../src/store/abilities/ability-versions.ts'
import { getBridgeStatus, listBridgeEntries } from '../../src/store/capabilities/bridge.ts'
import { findSaga, type SagaRow } from '../../src/store/install/install-sagas.ts'
import type { Daemon } from '../kit/daemon.ts'
import type { DemonstratedSession } from '../learn/demonstrated-session.ts'
import { getDetail, draftProposal, type DraftedProposal, readProposal } from '../validation/drafts.ts'

export interface ReviewedDraft extends DraftedProposal {
  readonly draft_hash: string
}

/** A proposal that passed its tests and is ready for review. */
export async function prepareProposal(daemon: Daemon, demonstration: DemonstratedSession = {}): Promise<ReviewedDraft> {
  return validateDraft(daemon, await draftProposal(daemon, demonstration), demonstration.token)
}

export async function validateDraft(daemon: Daemon, draft: DraftedProposal, token?: string): Promise<ReviewedDraft> {
  const run = await daemon.post(`${draft.url}/validate`, { wait_ms: 20_000 }, token)
  expect(run.statusCode, run.body).toBeLessThan(300)
  const { proposal_state, draft_hash = '' } = readProposal(daemon, draft.proposal)
  expect(proposal_state).toBe('ready_for_review')
  return { ...draft, draft_hash }
}

export const SLUG = 'share-a-note-as-pdf'
export const ABILITY_ID = `learned.${SLUG}`

/** Installs privately by default. Fails the test if the installation fails. */
export async function install(
  daemon: Daemon,
  { url }: DraftedProposal,
  body: object = {},
): Promise<{ ability_id: string; saga_id: string }> {
  const reply = await daemon.post(`${url}/install`, body)
  expect(reply.statusCode, reply.body).toBe(200)
  return reply.json()
}

export async function installProposal(daemon: Daemon, demonstration: DemonstratedSession = {}): Promise<ReviewedDraft> {
  const draft = await prepareProposal(daemon, demonstration)
  await install(daemon, draft)
  return draft
}

/** An improvement of an ability that is ready for review. The reviewer renames it to its goal, if there is one. */
export async function prepareImprovement(
  daemon: Daemon,
  demonstration: DemonstratedSession = {},
  target = ABILITY_ID,
): Promise<ReviewedDraft> {
  const { goal, token } = demonstration
  const draft = await draftProposal(daemon, {
    ...demonstration,
    create: {
      entry_mode: 'improving_existing_skill',
      target_skill_id: target,
      ...demonstration.create,
    },
  })
  if (goal !== undefined) {
    const edited_fields = { title: goal, trigger_phrases: [goal] }
    const revised = await daemon.post(`${draft.url}/revise`, { edited_fields }, token)
    expect(revised.statusCode, revised.body).toBe(200)
  }
  return validateDraft(daemon, draft, token)
}

/** Every file and folder below a root, with its mode and content. */
export function readFolder(root: string): Record<string, string> {
  if (!existsSync(root)) return {}
  const entries = readdirSync(root, { recursive: true, withFileTypes: true })
  return Object.fromEntries(
    entries
      .map((entry) => {
        const path = join(entry.parentPath, entry.name)
        const mode = (lstatSync(path).mode & 0o777).toString(8)
        const content = entry.isDirectory() ? '' : `${mode} ${readFileSync(path, 'utf8')}`
        return [path.slice(root.length + 1), content] as const
      })
      .filter(([, content]) => content !== '')
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  )
}

export const canonicalRoot = ({ home }: Daemon) => join(home, 'system', 'learning', 'installed')
export const projectedRoot = ({ home }: Daemon) => join(home, 'workspace', 'skills')

export const readFolders = (daemon: Daemon) => ({
  canonical: readFolder(canonicalRoot(daemon)),
  projected: readFolder(projectedRoot(daemon)),
})

export const readAbility = (daemon: Daemon, id = ABILITY_ID): AbilityRow | undefined =>
  daemon.system.store.read((reader) => findAbility(reader, id))

export const readVersions = (daemon: Daemon, id = ABILITY_ID): AbilityVersionRow[] =>
  daemon.system.store.read((reader) => listAbilityVersions(reader, id))

export async function getVersions(daemon: Daemon, id = ABILITY_ID) {
  const reply = await daemon.get(`/api/abilities/${id}/versions`)
  return reply.json<{ versions: AbilityVersion[] }>().versions
}

export function readSaga(daemon: Daemon, id: string): SagaRow {
  const saga = daemon.system.store.read((reader) => findSaga(reader, id) ?? null)
  if (saga === null) throw new Error(`no saga ${id}`)
  return saga
}

export async function getSaga(daemon: Daemon, id: string): Promise<InstallSaga> {
  const reply = await daemon.get(`/api/learn/installs/${id}`)
  expect(reply.statusCode, reply.body).toBe(200)
  return reply.json<{ saga: InstallSaga }>().saga
}

/** The bridge in the database. */
export const readBridge = (daemon: Daemon) =>
  daemon.system.store.read((reader) => ({
    ...getBridgeStatus(reader),
    entries: listBridgeEntries(reader),
  }))

export const readStates = (daemon: Daemon, { proposal, session }: DraftedProposal) => [
  readProposal(daemon, proposal).proposal_state,
  daemon.session(session)?.state,
]

/** The number of rows of each table that an installation writes to. */
export function countRows(daemon: Daemon): Record<string, number> {
  const tables = [
    'abilities',
    'ability_versions',
    'installed_files',
    'bridge_entries',
    'capability_health',
    'capability_failures',
    'capability_stats',
    'category_assignments',
  ]
  return daemon.system.store.read(({ db }) => {
    const count = (table: string) => db.prepare(`SELECT count(*) FROM ${table}`).pluck().get() as number
    return Object.fromEntries(tables.map((table) => [table, count(table)]))
  })
}

export const readCode = (reply: { statusCode: number; body: string }): string =>
  reply.statusCode < 300 ? 'done' : (JSON.parse(reply.body) as { error: { code: string } }).error.code

export { getDetail, readProposal }
