import { join } from 'node:path'
import Database from 'better-sqlite3'
import { slotStates } from '../../src/domain/sessions/session-machine.ts'
import type { Reader } from '../../src/store/db/db.ts'

/** Looks into the database of a home beside the daemon that owns it. */
export async function withReader<T>(
  home: string,
  look: (reader: Reader) => T,
): Promise<Awaited<T>> {
  const db = new Database(join(home, 'apprentice.db'), { readonly: true })
  try {
    return await look({ db })
  } finally {
    db.close()
  }
}

export interface Found {
  readonly marks: Map<string, number>
  readonly states: Map<string, string>
}

const markQueries = [
  `SELECT learn_session_id || ' boundary ' || coalesce(label, kind) FROM boundaries`,
  `SELECT learn_session_id || ' observation ' || event_id FROM observations`,
  // What the daemon does of its own accord, nightly, nobody has asked for.
  `SELECT owner_user_id || ' receipt ' || receipt_kind FROM receipts WHERE owner_user_id <> 'system'`,
  `SELECT owner_user_id || ' intent ' || intent_id FROM config_intents WHERE status = 'applied'`,
  `SELECT owner_user_id || ' checkpoint ' || checkpoint_id FROM checkpoint_receipts`,
  `SELECT owner_user_id || ' category ' || title FROM categories`,
  `SELECT owner_user_id || ' item ' || item_id FROM category_assignments
     JOIN categories USING (category_id)`,
  `SELECT owner_user_id || ' item log ' || item_id FROM category_assignment_log
     JOIN categories USING (category_id) WHERE op = 'add'`,
]

/** What commands have left in the database. */
export function findMarks({ db }: Reader): Found {
  const marks = new Map<string, number>()
  for (const query of markQueries) {
    for (const mark of db.prepare(query).pluck().all() as string[]) {
      marks.set(mark, (marks.get(mark) ?? 0) + 1)
    }
  }
  const states = db.prepare('SELECT learn_session_id, state FROM learn_sessions').raw().all()
  return { marks, states: new Map(states as [string, string][]) }
}

/** Laws every database obeys, whatever was asked of it. */
export function findBreaches({ db }: Reader): string[] {
  const rows = (query: string, ...values: unknown[]) =>
    db
      .prepare(query)
      .pluck()
      .all(...values)
  const holding = JSON.stringify(slotStates('settled'))
  const laws: readonly (readonly [string, unknown[]])[] = [
    ['has a row that differs from its last move', rows(differingStates)],
    ['has a move that does not begin where the last one ended', rows(brokenChains)],
    ['has event ids with a gap or a repeat', rows(brokenNumbers)],
    ['is of no session, but its events are there', rows(orphanedEvents)],
    ['holds more than one slot', rows(doubleSlots, holding)],
    ['has a remembered reply without a status', rows(brokenReplies)],
  ]
  const quick = db.pragma('quick_check', { simple: true })
  return [
    ...laws.flatMap(([law, found]) => found.map((who) => `${String(who)} ${law}`)),
    ...(quick === 'ok' ? [] : [`the database is damaged: ${String(quick)}`]),
  ]
}

const moves = `SELECT seq, learn_session_id, from_state, to_state,
    lag(to_state) OVER (PARTITION BY learn_session_id ORDER BY seq) AS before,
    lead(seq) OVER (PARTITION BY learn_session_id ORDER BY seq) AS next
  FROM events WHERE kind = 'learn.session.state_changed'`
const differingStates = `SELECT learn_session_id FROM learn_sessions AS s WHERE NOT EXISTS (
  SELECT 1 FROM (${moves}) AS m
   WHERE m.learn_session_id = s.learn_session_id AND m.next IS NULL AND m.to_state = s.state)`
const brokenChains = `SELECT learn_session_id FROM (${moves})
  WHERE coalesce(before, 'idle') <> from_state`
const brokenNumbers = `SELECT subject FROM events WHERE stream_seq IS NOT NULL
  GROUP BY subject HAVING count(*) <> max(stream_seq) OR min(stream_seq) <> 1`
const orphanedEvents = `SELECT DISTINCT learn_session_id FROM events
  WHERE learn_session_id IS NOT NULL AND learn_session_id NOT IN (SELECT learn_session_id FROM learn_sessions)`
const doubleSlots = `SELECT owner_user_id FROM learn_sessions
  WHERE state IN (SELECT value FROM json_each(?)) GROUP BY owner_user_id HAVING count(*) > 1`
const brokenReplies = `SELECT request_id FROM idempotency WHERE status NOT BETWEEN 200 AND 299`

/** What was told over a stream stands in the database under the same number. */
export function findUntrue({ db }: Reader, told: ReadonlyMap<string, readonly string[]>): string[] {
  const kinds = db
    .prepare(
      `SELECT kind FROM events WHERE learn_session_id = ? AND stream_seq IS NOT NULL
        ORDER BY stream_seq`,
    )
    .pluck()
  const known = new Set(db.prepare('SELECT learn_session_id FROM learn_sessions').pluck().all())
  return [...told].flatMap(([session, heard]) => {
    if (!known.has(session)) return []
    const stored = kinds.all(session)
    const at = heard.findIndex((kind, n) => kind !== stored[n])
    return at === -1 ? [] : [`event ${at + 1} of ${session} was told and is not stored`]
  })
}

/** A reader that is connected has been told everything. */
export function findUntold({ db }: Reader, session: string, told: readonly string[]): string[] {
  const count = db.prepare('SELECT count(stream_seq) FROM events WHERE learn_session_id = ?')
  const stored = Number(count.pluck().get(session))
  // A deleted session has nothing left to tell.
  return stored === 0 || told.length === stored
    ? []
    : [`the reader of ${session} was told ${told.length} of ${stored} events`]
}
