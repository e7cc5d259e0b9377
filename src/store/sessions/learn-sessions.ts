import type { AdapterKind } from '@apprentice/contracts/learn/observation.ts'
import type { PageQuery } from '@apprentice/contracts/base/page.ts'
import type { LearnSession, LearnSessionState } from '@apprentice/contracts/learn/session.ts'
import { columns, flag, integer, list, text } from '../db/columns.ts'
import { cached } from '../db/cached.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { findString, listStrings } from '../db/queries.ts'
import { defineTable, type RowOf } from '../db/table.ts'

/** The fields of the contract. */
const publicColumns = {
  learn_session_id: text(),
  entry_mode: text<LearnSession['entry_mode']>(),
  observation_mode: text<LearnSession['observation_mode']>(),
  build_policy: text<LearnSession['build_policy']>(),
  execution_mode: text<LearnSession['execution_mode']>(),
  target_kind: text<LearnSession['target_kind']>(),
  state: text<LearnSessionState>(),
  actor_mode: text<LearnSession['actor_mode']>(),
  ...columns(text().optional(), 'project_id', 'room_id', 'target_skill_id', 'target_app_family'),
  target_app_whitelist: list(),
  device_serial: text().optional(),
  active_trace_ids: list(),
  active_observation_batch_ids: list(),
  ...columns(text().optional(), 'proposal_id', 'interpretation_id', 'validation_run_id'),
  ...columns(text().optional(), 'ability_id', 'start_boundary_ref', 'stop_boundary_ref'),
  test_policy_ref: text().optional(),
  // Immutable also because an UPDATE that names an indexed column makes SQLite rewrite the index.
  created_at: text().immutable(),
  updated_at: text(),
}

export const learnSessions = defineTable(
  'learn_sessions',
  {
    ...publicColumns,
    owner_user_id: text().immutable(),
    /** Decides on proposals of the daemon. Present only if the daemon owns the session. */
    reviewer_user_id: text().optional(),
    state_entered_at: text(),
    capture_accumulated_ms: integer(),
    ...columns(text().optional(), 'terminal_at', 'archived_at', 'observations_purged_at'),
    ...columns(flag(), 'retain_observations', 'text_capture_consent', 'ask_before_build'),
    allow_private_install: flag(),
    requested_safe_target_ref: text().optional(),
    adapters_armed: list<AdapterKind>(),
    redaction_salt: text(),
    ...columns(integer(), 'captured_event_count', 'off_target_events_dropped', 'revision'),
  },
  { key: ['learn_session_id'], constants: { schema_version: 1 } },
)

/** A session with the fields that clients do not see. */
export type StoredSession = RowOf<typeof learnSessions>

const SELECT_SESSION = `SELECT ${learnSessions.select} FROM learn_sessions`

export function findLearnSession(reader: Reader, id: string): StoredSession | undefined {
  return cached(reader, `session ${id}`, () => {
    const row = sql(reader, `${SELECT_SESSION} WHERE learn_session_id = ?`, 'arrays').get(id)
    return row === undefined ? undefined : toSession(row)
  })
}

const sessionStatus = learnSessions.only('learn_session_id', 'owner_user_id', 'state', 'state_entered_at')
export type SessionStatus = ReturnType<typeof sessionStatus.decode>

/** The owner and the state of a session, without the cost of reading all of it. */
export function findSessionOwner(reader: Reader, id: string): string | undefined {
  return findString(reader, 'SELECT owner_user_id FROM learn_sessions WHERE learn_session_id = ?', id)
}

export function findSessionStatus(reader: Reader, id: string): SessionStatus | undefined {
  const row = sql(reader, `SELECT ${sessionStatus.select} FROM learn_sessions WHERE learn_session_id = ?`).get(id)
  return sessionStatus.decodeOptional(row)
}

const ownerAndReviewer = learnSessions.only('owner_user_id', 'reviewer_user_id')

/** The owner of a session and the user who reviews it for the owner. Neither ever changes. */
export function findOwnerAndReviewer(
  reader: Reader,
  id: string,
): ReturnType<typeof ownerAndReviewer.decode> | undefined {
  const row = sql(reader, `SELECT ${ownerAndReviewer.select} FROM learn_sessions WHERE learn_session_id = ?`).get(id)
  return ownerAndReviewer.decodeOptional(row)
}

/** The sessions of an owner that improve this ability, oldest first. */
export function listSessionsByTarget(reader: Reader, owner: string, targetSkillId: string): StoredSession[] {
  return sql(
    reader,
    `${SELECT_SESSION} WHERE owner_user_id = ? AND target_skill_id = ? ORDER BY created_at, learn_session_id`,
    'arrays',
  )
    .all(owner, targetSkillId)
    .map(toSession)
}

export function insertLearnSession(tx: Tx, session: StoredSession): void {
  learnSessions.insert(tx, session)
}

/** Sessions exactly as they were read or written. */
const unchanged = new WeakSet<StoredSession>()

/** Writes only what differs from `before`, if `before` is a session as it was read or written. */
export function updateLearnSession(tx: Tx, session: StoredSession, before?: StoredSession): void {
  const { mutableColumns } = learnSessions
  const changed =
    before !== undefined && unchanged.has(before)
      ? mutableColumns.filter((name) => session[name] !== before[name])
      : mutableColumns
  if (changed.length > 0 && !learnSessions.updateColumns(tx, session, changed)) {
    throw new Error(`No row for learn session ${session.learn_session_id}.`)
  }
  unchanged.add(session)
}

export function deleteLearnSession(tx: Tx, id: string): void {
  sql(tx, 'DELETE FROM learn_sessions WHERE learn_session_id = ?').run(id)
}

export interface SessionFilter {
  readonly state?: string | undefined
  readonly entry_mode?: string | undefined
}

/** Newest first. Archived sessions are listed only with `archived`. */
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
      `${SELECT_SESSION} WHERE ${where}
        ORDER BY created_at DESC, learn_session_id DESC LIMIT @limit OFFSET @offset`,
      'arrays',
    ).all({ ...values, limit: page_size, offset: (page - 1) * page_size })
    const total = sql(reader, `SELECT count(*) FROM learn_sessions WHERE ${where}`, 'values').get(values) as number
    return { sessions: rows.map(toSession), total }
  })
}

/** The user's sessions in any of these states, the last changed first. */
export function listSessionsInStates(
  reader: Reader,
  owner: string,
  states: readonly LearnSessionState[],
): StoredSession[] {
  return cached(reader, `sessions in ${states.join()} of ${owner}`, () =>
    sql(
      reader,
      `${SELECT_SESSION} WHERE owner_user_id = ? AND state IN (SELECT value FROM json_each(?))
        ORDER BY updated_at DESC, learn_session_id DESC`,
      'arrays',
    )
      .all(owner, JSON.stringify(states))
      .map(toSession),
  )
}

export function findLatestSession(reader: Reader, owner: string): StoredSession | undefined {
  const row = sql(
    reader,
    `${SELECT_SESSION} WHERE owner_user_id = ?
      ORDER BY updated_at DESC, learn_session_id DESC LIMIT 1`,
    'arrays',
  ).get(owner)
  return row === undefined ? undefined : toSession(row)
}

/** Sessions of all users that entered `state` at or before `enteredBefore`, at most 500. */
export function listSessionsEnteredBefore(
  reader: Reader,
  state: LearnSessionState,
  enteredBefore: string,
): StoredSession[] {
  return sql(
    reader,
    `${SELECT_SESSION} WHERE state = ? AND state_entered_at <= ?
      ORDER BY state_entered_at LIMIT 500`,
    'arrays',
  )
    .all(state, enteredBefore)
    .map(toSession)
}

export function listSessionIds(reader: Reader): string[] {
  return listStrings(reader, 'SELECT learn_session_id FROM learn_sessions ORDER BY learn_session_id')
}

const pickPublic = learnSessions.picker([
  'schema_version',
  ...(Object.keys(publicColumns) as (keyof typeof publicColumns)[]),
])
const publicParts = new WeakMap<StoredSession, LearnSession>()

/** The fields that clients see. They are copied once per object. */
export function toPublicSession(session: StoredSession): LearnSession {
  let part = publicParts.get(session)
  if (part === undefined) publicParts.set(session, (part = pickPublic(session)))
  return part
}

function toSession(row: unknown): StoredSession {
  const session = learnSessions.decodeArray(row as unknown[])
  unchanged.add(session)
  return session
}
