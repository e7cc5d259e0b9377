import { randomUUID } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LearnSessionState } from '@apprentice/contracts/learn/session.ts'
import { migrationsFolder } from '../../src/config/paths.ts'
import { Store } from '../../src/store/db/db.ts'
import { insertLearnSession, type StoredSession } from '../../src/store/sessions/learn-sessions.ts'
import { migrate } from '../../src/store/db/migrate.ts'

export const BENCH_TOKEN = 'bench-admin-token-0123456789'

/** Creates a home with very high limits, so that a busy machine loses no device host. The caller removes it. */
export function createHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'apprentice-bench-'))
  const limits = { requests_per_second: 1e9, request_burst: 1e9, streams_per_user: 100_000 }
  writeFileSync(join(home, 'settings.json'), JSON.stringify({ limits, hosts: { lost_after_ms: 60_000 } }))
  return home
}

export const getDatabasePath = (home: string): string => join(home, 'apprentice.db')

/** Writes directly into the database of a home that no daemon uses. */
export async function fillHome(home: string, work: Parameters<Store['write']>[0]): Promise<void> {
  const store = Store.open(getDatabasePath(home), 'normal')
  try {
    migrate(store.schema, migrationsFolder)
    await store.write(work)
  } finally {
    store.close()
  }
}

/** Adds `count` sessions of the admin user to a home. Returns their ids. */
export async function addSessions(home: string, count: number, state: LearnSessionState): Promise<string[]> {
  const sessions = Array.from({ length: count }, () => buildSessionRow(state))
  await fillHome(home, (tx) => {
    for (const session of sessions) insertLearnSession(tx, session)
  })
  return sessions.map(({ learn_session_id }) => learn_session_id)
}

export function buildSessionRow(state: LearnSessionState): StoredSession {
  const now = new Date().toISOString()
  return {
    learn_session_id: randomUUID(),
    owner_user_id: 'local',
    entry_mode: 'demonstrating_skill',
    observation_mode: 'inside_agent',
    build_policy: 'build_then_review',
    execution_mode: 'guided',
    target_kind: 'new_skill',
    state,
    actor_mode: 'user_driven',
    project_id: 'kitchen-renovation',
    target_app_family: 'shop',
    target_app_whitelist: ['com.example.shop', 'com.example.pay'],
    device_serial: 'emulator-5554',
    active_trace_ids: [randomUUID()],
    active_observation_batch_ids: [randomUUID()],
    start_boundary_ref: `boundary:${randomUUID()}`,
    created_at: now,
    updated_at: now,
    state_entered_at: now,
    capture_accumulated_ms: 0,
    retain_observations: false,
    text_capture_consent: false,
    ask_before_build: false,
    allow_private_install: false,
    adapters_armed: ['mcp_receipt', 'wrapper_receipt'],
    redaction_salt: '00',
    captured_event_count: 0,
    off_target_events_dropped: 0,
    revision: 1,
    schema_version: 1,
  }
}
