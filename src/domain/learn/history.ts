import type { LearnHistoryItem } from '@apprentice/contracts/learn/runtime.ts'
import type { PageQuery } from '@apprentice/contracts/base/page.ts'
import type { Reader } from '../../store/db/db.ts'
import { findInterpretation } from '../../store/proposals/interpretations.ts'
import { listLearnSessions, type StoredSession } from '../../store/sessions/learn-sessions.ts'
import { findSessionProposal } from '../proposals/moves.ts'

/** All sessions of a user including archived ones, newest first. */
export function listHistory(
  reader: Reader,
  owner: string,
  query: PageQuery,
): { items: LearnHistoryItem[]; total: number } {
  const { sessions, total } = listLearnSessions(reader, owner, { ...query, archived: true })
  return { items: sessions.map((session) => toHistoryItem(reader, session)), total }
}

function toHistoryItem(reader: Reader, session: StoredSession): LearnHistoryItem {
  const { proposal_id, ability_id, terminal_at } = session
  const title = findTitle(reader, session)
  return {
    learn_session_id: session.learn_session_id,
    entry_mode: session.entry_mode,
    state: session.state,
    ...(title === undefined ? {} : { title }),
    created_at: session.created_at,
    ...(terminal_at === undefined ? {} : { completed_at: terminal_at }),
    ...(proposal_id === undefined ? {} : { proposal_id }),
    ...(ability_id === undefined ? {} : { ability_id }),
    outcome: toOutcome(session),
  }
}

function findTitle(reader: Reader, session: StoredSession): string | undefined {
  const { interpretation_id } = session
  const interpretation = interpretation_id === undefined ? undefined : findInterpretation(reader, interpretation_id)
  return interpretation?.title ?? findSessionProposal(reader, session)?.title
}

const OUTCOMES = ['approved', 'rejected', 'cancelled', 'quarantined'] as const

const toOutcome = ({ state }: StoredSession): NonNullable<LearnHistoryItem['outcome']> =>
  OUTCOMES.find((outcome) => outcome === state) ?? 'in_progress'
