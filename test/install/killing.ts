import { once } from 'node:events'
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { serve } from '../commands/program.ts'
import { adminToken, type Daemon, startDaemon } from '../kit/daemon.ts'
import {
  ability,
  abilityId,
  bridge,
  canonical,
  folders,
  projected,
  versions,
} from './installing.ts'

/** What is asked of a daemon that dies over it, and of the one after it. */
export interface Ask {
  readonly method: 'POST' | 'DELETE'
  readonly url: string
}

/** A home as it was left by a daemon that stopped in good order, and what is asked of the next. */
export interface Template {
  readonly home: string
  readonly ask: Ask
}

export async function aTemplate(prepare: (daemon: Daemon) => Promise<Ask>): Promise<Template> {
  const home = mkdtempSync(join(tmpdir(), 'apprentice-template-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const daemon = await startDaemon({ home, now: new Date().toISOString() })
  const ask = await prepare(daemon)
  await daemon.mirrorsSettled()
  await daemon.stop()
  return { home, ask }
}

const killer = join(import.meta.dirname, 'killer.mjs')
const idempotent = { 'idempotency-key': 'the-one-request' }

/** How things end when the daemon dies at a moment and another takes over; `never` for one that lives. */
export async function endingAfter({ home: template, ask }: Template, moment: string) {
  const home = mkdtempSync(join(tmpdir(), 'apprentice-killed-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  cpSync(template, home, { recursive: true, preserveTimestamps: true })
  if (moment !== 'never') await dieOver(home, ask, moment)
  const daemon = await startDaemon({ home, now: new Date().toISOString() })
  await settled(daemon)
  const reply = await daemon.request({ ...ask, headers: idempotent })
  const ending = endingOf(daemon)
  await daemon.stop()
  return { status: reply.statusCode, ...ending }
}

async function dieOver(home: string, { method, url }: Ask, moment: string): Promise<void> {
  const program = await serve(home, {
    KILL_AT: moment,
    NODE_OPTIONS: `--import ${killer}`,
    APPRENTICE_TOKEN: adminToken,
  })
  const gone = once(program.child, 'exit')
  const reply = await fetch(`${program.url}${url}`, {
    method,
    headers: { authorization: `Bearer ${adminToken}`, ...idempotent },
  }).catch(() => undefined)
  expect(reply?.status, `it lived on past ${moment}`).toBeUndefined()
  const [, signal] = (await gone) as [number | null, NodeJS.Signals | null]
  expect(signal).toBe('SIGKILL')
}

/** Waits until no installation is under way. */
async function settled(daemon: Daemon): Promise<void> {
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

/** All that tells how it ended, without the times and the names that differ by nature. */
function endingOf(daemon: Daemon) {
  const {
    created_at: _c,
    updated_at: _u,
    ...known
  } = ability(daemon) ?? {
    created_at: '',
    updated_at: '',
  }
  const rows = (statement: string) =>
    daemon.system.store.read(({ db }) => db.prepare(statement).all()) as object[]
  return {
    files: folders(daemon),
    left: [canonical(daemon), projected(daemon)].flatMap((root) => hiddenIn(root)),
    entries: bridge(daemon).entries.map((entry) => ({ ...entry, updated_at: '' })),
    ability: known,
    versions: versions(daemon, abilityId).map(
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
    proposals: rows(
      'SELECT proposal_state, install_lane, ability_id FROM proposals ORDER BY rowid',
    ),
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

const hiddenIn = (root: string): string[] => {
  try {
    return readdirSync(root).filter((name) => name.startsWith('.'))
  } catch {
    return []
  }
}
