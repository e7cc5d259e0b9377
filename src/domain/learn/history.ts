import type { LearnHistoryItem } from '@apprentice/contracts/learn/runtime.ts'
import type { PageQuery } from '@apprentice/contracts/base/page.ts'
import type { Reader } from '../../store/db/db.ts'
import { findInterpretation } from '../../store/proposals/interpretations.ts'
import { listLearnSessions, type StoredSession } from '../../store/sessions/learn-sessions.ts'
import { findSessionProposal } from '../proposals/moves.ts'

/** Every session of a user, archived ones too, newest first. */
export function listHistory(
  reader: Reader,
  owner: string,
  query: PageQuery,
): { items: LearnHistoryItem[]; total: number } {
  const { sessions, total } = listLearnSessions(reader, owner, { ...query, archived: true })
  return { items: sessions.map((session) => toItem(reader, session)), total }
}

function toItem(reader: Reader, session: StoredSession): LearnHistoryItem {
  const { proposal_id, ability_id, terminal_at } = session
  const title = titleOf(reader, session)
  return {
    learn_session_id: session.learn_session_id,
    entry_mode: session.entry_mode,
    state: session.state,
    ...(title === undefined ? {} : { title }),
    created_at: session.created_at,
    ...(terminal_at === undefined ? {} : { completed_at: terminal_at }),
    ...(proposal_id === undefined ? {} : { proposal_id }),
    ...(ability_id === undefined ? {} : { ability_id }),
    outcome: outcomeOf(session),
  }
}

function titleOf(reader: Reader, session: StoredSession): string | undefined {
  const { interpretation_id } = session
  const meaning =
    interpretation_id === undefined ? undefined : findInterpretation(reader, interpretation_id)
  return meaning?.title ?? findSessionProposal(reader, session)?.title
}

const outcomes = ['approved', 'rejected', 'cancelled', 'quarantined'] as const

const outcomeOf = ({ state }: StoredSession): NonNullable<LearnHistoryItem['outcome']> =>
  outcomes.find((outcome) => outcome === state) ?? 'in_progress'
