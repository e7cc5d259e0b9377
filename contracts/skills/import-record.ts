import { z } from 'zod'
import { AbilityVisibility } from '../abilities/ability.ts'
import { AbilityId, DateTime, SchemaVersion, Uuid } from '../base/fields.ts'
import { ControlSurface } from '../learn/observation.ts'

export const ImportState = z.enum([
  'upload_pending',
  'uploaded',
  'scanning',
  'scan_failed',
  'scan_complete',
  'staging',
  'stage_failed',
  'ready_for_review',
  'install_queued',
  'install_failed',
  'installed_private',
  'approved',
  'rejected',
  'discarded',
  'expired',
])
export type ImportState = z.infer<typeof ImportState>

export const ImportSource = z.enum(['manual_upload', 'anthropic_bundle', 'openclaw_bundle', 'elnor_generated'])
export type ImportSource = z.infer<typeof ImportSource>

export const RetryKind = z.enum(['scan', 'stage', 'install'])
export type RetryKind = z.infer<typeof RetryKind>

export const PortabilityGrade = z.enum(['direct', 'adapter_required', 'local_only', 'non_portable'])
export type PortabilityGrade = z.infer<typeof PortabilityGrade>

export const CostClass = z.enum(['free', 'low', 'medium', 'high', 'unknown'])

export const SKILL_NAME = /^[a-z0-9][a-z0-9-]{1,63}$/
export const NAMESPACE_NAME = /^[a-z0-9][a-z0-9_-]{1,31}$/

/** The normalized header of a SKILL.md. */
export const PortableFrontmatter = z
  .object({
    name: z.string().regex(SKILL_NAME),
    title: z.string().min(1).max(120),
    description: z.string().min(1).max(500),
    version: z.string().min(1).max(32),
    triggers: z.array(z.string().min(1).max(200)).min(1),
    negative_triggers: z.array(z.string().min(1).max(200)),
    allowed_tools: z.array(z.string().max(80)),
    support_packs: z.array(z.string().max(120)),
    connector_hints: z.array(z.string().max(120)),
    depends_on: z.array(z.string().max(80)),
    preferred_control_surfaces: z.array(ControlSurface),
    estimated_cost_class: CostClass,
    assigned_namespace: z.string().regex(NAMESPACE_NAME).optional(),
    portability_grade: PortabilityGrade,
    schema_version: SchemaVersion,
  })
  .meta({ id: 'PortableFrontmatter' })
export type PortableFrontmatter = z.infer<typeof PortableFrontmatter>

export const SkillCompatibilityFinding = z
  .object({
    code: z.string().max(120),
    severity: z.enum(['info', 'warning', 'error']),
    message: z.string().max(1000),
    path_hint: z.string().max(240).optional(),
    line: z.int().min(1).optional().describe('The line of the file, from 1, if the finding is about one'),
    override: z
      .object({ reason: z.string().max(1000), user_id: z.string(), created_at: DateTime })
      .optional()
      .describe('An administrator decided that the finding does not count'),
  })
  .meta({ id: 'SkillCompatibilityFinding' })
export type SkillCompatibilityFinding = z.infer<typeof SkillCompatibilityFinding>

export const BundleSummary = z.object({
  file_count: z.int().min(0),
  uncompressed_bytes: z.int().min(0),
  scripts: z.array(z.string().max(240)),
  capabilities: z.array(z.string().max(160)),
  allowed_tools: z.array(z.string().max(80)),
  connector_hints: z.array(z.string().max(120)),
})
export type BundleSummary = z.infer<typeof BundleSummary>

export const SkillCompatibilityReport = z
  .object({
    compatible: z.boolean(),
    requires_adapter: z.boolean(),
    rule_version: z.string().max(80),
    suggested_pack_id: z.string().max(64).optional(),
    findings: z.array(SkillCompatibilityFinding),
    portability_grade: PortabilityGrade.optional(),
    bundle_summary: BundleSummary.optional(),
    frontmatter: PortableFrontmatter.optional(),
    schema_version: SchemaVersion,
  })
  .meta({ id: 'SkillCompatibilityReport' })
export type SkillCompatibilityReport = z.infer<typeof SkillCompatibilityReport>

export const ImportedSkillRecord = z
  .object({
    import_id: Uuid,
    source: ImportSource,
    skill_name: z.string().max(80),
    source_ref_kind: z.enum(['temp_artifact', 'materialized_bundle', 'generated_bundle', 'legacy_path']),
    source_ref: z.string().max(240),
    original_filename: z.string().max(240).optional(),
    compatibility_report_ref: z.string().max(240).optional(),
    stage_state: ImportState,
    retry_count: z.int().min(0),
    retry_counts: z.object({ scan: z.int().min(0), stage: z.int().min(0), install: z.int().min(0) }),
    last_error_code: z.string().max(120).optional(),
    skill_pack: z.string().max(64).optional(),
    requires_adapter: z.boolean(),
    content_hash_sha256: z.string().optional(),
    temp_artifact_expires_at: DateTime.optional(),
    proposal_id: Uuid.optional(),
    ability_id: AbilityId.optional(),
    assigned_namespace: z.string().max(32).optional(),
    tool_shadowing_check: z.enum(['clear', 'collision_detected']),
    visibility: AbilityVisibility,
    created_at: DateTime,
    updated_at: DateTime,
    schema_version: SchemaVersion,
  })
  .meta({ id: 'ImportedSkillRecord' })
export type ImportedSkillRecord = z.infer<typeof ImportedSkillRecord>

export const TempArtifactRef = z
  .object({
    temp_artifact_ref: z.string().max(240),
    artifact_kind: z.enum(['skill_bundle_zip', 'skill_bundle_dir', 'generated_bundle']),
    original_filename: z.string().max(240).optional(),
    content_hash_sha256: z.string().regex(/^[0-9a-f]{64}$/),
    byte_size: z.int().min(1),
    created_at: DateTime,
    expires_at: DateTime,
    schema_version: SchemaVersion,
  })
  .meta({ id: 'TempArtifactRef' })
export type TempArtifactRef = z.infer<typeof TempArtifactRef>

export const SkillPackMetadata = z
  .object({
    pack_id: z.string().max(64),
    title: z.string().max(120),
    description: z.string().max(500).optional(),
    compatibility_target: z.string().max(120).optional(),
    active_build_surface: z.boolean(),
    schema_version: SchemaVersion,
  })
  .meta({ id: 'SkillPackMetadata' })
export type SkillPackMetadata = z.infer<typeof SkillPackMetadata>
