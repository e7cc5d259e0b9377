import { z } from 'zod'
import { DateTime, requestBody, SchemaVersion, text, Uuid } from '../base/fields.ts'
import { route } from '../base/route.ts'
import { callerPolicyFields } from '../policy/profile.ts'
import { LearnSession } from './session.ts'

const TAG = 'learn sessions'
const BASE_URL = '/api/learn/sessions/:sessionId/practice'
const params = z.object({ sessionId: Uuid })

export const PracticeState = z.enum(['exploring', 'proving', 'ended'])
export type PracticeState = z.infer<typeof PracticeState>

/** How a practice ended. Only `proven` produces evidence for a draft. */
export const PracticeOutcome = z.enum([
  'proven',
  'already_so',
  'not_found',
  'actions_spent',
  'out_of_time',
  'cancelled',
  'interrupted',
  'device_failed',
  'policy_closed',
])
export type PracticeOutcome = z.infer<typeof PracticeOutcome>

/** A search by the daemon for a path to a goal on a device, under the test policy of the session. */
export const Practice = z
  .object({
    practice_id: Uuid,
    learn_session_id: Uuid,
    goal: z.string().max(400),
    proof: z.string().max(500).describe('What the screen must show for the goal to be reached'),
    sub_goals: z
      .array(z.object({ subject: z.string().max(400), proof: z.string().max(500) }))
      .describe('The results that the goal asks for; all are proven together'),
    application_id: z.string().max(160),
    serial: z.string().max(160),
    state: PracticeState,
    outcome: PracticeOutcome.optional(),
    summary: z.string().max(500).optional(),
    actions_used: z.int().min(0),
    max_actions: z.int().min(1),
    screens_seen: z.int().min(0),
    ways_tried: z.int().min(0),
    closed_ways: z
      .array(
        z.object({
          label: z.string().max(240),
          reason: z.string().max(240),
          leads_to_goal: z.boolean().optional().describe('Words of the goal name it, or the goal wants to change it'),
        }),
      )
      .describe('What the policy of the session or a profile of the operator did not allow'),
    path: z.array(z.string().max(240)).describe('The actions of the proven path in order'),
    proposal_id: Uuid.optional(),
    created_at: DateTime,
    deadline_at: DateTime,
    ended_at: DateTime.optional(),
    schema_version: SchemaVersion,
  })
  .meta({ id: 'Practice' })
export type Practice = z.infer<typeof Practice>

const PracticeReply = z.object({
  session: LearnSession,
  practice: Practice,
  schema_version: SchemaVersion,
})

export const startPractice = route({
  method: 'POST',
  url: BASE_URL,
  tag: TAG,
  summary: 'Search for a path to a goal on a device, under the test policy of the session',
  privilege: 'write',
  params,
  body: requestBody({
    goal: text(400),
    application_id: text(160)
      .optional()
      .describe('The app to start in, from the whitelist; optional if the whitelist has one entry'),
    serial: text(160).optional().describe('By default the device of the session, else the only connected one'),
    max_actions: z.int().min(1).max(200).optional().describe('A lower limit than that of the policy'),
    timeout_ms: z.int().min(1000).max(1_800_000).default(600_000),
    ...callerPolicyFields,
    wait_ms: z.int().min(0).max(120_000).default(0),
  }),
  reply: PracticeReply,
  status: 200,
  pending_status: 202,
  fails: [
    'LEARN_SESSION_NOT_FOUND',
    'INVALID_LEARN_STATE_TRANSITION',
    'SESSION_TIMEOUT',
    'PRACTICE_GOAL_UNCLEAR',
    'PRACTICE_IN_PROGRESS',
    'TEST_POLICY_VIOLATION',
    'ADAPTER_UNAVAILABLE',
    'NO_DEVICES',
    'MULTIPLE_DEVICES_DEVICE_ID_REQUIRED',
    'DEVICE_NOT_FOUND',
    'DEVICE_LEASED',
    'POLICY_DENIED',
  ],
})

export const getPractice = route({
  method: 'GET',
  url: BASE_URL,
  tag: TAG,
  summary: 'Get the latest practice of a session',
  privilege: 'read',
  params,
  reply: PracticeReply,
  fails: ['LEARN_SESSION_NOT_FOUND', 'SESSION_TIMEOUT', 'PRACTICE_NOT_FOUND'],
})

export const cancelPractice = route({
  method: 'POST',
  url: `${BASE_URL}/cancel`,
  tag: TAG,
  summary: 'Cancel the practice; the session stays open',
  privilege: 'write',
  params,
  body: requestBody({}),
  reply: PracticeReply,
  fails: ['LEARN_SESSION_NOT_FOUND', 'SESSION_TIMEOUT', 'PRACTICE_NOT_FOUND', 'PRACTICE_ENDED'],
})
