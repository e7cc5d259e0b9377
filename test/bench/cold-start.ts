import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { compareProjections } from '../../src/projections/engine/compare.ts'
import { listProjections } from '../../src/projections/files/projection-table.ts'
import { appendEvent } from '../../src/store/command/events.ts'
import type { Tx } from '../../src/store/db/db.ts'
import { insertLearnSession } from '../../src/store/sessions/learn-sessions.ts'
import { appendReceipt } from '../../src/store/command/receipts.ts'
import { compareToLimit, type Figure, median } from './figure.ts'
import { BENCH_TOKEN, getDatabasePath, fillHome, createHome, buildSessionRow } from './home.ts'
import { buildDaemonEnv, daemonProgram, startProgram } from './program.ts'

const STARTS_EACH = 5
const SESSION_COUNT = 1000
const RECEIPTS_EACH = 100
const PROJECTIONS_TIMEOUT_MS = 300_000

/** Created at the first run and reused. */
let fullHome: string | undefined

/** From the start of the process to the log line that it listens. */
export const coldStart: Figure = {
  name: 'start',
  baseline: 'limits: 1,500 ms with an empty home, 3,000 ms with 100,000 receipts',
  run: async () => {
    fullHome ??= await createFullHome()
    const empty: number[] = []
    const filled: number[] = []
    for (let n = 0; n < STARTS_EACH; n += 1) {
      const fresh = createHome()
      empty.push(await measureStart(fresh))
      rmSync(fresh, { recursive: true, force: true })
      filled.push(await measureStart(fullHome))
    }
    return [
      compareToLimit(1500, { what: 'with an empty home', ours: median(empty), unit: 'ms' }),
      compareToLimit(3000, { what: 'with 100,000 receipts', ours: median(filled), unit: 'ms' }),
    ]
  },
  close: () => {
    if (fullHome !== undefined) rmSync(fullHome, { recursive: true, force: true })
  },
}

async function measureStart(home: string): Promise<number> {
  const daemon = startProgram([daemonProgram, 'serve'], buildDaemonEnv(home, BENCH_TOKEN))
  await daemon.firstLine
  const took = Number(process.hrtime.bigint() - daemon.spawnedAt) / 1e6
  await daemon.end('SIGTERM')
  return took
}

async function createFullHome(): Promise<string> {
  const home = createHome()
  await fillHome(home, (tx) => {
    for (let n = 0; n < SESSION_COUNT; n += 1) addHistory(tx)
  })
  const daemon = startProgram([daemonProgram, 'serve'], buildDaemonEnv(home, BENCH_TOKEN))
  try {
    await daemon.firstLine
    await waitForProjections(home)
  } finally {
    await daemon.end('SIGTERM')
  }
  return home
}

/** A finished session that was paused and resumed many times. */
function addHistory(tx: Tx): void {
  const session = buildSessionRow('cancelled')
  const { learn_session_id, created_at } = session
  insertLearnSession(tx, session)
  for (let n = 0; n < RECEIPTS_EACH; n += 1) {
    const correlation_id = randomUUID()
    const [from_state, to_state] = n % 2 === 0 ? (['capturing', 'paused'] as const) : (['paused', 'capturing'] as const)
    appendEvent(tx, {
      timeline_event_id: randomUUID(),
      subject: `learn/${learn_session_id}`,
      learn_session_id,
      kind: 'learn.session.state_changed',
      from_state,
      to_state,
      payload: { from: from_state, to: to_state },
      correlation_id,
      created_at,
    })
    appendReceipt(tx, 'local', {
      receipt_id: randomUUID(),
      receipt_kind: n % 2 === 0 ? 'learn.capture.paused' : 'learn.capture.resumed',
      status: 'ok',
      learn_session_id,
      actor: 'user',
      actor_ref: 'local',
      summary: n % 2 === 0 ? 'Capture paused.' : 'Capture resumed with 2 adapters.',
      correlation_id,
      details: {},
      created_at,
      schema_version: 1,
    })
  }
}

/** Waits until every projection is up to date. */
async function waitForProjections(home: string): Promise<void> {
  const db = new Database(getDatabasePath(home), { readonly: true })
  try {
    const until = Date.now() + PROJECTIONS_TIMEOUT_MS
    for (;;) {
      const { done } = await compareProjections({ db }, home, listProjections({ max_phase: 1 })).next()
      if (done === true) return
      if (Date.now() > until) throw new Error('The projections of the full home were not written in time.')
      await sleep(500)
    }
  } finally {
    db.close()
  }
}
