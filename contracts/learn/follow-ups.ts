import { z } from 'zod'
import { AbilityId, DateTime, requestBody, SchemaVersion, text, Uuid } from '../base/fields.ts'
import { pageFields, PageQuery } from '../base/page.ts'
import { route } from '../base/route.ts'
import { LearnSession } from './session.ts'

const TAG = 'learn follow-ups'

export const FollowUpState = z.enum(['open', 'repair_started', 'new_version', 'dismissed'])
export type FollowUpState = z.infer<typeof FollowUpState>

export const FollowUp = z
  .object({
    follow_up_id: Uuid,
    kind: z.enum(['friction.checkpoint_skipped', 'repair.checkpoint_failed']),
    state: FollowUpState,
    checkpoint_id: z.string().max(80),
    checkpoint_receipt_id: Uuid,
    ability_id: AbilityId.optional(),
    dispatch_id: z.string().max(200).optional(),
    summary: z.string().max(500),
    created_at: DateTime,
    source_ref: z.string().max(240).optional().describe('The session or proposal of the repair'),
    note: z.string().max(500).optional(),
    decided_at: DateTime.optional(),
  })
  .meta({ id: 'FollowUp' })
export type FollowUp = z.infer<typeof FollowUp>

const params = z.object({ followUpId: Uuid })
const FAILURES = ['FOLLOW_UP_NOT_FOUND', 'FOLLOW_UP_SETTLED'] as const

export const listFollowUps = route({
  method: 'GET',
  url: '/api/learn/follow-ups',
  tag: TAG,
  summary:
    'List skipped and failed checkpoints that the caller reported or whose ability the caller owns, newest first',
  privilege: 'read',
  query: PageQuery.extend({ state: FollowUpState.optional(), ability_id: AbilityId.optional() }),
  reply: z.object({ follow_ups: z.array(FollowUp), ...pageFields, schema_version: SchemaVersion }),
})

export const repairFollowUp = route({
  method: 'POST',
  url: '/api/learn/follow-ups/:followUpId/repair',
  tag: TAG,
  summary: 'Start a session that improves the ability; takes up its open follow-ups about the same checkpoint',
  privilege: 'write',
  params,
  body: requestBody({}),
  reply: z.object({ session: LearnSession, follow_ups: z.array(FollowUp), schema_version: SchemaVersion }),
  fails: [...FAILURES, 'ABILITY_NOT_FOUND', 'LEARN_SESSION_ALREADY_ACTIVE'],
})

export const dismissFollowUp = route({
  method: 'POST',
  url: '/api/learn/follow-ups/:followUpId/dismiss',
  tag: TAG,
  summary: 'Close a follow-up without a repair',
  privilege: 'write',
  params,
  body: requestBody({ note: text(500) }),
  reply: FollowUp,
  fails: FAILURES,
})
