import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { AbilityVersion, InstallSaga } from '@apprentice/contracts/abilities/installs.ts'
import { type AbilityRow, findAbility } from '../../src/store/abilities/abilities.ts'
import {
  type AbilityVersionRow,
  listAbilityVersions,
} from '../../src/store/abilities/ability-versions.ts'
import { getBridgeMarks, listBridgeEntries } from '../../src/store/capabilities/bridge.ts'
import { findSaga, type SagaRow } from '../../src/store/install/install-sagas.ts'
import type { Daemon } from '../kit/daemon.ts'
import type { Shown } from '../learn/shown-session.ts'
import { detailOf, drafted, type Drafted, stored } from '../validation/drafted.ts'

export interface Reviewed extends Drafted {
  readonly draft_hash: string
}

/** A proposal that passed its tests and waits for somebody to decide. */
export async function reviewed(daemon: Daemon, shown: Shown = {}): Promise<Reviewed> {
  return readied(daemon, await drafted(daemon, shown), shown.token)
}

export async function readied(daemon: Daemon, draft: Drafted, token?: string): Promise<Reviewed> {
  const run = await daemon.post(`${draft.url}/validate`, { wait_ms: 20_000 }, token)
  expect(run.statusCode, run.body).toBeLessThan(300)
  const { proposal_state, draft_hash = '' } = stored(daemon, draft.proposal)
  expect(proposal_state).toBe('ready_for_review')
  return { ...draft, draft_hash }
}

export const slug = 'share-a-note-as-pdf'
export const abilityId = `learned.${slug}`

/** Installs for oneself unless told otherwise; fails the test when that fails. */
export async function install(
  daemon: Daemon,
  { url }: Drafted,
  body: object = {},
): Promise<{ ability_id: string; saga_id: string }> {
  const reply = await daemon.post(`${url}/install`, body)
  expect(reply.statusCode, reply.body).toBe(200)
  return reply.json()
}

export async function installed(daemon: Daemon, shown: Shown = {}): Promise<Reviewed> {
  const draft = await reviewed(daemon, shown)
  await install(daemon, draft)
  return draft
}

/** A session that improves an ability, brought to where somebody decides on it. */
export function improved(daemon: Daemon, shown: Shown = {}, target = abilityId): Promise<Reviewed> {
  return reviewed(daemon, {
    ...shown,
    create: {
      entry_mode: 'improving_existing_skill',
      target_skill_id: target,
      ...shown.create,
    },
  })
}

/** Every file and folder below a root, with its mode and content. */
export function folder(root: string): Record<string, string> {
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

export const canonical = ({ home }: Daemon) => join(home, 'system', 'learning', 'installed')
export const projected = ({ home }: Daemon) => join(home, 'workspace', 'skills')

/** Both folders of skills, as they are on disk. */
export const folders = (daemon: Daemon) => ({
  canonical: folder(canonical(daemon)),
  projected: folder(projected(daemon)),
})

export const ability = (daemon: Daemon, id = abilityId): AbilityRow | undefined =>
  daemon.system.store.read((reader) => findAbility(reader, id))

export const versions = (daemon: Daemon, id = abilityId): AbilityVersionRow[] =>
  daemon.system.store.read((reader) => listAbilityVersions(reader, id))

export async function listedVersions(daemon: Daemon, id = abilityId) {
  const reply = await daemon.get(`/api/abilities/${id}/versions`)
  return reply.json<{ versions: AbilityVersion[] }>().versions
}

export function saga(daemon: Daemon, id: string): SagaRow {
  const found = daemon.system.store.read((reader) => findSaga(reader, id) ?? null)
  if (found === null) throw new Error(`no saga ${id}`)
  return found
}

export async function shownSaga(daemon: Daemon, id: string): Promise<InstallSaga> {
  const reply = await daemon.get(`/api/learn/installs/${id}`)
  expect(reply.statusCode, reply.body).toBe(200)
  return reply.json<{ saga: InstallSaga }>().saga
}

/** The bridge as the database has it. */
export const bridge = (daemon: Daemon) =>
  daemon.system.store.read((reader) => ({
    ...getBridgeMarks(reader),
    entries: listBridgeEntries(reader),
  }))

export const stateOf = (daemon: Daemon, { proposal, session }: Drafted) => [
  stored(daemon, proposal).proposal_state,
  daemon.session(session)?.state,
]

/** How many rows each table has that an installation writes to. */
export function rowCounts(daemon: Daemon): Record<string, number> {
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
    const count = (table: string) =>
      db.prepare(`SELECT count(*) FROM ${table}`).pluck().get() as number
    return Object.fromEntries(tables.map((table) => [table, count(table)]))
  })
}

export const codeOf = (reply: { statusCode: number; body: string }): string =>
  reply.statusCode < 300
    ? 'done'
    : (JSON.parse(reply.body) as { error: { code: string } }).error.code

export { detailOf, stored }
