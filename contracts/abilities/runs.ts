import { z } from 'zod'
import { Serial } from '../devices/device.ts'
import { AbilityId, DateTime, requestBody, SchemaVersion, text, Uuid } from '../base/fields.ts'
import { LearnSession } from '../learn/session.ts'
import { PageQuery, pageFields } from '../base/page.ts'
import { Capability } from '../policy/capability.ts'
import { callerPolicyFields } from '../policy/profile.ts'
import { route } from '../base/route.ts'
import { RunEvent } from '../base/events.ts'
import {
  MAX_ITEMS,
  MAX_RUN_MS,
  OnItemFailure,
  outcomeFields,
  RunCompat,
  RunFailure,
  RunInputs,
  RunItem,
  RunPart,
} from './run-parts.ts'

export { RunCompat, RunDrift, RunFailure, RunVerification } from './run-parts.ts'

/**
 * queued, running  not ended yet
 * success          the verification held on the device, of a run over a list for every item
 * failed           the outcome was not reached
 * indeterminate    the run may have had an effect, and the outcome could not be verified
 * cancelled        cancelled before it had an effect; of a run over a list, before the current item had one
 */
export const AbilityRunState = z.enum(['queued', 'running', 'success', 'failed', 'indeterminate', 'cancelled'])
export type AbilityRunState = z.infer<typeof AbilityRunState>

export const AbilityRun = z
  .object({
    run_id: Uuid,
    ability_id: AbilityId,
    version: z.int().min(1),
    dispatch_id: z.string().max(200).optional(),
    serial: Serial.optional().describe('Absent for a scene, which runs in a browser'),
    execution_id: Uuid.optional().describe('The first execution; absent for a scene'),
    scene_run_id: Uuid.optional().describe('The run of the scene: see /api/scenes/runs'),
    state: AbilityRunState,
    input_names: z.array(z.string()),
    ...outcomeFields,
    compat: RunCompat.optional().describe('Absent if the recipe has no version range'),
    use_receipt_id: Uuid.optional(),
    timeout_ms: z.int().optional().describe('The time limit of the whole run'),
    content_hash: z.string().optional().describe('SHA-256 of the recipe that was compiled'),
    items_total: z.int().min(1).optional().describe('The number of items; only of a run over a list'),
    items_done: z.int().min(0).optional().describe('How many items succeeded'),
    on_item_failure: OnItemFailure.optional(),
    items: z.array(RunItem).optional().describe('The items in order; only in the reply for one run'),
    parts: z.array(RunPart).optional().describe('The executions in order; only in the reply for one run'),
    created_at: DateTime,
    settled_at: DateTime.optional(),
    schema_version: SchemaVersion,
  })
  .meta({ id: 'AbilityRun' })
export type AbilityRun = z.infer<typeof AbilityRun>

const TAG = 'ability runs'
const abilityParams = z.object({ abilityId: AbilityId })
const runParams = z.object({ runId: Uuid })
const runReply = z.object({ run: AbilityRun, schema_version: SchemaVersion })

export const runAbility = route({
  method: 'POST',
  url: '/api/abilities/:abilityId/run',
  tag: TAG,
  summary: 'Run an ability on a device; 200 if it settles within wait_ms, otherwise 202',
  privilege: 'write',
  params: abilityParams,
  body: requestBody({
    inputs: RunInputs.default({}),
    items: z
      .array(RunInputs)
      .min(1)
      .max(MAX_ITEMS)
      .optional()
      .describe('Run once for each item, in order; the inputs of an item are added to `inputs` and replace them'),
    on_item_failure: OnItemFailure.default('stop').describe(
      'What happens after an item that did not succeed; a cancelled or interrupted run always stops',
    ),
    serial: Serial.optional(),
    dispatch_id: text(200).optional(),
    wait_ms: z.int().min(0).max(120_000).default(0),
    timeout_ms: z
      .int()
      .min(1000)
      .max(MAX_RUN_MS)
      .optional()
      .describe('The time limit of the whole run; by default 90 seconds per execution, at most 15 minutes'),
    project_id: text(160).optional(),
    strict_compat: z
      .boolean()
      .default(false)
      .describe('Refuse the run unless the app version is known to be in the range of the recipe'),
    allow_capabilities: z
      .array(Capability)
      .max(7)
      .default([])
      .describe('Consent to a purchase, where a profile asks for it: purchase_risk. It extends no profile'),
    ...callerPolicyFields,
  }),
  reply: runReply,
  pending_status: 202,
  fails: [
    'ABILITY_NOT_FOUND',
    'ABILITY_UNUSABLE',
    'RECIPE_INVALID',
    'RECIPE_INPUT_MISSING',
    'RECIPE_INPUT_INVALID',
    'POLICY_DENIED',
    'RECIPE_COMPAT_OUT_OF_RANGE',
    'NO_DEVICES',
    'MULTIPLE_DEVICES_DEVICE_ID_REQUIRED',
    'DEVICE_NOT_FOUND',
    'DEVICE_LEASED',
    'SCENE_NOT_PLANNED',
    'SCENE_BROWSER_MISSING',
  ],
})

export const listAbilityRuns = route({
  method: 'GET',
  url: '/api/abilities/:abilityId/runs',
  tag: TAG,
  summary: "List the user's runs of an ability, newest first",
  privilege: 'read',
  params: abilityParams,
  query: PageQuery.extend({ state: AbilityRunState.optional() }),
  reply: z.object({ runs: z.array(AbilityRun), ...pageFields, schema_version: SchemaVersion }),
  fails: ['ABILITY_NOT_FOUND'],
})

export const getAbilityRun = route({
  method: 'GET',
  url: '/api/ability-runs/:runId',
  earlier_url: '/api/abilities/runs/:runId',
  tag: TAG,
  summary: 'Get one run, with its outcome once settled',
  privilege: 'read',
  params: runParams,
  reply: runReply,
  fails: ['ABILITY_RUN_NOT_FOUND'],
})

export const streamRunEvents = route({
  method: 'GET',
  url: '/api/ability-runs/:runId/events',
  earlier_url: '/api/abilities/runs/:runId/events',
  tag: TAG,
  summary: 'Stream the steps and items of a run, replayed from Last-Event-ID',
  privilege: 'read',
  params: runParams,
  query: z.object({ last_event_id: z.string().max(40).optional() }),
  reply: RunEvent,
  stream: true,
  fails: ['ABILITY_RUN_NOT_FOUND', 'STREAM_LIMIT_REACHED', 'NOT_ACCEPTABLE'],
})

export const cancelAbilityRun = route({
  method: 'POST',
  url: '/api/ability-runs/:runId/cancel',
  earlier_url: '/api/abilities/runs/:runId/cancel',
  tag: TAG,
  summary: 'Cancel a run; its remaining executions and items are not started',
  privilege: 'write',
  params: runParams,
  body: requestBody({}),
  reply: runReply,
  fails: ['ABILITY_RUN_NOT_FOUND', 'EXECUTION_SETTLED'],
})

export const improveFromRun = route({
  method: 'POST',
  url: '/api/ability-runs/:runId/improve',
  earlier_url: '/api/abilities/runs/:runId/improve',
  tag: TAG,
  summary: 'Start a session that improves the ability where this run failed',
  privilege: 'write',
  params: runParams,
  body: requestBody({}),
  reply: z.object({
    session: LearnSession,
    drift: RunFailure.extend({ run_id: Uuid, ability_id: AbilityId }),
    schema_version: SchemaVersion,
  }),
  status: 201,
  fails: ['ABILITY_RUN_NOT_FOUND', 'ABILITY_RUN_WITHOUT_TROUBLE', 'LEARN_SESSION_ALREADY_ACTIVE'],
})

export const CapabilityUseReceipt = z
  .object({
    receipt_id: Uuid,
    capability_id: z.string().max(160),
    provider: z.string().max(80).optional(),
    connector_server_id: z.string().max(120).optional(),
    dispatch_id: z.string().max(200).optional(),
    operation_id: z.string().max(200).optional(),
    route_trace_id: z.string().max(200).optional(),
    approval_mode: z.enum(['autonomous', 'standing_order', 'ask_first', 'manual_click']),
    receipt_detail_level: z.enum(['minimal', 'standard', 'detailed']),
    project_id: z.string().max(160).optional(),
    result: z.enum(['success', 'failure', 'denied', 'cancelled']),
    auth_profile_id: z.string().max(120).optional(),
    identity_asserted_kind: z.enum(['local_user', 'oauth_user', 'service_principal', 'unknown']),
    identity_asserted_ref: z.string().max(240).optional(),
    correlation_id: z.string().max(200),
    route_surface: z.string().max(80).optional(),
    summary: z.string().max(240).optional(),
    started_at: DateTime.optional(),
    completed_at: DateTime.optional(),
    created_at: DateTime,
    schema_version: SchemaVersion,
  })
  .meta({ id: 'CapabilityUseReceipt' })
export type CapabilityUseReceipt = z.infer<typeof CapabilityUseReceipt>

export const listUseReceipts = route({
  method: 'GET',
  url: '/api/capabilities/receipts',
  tag: 'capabilities',
  summary: 'List capability use receipts, newest first',
  privilege: 'read',
  query: z.object({
    capability_id: z.string().max(160).optional(),
    cursor: z.coerce.number().int().min(1).optional(),
    limit: z.coerce.number().int().min(1).max(100).default(20),
  }),
  reply: z.object({
    receipts: z.array(CapabilityUseReceipt),
    next_cursor: z.int().optional(),
    schema_version: SchemaVersion,
  }),
})
