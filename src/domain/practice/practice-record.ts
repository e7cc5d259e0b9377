import type { Practice, PracticeOutcome } from '@apprentice/contracts/learn/practice.ts'
import type { LearnSessionState } from '@apprentice/contracts/learn/session.ts'
import { Failure } from '../../failure/failure.ts'
import type { Reader } from '../../store/db/db.ts'
import { findLearnSession, type StoredSession } from '../../store/sessions/learn-sessions.ts'
import { findLastObservation, listObservations } from '../../store/capture/observations.ts'
import {
  appendTry,
  findLatestPractice,
  findPractice,
  listTries,
  type PracticeRow,
  updatePractice,
} from '../../store/practice/practices.ts'
import { type CommandContext, findAuthority } from '../command/context.ts'
import type { AdapterRules } from '../capture/adapters.ts'
import { pauseCapture, resumeCapture, startCapture, stopCapture } from '../capture/capture.ts'
import { trimCapture } from '../capture/markers.ts'
import { recordReceipt, recordSessionEvent } from '../command/ledger.ts'
import { describeProof, describeSubGoal } from '../../knowledge/goal-search/goal/goal.ts'
import { parseGoal } from '../../knowledge/goal-search/goal/parse-goal.ts'
import type { Finding } from '../../knowledge/goal-search/pursuit.ts'
import type { Affordance } from '../../knowledge/goal-search/affordances.ts'
import type { Place } from '../../knowledge/goal-search/search.ts'

/** One stored step of the search. The search continues from these notes after a restart. */
export type SearchNote =
  /** The place after a restart of the app. */
  | { readonly begun: Place }
  | {
      readonly from: string
      readonly way: Affordance
      readonly path: readonly Affordance[]
      readonly to?: Place | undefined
    }
  /** Where a sub-goal can be reached. */
  | { readonly found: Finding }

export const listSearchNotes = (reader: Reader, practiceId: string): SearchNote[] =>
  listTries(reader, practiceId) as SearchNote[]

/** The same context with the agent as its actor, on behalf of `owner`. */
export const asAgent = (ctx: CommandContext, owner: string): CommandContext => ({
  ...ctx,
  actor: { kind: 'agent', user_id: owner, authority: findAuthority(ctx, owner) },
})

type PracticeProgress = Partial<Pick<PracticeRow, 'actions_used' | 'screens_seen' | 'ways_tried' | 'closed_ways'>>

/** Saves progress. Returns undefined if the practice is over or its session is no longer in a matching state. */
export function recordPracticeProgress(
  ctx: CommandContext,
  practiceId: string,
  { notes = [], ...progress }: PracticeProgress & { readonly notes?: readonly SearchNote[] },
): PracticeRow | undefined {
  const open = findOpenPractice(ctx, practiceId)
  if (open === undefined) return undefined
  const practice = { ...open.practice, ...progress }
  updatePractice(ctx.tx, practice)
  for (const note of notes) appendTry(ctx.tx, practiceId, note)
  const { learn_session_id, state, actions_used, screens_seen, ways_tried } = practice
  recordSessionEvent(ctx, learn_session_id, 'learn.practice.progressed', {
    ref: `practice:${practiceId}`,
    payload: { practice_id: practiceId, state, actions_used, screens_seen, ways_tried },
  })
  return practice
}

/** Starts to observe the proof. Returns false if the practice is over. */
export function beginProof(ctx: CommandContext, practiceId: string, rules: AdapterRules): boolean {
  const open = findOpenPractice(ctx, practiceId)
  if (open === undefined) return false
  const { practice, session } = open
  const { learn_session_id: id, serial: device_serial } = practice
  const agent = asAgent(ctx, practice.owner_user_id)
  if (session.state === 'paused') resumeCapture(agent, id, rules)
  // The only typed text comes from the goal, which its owner wrote.
  else startCapture(agent, id, { rules, device_serial, text_capture_consent: true })
  updatePractice(ctx.tx, { ...practice, state: 'proving' })
  return true
}

/** Observations after this event belong to the next proof. */
export const findLastObservedEvent = (reader: Reader, sessionId: string): string | undefined =>
  findLastObservation(reader, sessionId)?.event_id

/** Pauses the observation, so that the check of the result is not recorded. */
export function pauseProof(ctx: CommandContext, practiceId: string): boolean {
  const open = findOpenPractice(ctx, practiceId)
  if (open === undefined) return false
  const { practice, session } = open
  if (session.state === 'capturing') {
    pauseCapture(asAgent(ctx, practice.owner_user_id), practice.learn_session_id, 'practice')
  }
  return true
}

/** Returns from a failed proof to the search. */
export function discardProof(ctx: CommandContext, practiceId: string): boolean {
  if (!pauseProof(ctx, practiceId)) return false
  const practice = findPractice(ctx.tx, practiceId)
  if (practice === undefined) return false
  updatePractice(ctx.tx, { ...practice, state: 'exploring' })
  return true
}

/** Trims the capture to the proof and stops it. */
export function saveProof(
  ctx: CommandContext,
  practiceId: string,
  { after, path }: { readonly after: string | undefined; readonly path: readonly string[] },
): StoredSession | undefined {
  const open = findOpenPractice(ctx, practiceId)
  if (open === undefined) return undefined
  const { practice } = open
  const { learn_session_id: id } = practice
  const agent = asAgent(ctx, practice.owner_user_id)
  const events = listObservations(ctx.tx, id).map(({ event_id }) => event_id)
  const first = events[after === undefined ? 0 : events.indexOf(after) + 1]
  if (first === undefined) return undefined
  if (after !== undefined) trimCapture(agent, id, { trim_kind: 'trim_start', to_event_id: first })
  updatePractice(ctx.tx, { ...practice, path: [...path] })
  return stopCapture(agent, id).session
}

export interface PracticeEnding {
  readonly outcome: PracticeOutcome
  readonly summary: string
  readonly proposal_id?: string | undefined
}

/** Does nothing if the practice is already over. */
export function endPractice(ctx: CommandContext, practiceId: string, ending: PracticeEnding): void {
  const practice = findPractice(ctx.tx, practiceId)
  if (practice === undefined || practice.ended_at !== undefined) return
  const { learn_session_id, owner_user_id } = practice
  const session = findLearnSession(ctx.tx, learn_session_id)
  const agent = asAgent(ctx, owner_user_id)
  if (session?.state === 'capturing') pauseCapture(agent, learn_session_id, 'practice_ended')
  const row: PracticeRow = { ...practice, ...ending, state: 'ended', ended_at: ctx.now }
  updatePractice(ctx.tx, row)
  const { outcome, summary, proposal_id } = ending
  recordSessionEvent(agent, learn_session_id, 'learn.practice.ended', {
    ref: `practice:${practiceId}`,
    payload: { practice_id: practiceId, outcome, summary, proposal_id },
  })
  recordReceipt(agent, 'learn.practice.ended', {
    status: outcome === 'proven' ? 'ok' : 'degraded',
    learn_session_id,
    ...(proposal_id === undefined ? {} : { proposal_id }),
    summary,
    details: { practice_id: practiceId, outcome, actions_used: practice.actions_used },
  })
}

/** True when the daemon stopped during a proof. What was done on the device is unknown. */
export function wasInterruptedProving(reader: Reader, practiceId: string): boolean {
  return findPractice(reader, practiceId)?.state === 'proving'
}

export function getLatestPractice(reader: Reader, sessionId: string): PracticeRow {
  const practice = findLatestPractice(reader, sessionId)
  if (practice === undefined) {
    throw new Failure('PRACTICE_NOT_FOUND', 'This session has no practice yet.')
  }
  return practice
}

const MAX_PROOF_LENGTH = 500

export function toPractice(row: PracticeRow): Practice {
  const { owner_user_id: _o, policy: _p, ...practice } = row
  const reading = parseGoal(practice.goal)
  const [subGoals = []] = reading.clear ? reading.goal.readings : []
  return {
    ...practice,
    proof: reading.clear ? describeProof(reading.goal).slice(0, MAX_PROOF_LENGTH) : '',
    sub_goals: subGoals.map((one) => ({
      subject: one.subject.slice(0, 400),
      proof: describeSubGoal(one).slice(0, MAX_PROOF_LENGTH),
    })),
    schema_version: 1,
  }
}

const SESSION_STATES: Readonly<Record<PracticeRow['state'], readonly LearnSessionState[]>> = {
  exploring: ['armed', 'paused'],
  proving: ['capturing', 'paused'],
  ended: [],
}

function findOpenPractice(
  ctx: CommandContext,
  practiceId: string,
): { practice: PracticeRow; session: StoredSession } | undefined {
  const practice = findPractice(ctx.tx, practiceId)
  if (practice === undefined || practice.ended_at !== undefined) return undefined
  const session = findLearnSession(ctx.tx, practice.learn_session_id)
  if (session === undefined || !SESSION_STATES[practice.state].includes(session.state)) return undefined
  return { practice, session }
}
