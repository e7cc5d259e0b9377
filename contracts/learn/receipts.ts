import { z } from 'zod'
import { AbilityId, DateTime, requestBody, SchemaVersion, text, Uuid } from '../base/fields.ts'
import { PageQuery, pageFields } from '../base/page.ts'
import { route } from '../base/route.ts'
import { LearnSessionState } from './session.ts'

export const ReceiptKind = z.enum([
  'learn.session.started',
  'learn.observation.armed',
  'learn.capture.started',
  'learn.capture.paused',
  'learn.capture.resumed',
  'learn.capture.stopped',
  'learn.element.marked',
  'learn.session.cancelled',
  'learn.session.deleted',
  'learn.proposal.created',
  'learn.proposal.questions_requested',
  'learn.proposal.questions_answered',
  'learn.proposal.revised',
  'learn.proposal.rejected',
  'learn.practice.started',
  'learn.practice.ended',
  'learn.validation.started',
  'learn.validation.completed',
  'learn.cleanup.opened',
  'learn.cleanup.done',
  'learn.install.started',
  'learn.install.completed',
  'learn.install.failed',
  'learn.proposal.approved',
  'bridge.rebuild.completed',
  'bridge.rebuild.failed',
  'capability.reprobed',
  'capability.quarantine.cleared',
  'ability.snapshot.updated',
  'ability.activated',
  'ability.deactivated',
  'ability.quarantined',
  'ability.unquarantined',
  'ability.promoted',
  'ability.uninstalled',
  'ability.risk_accepted',
  'ability.lane.settings_changed',
  'ability.files.edited',
  'skill_import.uploaded',
  'skill_import.upload_deleted',
  'skill_import.scanned',
  'skill_import.scan_failed',
  'skill_import.staged',
  'skill_import.stage_failed',
  'skill_import.approved',
  'skill_import.rejected',
  'skill_import.install_requested',
  'skill_import.installed_private',
  'skill_import.install_failed',
  'skill_import.discarded',
  'skill_import.expired',
  'skill_import.retried',
  'skill_import.findings_overridden',
  'skill_import.trigger_tested',
  'skill_pack.changed',
  'policy.profile.changed',
  'policy.profile.removed',
  'policy.assignment.changed',
  'project.binding.changed',
  'config.intent.applied',
  'config.intent.rejected',
  'learn.mining.settings_changed',
  'learn.mining.scanned',
  'learn.mining.cluster_built',
  'migration_backfill',
])
export type ReceiptKind = z.infer<typeof ReceiptKind>

export const LearningReceipt = z
  .object({
    receipt_id: Uuid,
    receipt_kind: ReceiptKind,
    status: z.enum(['ok', 'failed', 'degraded', 'blocked']),
    learn_session_id: Uuid.optional(),
    proposal_id: Uuid.optional(),
    interpretation_id: Uuid.optional(),
    validation_run_id: Uuid.optional(),
    ability_id: AbilityId.optional(),
    saga_id: Uuid.optional(),
    actor: z.enum(['user', 'agent', 'system', 'nightly']),
    actor_ref: z.string().max(160).optional(),
    from_state: LearnSessionState.optional(),
    to_state: LearnSessionState.optional(),
    summary: z.string().max(500),
    reason: z.string().max(240).optional(),
    correlation_id: z.string().max(200),
    details: z.record(z.string(), z.unknown()),
    created_at: DateTime,
    schema_version: SchemaVersion,
  })
  .meta({ id: 'LearningReceipt' })
export type LearningReceipt = z.infer<typeof LearningReceipt>

export const CheckpointReceipt = z
  .object({
    checkpoint_receipt_id: Uuid,
    checkpoint_id: z.string().max(80),
    status: z.enum(['reached', 'skipped', 'failed']),
    evidence: z.string().max(1000),
    reason: z.string().max(500).optional(),
    learn_session_id: Uuid.optional(),
    dispatch_id: z.string().max(200).optional(),
    ability_id: AbilityId.optional(),
    proposal_id: Uuid.optional(),
    unknown_checkpoint: z.boolean(),
    created_at: DateTime,
    schema_version: SchemaVersion,
  })
  .meta({ id: 'CheckpointReceipt' })
export type CheckpointReceipt = z.infer<typeof CheckpointReceipt>

const TAG = 'learn receipts'
const CheckpointReceiptPage = z.object({
  receipts: z.array(CheckpointReceipt),
  ...pageFields,
  schema_version: SchemaVersion,
})

export const listReceipts = route({
  method: 'GET',
  url: '/api/learn/receipts',
  tag: TAG,
  summary: "List the user's learning receipts, newest first",
  privilege: 'read',
  query: PageQuery.extend({
    learn_session_id: Uuid.optional(),
    proposal_id: Uuid.optional(),
    ability_id: AbilityId.optional(),
    receipt_kind: ReceiptKind.optional(),
  }),
  reply: z.object({ receipts: z.array(LearningReceipt), ...pageFields }),
})

export const listSessionCheckpointReceipts = route({
  method: 'GET',
  url: '/api/learn/sessions/:sessionId/checkpoint-receipts',
  tag: TAG,
  summary: 'List the checkpoint receipts of a session, oldest first',
  privilege: 'read',
  params: z.object({ sessionId: Uuid }),
  query: PageQuery,
  reply: CheckpointReceiptPage,
  fails: ['LEARN_SESSION_NOT_FOUND', 'SESSION_TIMEOUT'],
})

export const listDispatchCheckpointReceipts = route({
  method: 'GET',
  url: '/api/dispatches/:dispatchId/checkpoint-receipts',
  tag: TAG,
  summary: 'List the checkpoint receipts of a dispatch, oldest first; empty for an unknown dispatch',
  privilege: 'read',
  params: z.object({ dispatchId: z.string().min(1).max(200) }),
  query: PageQuery,
  reply: CheckpointReceiptPage,
})

export const verifyCheckpoint = route({
  method: 'POST',
  url: '/api/bridge/verify-checkpoint',
  tag: TAG,
  summary: 'Report a checkpoint of an agent; optional, and always recorded',
  privilege: 'write',
  body: requestBody({
    checkpoint_id: text(80),
    status: CheckpointReceipt.shape.status,
    evidence: text(1000).optional(),
    reason: text(500).optional(),
    learn_session_id: Uuid.optional(),
    dispatch_id: text(200).optional(),
    ability_id: AbilityId.optional(),
  })
    .refine((body) => body.status === 'skipped' || body.evidence !== undefined, {
      path: ['evidence'],
      error: 'is required for a reached or failed checkpoint',
    })
    .refine((body) => body.status === 'reached' || body.reason !== undefined, {
      path: ['reason'],
      error: 'is required for a skipped or failed checkpoint',
    })
    .refine((body) => body.learn_session_id !== undefined || body.dispatch_id !== undefined, {
      path: ['learn_session_id'],
      error: 'or dispatch_id is required',
    }),
  reply: z.object({
    receipt: CheckpointReceipt,
    accepted: z.literal(true),
    schema_version: SchemaVersion,
  }),
  fails: ['LEARN_SESSION_NOT_FOUND'],
})
