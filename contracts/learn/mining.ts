import { z } from 'zod'
import { AbilityId, DateTime, requestBody, SchemaVersion, text, Uuid } from '../base/fields.ts'
import { PageQuery, pageFields } from '../base/page.ts'
import { route } from '../base/route.ts'

export const MiningMode = z.enum(['off', 'ask_before_build', 'build_then_review', 'auto_install_private'])
export type MiningMode = z.infer<typeof MiningMode>

const ratio = z.number().min(0).max(1)

const settingsFields = {
  mode: MiningMode,
  observe_inside_elnor: z
    .boolean()
    .describe('Store the screens around actions executed by this daemon, to learn from them'),
  observe_outside_elnor: z.boolean(),
  min_successful_traces: z.int().min(1).max(1000),
  require_user_feedback_before_build_when_ambiguous: z.boolean(),
  require_tests_before_proposal: z.boolean(),
  max_variation_score: ratio,
  min_verification_coverage: ratio,
  scan_interval_hours: z.int().min(1).max(8760).describe('Scans run at night; less than 24 means every night'),
  max_proposals_per_scan: z.int().min(0).max(100),
}

/** How the daemon finds repeated workflows of all users. */
export const SkillMiningSettings = z
  .object({ ...settingsFields, schema_version: SchemaVersion })
  .meta({ id: 'SkillMiningSettings' })
export type SkillMiningSettings = z.infer<typeof SkillMiningSettings>

export const GateCode = z.enum([
  'INSUFFICIENT_TRACES',
  'variation_too_high',
  'verification_too_low',
  'critical_safety_failure',
  'friction_block',
  'not_reusable',
])
export type GateCode = z.infer<typeof GateCode>

export const MiningGate = z.enum([
  'enough_traces',
  'variation_low',
  'verification_high',
  'no_critical_safety_failure',
  'no_friction_block',
  'reusable',
])
export type MiningGate = z.infer<typeof MiningGate>

export const PositiveIndicator = z.enum(['same_goal_across_projects', 'stable_order', 'strong_replay'])
export type PositiveIndicator = z.infer<typeof PositiveIndicator>

export const NegativeIndicator = z.enum([
  'one_off',
  'ambiguous_names',
  'repeated_overrides',
  'repeated_verification_failures',
  'unresolved_policy_failures',
])
export type NegativeIndicator = z.infer<typeof NegativeIndicator>

/** Reasons why a draft would be ambiguous. */
export const Ambiguity = z.enum(['unclear_specificity', 'two_names', 'overlaps_ability', 'variation_near_limit'])
export type Ambiguity = z.infer<typeof Ambiguity>

export const ProjectSpecificity = z.enum(['global', 'project_scoped', 'unclear'])
export type ProjectSpecificity = z.infer<typeof ProjectSpecificity>

/** Runs of one user with the same goal in the same app, and the results of the gates for a proposal. */
export const TraceCluster = z
  .object({
    cluster_id: Uuid,
    normalized_goal: z.string().max(240),
    app_family: z.string().max(80),
    source_mode: z.enum(['elnor_observed', 'user_guided', 'desktop_observed']),
    successful_trace_ids: z.array(Uuid),
    failed_trace_ids: z.array(Uuid),
    dominant_control_surfaces: z.array(z.string().max(80)),
    variation_score: ratio,
    verification_coverage_score: ratio,
    project_specificity: ProjectSpecificity,
    gates: z.array(z.object({ gate: MiningGate, passed: z.boolean(), code: GateCode.optional() })),
    positive_indicators: z.array(PositiveIndicator),
    negative_indicators: z.array(NegativeIndicator),
    ambiguities: z.array(Ambiguity),
    priority: ratio.describe('For ordering only'),
    suggested_name: z.string().max(160).optional(),
    project_id: z.string().max(120).optional(),
    covered_by_ability_id: AbilityId.optional().describe('The ability that already covers this workflow'),
    learn_session_id: Uuid.optional(),
    proposal_id: Uuid.optional(),
    build_error: z.string().max(240).optional().describe('Why the build failed'),
    owner_user_id: z.string().max(160).describe('The owner of the runs, who reviews the draft'),
    created_at: DateTime,
    updated_at: DateTime,
    schema_version: SchemaVersion,
  })
  .meta({ id: 'TraceCluster' })
export type TraceCluster = z.infer<typeof TraceCluster>

export const MiningScan = z
  .object({
    scan_id: Uuid,
    clusters_seen: z.int().min(0),
    proposals_created: z.array(Uuid),
    gate_failures: z.array(z.object({ cluster_id: Uuid, reasons: z.array(GateCode) })),
    build_failures: z.array(z.object({ cluster_id: Uuid, reason: z.string().max(240) })),
    schema_version: SchemaVersion,
  })
  .meta({ id: 'MiningScan' })
export type MiningScan = z.infer<typeof MiningScan>

const TAG = 'learn mining'

export const getMiningSettings = route({
  method: 'GET',
  url: '/api/learn/mining/settings',
  tag: TAG,
  summary: 'Get the mining settings',
  privilege: 'read',
  reply: SkillMiningSettings,
})

const SettingsBody = requestBody({
  ...z.object(settingsFields).partial().shape,
  confirm_observe_outside: z.boolean().optional().describe('Must be true to enable observation outside the agent'),
})
export type MiningSettingsChange = Omit<z.infer<typeof SettingsBody>, 'client_request_id'>

export const putMiningSettings = route({
  method: 'PUT',
  url: '/api/learn/mining/settings',
  tag: TAG,
  summary: 'Change mining settings; omitted settings stay unchanged',
  privilege: 'admin',
  body: SettingsBody,
  reply: SkillMiningSettings,
  fails: ['OBSERVATION_CONFIRMATION_REQUIRED'],
})

export const postMiningSettings = route({
  ...putMiningSettings,
  method: 'POST',
  summary: 'Change mining settings; for clients redirected from the retired route',
})

export const scanForWorkflows = route({
  method: 'POST',
  url: '/api/learn/mining/scan',
  tag: TAG,
  summary: "Scan past runs now: the caller's own, or those of all users for an admin",
  privilege: 'write',
  body: requestBody({ run_label: text(120).optional() }),
  reply: MiningScan,
  fails: ['MINING_OFF'],
})

export const listTraceClusters = route({
  method: 'GET',
  url: '/api/learn/mining/clusters',
  tag: TAG,
  summary: "List repeated workflows by priority: the caller's own, or those of all users for an admin",
  privilege: 'read',
  query: PageQuery,
  reply: z.object({
    clusters: z.array(TraceCluster),
    ...pageFields,
    schema_version: SchemaVersion,
  }),
})
