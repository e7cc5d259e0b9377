import type { EntryMode, LearnSessionState } from '@apprentice/contracts/learn/session.ts'
import type { Reader } from '../../store/db/db.ts'
import type { StoredSession } from '../../store/sessions/learn-sessions.ts'
import { countObservations } from '../../store/capture/observations.ts'
import { findLatestPractice } from '../../store/practice/practices.ts'
import { coachableStates } from '../capture/coaching.ts'
import { countUnanswered, listAskedQuestions } from '../proposals/clarification.ts'
import { hasDemonstration } from '../capture/demonstration.ts'
import { draftableStates } from '../review/proposals.ts'
import { canMove, terminalStates } from '../sessions/session-machine.ts'
import { testPolicyStates } from '../proposals/test-policy.ts'

interface Situation {
  readonly state: LearnSessionState
  readonly entry_mode: EntryMode
  readonly is_practising: boolean
  readonly has_proposal: boolean
  readonly has_observations: boolean
  readonly has_demonstration: boolean
  readonly unanswered: number
}

const among =
  (...states: LearnSessionState[]) =>
  ({ state }: Situation): boolean =>
    states.includes(state)

/** When each command on a session is legal. A client offers what is listed and nothing else. */
const rules = {
  start: among('idle', 'armed'),
  practise: (now) =>
    among('armed', 'paused')(now) &&
    now.entry_mode === 'autonomous_agent_practice' &&
    !now.is_practising,
  stop_practice: ({ is_practising }) => is_practising,
  coach: (now) => among(...coachableStates)(now) && now.entry_mode === 'coaching_agent',
  pause: among('capturing'),
  resume: among('paused'),
  stop: among('capturing', 'paused'),
  cancel: ({ state }) => canMove(state, 'cancelled'),
  mark_goal: among('capturing', 'paused'),
  mark_step: among('capturing', 'paused'),
  trim: (now) => among('paused', 'stopped', 'reviewing')(now) && now.has_observations,
  answer_questions: (now) => among('awaiting_questions')(now) && now.has_proposal,
  set_test_policy: among(...testPolicyStates),
  generate_proposal: (now) =>
    among(...draftableStates)(now) &&
    now.has_demonstration &&
    (now.state !== 'awaiting_questions' || now.unanswered === 0),
  delete: ({ state, has_proposal }) =>
    terminalStates.includes(state) || (!has_proposal && canMove(state, 'cancelled')),
} as const satisfies Record<string, (now: Situation) => boolean>

export type SessionAction = keyof typeof rules

// Object.entries loses the key type; the table above has exactly these keys.
const ruleList = Object.entries(rules) as [SessionAction, (now: Situation) => boolean][]

export function allowedActions(reader: Reader, session: StoredSession): SessionAction[] {
  const { proposal_id } = session
  const practice = findLatestPractice(reader, session.learn_session_id)
  const now: Situation = {
    state: session.state,
    entry_mode: session.entry_mode,
    is_practising: practice !== undefined && practice.ended_at === undefined,
    has_proposal: proposal_id !== undefined,
    has_observations: countObservations(reader, session.learn_session_id) > 0,
    has_demonstration: hasDemonstration(reader, session),
    unanswered:
      proposal_id === undefined ? 0 : countUnanswered(listAskedQuestions(reader, proposal_id)),
  }
  return ruleList.filter(([, isLegal]) => isLegal(now)).map(([action]) => action)
}
