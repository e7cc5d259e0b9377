import type { LearnSessionState } from '@apprentice/contracts/learn/session.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { proposals } from '../proposals/proposals.ts'
import { learnSessions } from '../sessions/learn-sessions.ts'

const oldSession = learnSessions.only('learn_session_id', 'owner_user_id')
/** A session that may be archived or purged. */
export type OldSession = ReturnType<typeof oldSession.decode>

export interface OldSessionQuery {
  readonly states: readonly LearnSessionState[]
  /** States of unfinished sessions. What they refer to is excluded. */
  readonly holding: readonly LearnSessionState[]
  readonly finished_before: string
  readonly limit: number
}

/** Sessions whose traces an unfinished session learns from. */
const REFERENCED_SESSIONS = `SELECT traces.learn_session_id FROM learn_sessions AS holder,
    json_each(holder.active_trace_ids) AS named JOIN traces ON traces.trace_id = named.value
  WHERE holder.state IN (SELECT value FROM json_each(@holding))
    AND traces.learn_session_id IS NOT NULL`

const FINISHED_BEFORE = `state IN (SELECT value FROM json_each(@states))
  AND terminal_at <= @finished_before AND learn_session_id NOT IN (${REFERENCED_SESSIONS})`

export function listSessionsToArchive(reader: Reader, query: OldSessionQuery): OldSession[] {
  return listOldSessions(reader, 'archived_at IS NULL', query)
}

export function listSessionsToPurge(reader: Reader, query: OldSessionQuery): OldSession[] {
  const condition = 'observations_purged_at IS NULL AND retain_observations = 0'
  return listOldSessions(reader, condition, query)
}

function listOldSessions(
  reader: Reader,
  condition: string,
  { states, holding, finished_before, limit }: OldSessionQuery,
): OldSession[] {
  return sql(
    reader,
    `SELECT ${oldSession.select} FROM learn_sessions
      WHERE ${condition} AND ${FINISHED_BEFORE} ORDER BY terminal_at LIMIT @limit`,
  )
    .all({
      states: JSON.stringify(states),
      holding: JSON.stringify(holding),
      finished_before,
      limit,
    })
    .map(oldSession.decode)
}

export function updateSessionArchived(tx: Tx, sessionId: string, now: string): void {
  const row = { learn_session_id: sessionId, archived_at: now }
  learnSessions.updateColumns(tx, row, ['archived_at'])
}

export function updateObservationsPurged(tx: Tx, sessionId: string, now: string): void {
  const row = { learn_session_id: sessionId, observations_purged_at: now }
  learnSessions.updateColumns(tx, row, ['observations_purged_at'])
}

/** Returns the number of deleted observations, at most `limit`. */
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

/** Proposals cancelled or rejected before `finished_before`, except those of unfinished sessions. */
export function listProposalsToArchive(
  reader: Reader,
  { holding, finished_before, limit }: Omit<OldSessionQuery, 'states'>,
): OldProposal[] {
  return sql(
    reader,
    `SELECT proposal_id, owner_user_id, learn_session_id FROM proposals AS old
      WHERE archived_at IS NULL AND proposal_state IN ('cancelled', 'rejected')
        AND updated_at <= @finished_before AND NOT EXISTS (
          SELECT 1 FROM learn_sessions AS holder
           WHERE holder.learn_session_id = old.learn_session_id
             AND holder.state IN (SELECT value FROM json_each(@holding)))
      ORDER BY updated_at LIMIT @limit`,
  ).all({ holding: JSON.stringify(holding), finished_before, limit }) as OldProposal[]
}

export function updateProposalArchived(tx: Tx, proposalId: string, now: string): void {
  proposals.updateColumns(tx, { proposal_id: proposalId, archived_at: now }, ['archived_at'])
}

/** Moves up to `limit` receipts into the archive of their month. Returns the months and their numbers of receipts. */
export function archiveReceipts(
  tx: Tx,
  { made_before, limit }: { made_before: string; limit: number },
): { month: string; receipts: number }[] {
  const months = sql(
    tx,
    `UPDATE receipts SET archive_month = substr(created_at, 1, 7) WHERE position IN (
       SELECT position FROM receipts WHERE archive_month IS NULL AND created_at <= ?
        ORDER BY created_at, position LIMIT ?)
     RETURNING archive_month`,
    'values',
  ).all(made_before, limit) as string[]
  const counts = new Map<string, number>()
  for (const month of months) counts.set(month, (counts.get(month) ?? 0) + 1)
  return [...counts].map(([month, receipts]) => ({ month, receipts }))
}
