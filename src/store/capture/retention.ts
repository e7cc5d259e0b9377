import type { LearnSessionState } from '@apprentice/contracts/learn/session.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import type { Row } from '../db/row.ts'

/** A session that may be put away, and whose it is. */
export interface OldSession {
  readonly learn_session_id: string
  readonly owner_user_id: string
}

export interface OldSessionQuery {
  readonly states: readonly LearnSessionState[]
  /** States whose sessions are under way: what they refer to is left alone. */
  readonly holding: readonly LearnSessionState[]
  readonly ended_before: string
  readonly limit: number
}

/** Sessions whose traces a session under way learns from. */
const referredTo = `SELECT traces.learn_session_id FROM learn_sessions AS holder,
    json_each(holder.active_trace_ids) AS named JOIN traces ON traces.trace_id = named.value
  WHERE holder.state IN (SELECT value FROM json_each(@holding))
    AND traces.learn_session_id IS NOT NULL`

const endedLongAgo = `state IN (SELECT value FROM json_each(@states))
  AND terminal_at <= @ended_before AND learn_session_id NOT IN (${referredTo})`

export function listSessionsToArchive(reader: Reader, query: OldSessionQuery): OldSession[] {
  return oldSessions(reader, 'archived_at IS NULL', query)
}

export function listSessionsToPurge(reader: Reader, query: OldSessionQuery): OldSession[] {
  return oldSessions(reader, 'observations_purged_at IS NULL AND retain_observations = 0', query)
}

function oldSessions(
  reader: Reader,
  condition: string,
  { states, holding, ended_before, limit }: OldSessionQuery,
): OldSession[] {
  return sql(
    reader,
    `SELECT learn_session_id, owner_user_id FROM learn_sessions
      WHERE ${condition} AND ${endedLongAgo} ORDER BY terminal_at LIMIT @limit`,
  ).all({
    states: JSON.stringify(states),
    holding: JSON.stringify(holding),
    ended_before,
    limit,
  }) as OldSession[]
}

export function updateSessionArchived(tx: Tx, sessionId: string, now: string): void {
  sql(tx, 'UPDATE learn_sessions SET archived_at = ? WHERE learn_session_id = ?').run(
    now,
    sessionId,
  )
}

export function updateObservationsPurged(tx: Tx, sessionId: string, now: string): void {
  sql(tx, 'UPDATE learn_sessions SET observations_purged_at = ? WHERE learn_session_id = ?').run(
    now,
    sessionId,
  )
}

/** Returns how many of a session's observations went, at most `limit`. */
export function deleteSomeObservations(tx: Tx, sessionId: string, limit: number): number {
  return sql(
    tx,
    `DELETE FROM observations WHERE position IN (
       SELECT position FROM observations WHERE learn_session_id = ? ORDER BY position LIMIT ?)`,
  ).run(sessionId, limit).changes
}

export interface OldProposal {
  readonly proposal_id: string
  readonly owner_user_id: string
  readonly learn_session_id: string | null
}

/** Proposals given up before `ended_before`, without those of sessions under way. */
export function listProposalsToArchive(
  reader: Reader,
  { holding, ended_before, limit }: Omit<OldSessionQuery, 'states'>,
): OldProposal[] {
  return sql(
    reader,
    `SELECT proposal_id, owner_user_id, learn_session_id FROM proposals AS old
      WHERE archived_at IS NULL AND proposal_state IN ('cancelled', 'rejected')
        AND updated_at <= @ended_before AND NOT EXISTS (
          SELECT 1 FROM learn_sessions AS holder
           WHERE holder.learn_session_id = old.learn_session_id
             AND holder.state IN (SELECT value FROM json_each(@holding)))
      ORDER BY updated_at LIMIT @limit`,
  ).all({ holding: JSON.stringify(holding), ended_before, limit }) as OldProposal[]
}

export function updateProposalArchived(tx: Tx, proposalId: string, now: string): void {
  sql(tx, 'UPDATE proposals SET archived_at = ? WHERE proposal_id = ?').run(now, proposalId)
}

/** Moves up to `limit` receipts into the archive of their month. Returns the months, and how many each got. */
export function rollReceipts(
  tx: Tx,
  { made_before, limit }: { made_before: string; limit: number },
): { month: string; receipts: number }[] {
  const rolled = sql(
    tx,
    `UPDATE receipts SET archive_month = substr(created_at, 1, 7) WHERE position IN (
       SELECT position FROM receipts WHERE archive_month IS NULL AND created_at <= ?
        ORDER BY created_at, position LIMIT ?)
     RETURNING archive_month`,
  )
    .all(made_before, limit)
    .map((row) => String((row as Row)['archive_month']))
  const counts = new Map<string, number>()
  for (const month of rolled) counts.set(month, (counts.get(month) ?? 0) + 1)
  return [...counts].map(([month, receipts]) => ({ month, receipts }))
}
