import type { LearnSessionState } from '@apprentice/contracts/learn/session.ts'
import { Failure } from '../../failure/failure.ts'

/**
 * The states of a learn session and their transitions. A transition to the same state is not legal.
 *
 * idle               created, not armed                           -> armed | cancelled
 * armed              ready to start                               -> capturing | cancelled
 * capturing          observed actions are stored                  -> paused | stopped | cancelled
 * paused             capture is interrupted; trimming is allowed  -> capturing | stopped | cancelled
 * stopped            capture is finished                          -> reviewing | cancelled
 * reviewing          captured actions are under review            -> awaiting_questions | drafting_proposal | cancelled
 * awaiting_questions the user has open questions to answer        -> reviewing | drafting_proposal | cancelled
 * drafting_proposal  a draft exists                               -> testing_proposal | ready_for_review | cancelled
 * testing_proposal   a validation is running or has failed        -> ready_for_review | drafting_proposal | cancelled | quarantined
 * ready_for_review   waits for a decision                         -> installing_private | approved | rejected | drafting_proposal
 * installing_private the install saga is running                  -> installed_private | quarantined
 * installed_private  the owner can use the ability                -> approved | quarantined
 * approved           other users can use the ability              -> quarantined
 * rejected           terminal
 * cancelled          terminal
 * quarantined        the ability is disabled                      -> drafting_proposal | cancelled
 */
const LEGAL_MOVES: Readonly<Record<LearnSessionState, readonly LearnSessionState[]>> = {
  idle: ['armed', 'cancelled'],
  armed: ['capturing', 'cancelled'],
  capturing: ['paused', 'stopped', 'cancelled'],
  paused: ['capturing', 'stopped', 'cancelled'],
  stopped: ['reviewing', 'cancelled'],
  reviewing: ['awaiting_questions', 'drafting_proposal', 'cancelled'],
  awaiting_questions: ['reviewing', 'drafting_proposal', 'cancelled'],
  drafting_proposal: ['testing_proposal', 'ready_for_review', 'cancelled'],
  testing_proposal: ['ready_for_review', 'drafting_proposal', 'cancelled', 'quarantined'],
  ready_for_review: ['installing_private', 'approved', 'rejected', 'drafting_proposal'],
  installing_private: ['installed_private', 'quarantined'],
  installed_private: ['approved', 'quarantined'],
  approved: ['quarantined'],
  rejected: [],
  cancelled: [],
  quarantined: ['drafting_proposal', 'cancelled'],
}

/** States without a transition. */
export const TERMINAL_STATES: readonly LearnSessionState[] = ['rejected', 'cancelled']

/** States that free the user's session slot under the `settled` rule. */
export const SETTLED_STATES: readonly LearnSessionState[] = [
  ...TERMINAL_STATES,
  'approved',
  'installed_private',
  'quarantined',
]

export type SlotRule = 'settled' | 'literal'

/** The states in which a session occupies its user's only slot. */
export function listSlotStates(rule: SlotRule): LearnSessionState[] {
  const free = rule === 'literal' ? TERMINAL_STATES : SETTLED_STATES
  return ALL_STATES.filter((state) => !free.includes(state))
}

export const canMove = (from: LearnSessionState, to: LearnSessionState): boolean => LEGAL_MOVES[from].includes(to)

/** Checks a chain of transitions before the first one is made. */
export function assertCanMove(from: LearnSessionState, ...chain: LearnSessionState[]): void {
  let at = from
  for (const to of chain) {
    if (!canMove(at, to)) throw illegalMove(from, chain.at(-1) ?? to)
    at = to
  }
}

/** For commands that do not change the state. */
export function assertState(state: LearnSessionState, allowed: readonly LearnSessionState[]): void {
  if (allowed.includes(state)) return
  throw new Failure(
    'INVALID_LEARN_STATE_TRANSITION',
    `The session is ${state}; this command requires ${allowed.join(' or ')}.`,
    { details: { state, allowed } },
  )
}

function illegalMove(from: LearnSessionState, to: LearnSessionState): Failure {
  return new Failure('INVALID_LEARN_STATE_TRANSITION', `A session that is ${from} cannot become ${to}.`, {
    details: { state: from, wanted: to, allowed: LEGAL_MOVES[from] },
  })
}

// Object.keys loses the key type; the table above has exactly these keys.
const ALL_STATES = Object.keys(LEGAL_MOVES) as LearnSessionState[]
