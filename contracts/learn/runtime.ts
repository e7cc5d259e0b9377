import { z } from 'zod'
import { AbilityId, DateTime, SchemaVersion, Uuid } from '../base/fields.ts'
import { PageQuery, pageFields } from '../base/page.ts'
import { route } from '../base/route.ts'
import {
  BuildPolicy,
  EntryMode,
  InstallLane,
  LearnSession,
  LearnSessionState,
  LearnTimelineEvent,
  ObservationMode,
  PendingUiState,
} from './session.ts'
import { ObservationScope, WorkflowBoundary } from './observation.ts'
import { AskedQuestion, SemanticWorkflowInterpretation, SkillBundleProposal } from './proposal.ts'
import { CheckpointReceipt } from './receipts.ts'
import { TestPolicy } from './test-policy.ts'

export const LearningRuntimeSnapshot = z
  .object({
    learn_session_id: Uuid,
    entry_mode: EntryMode,
    observation_mode: ObservationMode,
    build_policy: BuildPolicy,
    state: LearnSessionState,
    observed_data_classes: z.array(z.string().max(80)),
    active_boundary_ref: z.string().max(240).optional(),
    interpretation_id: Uuid.optional(),
    proposal_id: Uuid.optional(),
    validation_run_id: Uuid.optional(),
    install_lane: InstallLane.optional(),
    ability_id: AbilityId.optional(),
    ability_usable_now: z.boolean().optional(),
    reason_unusable: z.string().max(240).optional(),
    latest_receipt_ids: z.array(Uuid),
    snapshot_as_of: DateTime,
    schema_version: SchemaVersion,
  })
  .meta({ id: 'LearningRuntimeSnapshot' })
export type LearningRuntimeSnapshot = z.infer<typeof LearningRuntimeSnapshot>

export const LearnHistoryItem = z
  .object({
    learn_session_id: Uuid,
    entry_mode: EntryMode,
    state: LearnSessionState,
    title: z.string().max(200).optional(),
    created_at: DateTime,
    completed_at: DateTime.optional(),
    proposal_id: Uuid.optional(),
    ability_id: AbilityId.optional(),
    outcome: z.enum(['approved', 'rejected', 'cancelled', 'in_progress', 'quarantined']).optional(),
  })
  .meta({ id: 'LearnHistoryItem' })
export type LearnHistoryItem = z.infer<typeof LearnHistoryItem>

export const LearnPartialDeploymentState = z.object({
  state: z.enum(['none', 'availability_pending', 'catalog_pending', 'bridge_pending', 'receipt_pending', 'degraded']),
  blocking: z.boolean(),
  reason_code: z.string().max(120).optional(),
  updated_at: DateTime,
  schema_version: SchemaVersion,
})
export type LearnPartialDeploymentState = z.infer<typeof LearnPartialDeploymentState>

export const LearnSessionDetail = z
  .object({
    session: LearnSession,
    pending_ui_state: PendingUiState.optional(),
    timeline: z.array(LearnTimelineEvent),
    boundaries: z.array(WorkflowBoundary),
    questions: z.array(AskedQuestion),
    proposal: SkillBundleProposal.optional(),
    interpretation: SemanticWorkflowInterpretation.optional(),
    test_policy: TestPolicy.optional(),
    observation_scope: ObservationScope.optional(),
    checkpoint_receipts: z.array(CheckpointReceipt),
    partial_deployment: LearnPartialDeploymentState.optional(),
    allowed_actions: z.array(z.string().max(80)),
    schema_version: SchemaVersion,
  })
  .meta({ id: 'LearnSessionDetail' })
export type LearnSessionDetail = z.infer<typeof LearnSessionDetail>

const TAG = 'learn runtime'

export const getCurrentRuntime = route({
  method: 'GET',
  url: '/api/learn/runtime/current',
  tag: TAG,
  summary: "Get the caller's active session, else the one changed last",
  privilege: 'read',
  reply: LearningRuntimeSnapshot,
  fails: ['LEARN_SESSION_NOT_FOUND'],
})

export const getSessionDetail = route({
  method: 'GET',
  url: '/api/learn/sessions/:sessionId/detail',
  tag: TAG,
  summary: 'Get one session with all information for its page',
  privilege: 'read',
  params: z.object({ sessionId: Uuid }),
  reply: LearnSessionDetail,
  fails: ['LEARN_SESSION_NOT_FOUND', 'SESSION_TIMEOUT'],
})

export const listHistory = route({
  method: 'GET',
  url: '/api/learn/history',
  tag: TAG,
  summary: "List the user's sessions with their outcomes, including archived ones",
  privilege: 'read',
  query: PageQuery,
  reply: z.object({ items: z.array(LearnHistoryItem), ...pageFields }),
})
