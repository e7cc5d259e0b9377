import { z } from 'zod'
import { AbilityId, DateTime, SchemaVersion, Uuid } from '../base/fields.ts'
import { PageQuery, pageFields } from '../base/page.ts'
import { route } from '../base/route.ts'
import { ElementBounds } from './elements.ts'
import { InstallLane } from './session.ts'

export const ProposalState = z.enum([
  'awaiting_questions',
  'draft',
  'testing',
  'ready_for_review',
  'installing_private',
  'installed_private',
  'approved',
  'rejected',
  'cancelled',
  'quarantined',
])
export type ProposalState = z.infer<typeof ProposalState>

export const SkillBundleProposal = z
  .object({
    proposal_id: Uuid,
    learn_session_id: Uuid.optional(),
    interpretation_id: Uuid.optional(),
    source_trace_ids: z.array(Uuid).min(1),
    title: z.string().max(160),
    proposed_skill_slug: z.string().regex(/^[a-z0-9][a-z0-9-]{1,63}$/),
    trigger_phrases: z.array(z.string().max(120)),
    negative_triggers: z.array(z.string().max(120)),
    draft_skill_path: z.string().max(240),
    draft_manifest_path: z.string().max(240),
    draft_graph_ref: z.string().max(240).optional(),
    proposal_state: ProposalState,
    install_lane: InstallLane,
    ability_id: AbilityId.optional(),
    primary_capability_id: AbilityId.optional(),
    support_pack_refs: z.array(z.string().max(240)),
    created_at: DateTime,
    updated_at: DateTime,
    schema_version: SchemaVersion,
  })
  .meta({ id: 'SkillBundleProposal' })
export type SkillBundleProposal = z.infer<typeof SkillBundleProposal>

export const QuestionField = z.enum([
  'name',
  'goal_summary',
  'use_conditions',
  'non_use_conditions',
  'project_scope',
  'preferred_surface',
  'package_assignment',
  'success_condition',
  'approval_mode',
])
export type QuestionField = z.infer<typeof QuestionField>

/** An element of a kept screen as an answer to a question. */
export const QuestionChoice = z
  .object({
    choice_id: z.string().max(80),
    label: z.string().max(240),
    event_id: Uuid.optional().describe('The observed step; the element is on the screen after it'),
    node_path: z.string().max(500).optional(),
    evidence_ref: z.string().max(240).optional().describe('The tree of the screen'),
    bounds: ElementBounds.optional(),
  })
  .meta({ id: 'QuestionChoice' })
export type QuestionChoice = z.infer<typeof QuestionChoice>

/** The choice that no element of any kept screen shows the outcome. */
export const NOTHING_SHOWS_IT = 'nothing_shows_it'

export const LearningQuestion = z.object({
  question_id: Uuid,
  proposal_id: Uuid,
  field: QuestionField,
  prompt: z.string().max(400),
  required: z.boolean(),
  choices: z.array(QuestionChoice).optional(),
  created_at: DateTime,
  schema_version: SchemaVersion,
})
export type LearningQuestion = z.infer<typeof LearningQuestion>

export const LearningAnswer = z.object({
  question_id: Uuid,
  proposal_id: Uuid,
  answer: z.string().max(2000),
  choice_id: z.string().max(80).optional(),
  created_at: DateTime,
  schema_version: SchemaVersion,
})
export type LearningAnswer = z.infer<typeof LearningAnswer>

/** A question with its answer, for a reviewer. */
export const AskedQuestion = z
  .object({
    question_id: Uuid,
    field: QuestionField,
    question_text: z.string().max(400),
    required: z.boolean(),
    answered: z.boolean(),
    answer_text: z.string().max(2000).optional(),
    choices: z
      .array(QuestionChoice)
      .optional()
      .describe('Elements to choose from, best first; the answer may name one of them or be a text'),
    chosen_id: z.string().max(80).optional(),
  })
  .meta({ id: 'AskedQuestion' })
export type AskedQuestion = z.infer<typeof AskedQuestion>

export const Checkpoint = z
  .object({
    checkpoint_id: z.string().max(80),
    goal: z.string().max(240),
    success_condition: z.string().max(240),
    order_hint: z.int().min(0).optional(),
  })
  .meta({ id: 'Checkpoint' })
export type Checkpoint = z.infer<typeof Checkpoint>

export const ProjectScope = z.enum(['global', 'project_scoped', 'unclear'])

/** The meaning of a workflow, independent of its actions. Not sent to agents. */
export const SemanticWorkflowInterpretation = z
  .object({
    interpretation_id: Uuid,
    learn_session_id: Uuid,
    proposal_id: Uuid.optional(),
    title: z.string().max(160),
    goal_summary: z.string().max(600),
    use_conditions: z.array(z.string().max(240)),
    non_use_conditions: z.array(z.string().max(240)),
    success_conditions: z.array(z.string().max(240)),
    project_scope: ProjectScope,
    preferred_control_surfaces: z.array(z.string().max(80)),
    checkpoints: z.array(Checkpoint),
    user_confirmed: z.boolean(),
    created_at: DateTime,
    schema_version: SchemaVersion,
  })
  .meta({ id: 'SemanticWorkflowInterpretation' })
export type SemanticWorkflowInterpretation = z.infer<typeof SemanticWorkflowInterpretation>

/** A dependency of a draft. */
export const LearningDocumentDependency = z
  .object({
    proposal_id: Uuid,
    dependency_kind: z.enum(['support_pack', 'app_manual', 'existing_skill', 'capability_manifest', 'test_artifact']),
    dependency_ref: z.string().max(240),
    required: z.boolean(),
    schema_version: SchemaVersion,
  })
  .meta({ id: 'LearningDocumentDependency' })
export type LearningDocumentDependency = z.infer<typeof LearningDocumentDependency>

export const listProposals = route({
  method: 'GET',
  url: '/api/learn/proposals',
  tag: 'learn proposals',
  summary: "List the user's proposals, newest first",
  privilege: 'read',
  query: PageQuery.extend({ state: ProposalState.optional() }),
  reply: z.object({
    proposals: z.array(SkillBundleProposal),
    ...pageFields,
    schema_version: SchemaVersion,
  }),
})
