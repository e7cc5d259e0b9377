import { z } from 'zod'
import { Serial } from '../devices/device.ts'
import { RunEvent } from '../base/events.ts'
import { DateTime, requestBody, SchemaVersion, Uuid } from '../base/fields.ts'
import { PageQuery, pageFields } from '../base/page.ts'
import { route } from '../base/route.ts'
import { Capability } from '../policy/capability.ts'
import { callerPolicyFields } from '../policy/profile.ts'
import { SkillResult } from './run-result.ts'

/**
 * queued         waits in the queue
 * running        its script is running
 * success        it succeeded, and its declared outcome was verified
 * failed         it failed
 * indeterminate  it ended without proof of success
 * cancelled      cancelled before its end
 * interrupted    the daemon stopped while it ran: its effect is unknown, and it is not repeated
 */
export const SkillRunState = z.enum([
  'queued',
  'running',
  'success',
  'failed',
  'indeterminate',
  'cancelled',
  'interrupted',
])
export type SkillRunState = z.infer<typeof SkillRunState>

export const SkillRunVerification = z.object({
  source: z.enum(['skill', 'runtime']).describe('Whether the skill or the runtime read the end state'),
  status: z.enum(['verified', 'not_verified']),
  read_from: z.enum(['screen', 'recorded_read']).optional(),
  expected: z.string().max(512).optional(),
  observed: z.string().max(512).optional(),
})

export const SkillRunOutcome = z.object({
  exit_code: z.int().nullable(),
  signal: z.string().max(20).optional(),
  duration_ms: z.int().min(0),
  skill_result: SkillResult.nullable(),
  verification: SkillRunVerification.optional(),
  trouble: z.object({ code: z.string().max(80), message: z.string() }).optional(),
  warnings: z.array(z.string()),
})
export type SkillRunOutcome = z.infer<typeof SkillRunOutcome>

/** One output stream of a run. Of a long stream only the beginning and the end are stored. */
export const SkillRunOutput = z.object({
  text: z.string(),
  bytes: z.int().min(0).describe('The size of the whole output'),
  dropped_bytes: z.int().min(0).describe('The number of bytes omitted between beginning and end'),
})
export type SkillRunOutput = z.infer<typeof SkillRunOutput>

/**
 * bubblewrap  its processes had namespaces of their own: no home of a user, no network but the daemon unless granted
 * none        its processes could read what the user of the daemon can read
 */
export const SkillRunContainment = z
  .enum(['bubblewrap', 'user', 'none'])
  .describe('What kept the script apart from the daemon; absent until it has run')
export type SkillRunContainment = z.infer<typeof SkillRunContainment>

export const SkillId = z.string().regex(/^[A-Za-z0-9._-]{1,128}$/)

export const SkillRun = z
  .object({
    run_id: Uuid,
    skill_id: SkillId,
    kind: z.enum(['script', 'agent']),
    state: SkillRunState,
    serial: Serial.optional(),
    arguments: z.array(z.string()),
    timeout_ms: z.int().min(1),
    expect_contains: z.string().optional(),
    runtime_verification: z.boolean(),
    outcome: SkillRunOutcome.optional(),
    stdout: SkillRunOutput,
    stderr: SkillRunOutput,
    execution_ids: z.array(Uuid).describe('Its executions on devices, in order'),
    containment: SkillRunContainment.optional(),
    log_folder: z.string().optional().describe('The folder of its logs on the computer of the daemon'),
    created_at: DateTime,
    started_at: DateTime.optional(),
    settled_at: DateTime.optional(),
    schema_version: SchemaVersion,
  })
  .meta({ id: 'SkillRun' })
export type SkillRun = z.infer<typeof SkillRun>

const TAG = 'skill runs'
const skillParams = z.object({ skillId: SkillId })
const runParams = z.object({ runId: Uuid })
const runReply = z.object({ run: SkillRun, schema_version: SchemaVersion })

export const runSkill = route({
  method: 'POST',
  url: '/api/skills/by-id/:skillId/run',
  earlier_url: '/api/skills/:skillId/run',
  tag: TAG,
  summary: 'Run the script of a skill; 200 if it settles within wait_ms, otherwise 202',
  privilege: 'write',
  params: skillParams,
  body: requestBody({
    args: z
      .array(
        z
          .string()
          .max(8192)
          .refine((value) => !value.includes('\0'), 'must not contain a NUL character'),
      )
      .max(100)
      .default([]),
    serial: Serial.optional().describe('Passed to the script; the device is reserved for the run'),
    timeout_ms: z.int().min(100).max(3_600_000).optional(),
    expect_contains: z.string().min(1).max(2000).optional(),
    runtime_verification: z.boolean().default(false).describe('Also read the declared end state from the device'),
    operator_package: z
      .string()
      .regex(/^[A-Za-z0-9._]{1,200}$/)
      .default('com.clawperator.operator'),
    skip_validation: z.boolean().default(false),
    allow_capabilities: z
      .array(Capability)
      .max(7)
      .default([])
      .describe('Consent to a purchase, where a profile asks for it: purchase_risk. It extends no profile'),
    ...callerPolicyFields,
    wait_ms: z.int().min(0).max(600_000).default(0),
  }),
  reply: runReply,
  pending_status: 202,
  fails: [
    'SKILL_NOT_FOUND',
    'SKILL_VALIDATION_FAILED',
    'SKILL_SCRIPT_NOT_FOUND',
    'SKILL_AGENT_CLI_UNAVAILABLE',
    'DEVICE_NOT_FOUND',
    'DEVICE_LEASED',
    'SKILL_NOT_CONTAINED',
    'POLICY_DENIED',
  ],
})

export const listSkillRuns = route({
  method: 'GET',
  url: '/api/skills/by-id/:skillId/runs',
  earlier_url: '/api/skills/:skillId/runs',
  tag: TAG,
  summary: "List the user's runs of a skill, newest first",
  privilege: 'read',
  params: skillParams,
  query: PageQuery.extend({ state: SkillRunState.optional() }),
  reply: z.object({ runs: z.array(SkillRun), ...pageFields, schema_version: SchemaVersion }),
})

export const getSkillRun = route({
  method: 'GET',
  url: '/api/skill-runs/:runId',
  earlier_url: '/api/skills/runs/:runId',
  tag: TAG,
  summary: 'Get one run, with its outcome once settled',
  privilege: 'read',
  params: runParams,
  reply: runReply,
  fails: ['SKILL_RUN_NOT_FOUND'],
})

export const cancelSkillRun = route({
  method: 'POST',
  url: '/api/skill-runs/:runId/cancel',
  earlier_url: '/api/skills/runs/:runId/cancel',
  tag: TAG,
  summary: 'Cancel a run; its script and all child processes are ended',
  privilege: 'write',
  params: runParams,
  body: requestBody({}),
  reply: runReply,
  fails: ['SKILL_RUN_NOT_FOUND', 'SKILL_RUN_SETTLED'],
})

export const streamSkillRunEvents = route({
  method: 'GET',
  url: '/api/skill-runs/:runId/events',
  earlier_url: '/api/skills/runs/:runId/events',
  tag: TAG,
  summary: 'Stream the output and calls of a run, replayed from Last-Event-ID',
  privilege: 'read',
  params: runParams,
  query: z.object({ last_event_id: z.string().max(40).optional() }),
  reply: RunEvent,
  stream: true,
  fails: ['SKILL_RUN_NOT_FOUND', 'STREAM_LIMIT_REACHED', 'NOT_ACCEPTABLE'],
})

export const callFromSkillRun = route({
  method: 'POST',
  url: '/api/skill-runs/:runId/call',
  earlier_url: '/api/skills/runs/:runId/call',
  tag: TAG,
  summary: 'Execute a device command of a running script; accepts only the token of the run',
  privilege: 'write',
  params: runParams,
  body: z.object({ argv: z.array(z.string().max(200_000)).max(200) }),
  reply: z.object({
    exit_code: z.int(),
    stdout: z.string(),
    stderr: z.string(),
    files: z
      .array(z.object({ path: z.string(), base64: z.string() }))
      .describe('Images that the caller writes to files'),
  }),
  fails: ['SKILL_RUN_NOT_FOUND', 'SKILL_RUN_SETTLED'],
})
