import { z } from 'zod'
import { AbilityId, DateTime, SchemaVersion, Uuid } from '../base/fields.ts'
import { TimelineKind } from '../base/events.ts'

export const EntryMode = z.enum([
  'demonstrating_skill',
  'coaching_agent',
  'autonomous_agent_practice',
  'improving_existing_skill',
  'import_skill',
])
export type EntryMode = z.infer<typeof EntryMode>

export const ObservationMode = z.enum(['none', 'inside_agent', 'outside_agent', 'mixed'])
export type ObservationMode = z.infer<typeof ObservationMode>

export const BuildPolicy = z.enum(['ask_before_build', 'build_then_review', 'private_auto_install'])
export const ExecutionMode = z.enum(['strict', 'guided', 'adaptive'])
export const TargetKind = z.enum(['new_skill', 'existing_skill', 'imported_skill'])
export const ActorMode = z.enum(['user_driven', 'agent_driven', 'mixed'])

export const LearnSessionState = z.enum([
  'idle',
  'armed',
  'capturing',
  'paused',
  'stopped',
  'reviewing',
  'awaiting_questions',
  'drafting_proposal',
  'testing_proposal',
  'ready_for_review',
  'installing_private',
  'installed_private',
  'approved',
  'rejected',
  'cancelled',
  'quarantined',
])
export type LearnSessionState = z.infer<typeof LearnSessionState>

export const InstallLane = z.enum([
  'pending',
  'experimental_private',
  'approved_workspace',
  'shared_promoted',
  'quarantined',
])

export const LearnSession = z
  .object({
    learn_session_id: Uuid,
    entry_mode: EntryMode,
    observation_mode: ObservationMode,
    build_policy: BuildPolicy,
    execution_mode: ExecutionMode,
    target_kind: TargetKind,
    state: LearnSessionState,
    actor_mode: ActorMode,
    project_id: z.string().max(120).optional(),
    room_id: z.string().max(160).optional(),
    target_skill_id: z.string().max(160).optional(),
    target_app_family: z.string().max(80).optional(),
    target_app_whitelist: z.array(z.string().max(160)),
    device_serial: z.string().max(160).optional(),
    active_trace_ids: z.array(Uuid),
    active_observation_batch_ids: z.array(Uuid),
    proposal_id: Uuid.optional(),
    interpretation_id: Uuid.optional(),
    validation_run_id: Uuid.optional(),
    ability_id: AbilityId.optional(),
    start_boundary_ref: z.string().max(240).optional(),
    stop_boundary_ref: z.string().max(240).optional(),
    test_policy_ref: z.string().max(240).optional(),
    created_at: DateTime,
    updated_at: DateTime,
    schema_version: SchemaVersion,
  })
  .meta({ id: 'LearnSession' })
export type LearnSession = z.infer<typeof LearnSession>

/** The state of a session in the pending list. */
export const PendingUiState = z.enum([
  'capturing',
  'awaiting_input',
  'drafting',
  'testing',
  'ready_for_review',
  'private_active',
  'revision_required',
])

export const LearnTimelineEvent = z
  .object({
    timeline_event_id: Uuid,
    learn_session_id: Uuid,
    seq: z.int().min(1),
    kind: TimelineKind,
    event_kind: z.string().max(80),
    label: z.string().max(240),
    from_state: LearnSessionState.optional(),
    to_state: LearnSessionState.optional(),
    ref: z.string().max(240).optional(),
    payload: z.record(z.string(), z.unknown()),
    created_at: DateTime,
    schema_version: SchemaVersion,
  })
  .meta({ id: 'LearnTimelineEvent' })
export type LearnTimelineEvent = z.infer<typeof LearnTimelineEvent>

/** The name of the same schema in other specifications. */
export { LearnTimelineEvent as LearningTimelineEvent }
