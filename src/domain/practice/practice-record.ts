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
import type { CommandContext } from '../command/context.ts'
import type { AdapterRules } from '../capture/adapters.ts'
import { pauseCapture, resumeCapture, startCapture, stopCapture } from '../capture/capture.ts'
import { trimCapture } from '../capture/markers.ts'
import { recordReceipt, recordSessionEvent } from '../command/ledger.ts'
import { proofOf, readGoal } from '../../knowledge/goal-search/goal.ts'
import type { Affordance } from '../../knowledge/goal-search/affordances.ts'
import type { Place } from '../../knowledge/goal-search/search.ts'

/** What the search keeps of each thing it did: enough to go on from it. */
export type SearchNote =
  | { readonly begun: Place }
  | {
      readonly from: string
      readonly way: Affordance
      readonly path: readonly Affordance[]
      readonly to?: Place | undefined
    }

export const readNotes = (reader: Reader, practiceId: string): SearchNote[] =>
  listTries(reader, practiceId) as SearchNote[]

/** In the agent's name, for whom it works. */
export const asAgent = (ctx: CommandContext, owner: string): CommandContext => ({
  ...ctx,
  actor: { kind: 'agent', user_id: owner },
})

type Progress = Partial<
  Pick<PracticeRow, 'actions_used' | 'screens_seen' | 'ways_tried' | 'closed_ways'>
>

/** Puts on record how far it came. Undefined once the practice, or its session, has ended or moved on. */
export function notePractice(
  ctx: CommandContext,
  practiceId: string,
  { note, ...progress }: Progress & { readonly note?: SearchNote },
): PracticeRow | undefined {
  const open = findOpen(ctx, practiceId)
  if (open === undefined) return undefined
  const practice = { ...open.practice, ...progress }
  updatePractice(ctx.tx, practice)
  if (note !== undefined) appendTry(ctx.tx, practiceId, note)
  const { learn_session_id, state, actions_used, screens_seen, ways_tried } = practice
  recordSessionEvent(ctx, learn_session_id, 'learn.practice.progressed', {
    ref: `practice:${practiceId}`,
    payload: { practice_id: practiceId, state, actions_used, screens_seen, ways_tried },
  })
  return practice
}

/** From here on what is done is observed. False once the practice is over. */
export function beginProof(ctx: CommandContext, practiceId: string, rules: AdapterRules): boolean {
  const open = findOpen(ctx, practiceId)
  if (open === undefined) return false
  const { practice, session } = open
  const { learn_session_id: id, serial: device_serial } = practice
  const agent = asAgent(ctx, practice.owner_user_id)
  if (session.state === 'paused') resumeCapture(agent, id, rules)
  // Nothing is typed but what the goal says, and that its owner has written down already.
  else startCapture(agent, id, { rules, device_serial, text_capture_consent: true })
  updatePractice(ctx.tx, { ...practice, state: 'proving' })
  return true
}

/** The last thing that was observed before; what comes after it belongs to the next proof. */
export const lastObserved = (reader: Reader, sessionId: string): string | undefined =>
  findLastObservation(reader, sessionId)?.event_id

/** What comes now, to see whether it holds, is not observed. */
export function restFromProof(ctx: CommandContext, practiceId: string): boolean {
  const open = findOpen(ctx, practiceId)
  if (open === undefined) return false
  const { practice, session } = open
  if (session.state === 'capturing') {
    pauseCapture(asAgent(ctx, practice.owner_user_id), practice.learn_session_id, 'practice')
  }
  return true
}

/** It did not hold; the search goes on. */
export function dropProof(ctx: CommandContext, practiceId: string): boolean {
  if (!restFromProof(ctx, practiceId)) return false
  const practice = findPractice(ctx.tx, practiceId)
  if (practice === undefined) return false
  updatePractice(ctx.tx, { ...practice, state: 'exploring' })
  return true
}

/** Keeps of all that was observed only the proof itself, and ends the capture. */
export function keepProof(
  ctx: CommandContext,
  practiceId: string,
  { after, path }: { readonly after: string | undefined; readonly path: readonly string[] },
): StoredSession | undefined {
  const open = findOpen(ctx, practiceId)
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

/** The end of a practice. Does nothing to one that has ended. */
export function endPractice(ctx: CommandContext, practiceId: string, ending: PracticeEnding): void {
  const practice = findPractice(ctx.tx, practiceId)
  if (practice === undefined || practice.ended_at !== undefined) return
  const { learn_session_id, owner_user_id } = practice
  const session = findLearnSession(ctx.tx, learn_session_id)
  const agent = asAgent(ctx, owner_user_id)
  if (session?.state === 'capturing') pauseCapture(agent, learn_session_id, 'practice_ended')
  const ended: PracticeRow = { ...practice, ...ending, state: 'ended', ended_at: ctx.now }
  updatePractice(ctx.tx, ended)
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

/** A practice that a daemon before this one was proving when it went away: what it did is not known. */
export function isLeftProving(reader: Reader, practiceId: string): boolean {
  return findPractice(reader, practiceId)?.state === 'proving'
}

export function latestPractice(reader: Reader, sessionId: string): PracticeRow {
  const practice = findLatestPractice(reader, sessionId)
  if (practice === undefined) {
    throw new Failure('PRACTICE_NOT_FOUND', 'The session has not practised.')
  }
  return practice
}

/** The part a client may know. */
export function publicPractice(row: PracticeRow): Practice {
  const { owner_user_id: _o, policy: _p, ...practice } = row
  const reading = readGoal(practice.goal)
  return { ...practice, proof: reading.clear ? proofOf(reading.goal) : '', schema_version: 1 }
}

const statesWhile: Readonly<Record<PracticeRow['state'], readonly LearnSessionState[]>> = {
  exploring: ['armed', 'paused'],
  proving: ['capturing', 'paused'],
  ended: [],
}

function findOpen(
  ctx: CommandContext,
  practiceId: string,
): { practice: PracticeRow; session: StoredSession } | undefined {
  const practice = findPractice(ctx.tx, practiceId)
  if (practice === undefined || practice.ended_at !== undefined) return undefined
  const session = findLearnSession(ctx.tx, practice.learn_session_id)
  if (session === undefined || !statesWhile[practice.state].includes(session.state))
    return undefined
  return { practice, session }
}
