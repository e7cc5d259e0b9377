import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { serve } from '../commands/program.ts'
import { adminToken, type Daemon, startDaemon } from '../kit/daemon.ts'
import {
  readAbility,
  ABILITY_ID,
  readBridge,
  canonicalRoot,
  readFolders,
  projectedRoot,
  readVersions,
} from './install-kit.ts'

/** The request during which a daemon is killed, and which the next daemon gets again. */
export interface KilledRequest {
  readonly method: 'POST' | 'DELETE'
  readonly url: string
}

/** The home of a daemon that was stopped normally, and the request for the next one. */
export interface Template {
  readonly home: string
  readonly request: KilledRequest
}

export async function createTemplate(prepare: (daemon: Daemon) => Promise<KilledRequest>): Promise<Template> {
  const home = mkdtempSync(join(tmpdir(), 'apprentice-template-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const daemon = await startDaemon({ home, now: new Date().toISOString() })
  const request = await prepare(daemon)
  await daemon.waitForProjections()
  await daemon.stop()
  return { home, request }
}

const KILLER = join(import.meta.dirname, 'killer.mjs')
const IDEMPOTENCY_HEADERS = { 'idempotency-key': 'killed-request' }

/** The final state if the daemon is not killed. */
export const readUndisturbedEnding = (template: Template) => readEndingIn(copyHome(template), template.request)

/**
 * The final state for each moment: the home as a kill at this moment leaves it, then a restart. The daemon is really
 * killed at the last moment. The homes of the others are copies that it makes on the way, because starting a daemon for
 * each of them takes long.
 */
export async function* readEndingsAfter(template: Template, moments: readonly string[]) {
  const copies = createFolder()
  const killed = copyHome(template)
  const last = moments.at(-1) ?? ''
  await killDuring(killed, template.request, {
    KILL_AT: last,
    COPY_AT: moments.slice(0, -1).join(','),
    COPY_TO: copies,
  })
  for (const moment of moments) {
    const home = moment === last ? killed : join(copies, moment)
    expect(existsSync(home), `${moment} is before ${last}`).toBe(true)
    yield { moment, ending: await readEndingIn(home, template.request) }
  }
}

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'apprentice-killed-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function copyHome({ home: template }: Template): string {
  const home = createFolder()
  cpSync(template, home, { recursive: true, preserveTimestamps: true })
  return home
}

async function readEndingIn(home: string, request: KilledRequest) {
  const daemon = await startDaemon({ home, now: new Date().toISOString() })
  await waitForSagas(daemon)
  const reply = await daemon.request({ ...request, headers: IDEMPOTENCY_HEADERS })
  const ending = readEnding(daemon)
  await daemon.stop()
  return { status: reply.statusCode, ...ending }
}

interface Moments {
  readonly KILL_AT: string
  readonly COPY_AT: string
  readonly COPY_TO: string
}

async function killDuring(home: string, { method, url }: KilledRequest, moments: Moments): Promise<void> {
  const program = await serve(home, {
    ...moments,
    NODE_OPTIONS: `--import ${KILLER}`,
    APPRENTICE_TOKEN: adminToken,
  })
  const gone = once(program.child, 'exit')
  const reply = await fetch(`${program.url}${url}`, {
    method,
    headers: { authorization: `Bearer ${adminToken}`, ...IDEMPOTENCY_HEADERS },
  }).catch(() => undefined)
  expect(reply?.status, `the daemon survived ${moments.KILL_AT}`).toBeUndefined()
  const [, signal] = (await gone) as [number | null, NodeJS.Signals | null]
  expect(signal).toBe('SIGKILL')
}

/** Waits until no saga is running. */
async function waitForSagas(daemon: Daemon): Promise<void> {
  await expect
    .poll(
      () =>
        daemon.system.store.read(({ db }) =>
          db.prepare(`SELECT count(*) FROM install_sagas WHERE status = 'running'`).pluck().get(),
        ),
      { timeout: 20_000 },
    )
    .toBe(0)
}

/** The final state without times and generated ids. */
function readEnding(daemon: Daemon) {
  const {
    created_at: _c,
    updated_at: _u,
    ...known
  } = readAbility(daemon) ?? {
    created_at: '',
    updated_at: '',
  }
  const rows = (statement: string) => daemon.system.store.read(({ db }) => db.prepare(statement).all()) as object[]
  return {
    files: readFolders(daemon),
    temporary: [canonicalRoot(daemon), projectedRoot(daemon)].flatMap((root) => listHidden(root)),
    entries: readBridge(daemon).entries.map((entry) => ({ ...entry, updated_at: '' })),
    ability: known,
    versions: readVersions(daemon, ABILITY_ID).map(
      ({ version, draft_hash, install_lane, materialized, projected, ...row }) => ({
        version,
        draft_hash,
        install_lane,
        materialized,
        projected,
        partial_state: row.partial_state,
        retired: row.retired_at !== undefined,
      }),
    ),
    sagas: rows(
      `SELECT kind, status, step, attempts, error_code, files_written FROM install_sagas
        ORDER BY started_at, rowid`,
    ),
    proposals: rows('SELECT proposal_state, install_lane, ability_id FROM proposals ORDER BY rowid'),
    sessions: rows('SELECT state, ability_id FROM learn_sessions ORDER BY rowid'),
    health: rows('SELECT health_status, reason_codes FROM capability_health'),
    receipts: rows(
      `SELECT receipt_kind, count(*) AS n FROM receipts
        WHERE receipt_kind LIKE 'learn.install.%'
          OR receipt_kind IN ('ability.uninstalled', 'ability.files.edited')
        GROUP BY receipt_kind`,
    ),
  }
}

const listHidden = (root: string): string[] => {
  try {
    return readdirSync(root).filter((name) => name.startsWith('.'))
  } catch {
    return []
  }
}
