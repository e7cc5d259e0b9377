import { z } from 'zod'
import { AbilityId, DateTime, requestBody, SchemaVersion, strictRequestBody, text, Uuid } from '../base/fields.ts'
import { PageQuery, pageFields } from '../base/page.ts'
import { route } from '../base/route.ts'
import {
  AskedQuestion,
  Checkpoint,
  LearningDocumentDependency,
  ProjectScope,
  SemanticWorkflowInterpretation,
  SkillBundleProposal,
} from './proposal.ts'
import { CheckpointLintReport, ValidationRun, ValidationStepResult } from './validation.ts'

export const Sha256 = z.string().regex(/^[0-9a-f]{64}$/)

export const DraftFileName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$/)

export const DraftFileFacts = z
  .object({ name: DraftFileName, bytes: z.int().min(0), sha256: Sha256 })
  .meta({ id: 'DraftFileFacts' })

/** A unified diff of one file; empty if it is unchanged. */
export const FileDiff = z.object({ name: DraftFileName, diff: z.string() }).meta({ id: 'FileDiff' })
export type FileDiff = z.infer<typeof FileDiff>

/** An existing ability that can be confused with the proposed one. */
export const ProposalCollision = z
  .object({
    kind: z.enum(['slug', 'trigger']),
    ability_id: AbilityId,
    title: z.string().max(200),
    detail: z.string().max(240),
    score: z.number().optional(),
  })
  .meta({ id: 'ProposalCollision' })
export type ProposalCollision = z.infer<typeof ProposalCollision>

/** One part of an installed skill compared with a draft that improves it. */
export const ImprovementChange = z
  .object({
    path: z.string().describe('As in `steps.press_save`, `inputs.unit`, `verification.shows_end` or `words.title`'),
    change: z.enum(['kept', 'changed', 'added', 'removed']),
    text: z.string().describe('The change as a sentence'),
  })
  .meta({ id: 'ImprovementChange' })
export type ImprovementChange = z.infer<typeof ImprovementChange>

/** The anchors that a draft repairs, from the evidence of a run. */
export const ProposalRepair = z
  .object({
    run_id: Uuid,
    step_ids: z.array(z.string()),
    verified: z
      .boolean()
      .describe(
        'The run found its targets by the new anchors and succeeded. Otherwise a rehearsal must pass before the draft is installed',
      ),
  })
  .meta({ id: 'ProposalRepair' })
export type ProposalRepair = z.infer<typeof ProposalRepair>

/** The actions that the state of a proposal allows. */
export const ProposalAction = z.enum([
  'revise',
  'validate',
  'request_more_tests',
  'cancel_validation',
  'install',
  'approve',
  'reject',
])
export type ProposalAction = z.infer<typeof ProposalAction>

/** A proposal with all information for its review. */
export const ProposalDetail = z
  .object({
    proposal: SkillBundleProposal,
    interpretation: SemanticWorkflowInterpretation.optional(),
    checkpoint_lint_report: CheckpointLintReport.optional(),
    questions: z.array(AskedQuestion),
    revision: z.int().min(0).describe('The number of drafts; 0 while questions are open before the first draft'),
    draft_hash: Sha256.optional().describe('The hash of this draft; an approval refers to it'),
    files: z.array(DraftFileFacts),
    review: z.record(z.string(), z.unknown()).optional().describe('review.json'),
    recipe: z.record(z.string(), z.unknown()).optional().describe('recipe.json'),
    examples: z.record(z.string(), z.string()).describe('The demonstrated value of each input; not part of the skill'),
    portability_grade: z.string().max(80).optional(),
    dependencies: z.array(LearningDocumentDependency),
    latest_validation: z.object({ validation_run: ValidationRun, steps: z.array(ValidationStepResult) }).optional(),
    collisions: z.array(ProposalCollision),
    improves: z
      .object({
        ability_id: AbilityId,
        version: z.int().min(1).optional(),
        diffs: z.array(FileDiff),
        changes: z.array(ImprovementChange).describe('What is kept, what changes, what is new and what goes'),
      })
      .optional()
      .describe('The ability that this proposal is a new version of, and the changes'),
    repair: ProposalRepair.optional().describe('Only of a draft that the daemon proposed to repair an ability'),
    allowed_actions: z.array(ProposalAction),
    schema_version: SchemaVersion,
  })
  .meta({ id: 'ProposalDetail' })
export type ProposalDetail = z.infer<typeof ProposalDetail>

const textList = (maxLength: number, maxItems: number) => z.array(text(maxLength)).max(maxItems)
const inputName = z.string().regex(/^[A-Za-z0-9_]{1,64}$/)

/** The fields that a reviewer may edit. All others are derived from the demonstration. */
export const EditedFields = z
  .strictObject({
    title: text(120),
    proposed_skill_slug: SkillBundleProposal.shape.proposed_skill_slug,
    trigger_phrases: textList(120, 50).min(1),
    negative_triggers: textList(120, 50),
    goal_summary: text(600),
    use_conditions: textList(240, 50),
    non_use_conditions: textList(240, 50),
    project_scope: ProjectScope,
    preferred_control_surfaces: textList(80, 20),
    success_conditions: textList(240, 50),
    checkpoints: z.array(Checkpoint).max(50),
    support_pack_refs: textList(240, 50),
    inputs: z
      .array(
        z.strictObject({
          name: inputName.describe('The current name'),
          rename_to: inputName.optional(),
          summary: text(240).optional(),
        }),
      )
      .max(50),
    keep_event_ids: z.array(Uuid).max(500).describe('All pruned actions to restore; others stay pruned'),
    recipe: z.never('is derived from the demonstration and cannot be edited'),
  })
  .partial()
  .meta({ id: 'EditedFields' })
export type EditedFields = z.infer<typeof EditedFields>

export const ProposalRevision = z
  .object({
    revision: z.int().min(1),
    author_user_id: z.string(),
    author_kind: z.enum(['user', 'agent', 'system', 'nightly']),
    revision_instructions: z.string(),
    edited_fields: z.record(z.string(), z.unknown()),
    draft_hash: Sha256,
    files: z.array(DraftFileFacts),
    diffs: z.array(FileDiff).describe('Compared with the previous revision; empty for the first'),
    created_at: DateTime,
    schema_version: SchemaVersion,
  })
  .meta({ id: 'ProposalRevision' })
export type ProposalRevision = z.infer<typeof ProposalRevision>

const TAG = 'learn proposals'
const BASE_URL = '/api/learn/proposals/:proposalId'
const params = z.object({ proposalId: Uuid })

export const getProposalDetail = route({
  method: 'GET',
  url: `${BASE_URL}/detail`,
  tag: TAG,
  summary: 'Get a proposal with all information for its review',
  privilege: 'read',
  params,
  reply: ProposalDetail,
  fails: ['PROPOSAL_NOT_FOUND'],
})

export const getDraftFile = route({
  method: 'GET',
  url: `${BASE_URL}/files/:name`,
  tag: TAG,
  summary: 'Get one file of the current draft',
  privilege: 'read',
  params: params.extend({ name: DraftFileName }),
  reply: z.object({
    ...DraftFileFacts.shape,
    content: z.string(),
    schema_version: SchemaVersion,
  }),
  fails: ['PROPOSAL_NOT_FOUND', 'DRAFT_FILE_NOT_FOUND'],
})

export const listProposalRevisions = route({
  method: 'GET',
  url: `${BASE_URL}/revisions`,
  tag: TAG,
  summary: 'List the revisions of the draft, newest first',
  privilege: 'read',
  params,
  query: PageQuery,
  reply: z.object({
    revisions: z.array(ProposalRevision),
    ...pageFields,
    schema_version: SchemaVersion,
  }),
  fails: ['PROPOSAL_NOT_FOUND'],
})

export const reviseProposal = route({
  method: 'POST',
  url: `${BASE_URL}/revise`,
  tag: TAG,
  summary: 'Change a draft: it is generated again with these fields and must be tested again',
  waits: { for: 'the interpretation of the capture', at_most_ms: 120_000 },
  privilege: 'write',
  params,
  body: requestBody({
    revision_instructions: z
      .string()
      .max(2000)
      .default('')
      .describe('The reason for the change, for the history; words alone that change nothing are refused'),
    edited_fields: EditedFields.default({}),
  }).refine(
    ({ revision_instructions, edited_fields }) =>
      revision_instructions.trim() !== '' || Object.keys(edited_fields).length > 0,
    { path: ['revision_instructions'], error: 'or edited_fields must describe the change' },
  ),
  reply: ProposalDetail,
  fails: [
    'PROPOSAL_NOT_FOUND',
    'INVALID_LEARN_STATE_TRANSITION',
    'VALIDATION_IN_PROGRESS',
    'LEARN_SESSION_ALREADY_ACTIVE',
    'INSUFFICIENT_TRACES',
    'REVISION_NOT_UNDERSTOOD',
    'WORK_LIMIT_EXCEEDED',
    'OVERLOADED',
  ],
})

export const rejectProposal = route({
  method: 'POST',
  url: `${BASE_URL}/reject`,
  tag: TAG,
  summary: 'Reject a proposal',
  privilege: 'write',
  params,
  body: strictRequestBody({ reason: text(1000) }),
  reply: ProposalDetail,
  fails: ['PROPOSAL_NOT_FOUND', 'INVALID_LEARN_STATE_TRANSITION'],
})
