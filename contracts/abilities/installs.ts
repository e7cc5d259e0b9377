import { z } from 'zod'
import { AbilityId, DateTime, requestBody, SchemaVersion, strictRequestBody, text, Uuid } from '../base/fields.ts'
import { SkillBundleProposal } from '../learn/proposal.ts'
import { FileDiff, ProposalDetail, Sha256 } from '../learn/proposal-review.ts'
import { route } from '../base/route.ts'
import { OpenLane } from './ability.ts'

/** The steps in order. A failure in the first two is compensated; the others can be retried. */
export const SagaStep = z.enum(['materialize', 'project', 'bridge', 'availability', 'finish', 'done'])
export type SagaStep = z.infer<typeof SagaStep>

export const InstallSaga = z
  .object({
    saga_id: Uuid,
    kind: z.enum(['install', 'approve', 'rollback', 'uninstall']),
    proposal_id: Uuid.optional(),
    learn_session_id: Uuid.optional(),
    ability_id: AbilityId,
    skill_slug: z.string().max(120),
    version: z.int().min(1),
    install_lane: OpenLane,
    status: z.enum(['running', 'completed', 'degraded', 'compensated']),
    step: SagaStep,
    attempts: z.int().min(0),
    error_code: z.string().max(80).optional(),
    error_reason: z.string().max(240).optional(),
    files_written: z.array(z.string().max(400)),
    previous: z
      .object({
        bridge_hash: z.string(),
        version: z.int().optional(),
        skill_slug: z.string().optional(),
        install_lane: OpenLane.optional(),
      })
      .describe('The state that a compensation restores'),
    started_at: DateTime,
    updated_at: DateTime,
    schema_version: SchemaVersion,
  })
  .meta({ id: 'InstallSaga' })
export type InstallSaga = z.infer<typeof InstallSaga>

const proposalParams = z.object({ proposalId: Uuid })
const abilityParams = z.object({ abilityId: AbilityId })
const PROPOSAL_TAG = 'learn proposals'
const ABILITY_TAG = 'abilities'

const INSTALL_FAILURES = [
  'INVALID_LEARN_STATE_TRANSITION',
  'VALIDATION_IN_PROGRESS',
  'CHECKPOINT_LINT_FAILED',
  'RECIPE_INVALID',
  'DRAFT_CHANGED',
  'DEPENDENCY_MISSING',
  'INSTALL_LANE_DENIED',
  'INSTALL_IN_PROGRESS',
  'MATERIALIZATION_FAILED',
  'BRIDGE_REBUILD_FAILED',
  'AVAILABILITY_REFRESH_FAILED',
] as const

export const installProposal = route({
  method: 'POST',
  url: '/api/learn/proposals/:proposalId/install',
  tag: PROPOSAL_TAG,
  summary: 'Install a reviewed skill; replies when it is usable or the installation failed',
  privilege: 'write',
  params: proposalParams,
  body: requestBody({
    install_lane: OpenLane.exclude(['shared_promoted']).default('experimental_private'),
    draft_hash: Sha256.optional(),
  }),
  reply: z.object({
    proposal: SkillBundleProposal,
    ability_id: AbilityId,
    saga_id: Uuid,
    schema_version: SchemaVersion,
  }),
  fails: ['PROPOSAL_NOT_FOUND', ...INSTALL_FAILURES],
})

export const approveProposal = route({
  method: 'POST',
  url: '/api/learn/proposals/:proposalId/approve',
  tag: PROPOSAL_TAG,
  summary: 'Approve a skill for the workspace or for all users and install it there',
  privilege: 'admin',
  params: proposalParams,
  body: strictRequestBody({
    approval_scope: OpenLane.exclude(['experimental_private']).default('approved_workspace'),
    approval_note: text(1000).optional(),
    draft_hash: Sha256.optional(),
  }),
  reply: ProposalDetail,
  fails: ['PROPOSAL_NOT_FOUND', ...INSTALL_FAILURES],
})

export const AbilityVersion = z
  .object({
    version: z.int().min(1),
    current: z.boolean(),
    proposal_id: Uuid.optional(),
    draft_hash: z.string(),
    install_lane: OpenLane,
    restored_from: z.int().optional(),
    installed_at: DateTime,
    retired_at: DateTime.optional(),
  })
  .meta({ id: 'AbilityVersion' })
export type AbilityVersion = z.infer<typeof AbilityVersion>

export const listVersions = route({
  method: 'GET',
  url: '/api/abilities/:abilityId/versions',
  tag: ABILITY_TAG,
  summary: 'List the installed versions of an ability, oldest first',
  privilege: 'read',
  params: abilityParams,
  reply: z.object({ versions: z.array(AbilityVersion), schema_version: SchemaVersion }),
  fails: ['ABILITY_NOT_FOUND'],
})

export const compareVersions = route({
  method: 'GET',
  url: '/api/abilities/:abilityId/versions/:version/diff',
  tag: ABILITY_TAG,
  summary: 'Compare the texts of a version with those of another, by default the version before it',
  privilege: 'read',
  params: abilityParams.extend({ version: z.coerce.number().int().min(1) }),
  query: z.object({ from: z.coerce.number().int().min(1).optional() }),
  reply: z.object({
    version: z.int().min(1),
    from: z.int().min(1).optional().describe('Absent for the first version, which is compared with nothing'),
    diffs: z.array(FileDiff),
    schema_version: SchemaVersion,
  }),
  fails: ['ABILITY_NOT_FOUND', 'ABILITY_VERSION_NOT_FOUND'],
})

export const rollbackAbility = route({
  method: 'POST',
  url: '/api/abilities/:abilityId/rollback',
  tag: ABILITY_TAG,
  summary: 'Reinstall an earlier version of an ability, by default the previous one',
  privilege: 'write',
  params: abilityParams,
  body: requestBody({ version: z.int().min(1).optional() }),
  reply: z.object({
    ability_id: AbilityId,
    version: z.int(),
    restored_from: z.int(),
    saga_id: Uuid,
    schema_version: SchemaVersion,
  }),
  fails: [
    'ABILITY_NOT_FOUND',
    'ABILITY_VERSION_NOT_FOUND',
    'INSTALL_LANE_DENIED',
    'INSTALL_IN_PROGRESS',
    'MATERIALIZATION_FAILED',
    'BRIDGE_REBUILD_FAILED',
    'AVAILABILITY_REFRESH_FAILED',
  ],
})

export const uninstallAbility = route({
  method: 'DELETE',
  url: '/api/abilities/:abilityId',
  tag: ABILITY_TAG,
  summary: 'Remove an ability with all its versions, files and entries',
  privilege: 'write',
  params: abilityParams,
  reply: z.object({
    ability_id: AbilityId,
    uninstalled: z.literal(true),
    saga_id: Uuid,
    schema_version: SchemaVersion,
  }),
  fails: ['ABILITY_NOT_FOUND', 'INSTALL_LANE_DENIED', 'INSTALL_IN_PROGRESS', 'MATERIALIZATION_FAILED'],
})

export const getInstallSaga = route({
  method: 'GET',
  url: '/api/learn/installs/:sagaId',
  tag: PROPOSAL_TAG,
  summary: 'Get the progress of an installation',
  privilege: 'read',
  params: z.object({ sagaId: Uuid }),
  reply: z.object({ saga: InstallSaga, schema_version: SchemaVersion }),
  fails: ['INSTALL_NOT_FOUND'],
})
