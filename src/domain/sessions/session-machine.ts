import type { LearnSessionState } from '@apprentice/contracts/learn/session.ts'
import { Failure } from '../../failure/failure.ts'

/**
 * The life of a learn session. Only the moves below exist; a move to the same state is not one of them.
 *
 * idle               created, nothing armed yet                   -> armed | cancelled
 * armed              waits for the person to start                -> capturing | cancelled
 * capturing          observed actions are taken in                -> paused | stopped | cancelled
 * paused             capture rests, bounds may be trimmed         -> capturing | stopped | cancelled
 * stopped            capture is over, a trace exists if any       -> reviewing | cancelled
 * reviewing          what was captured is looked through          -> awaiting_questions | drafting_proposal | cancelled
 * awaiting_questions the person is asked what is missing          -> reviewing | drafting_proposal | cancelled
 * drafting_proposal  a draft exists and is worked on              -> testing_proposal | ready_for_review | cancelled
 * testing_proposal   a validation runs or has failed              -> ready_for_review | drafting_proposal | cancelled | quarantined
 * ready_for_review   a person decides                             -> installing_private | approved | rejected | drafting_proposal
 * installing_private the install saga runs                        -> installed_private | quarantined
 * installed_private  usable by its owner                          -> approved | quarantined
 * approved           usable by others                             -> quarantined
 * rejected           end
 * cancelled          end
 * quarantined        taken out of use                             -> drafting_proposal | cancelled
 */
const legalMoves: Readonly<Record<LearnSessionState, readonly LearnSessionState[]>> = {
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

/** No way out. */
export const terminalStates: readonly LearnSessionState[] = ['rejected', 'cancelled']

/** No longer in the user's way: another session may begin. */
export const settledStates: readonly LearnSessionState[] = [
  ...terminalStates,
  'approved',
  'installed_private',
  'quarantined',
]

export type SlotRule = 'settled' | 'literal'

/** The states in which a session holds its user's one slot. */
export function slotStates(rule: SlotRule): LearnSessionState[] {
  const free = rule === 'literal' ? terminalStates : settledStates
  return allStates.filter((state) => !free.includes(state))
}

export const canMove = (from: LearnSessionState, to: LearnSessionState): boolean =>
  legalMoves[from].includes(to)

/** Checks a whole chain of hops before any of them is made. */
export function assertCanMove(from: LearnSessionState, ...chain: LearnSessionState[]): void {
  let at = from
  for (const to of chain) {
    if (!canMove(at, to)) throw illegalMove(from, chain.at(-1) ?? to)
    at = to
  }
}

/** For commands that stay in the state they are in. */
export function assertState(state: LearnSessionState, allowed: readonly LearnSessionState[]): void {
  if (allowed.includes(state)) return
  throw new Failure(
    'INVALID_LEARN_STATE_TRANSITION',
    `The session is ${state}; this needs ${allowed.join(' or ')}.`,
    { details: { state, allowed } },
  )
}

function illegalMove(from: LearnSessionState, to: LearnSessionState): Failure {
  return new Failure(
    'INVALID_LEARN_STATE_TRANSITION',
    `A session that is ${from} cannot become ${to}.`,
    {
      details: { state: from, wanted: to, allowed: legalMoves[from] },
    },
  )
}

// Object.keys loses the key type; the table above has exactly these keys.
const allStates = Object.keys(legalMoves) as LearnSessionState[]
