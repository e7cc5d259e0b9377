import type { z } from 'zod'
import type { CoachingKind, CoachingNote } from '@apprentice/contracts/learn/coaching.ts'
import type { LearnSessionState } from '@apprentice/contracts/learn/session.ts'
import { appendCoachingNote, listCoachingNotes } from '../../store/capture/coaching-notes.ts'
import type { Reader } from '../../store/db/db.ts'
import { findObservation } from '../../store/capture/observations.ts'
import type { CommandContext } from '../command/context.ts'
import { recordSessionEvent } from '../command/ledger.ts'
import { buildTextPattern } from '../../knowledge/interpret/align/examples.ts'
import { eventNotFound } from './captured-events.ts'
import type { DemonstratedAction } from './demonstration.ts'
import { assertState } from '../sessions/session-machine.ts'
import { getOwnSession } from '../sessions/session-moves.ts'

/** The states before a draft exists. */
export const COACHABLE_STATES: readonly LearnSessionState[] = [
  'idle',
  'armed',
  'capturing',
  'paused',
  'stopped',
  'reviewing',
  'awaiting_questions',
]

export function addCoachingNote(
  ctx: CommandContext,
  sessionId: string,
  sent: {
    readonly kind: z.infer<typeof CoachingKind>
    readonly said: string
    readonly at_event_id?: string | undefined
  },
): CoachingNote {
  const { learn_session_id, state } = getOwnSession(ctx, sessionId)
  assertState(state, COACHABLE_STATES)
  const { at_event_id: at } = sent
  if (at !== undefined && findObservation(ctx.tx, sessionId, at) === undefined) {
    throw eventNotFound(at)
  }
  const note: CoachingNote = {
    note_id: ctx.newId(),
    learn_session_id,
    kind: sent.kind,
    said: sent.said.trim(),
    ...(at === undefined ? {} : { source_event_id: at }),
    created_at: ctx.now,
    schema_version: 1,
  }
  appendCoachingNote(ctx.tx, note)
  recordSessionEvent(ctx, sessionId, 'learn.session.changed', {
    ref: `coaching:${note.note_id}`,
    payload: { coaching: note.kind },
  })
  return note
}

/** The coaching notes of a session, sorted by their effect on a draft. */
export interface Coaching {
  readonly hints: readonly string[]
  readonly constraints: readonly string[]
  /** Ids of events whose choice is constant (`always`) or different each time (`varied`) according to a note. */
  readonly always: readonly string[]
  readonly varied: readonly string[]
}

export function readCoaching(reader: Reader, sessionId: string, steps: readonly DemonstratedAction[]): Coaching {
  const notes = listCoachingNotes(reader, sessionId)
  const always = steps
    .filter((step) => notes.some((note) => isConstantChoice(note, step)))
    .map(({ event_id }) => event_id)
  return {
    hints: notes.filter(({ kind }) => kind === 'hint').map(({ said }) => said),
    constraints: notes.filter(({ kind }) => kind === 'constraint').map(({ said }) => said),
    always,
    varied: notes
      .filter(({ said }) => VARIES.test(said))
      .flatMap(({ source_event_id }) => source_event_id ?? [])
      .filter((id) => !always.includes(id)),
  }
}

const VARIES = /\b(?:any|each time|every time|varies|another|different|jede[nrs]?|jedes mal)\b/iu
const CONSTANT = String.raw`\b(?:always|only|immer|nur)(?:\s+(?:use|choose|take|in|for|at|on|the|der|die|das|den|dem))*\s+`
const THIS_ONE = /\b(?:always|only|immer|nur)\s+(?:this|that|the same|dies|der|die|das)\b/iu

/** A note such as "always the Lobby" that names the target of the step, or "always this one" attached to the step. */
function isConstantChoice({ said, source_event_id }: CoachingNote, step: DemonstratedAction): boolean {
  if (source_event_id === step.event_id && THIS_ONE.test(said)) return true
  const target = step.action_label.replace(/^\S+\s+/u, '').trim()
  if (target === '') return false
  const targetPattern = buildTextPattern(target).source
  return new RegExp(CONSTANT + targetPattern, 'iu').test(said)
}
