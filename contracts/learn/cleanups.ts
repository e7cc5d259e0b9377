import { z } from 'zod'
import { DateTime, requestBody, SchemaVersion, text, Uuid } from '../base/fields.ts'
import { pageFields, PageQuery } from '../base/page.ts'
import { route } from '../base/route.ts'

const TAG = 'learn validation'

export const CleanupState = z.enum(['pending', 'open', 'done', 'not_needed'])
export type CleanupState = z.infer<typeof CleanupState>

/** Why the daemon did not clean up itself. */
export const CleanupReason = z.enum(['no_cleanup_inputs', 'cleanup_failed', 'not_verified', 'run_ended'])
export type CleanupReason = z.infer<typeof CleanupReason>

export const RehearsalCleanup = z
  .object({
    cleanup_id: Uuid,
    validation_run_id: Uuid,
    proposal_id: Uuid,
    learn_session_id: Uuid.optional(),
    serial: z.string().max(160).optional().describe('The device that was changed'),
    state: CleanupState.describe('`pending` during the rehearsal; `open`: a person has to undo the changes'),
    reason: CleanupReason.optional().describe('Why a person has to undo the changes'),
    settled_by: z.enum(['device', 'person']).optional().describe('`device`: the clean-up ran and was verified there'),
    note: z.string().max(500).optional(),
    created_at: DateTime,
    settled_at: DateTime.optional(),
    schema_version: SchemaVersion,
  })
  .meta({ id: 'RehearsalCleanup' })
export type RehearsalCleanup = z.infer<typeof RehearsalCleanup>

export const listCleanups = route({
  method: 'GET',
  url: '/api/learn/cleanups',
  tag: TAG,
  summary: "List what the caller's rehearsals changed on devices and whether it was undone, newest first",
  privilege: 'read',
  query: PageQuery.extend({ state: CleanupState.optional() }),
  reply: z.object({ cleanups: z.array(RehearsalCleanup), ...pageFields, schema_version: SchemaVersion }),
})

export const completeCleanup = route({
  method: 'POST',
  url: '/api/learn/cleanups/:cleanupId/complete',
  tag: TAG,
  summary: 'Record that a person has undone the changes of a rehearsal',
  privilege: 'write',
  params: z.object({ cleanupId: Uuid }),
  body: requestBody({ note: text(500).describe('What was done') }),
  reply: RehearsalCleanup,
  fails: ['CLEANUP_NOT_FOUND', 'CLEANUP_NOT_OPEN'],
})
