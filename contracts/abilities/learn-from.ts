import { z } from 'zod'
import { RunFailure } from './runs.ts'
import { AbilityId, DateTime, requestBody, SchemaVersion, text, Uuid } from '../base/fields.ts'
import { PageQuery, pageFields } from '../base/page.ts'
import { route } from '../base/route.ts'
import { BuildPolicy, ExecutionMode, LearnSession } from '../learn/session.ts'
import { UiMode } from '../learn/sessions.ts'

const TAG = 'learn sessions'
const ids = z.array(Uuid).max(20).default([])

export const LearnFromBody = requestBody({
  execution_ids: ids.describe('Successful executions; each is one demonstration'),
  run_ids: ids.describe('Ability runs; a failed run starts a session that improves its ability'),
  receipt_ids: ids.describe('Use receipts of a capability, as references to their runs'),
  goal: text(400).optional().describe('The common goal; by default the goal given by their callers'),
  build_policy: BuildPolicy.optional(),
  execution_mode: ExecutionMode.optional(),
  project_id: text(120).optional(),
  room_id: text(160).optional(),
  ask_before_build: z.boolean().optional(),
  allow_private_install: z.boolean().optional(),
}).refine(({ execution_ids, run_ids, receipt_ids }) => execution_ids.length + run_ids.length + receipt_ids.length > 0, {
  path: ['execution_ids'],
  error: 'or run_ids or receipt_ids must contain at least one id',
})
export type LearnFromBody = z.infer<typeof LearnFromBody>

export const learnFromRuns = route({
  method: 'POST',
  url: '/api/learn/from-runs',
  tag: TAG,
  summary: 'Create a session from past runs, ready to draft a proposal',
  privilege: 'write',
  body: LearnFromBody,
  reply: z.object({
    session: LearnSession,
    ui_mode: UiMode,
    next_action: z.enum(['generate_proposal', 'show_skill_delta_editor']),
    captured_trace_ids: z.array(Uuid),
    drift: RunFailure.extend({ run_id: Uuid, ability_id: AbilityId })
      .optional()
      .describe('The failure of the run, if it failed'),
    schema_version: SchemaVersion,
  }),
  status: 201,
  fails: [
    'LEARN_SESSION_ALREADY_ACTIVE',
    'EXECUTION_NOT_FOUND',
    'ABILITY_RUN_NOT_FOUND',
    'ABILITY_NOT_FOUND',
    'EXECUTION_WITHOUT_EVIDENCE',
    'EXECUTION_NOT_SUCCESSFUL',
    'INSTALL_LANE_DENIED',
  ],
})

export const RecentRun = z
  .object({
    execution_id: Uuid,
    run_id: Uuid.optional(),
    ability_id: AbilityId.optional(),
    goal: z.string().max(400).optional(),
    serial: z.string().max(160),
    succeeded: z.boolean(),
    step_labels: z.array(z.string().max(240)),
    kept_at: DateTime,
  })
  .meta({ id: 'RecentRun' })
export type RecentRun = z.infer<typeof RecentRun>

export const listRecentRuns = route({
  method: 'GET',
  url: '/api/learn/recent-runs',
  tag: TAG,
  summary: "List the user's past runs that can be learned from, newest first",
  privilege: 'read',
  query: PageQuery,
  reply: z.object({ runs: z.array(RecentRun), ...pageFields, schema_version: SchemaVersion }),
})
