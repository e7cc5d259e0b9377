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
import { against, type Figure, median } from './figure.ts'
import { benchToken, databaseOf, fill, makeHome, sessionRow } from './home.ts'
import { daemonEnv, daemonProgram, startProgram } from './program.ts'

const startsEach = 5
const sessions = 1000
const receiptsEach = 100
const mirrorsWithinMs = 300_000

/** Built at the first run, used by all. */
let full: string | undefined

/** From the start of the process to the line that says it listens. */
export const coldStart: Figure = {
  name: 'start',
  baseline: 'limits: 1,500 ms with an empty home, 3,000 ms with 100,000 receipts',
  run: async () => {
    full ??= await makeFullHome()
    const empty: number[] = []
    const filled: number[] = []
    for (let n = 0; n < startsEach; n += 1) {
      const fresh = makeHome()
      empty.push(await timeStart(fresh))
      rmSync(fresh, { recursive: true, force: true })
      filled.push(await timeStart(full))
    }
    return [
      against(1500, { what: 'with an empty home', ours: median(empty), unit: 'ms' }),
      against(3000, { what: 'with 100,000 receipts', ours: median(filled), unit: 'ms' }),
    ]
  },
  close: () => {
    if (full !== undefined) rmSync(full, { recursive: true, force: true })
  },
}

async function timeStart(home: string): Promise<number> {
  const daemon = startProgram([daemonProgram, 'serve'], daemonEnv(home, benchToken))
  await daemon.firstLine
  const took = Number(process.hrtime.bigint() - daemon.spawnedAt) / 1e6
  await daemon.end('SIGTERM')
  return took
}

async function makeFullHome(): Promise<string> {
  const home = makeHome()
  await fill(home, (tx) => {
    for (let n = 0; n < sessions; n += 1) addHistory(tx)
  })
  const daemon = startProgram([daemonProgram, 'serve'], daemonEnv(home, benchToken))
  try {
    await daemon.firstLine
    await mirrored(home)
  } finally {
    await daemon.end('SIGTERM')
  }
  return home
}

/** A session that was paused and resumed many times, long ago. */
function addHistory(tx: Tx): void {
  const session = sessionRow('cancelled')
  const { learn_session_id, created_at } = session
  insertLearnSession(tx, session)
  for (let n = 0; n < receiptsEach; n += 1) {
    const correlation_id = randomUUID()
    const [from_state, to_state] =
      n % 2 === 0 ? (['capturing', 'paused'] as const) : (['paused', 'capturing'] as const)
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

/** Waits until every file says what the database says. */
async function mirrored(home: string): Promise<void> {
  const db = new Database(databaseOf(home), { readonly: true })
  try {
    const until = Date.now() + mirrorsWithinMs
    for (;;) {
      const { done } = await compareProjections({ db }, home, listProjections({ max_phase: 1 })).next()
      if (done === true) return
      if (Date.now() > until) throw new Error('The mirrors of the full home were never written.')
      await sleep(500)
    }
  } finally {
    db.close()
  }
}
