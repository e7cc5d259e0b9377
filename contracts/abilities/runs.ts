import { z } from 'zod'
import { Serial } from '../devices/device.ts'
import { AbilityId, DateTime, requestBody, SchemaVersion, text, Uuid } from '../base/fields.ts'
import { LearnSession } from '../learn/session.ts'
import { PageQuery, pageFields } from '../base/page.ts'
import { Capability } from '../recipes/recipe.ts'
import { route } from '../base/route.ts'

/**
 * queued, running  not ended yet
 * success          the verification held on the device
 * failed           the outcome was not reached
 * indeterminate    the run may have had an effect, and the outcome could not be verified
 * cancelled        cancelled before it had an effect
 */
export const AbilityRunState = z.enum(['queued', 'running', 'success', 'failed', 'indeterminate', 'cancelled'])
export type AbilityRunState = z.infer<typeof AbilityRunState>

/** The result of one verification on the device. */
export const RunVerification = z.object({
  verification_id: z.string(),
  held: z.boolean().optional().describe('Absent if it could not be evaluated'),
  observed: z.string().max(512).optional(),
})
export type RunVerification = z.infer<typeof RunVerification>

/** Why a run did not succeed. */
export const RunFailure = z.object({
  code: z.string().max(80),
  message: z.string().max(500),
  step_id: z.string().optional(),
  checkpoint_id: z.string().optional().describe('The checkpoint that was not reached'),
  candidates: z.string().max(8000).optional().describe('JSON of the candidates if several nodes matched'),
  in_the_way: z.string().max(512).optional().describe('An unexpected dialog on the screen'),
  observed: z.string().max(512).optional(),
})
export type RunFailure = z.infer<typeof RunFailure>

/** A step that succeeded on a screen that differs from the recipe. */
export const RunDrift = z.object({
  step_id: z.string(),
  expected_count: z.int().min(0).optional(),
  observed_count: z.int().min(0).optional(),
  used_fallback: z.int().min(1).optional().describe('The number of the fallback selector that was used'),
})
export type RunDrift = z.infer<typeof RunDrift>

/** Whether the app version is in the range that the recipe supports. */
export const RunCompat = z.enum(['in_range', 'out_of_range', 'unknown'])
export type RunCompat = z.infer<typeof RunCompat>

export const AbilityRun = z
  .object({
    run_id: Uuid,
    ability_id: AbilityId,
    version: z.int().min(1),
    dispatch_id: z.string().max(200).optional(),
    serial: Serial,
    execution_id: Uuid,
    state: AbilityRunState,
    input_names: z.array(z.string()),
    acted: z.boolean().describe('False if the phone was already in the requested state'),
    verification: z.array(RunVerification),
    checkpoints_reached: z.array(z.string()),
    trouble: RunFailure.optional(),
    used_fallbacks: z.array(z.string()).describe('Steps that used a fallback selector'),
    dismissed: z.array(z.string()).describe('Dialogs that were dismissed'),
    drift: z.array(RunDrift),
    outputs: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
      .describe('The outputs, redacted as the recipe specifies'),
    compat: RunCompat.optional().describe('Absent if the recipe has no version range'),
    use_receipt_id: Uuid.optional(),
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
    inputs: z.record(z.string().max(64), z.union([z.string().max(512), z.number(), z.boolean()])).default({}),
    serial: Serial.optional(),
    dispatch_id: text(200).optional(),
    wait_ms: z.int().min(0).max(120_000).default(0),
    timeout_ms: z.int().min(1000).max(120_000).default(90_000),
    project_id: text(160).optional(),
    strict_compat: z
      .boolean()
      .default(false)
      .describe('Refuse the run unless the app version is known to be in the range of the recipe'),
    allow_capabilities: z
      .array(Capability)
      .max(7)
      .default([])
      .describe('Capabilities that require explicit permission: purchase_risk'),
  }),
  reply: runReply,
  pending_status: 202,
  fails: [
    'ABILITY_NOT_FOUND',
    'ABILITY_UNUSABLE',
    'RECIPE_INPUT_MISSING',
    'RECIPE_INPUT_INVALID',
    'POLICY_DENIED',
    'RECIPE_COMPAT_OUT_OF_RANGE',
    'NO_DEVICES',
    'MULTIPLE_DEVICES_DEVICE_ID_REQUIRED',
    'DEVICE_NOT_FOUND',
    'DEVICE_LEASED',
  ],
})

export const listAbilityRuns = route({
  method: 'GET',
  url: '/api/abilities/:abilityId/runs',
  tag: TAG,
  summary: "List the user's runs of an ability, newest first",
  privilege: 'read',
  params: abilityParams,
  query: PageQuery,
  reply: z.object({ runs: z.array(AbilityRun), ...pageFields, schema_version: SchemaVersion }),
  fails: ['ABILITY_NOT_FOUND'],
})

export const getAbilityRun = route({
  method: 'GET',
  url: '/api/abilities/runs/:runId',
  tag: TAG,
  summary: 'Get one run, with its outcome once settled',
  privilege: 'read',
  params: runParams,
  reply: runReply,
  fails: ['ABILITY_RUN_NOT_FOUND'],
})

export const cancelAbilityRun = route({
  method: 'POST',
  url: '/api/abilities/runs/:runId/cancel',
  tag: TAG,
  summary: 'Cancel a run',
  privilege: 'write',
  params: runParams,
  reply: runReply,
  fails: ['ABILITY_RUN_NOT_FOUND', 'EXECUTION_SETTLED'],
})

export const improveFromRun = route({
  method: 'POST',
  url: '/api/abilities/runs/:runId/improve',
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
