import { z } from 'zod'
import { DateTime, SchemaVersion, text, Uuid, requestBody } from '../base/fields.ts'
import { ExecutionEvent } from '../base/events.ts'
import { PageQuery, pageFields } from '../base/page.ts'
import { route } from '../base/route.ts'
import { callerPolicyFields } from '../policy/profile.ts'
import { Serial } from './device.ts'
import { DryRunReply, ExecutionView, ResultEnvelope, ValidateOnlyReply } from './execution.ts'

/**
 * queued       waits in the queue of the device
 * running      its steps are being executed
 * succeeded    all steps succeeded
 * failed       a step failed, or the timeout was exceeded
 * cancelled    cancelled before its end
 * interrupted  the daemon stopped while it ran: its effect is unknown, and it is not repeated
 */
export const ExecutionState = z.enum(['queued', 'running', 'succeeded', 'failed', 'cancelled', 'interrupted'])
export type ExecutionState = z.infer<typeof ExecutionState>

export const ExecutionRecord = z
  .object({
    execution_id: Uuid,
    command_id: z.string(),
    task_id: z.string(),
    source: z.string(),
    serial: Serial,
    goal: z.string().max(400).optional(),
    project_id: z.string().max(120).optional(),
    state: ExecutionState,
    priority: z.int(),
    execution: ExecutionView,
    envelope: ResultEnvelope.optional(),
    current_step_id: z.string().optional(),
    completed_steps: z.int().min(0),
    queued_at: DateTime,
    started_at: DateTime.optional(),
    settled_at: DateTime.optional(),
    deadline_at: DateTime,
    schema_version: SchemaVersion,
  })
  .meta({ id: 'ExecutionRecord' })
export type ExecutionRecord = z.infer<typeof ExecutionRecord>

const TAG = 'executions'
const params = z.object({ executionId: Uuid })

export const createExecution = route({
  method: 'POST',
  url: '/api/executions',
  tag: TAG,
  summary: 'Queue actions for a device; 200 with the result if they settle within wait_ms, otherwise 202',
  privilege: 'write',
  // The payload has several accepted spellings and its own failures, so `normalizeExecution` validates it.
  body: z.looseObject({
    execution: z.unknown(),
    serial: Serial.optional(),
    wait_ms: z.int().min(0).max(120_000).default(0),
    priority: z.int().min(-10).max(10).default(0),
    timeout_ms: z.unknown().optional(),
    goal: text(400).optional().describe('The purpose; executions with the same goal can be learned from'),
    project_id: text(120).optional(),
    ...callerPolicyFields,
    validate_only: z.boolean().default(false),
    dry_run: z.boolean().default(false),
    schema_version: SchemaVersion.optional(),
  }),
  reply: z.union([
    z.object({ execution: ExecutionRecord, schema_version: SchemaVersion }),
    ValidateOnlyReply,
    DryRunReply,
  ]),
  pending_status: 202,
  fails: [
    'EXECUTION_VALIDATION_FAILED',
    'EXECUTION_ACTION_UNSUPPORTED',
    'NO_DEVICES',
    'MULTIPLE_DEVICES_DEVICE_ID_REQUIRED',
    'DEVICE_NOT_FOUND',
    'DEVICE_LEASED',
    'POLICY_DENIED',
  ],
})

export const listExecutions = route({
  method: 'GET',
  url: '/api/executions',
  tag: TAG,
  summary: "List the user's executions, newest first and without their results",
  privilege: 'read',
  query: PageQuery.extend({ state: ExecutionState.optional(), serial: Serial.optional() }),
  reply: z.object({
    executions: z.array(ExecutionRecord),
    ...pageFields,
    schema_version: SchemaVersion,
  }),
})

export const getExecution = route({
  method: 'GET',
  url: '/api/executions/:executionId',
  tag: TAG,
  summary: 'Get one execution, with its result once settled',
  privilege: 'read',
  params,
  reply: z.object({ execution: ExecutionRecord, schema_version: SchemaVersion }),
  fails: ['EXECUTION_NOT_FOUND'],
})

/** The stored screens around one action that did something on the device. */
export const ExecutionScreen = z
  .object({
    action_id: z.string().max(128),
    before: Uuid.optional().describe('The evidence with the tree of the screen before the action'),
    after: Uuid.optional().describe('The same after the action'),
    point: z.object({ x: z.number(), y: z.number() }).optional().describe('Where it was touched, in pixels'),
  })
  .meta({ id: 'ExecutionScreen' })
export type ExecutionScreen = z.infer<typeof ExecutionScreen>

export const listExecutionScreens = route({
  method: 'GET',
  url: '/api/executions/:executionId/screens',
  tag: TAG,
  summary: 'List the screens that are stored of an execution; none if they were not stored or have expired',
  privilege: 'read',
  params,
  reply: z.object({ screens: z.array(ExecutionScreen), schema_version: SchemaVersion }),
  fails: ['EXECUTION_NOT_FOUND'],
})

export const cancelExecution = route({
  method: 'POST',
  url: '/api/executions/:executionId/cancel',
  tag: TAG,
  summary: 'Cancel an execution, also during a wait',
  privilege: 'write',
  params,
  body: requestBody({}),
  reply: z.object({ execution: ExecutionRecord, schema_version: SchemaVersion }),
  fails: ['EXECUTION_NOT_FOUND', 'EXECUTION_SETTLED'],
})

export const streamExecutionEvents = route({
  method: 'GET',
  url: '/api/executions/:executionId/events',
  tag: TAG,
  summary: 'Stream the steps of an execution, replayed from Last-Event-ID',
  privilege: 'read',
  params,
  query: z.object({ last_event_id: z.string().max(40).optional() }),
  reply: ExecutionEvent,
  stream: true,
  fails: ['EXECUTION_NOT_FOUND', 'STREAM_LIMIT_REACHED', 'NOT_ACCEPTABLE'],
})
