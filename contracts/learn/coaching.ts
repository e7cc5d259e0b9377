import { z } from 'zod'
import { DateTime, requestBody, SchemaVersion, text, Uuid } from '../base/fields.ts'
import { route } from '../base/route.ts'

const TAG = 'learn sessions'
const BASE_URL = '/api/learn/sessions/:sessionId/coaching'
const params = z.object({ sessionId: Uuid })

/** A hint helps to execute the workflow; a constraint must hold for it to be executed. */
export const CoachingKind = z.enum(['hint', 'constraint'])

/** A remark of a person on the demonstration. */
export const CoachingNote = z
  .object({
    note_id: Uuid,
    learn_session_id: Uuid,
    kind: CoachingKind,
    said: z.string().max(240),
    source_event_id: Uuid.optional().describe('The action that the note refers to'),
    created_at: DateTime,
    schema_version: SchemaVersion,
  })
  .meta({ id: 'CoachingNote' })
export type CoachingNote = z.infer<typeof CoachingNote>

export const coachSession = route({
  method: 'POST',
  url: BASE_URL,
  tag: TAG,
  summary: 'Add a hint or a constraint; it becomes part of the draft',
  privilege: 'write',
  params,
  body: requestBody({
    kind: CoachingKind,
    said: text(240),
    at_event_id: Uuid.optional().describe('The action that the note refers to; by default the whole workflow'),
  }),
  reply: z.object({ note: CoachingNote, schema_version: SchemaVersion }),
  status: 201,
  fails: [
    'LEARN_SESSION_NOT_FOUND',
    'INVALID_LEARN_STATE_TRANSITION',
    'SESSION_TIMEOUT',
    'OBSERVATION_EVENT_NOT_FOUND',
  ],
})

export const listCoaching = route({
  method: 'GET',
  url: BASE_URL,
  tag: TAG,
  summary: 'List the coaching notes of a session in order',
  privilege: 'read',
  params,
  reply: z.object({ notes: z.array(CoachingNote), schema_version: SchemaVersion }),
  fails: ['LEARN_SESSION_NOT_FOUND', 'SESSION_TIMEOUT'],
})
