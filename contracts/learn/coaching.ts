import { z } from 'zod'
import { DateTime, requestBody, SchemaVersion, text, Uuid } from '../base/fields.ts'
import { route } from '../base/route.ts'

const tag = 'learn sessions'
const url = '/api/learn/sessions/:sessionId/coaching'
const params = z.object({ sessionId: Uuid })

/** A hint helps whoever does it; a constraint must hold for it to be done at all. */
export const CoachingKind = z.enum(['hint', 'constraint'])

/** What a person says beside what is done. */
export const CoachingNote = z
  .object({
    note_id: Uuid,
    learn_session_id: Uuid,
    kind: CoachingKind,
    said: z.string().max(240),
    source_event_id: Uuid.optional().describe('The action it is about'),
    created_at: DateTime,
    schema_version: SchemaVersion,
  })
  .meta({ id: 'CoachingNote' })
export type CoachingNote = z.infer<typeof CoachingNote>

export const coachSession = route({
  method: 'POST',
  url,
  tag,
  summary: 'Give a hint or a constraint; it becomes part of the draft',
  privilege: 'write',
  params,
  body: requestBody({
    kind: CoachingKind,
    said: text(240),
    at_event_id: Uuid.optional().describe('The action it is about; without one, the whole'),
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
  url,
  tag,
  summary: 'What was said beside what was done, in order',
  privilege: 'read',
  params,
  reply: z.object({ notes: z.array(CoachingNote), schema_version: SchemaVersion }),
  fails: ['LEARN_SESSION_NOT_FOUND', 'SESSION_TIMEOUT'],
})
