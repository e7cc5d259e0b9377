import { LearnSession, type LearnSessionState } from '@apprentice/contracts/learn/session.ts'
import type { AdapterKind } from '@apprentice/contracts/learn/observation.ts'
import type { PageQuery } from '@apprentice/contracts/base/page.ts'
import { type Reader, cached, sql, type Tx } from '../db/db.ts'
import { blankRow, column, insertInOrder, type Row } from '../db/row.ts'

/** A session with what only the daemon needs to know of it. */
export interface StoredSession extends LearnSession {
  owner_user_id: string
  /** Who decides on what the daemon itself proposes; then it owns the session. */
  reviewer_user_id?: string | undefined
  state_entered_at: string
  capture_accumulated_ms: number
  terminal_at?: string | undefined
  archived_at?: string | undefined
  observations_purged_at?: string | undefined
  retain_observations: boolean
  text_capture_consent: boolean
  ask_before_build: boolean
  allow_private_install: boolean
  requested_safe_target_ref?: string | undefined
  adapters_armed: AdapterKind[]
  redaction_salt: string
  captured_event_count: number
  off_target_events_dropped: number
  revision: number
}

const ownColumns = [
  'owner_user_id',
  'reviewer_user_id',
  'state_entered_at',
  'capture_accumulated_ms',
  'terminal_at',
  'archived_at',
  'observations_purged_at',
  'retain_observations',
  'text_capture_consent',
  'ask_before_build',
  'allow_private_install',
  'requested_safe_target_ref',
  'adapters_armed',
  'redaction_salt',
  'captured_event_count',
  'off_target_events_dropped',
  'revision',
] as const
// Object.keys loses the key type; the contract has exactly these keys.
const publicColumns = (Object.keys(LearnSession.shape) as (keyof LearnSession)[]).filter(
  (name) => name !== 'schema_version',
)
const columns: readonly (keyof StoredSession)[] = [...publicColumns, ...ownColumns]
const listColumns = [
  'target_app_whitelist',
  'active_trace_ids',
  'active_observation_batch_ids',
  'adapters_armed',
] as const
const flagColumns = [
  'retain_observations',
  'text_capture_consent',
  'ask_before_build',
  'allow_private_install',
] as const
const insertText = insertInOrder('learn_sessions', columns)
/** Every session has all fields, absent ones as undefined: objects of one shape are copied much faster. */
const blank: Row = { ...blankRow(columns), schema_version: 1 }
const inOrder = columns.join(', ')

export function findLearnSession(reader: Reader, id: string): StoredSession | undefined {
  return cached(reader, `session ${id}`, () => {
    const row = sql(reader, `SELECT ${inOrder} FROM learn_sessions WHERE learn_session_id = ?`)
      .raw()
      .get(id)
    return row === undefined ? undefined : toSession(row as unknown[])
  })
}

export type SessionStatus = Pick<
  StoredSession,
  'learn_session_id' | 'owner_user_id' | 'state' | 'state_entered_at'
>

/** The little of a session that tells whose it is and since when it is where it is. */
export function findSessionStatus(reader: Reader, id: string): SessionStatus | undefined {
  const row = sql(
    reader,
    'SELECT owner_user_id, state, state_entered_at FROM learn_sessions WHERE learn_session_id = ?',
  )
    .raw()
    .get(id) as [string, LearnSessionState, string] | undefined
  if (row === undefined) return undefined
  const [owner_user_id, state, state_entered_at] = row
  return { learn_session_id: id, owner_user_id, state, state_entered_at }
}

/** Whose a session is, and who decides on it in their place. Neither ever changes. */
export function findPeople(
  reader: Reader,
  id: string,
): Pick<StoredSession, 'owner_user_id' | 'reviewer_user_id'> | undefined {
  const row = sql(
    reader,
    'SELECT owner_user_id, reviewer_user_id FROM learn_sessions WHERE learn_session_id = ?',
  )
    .raw()
    .get(id) as [string, string | null] | undefined
  return row && { owner_user_id: row[0], reviewer_user_id: row[1] ?? undefined }
}

export function insertLearnSession(tx: Tx, session: StoredSession): void {
  sql(tx, insertText).run(columns.map((name) => column(session[name])))
}

/** Never changed after the insert; naming them would have SQLite rewrite their indexes. */
const lasting: readonly string[] = ['learn_session_id', 'owner_user_id', 'created_at']
const changing = columns.filter((name) => !lasting.includes(name))
/** Sessions exactly as they were read or written, and not as somebody has changed them since. */
const asStored = new WeakSet<StoredSession>()
const updateTexts = new Map<string, string>()

/** Writes only what differs from `before`, if that is a session as it stands in the database. */
export function updateLearnSession(tx: Tx, session: StoredSession, before?: StoredSession): void {
  const changed =
    before !== undefined && asStored.has(before)
      ? changing.filter((name) => session[name] !== before[name])
      : changing
  const values = changed.map((name) => column(session[name]))
  const { changes } = sql(tx, updateText(changed)).run(...values, session.learn_session_id)
  if (changes !== 1) throw new Error(`No row for learn session ${session.learn_session_id}.`)
  asStored.add(session)
}

function updateText(changed: readonly string[]): string {
  const names = changed.join(' = ?, ')
  let text = updateTexts.get(names)
  if (text === undefined) {
    text = `UPDATE learn_sessions SET ${names} = ? WHERE learn_session_id = ?`
    updateTexts.set(names, text)
  }
  return text
}

export function deleteLearnSession(tx: Tx, id: string): void {
  sql(tx, 'DELETE FROM learn_sessions WHERE learn_session_id = ?').run(id)
}

export interface SessionFilter {
  readonly state?: string | undefined
  readonly entry_mode?: string | undefined
}

/** Newest first; archived sessions only in history. */
export function listLearnSessions(
  reader: Reader,
  owner: string,
  { page, page_size, ...filter }: PageQuery & SessionFilter & { archived?: boolean },
): { sessions: StoredSession[]; total: number } {
  const where = [
    'owner_user_id = @owner',
    ...(filter.archived === true ? [] : ['archived_at IS NULL']),
    ...(filter.state === undefined ? [] : ['state = @state']),
    ...(filter.entry_mode === undefined ? [] : ['entry_mode = @entry_mode']),
  ].join(' AND ')
  const values = {
    owner,
    ...(filter.state === undefined ? {} : { state: filter.state }),
    ...(filter.entry_mode === undefined ? {} : { entry_mode: filter.entry_mode }),
  }
  return cached(reader, `sessions ${where} ${page} ${page_size} ${JSON.stringify(values)}`, () => {
    const rows = sql(
      reader,
      `SELECT ${inOrder} FROM learn_sessions WHERE ${where}
        ORDER BY created_at DESC, learn_session_id DESC LIMIT @limit OFFSET @offset`,
    )
      .raw()
      .all({ ...values, limit: page_size, offset: (page - 1) * page_size })
    const count = sql(reader, `SELECT count(*) AS total FROM learn_sessions WHERE ${where}`).get(
      values,
    )
    return {
      sessions: rows.map((row) => toSession(row as unknown[])),
      total: (count as { total: number }).total,
    }
  })
}

/** The user's sessions in any of these states, the one changed last first. */
export function listSessionsInStates(
  reader: Reader,
  owner: string,
  states: readonly LearnSessionState[],
): StoredSession[] {
  return cached(reader, `sessions in ${states.join()} of ${owner}`, () =>
    sql(
      reader,
      `SELECT ${inOrder} FROM learn_sessions WHERE owner_user_id = ? AND state IN (SELECT value FROM json_each(?))
        ORDER BY updated_at DESC, learn_session_id DESC`,
    )
      .raw()
      .all(owner, JSON.stringify(states))
      .map((row) => toSession(row as unknown[])),
  )
}

export function findLatestSession(reader: Reader, owner: string): StoredSession | undefined {
  const row = sql(
    reader,
    `SELECT ${inOrder} FROM learn_sessions WHERE owner_user_id = ?
      ORDER BY updated_at DESC, learn_session_id DESC LIMIT 1`,
  )
    .raw()
    .get(owner)
  return row === undefined ? undefined : toSession(row as unknown[])
}

/** Sessions of any user that have been in `state` since before `entered_before`. */
export function listSessionsLeftIn(
  reader: Reader,
  state: LearnSessionState,
  enteredBefore: string,
): StoredSession[] {
  return sql(
    reader,
    `SELECT ${inOrder} FROM learn_sessions
      WHERE state = ? AND state_entered_at <= ? ORDER BY state_entered_at LIMIT 500`,
  )
    .raw()
    .all(state, enteredBefore)
    .map((row) => toSession(row as unknown[]))
}

export function listSessionIds(reader: Reader): string[] {
  return sql(reader, 'SELECT learn_session_id FROM learn_sessions ORDER BY learn_session_id')
    .all()
    .map((row) => String((row as Row)['learn_session_id']))
}

const publicBlank = { schema_version: 1, ...blankRow(publicColumns) }
const publicParts = new WeakMap<StoredSession, LearnSession>()

/** The part a client may know; of one object it is picked out once. */
export function publicSession(session: StoredSession): LearnSession {
  const known = publicParts.get(session)
  if (known !== undefined) return known
  const out: Row = { ...publicBlank }
  for (const name of publicColumns) out[name] = session[name]
  publicParts.set(session, out as LearnSession)
  return out as LearnSession
}

function toSession(row: readonly unknown[]): StoredSession {
  const out: Row = { ...blank }
  for (const [at, name] of columns.entries()) out[name] = row[at] ?? undefined
  for (const name of listColumns) out[name] = JSON.parse(String(out[name]))
  for (const name of flagColumns) out[name] = out[name] === 1
  const session = out as unknown as StoredSession
  asStored.add(session)
  return session
}
