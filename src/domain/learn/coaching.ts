import type { z } from 'zod'
import type { CoachingKind, CoachingNote } from '../../../contracts/learn/coaching.ts'
import type { LearnSessionState } from '../../../contracts/learn/session.ts'
import { appendCoachingNote, listCoachingNotes } from '../../store/coaching-notes.ts'
import type { Reader } from '../../store/db.ts'
import { findObservation } from '../../store/observations.ts'
import type { Act } from '../act.ts'
import { recordSessionEvent } from '../ledger.ts'
import { wordsPattern } from '../interpret/examples.ts'
import { eventNotFound } from './captured-events.ts'
import type { ShownStep } from './demonstration.ts'
import { assertState } from './session-machine.ts'
import { getOwnSession } from './session-moves.ts'

/** Until something is drafted from it. */
export const coachableStates: readonly LearnSessionState[] = [
  'idle',
  'armed',
  'capturing',
  'paused',
  'stopped',
  'reviewing',
  'awaiting_questions',
]

export function coachSession(
  act: Act,
  sessionId: string,
  sent: {
    readonly kind: z.infer<typeof CoachingKind>
    readonly said: string
    readonly at_event_id?: string | undefined
  },
): CoachingNote {
  const { learn_session_id, state } = getOwnSession(act, sessionId)
  assertState(state, coachableStates)
  const { at_event_id: at } = sent
  if (at !== undefined && findObservation(act.tx, sessionId, at) === undefined) {
    throw eventNotFound(at)
  }
  const note: CoachingNote = {
    note_id: act.newId(),
    learn_session_id,
    kind: sent.kind,
    said: sent.said.trim(),
    ...(at === undefined ? {} : { source_event_id: at }),
    created_at: act.now,
    schema_version: 1,
  }
  appendCoachingNote(act.tx, note)
  recordSessionEvent(act, sessionId, 'learn.session.changed', {
    ref: `coaching:${note.note_id}`,
    payload: { coaching: note.kind },
  })
  return note
}

/** What coaching comes to in a draft. */
export interface Coaching {
  readonly hints: readonly string[]
  readonly constraints: readonly string[]
  /** Actions whose choice is always the same, or another each time, because the person said so. */
  readonly fixed: readonly string[]
  readonly varied: readonly string[]
}

export function readCoaching(
  reader: Reader,
  sessionId: string,
  steps: readonly ShownStep[],
): Coaching {
  const notes = listCoachingNotes(reader, sessionId)
  const about = (pattern: RegExp): string[] =>
    notes.filter(({ said }) => pattern.test(said)).flatMap((note) => eventsOf(note, steps))
  const fixed = about(ALWAYS)
  return {
    hints: notes.filter(({ kind }) => kind === 'hint').map(({ said }) => said),
    constraints: notes.filter(({ kind }) => kind === 'constraint').map(({ said }) => said),
    fixed,
    varied: about(VARIES).filter((id) => !fixed.includes(id)),
  }
}

const ALWAYS = /\b(?:always|only|immer|nur)\b/iu
const VARIES = /\b(?:any|each time|every time|varies|another|different|jede[nrs]?|jedes mal)\b/iu

/** The action it was said at, else those whose target the note names. */
function eventsOf(
  { said, source_event_id }: CoachingNote,
  steps: readonly ShownStep[],
): readonly string[] {
  if (source_event_id !== undefined) return [source_event_id]
  return steps
    .filter(({ action_label }) => {
      const target = action_label.replace(/^\S+\s+/u, '').trim()
      return target !== '' && wordsPattern(target, 'iu').test(said)
    })
    .map(({ event_id }) => event_id)
}
