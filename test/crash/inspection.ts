import { join } from 'node:path'
import Database from 'better-sqlite3'
import { listSlotStates } from '../../src/domain/sessions/session-machine.ts'
import type { Reader } from '../../src/store/db/db.ts'

/** Opens the database of a home read-only, also while a daemon uses it. */
export async function withReader<T>(home: string, work: (reader: Reader) => T): Promise<Awaited<T>> {
  const db = new Database(join(home, 'apprentice.db'), { readonly: true })
  try {
    return await work({ db })
  } finally {
    db.close()
  }
}

export interface StoredEffects {
  readonly effects: Map<string, number>
  readonly states: Map<string, string>
}

const EFFECT_QUERIES = [
  `SELECT learn_session_id || ' boundary ' || coalesce(label, kind) FROM boundaries`,
  `SELECT learn_session_id || ' observation ' || event_id FROM observations`,
  // Receipts of nightly jobs belong to no command.
  `SELECT owner_user_id || ' receipt ' || receipt_kind FROM receipts WHERE owner_user_id <> 'system'`,
  `SELECT owner_user_id || ' intent ' || intent_id FROM config_intents WHERE status = 'applied'`,
  `SELECT owner_user_id || ' checkpoint ' || checkpoint_id FROM checkpoint_receipts`,
  `SELECT owner_user_id || ' category ' || title FROM categories`,
  `SELECT owner_user_id || ' item ' || item_id FROM category_assignments
     JOIN categories USING (category_id)`,
  `SELECT owner_user_id || ' item log ' || item_id FROM category_assignment_log
     JOIN categories USING (category_id) WHERE op = 'add'`,
]

/** Reads the effects of commands in the database, with their counts. */
export function readEffects({ db }: Reader): StoredEffects {
  const effects = new Map<string, number>()
  for (const query of EFFECT_QUERIES) {
    for (const effect of db.prepare(query).pluck().all() as string[]) {
      effects.set(effect, (effects.get(effect) ?? 0) + 1)
    }
  }
  const states = db.prepare('SELECT learn_session_id, state FROM learn_sessions').raw().all()
  return { effects, states: new Map(states as [string, string][]) }
}

/** Checks invariants that hold for every database. */
export function findViolations({ db }: Reader): string[] {
  const rows = (query: string, ...values: unknown[]) =>
    db
      .prepare(query)
      .pluck()
      .all(...values)
  const slotStates = JSON.stringify(listSlotStates('settled'))
  const invariants: readonly (readonly [string, unknown[]])[] = [
    ['has a state that differs from its last transition', rows(DIFFERENT_STATES)],
    ['has a transition that does not start at the end of the previous one', rows(BROKEN_CHAINS)],
    ['has event ids with a gap or a duplicate', rows(BROKEN_NUMBERS)],
    ['has events without a session', rows(ORPHANED_EVENTS)],
    ['holds more than one slot', rows(DOUBLE_SLOTS, slotStates)],
    ['has a stored reply without a success status', rows(BROKEN_REPLIES)],
  ]
  const quick = db.pragma('quick_check', { simple: true })
  return [
    ...invariants.flatMap(([message, found]) => found.map((id) => `${String(id)} ${message}`)),
    ...(quick === 'ok' ? [] : [`the database is damaged: ${String(quick)}`]),
  ]
}

const TRANSITIONS = `SELECT seq, learn_session_id, from_state, to_state,
    lag(to_state) OVER (PARTITION BY learn_session_id ORDER BY seq) AS before,
    lead(seq) OVER (PARTITION BY learn_session_id ORDER BY seq) AS next
  FROM events WHERE kind = 'learn.session.state_changed'`
const DIFFERENT_STATES = `SELECT learn_session_id FROM learn_sessions AS s WHERE NOT EXISTS (
  SELECT 1 FROM (${TRANSITIONS}) AS m
   WHERE m.learn_session_id = s.learn_session_id AND m.next IS NULL AND m.to_state = s.state)`
const BROKEN_CHAINS = `SELECT learn_session_id FROM (${TRANSITIONS})
  WHERE coalesce(before, 'idle') <> from_state`
const BROKEN_NUMBERS = `SELECT subject FROM events WHERE stream_seq IS NOT NULL
  GROUP BY subject HAVING count(*) <> max(stream_seq) OR min(stream_seq) <> 1`
const ORPHANED_EVENTS = `SELECT DISTINCT learn_session_id FROM events
  WHERE learn_session_id IS NOT NULL AND learn_session_id NOT IN (SELECT learn_session_id FROM learn_sessions)`
const DOUBLE_SLOTS = `SELECT owner_user_id FROM learn_sessions
  WHERE state IN (SELECT value FROM json_each(?)) GROUP BY owner_user_id HAVING count(*) > 1`
const BROKEN_REPLIES = `SELECT request_id FROM idempotency WHERE status NOT BETWEEN 200 AND 299`

/** Finds events that were streamed but are not stored under the same number. */
export function findUnstoredEvents({ db }: Reader, received: ReadonlyMap<string, readonly string[]>): string[] {
  const storedKinds = db
    .prepare(
      `SELECT kind FROM events WHERE learn_session_id = ? AND stream_seq IS NOT NULL
        ORDER BY stream_seq`,
    )
    .pluck()
  const known = new Set(db.prepare('SELECT learn_session_id FROM learn_sessions').pluck().all())
  return [...received].flatMap(([session, kinds]) => {
    if (!known.has(session)) return []
    const stored = storedKinds.all(session)
    const at = kinds.findIndex((kind, n) => kind !== stored[n])
    return at === -1 ? [] : [`event ${at + 1} of ${session} was received and is not stored`]
  })
}

/** Finds a follower that has not received all stored events. */
export function findMissingEvents({ db }: Reader, session: string, received: readonly string[]): string[] {
  const count = db.prepare('SELECT count(stream_seq) FROM events WHERE learn_session_id = ?')
  const stored = Number(count.pluck().get(session))
  // A deleted session has no events.
  return stored === 0 || received.length === stored
    ? []
    : [`the follower of ${session} received ${received.length} of ${stored} events`]
}
