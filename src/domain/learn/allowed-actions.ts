import type { EntryMode, LearnSessionState } from '@apprentice/contracts/learn/session.ts'
import type { Reader } from '../../store/db/db.ts'
import type { StoredSession } from '../../store/sessions/learn-sessions.ts'
import { countObservations } from '../../store/capture/observations.ts'
import { findLatestPractice } from '../../store/practice/practices.ts'
import { COACHABLE_STATES } from '../capture/coaching.ts'
import { countUnanswered, listQuestionsWithAnswers } from '../proposals/draft/clarification.ts'
import { hasDemonstration } from '../capture/demonstration.ts'
import { DRAFTABLE_STATES } from '../review/generate-proposal.ts'
import { canMove, TERMINAL_STATES } from '../sessions/session-machine.ts'
import { TEST_POLICY_STATES } from '../proposals/test-policy.ts'

interface Situation {
  readonly state: LearnSessionState
  readonly entry_mode: EntryMode
  readonly is_practising: boolean
  readonly has_proposal: boolean
  readonly has_observations: boolean
  readonly has_demonstration: boolean
  readonly unanswered: number
}

const inStates =
  (...states: LearnSessionState[]) =>
  ({ state }: Situation): boolean =>
    states.includes(state)

/** When each command on a session is legal. Clients offer exactly the listed commands. */
const rules = {
  start: inStates('idle', 'armed'),
  practise: (now) =>
    inStates('armed', 'paused')(now) && now.entry_mode === 'autonomous_agent_practice' && !now.is_practising,
  stop_practice: ({ is_practising }) => is_practising,
  coach: (now) => inStates(...COACHABLE_STATES)(now) && now.entry_mode === 'coaching_agent',
  pause: inStates('capturing'),
  resume: inStates('paused'),
  stop: inStates('capturing', 'paused'),
  cancel: ({ state }) => canMove(state, 'cancelled'),
  mark_goal: inStates('capturing', 'paused'),
  mark_step: inStates('capturing', 'paused'),
  trim: (now) => inStates('paused', 'stopped', 'reviewing')(now) && now.has_observations,
  answer_questions: (now) => inStates('awaiting_questions')(now) && now.has_proposal,
  set_test_policy: inStates(...TEST_POLICY_STATES),
  generate_proposal: (now) =>
    inStates(...DRAFTABLE_STATES)(now) &&
    now.has_demonstration &&
    (now.state !== 'awaiting_questions' || now.unanswered === 0),
  delete: ({ state, has_proposal }) =>
    TERMINAL_STATES.includes(state) || (!has_proposal && canMove(state, 'cancelled')),
} as const satisfies Record<string, (now: Situation) => boolean>

export type SessionAction = keyof typeof rules

// Object.entries loses the key type; the table above has exactly these keys.
const ruleList = Object.entries(rules) as [SessionAction, (now: Situation) => boolean][]

export function listAllowedActions(reader: Reader, session: StoredSession): SessionAction[] {
  const { proposal_id } = session
  const practice = findLatestPractice(reader, session.learn_session_id)
  const now: Situation = {
    state: session.state,
    entry_mode: session.entry_mode,
    is_practising: practice !== undefined && practice.ended_at === undefined,
    has_proposal: proposal_id !== undefined,
    has_observations: countObservations(reader, session.learn_session_id) > 0,
    has_demonstration: hasDemonstration(reader, session),
    unanswered: proposal_id === undefined ? 0 : countUnanswered(listQuestionsWithAnswers(reader, proposal_id)),
  }
  return ruleList.filter(([, isLegal]) => isLegal(now)).map(([action]) => action)
}
