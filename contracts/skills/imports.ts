import { z } from 'zod'
import { AbilityVisibility } from '../abilities/ability.ts'
import { ImportEvent } from '../base/events.ts'
import { AbilityId, requestBody, SchemaVersion, strictRequestBody, text, Uuid } from '../base/fields.ts'
import { PageQuery, pageFields } from '../base/page.ts'
import { LearnPartialDeploymentState } from '../learn/runtime.ts'
import { route } from '../base/route.ts'
import {
  ImportedSkillRecord,
  ImportSource,
  ImportState,
  RetryKind,
  SkillCompatibilityReport,
  SkillPackMetadata,
  TempArtifactRef,
} from './import-record.ts'

const TAG = 'skill imports'
const Warning = z.string().max(240)

/** The optional `metadata` part of an upload, as JSON. */
export const UploadMetadata = strictRequestBody({
  source: ImportSource.default('manual_upload'),
  requested_pack_id: z.string().min(1).max(64).optional(),
  notes: z.string().max(1000).optional(),
})
export type UploadMetadata = z.output<typeof UploadMetadata>

export const uploadBundle = route({
  method: 'POST',
  url: '/api/skills/import/uploads',
  tag: TAG,
  summary: 'Upload a skill bundle (zip, at most 100 MB); it is stored for 24 hours unless staged',
  privilege: 'write',
  form: z.object({
    bundle: z.string().meta({ format: 'binary' }),
    metadata: UploadMetadata.optional(),
  }),
  reply: z.object({
    temp_artifact: TempArtifactRef,
    accepted: z.boolean(),
    import_id: Uuid,
    schema_version: SchemaVersion,
  }),
  status: 201,
  fails: [
    'SKILL_IMPORT_FILE_TOO_LARGE',
    'SKILL_IMPORT_UNSUPPORTED_MIME',
    'SKILL_IMPORT_UNSUPPORTED_EXTENSION',
    'SKILL_IMPORT_ARCHIVE_REQUIRED',
    'SKILL_IMPORT_PACK_UNKNOWN',
  ],
})

export const deleteUpload = route({
  method: 'DELETE',
  url: '/api/skills/import/uploads/:tempArtifactRef',
  tag: TAG,
  summary: 'Delete an upload that is not in use; its import is discarded',
  privilege: 'write',
  params: z.object({ tempArtifactRef: z.string().regex(/^[A-Za-z0-9_-]{1,240}$/) }),
  reply: z.object({
    deleted: z.literal(true),
    temp_artifact_ref: z.string().max(240),
    schema_version: SchemaVersion,
  }),
  fails: ['SKILL_IMPORT_UPLOAD_NOT_FOUND', 'SKILL_IMPORT_UPLOAD_IN_USE'],
})

export const scanBundle = route({
  method: 'POST',
  url: '/api/skills/import/scan',
  tag: TAG,
  summary: 'Scan a bundle without executing any of its content; replies at the end of the scan',
  waits: { for: 'the process that reads the bundle', at_most_ms: 120_000 },
  privilege: 'write',
  body: strictRequestBody({
    source: ImportSource,
    temp_artifact_ref: z.string().min(1).max(240).optional(),
    /** An earlier name of `temp_artifact_ref`. */
    staged_upload_ref: z.string().min(1).max(240).optional(),
  }),
  reply: z.object({
    import_record: ImportedSkillRecord,
    compatibility_report: SkillCompatibilityReport,
    receipt_id: Uuid.optional(),
    schema_version: SchemaVersion,
  }),
  fails: ['SKILL_IMPORT_UPLOAD_NOT_FOUND', 'SKILL_IMPORT_UPLOAD_EXPIRED', 'SKILL_IMPORT_INVALID_STATE'],
})

export const stageImport = route({
  method: 'POST',
  url: '/api/skills/import/stage',
  tag: TAG,
  summary: 'Unpack a compatible bundle and draft a proposal from it for review',
  waits: { for: 'the process that reads the bundle', at_most_ms: 120_000 },
  privilege: 'write',
  body: strictRequestBody({
    import_id: Uuid,
    requested_pack_id: z.string().min(1).max(64).optional(),
    stage_notes: z.string().max(1000).optional(),
  }),
  reply: z.object({
    import_record: ImportedSkillRecord,
    materialized_bundle_ref: z.string().max(240).optional(),
    receipt_id: Uuid.optional(),
    schema_version: SchemaVersion,
  }),
  fails: [
    'SKILL_IMPORT_NOT_FOUND',
    'SKILL_IMPORT_INVALID_STATE',
    'SKILL_IMPORT_NOT_COMPATIBLE',
    'SKILL_IMPORT_COLLISION',
    'SKILL_IMPORT_UPLOAD_EXPIRED',
    'SKILL_IMPORT_PACK_UNKNOWN',
    'SKILL_IMPORT_STAGE_FAILED',
  ],
})

export const overrideFindings = route({
  method: 'POST',
  url: '/api/skills/import/override-findings',
  tag: TAG,
  summary: 'Decide, with a reason on record, that findings of a scan do not count; only those found by heuristics',
  privilege: 'admin',
  body: strictRequestBody({
    import_id: Uuid,
    codes: z.array(z.string().min(1).max(120)).min(1).max(20),
    reason: text(1000),
  }),
  reply: z.object({
    import_record: ImportedSkillRecord,
    compatibility_report: SkillCompatibilityReport,
    receipt_id: Uuid,
    schema_version: SchemaVersion,
  }),
  fails: ['SKILL_IMPORT_NOT_FOUND', 'SKILL_IMPORT_INVALID_STATE'],
})

const ActionReply = z.object({
  import_record: ImportedSkillRecord,
  receipt_id: Uuid.optional(),
  saga_id: Uuid.optional(),
  schema_version: SchemaVersion,
})

const INSTALL_FAILURES = [
  'SKILL_IMPORT_NOT_FOUND',
  'SKILL_IMPORT_INVALID_STATE',
  'SKILL_IMPORT_COLLISION',
  'SKILL_IMPORT_INSTALL_FAILED',
  'INSTALL_LANE_DENIED',
  'INSTALL_IN_PROGRESS',
  'CHECKPOINT_LINT_FAILED',
  'RECIPE_INVALID',
] as const

export const approveImport = route({
  method: 'POST',
  url: '/api/skills/import/approve',
  tag: TAG,
  summary: 'Approve a reviewed bundle for the workspace and install it there',
  privilege: 'write',
  body: strictRequestBody({ import_id: Uuid, approval_note: z.string().max(1000).optional() }),
  reply: ActionReply,
  fails: [...INSTALL_FAILURES, 'SKILL_IMPORT_ADAPTER_REQUIRED'],
})

export const rejectImport = route({
  method: 'POST',
  url: '/api/skills/import/reject',
  tag: TAG,
  summary: 'Reject a reviewed bundle',
  privilege: 'write',
  body: strictRequestBody({ import_id: Uuid, reason: text(1000) }),
  reply: ActionReply,
  fails: ['SKILL_IMPORT_NOT_FOUND', 'SKILL_IMPORT_INVALID_STATE'],
})

export const installImport = route({
  method: 'POST',
  url: '/api/skills/import/install-private',
  tag: TAG,
  summary: 'Install a reviewed bundle for the caller, or, as an admin, visible to the workspace',
  privilege: 'write',
  body: strictRequestBody({
    import_id: Uuid,
    target_scope: AbilityVisibility.default('private'),
  }),
  reply: ActionReply,
  fails: INSTALL_FAILURES,
})

export const discardImport = route({
  method: 'POST',
  url: '/api/skills/import/discard',
  tag: TAG,
  summary: 'Discard a bundle that is not installed',
  privilege: 'write',
  body: strictRequestBody({ import_id: Uuid, reason: z.string().max(1000).optional() }),
  reply: ActionReply,
  fails: ['SKILL_IMPORT_NOT_FOUND', 'SKILL_IMPORT_INVALID_STATE'],
})

export const retryImport = route({
  method: 'POST',
  url: '/api/skills/import/retry',
  tag: TAG,
  summary: 'Retry a failed scan, staging or installation',
  waits: { for: 'the process that reads the bundle', at_most_ms: 120_000 },
  privilege: 'write',
  body: strictRequestBody({ import_id: Uuid, retry_kind: RetryKind }),
  reply: ActionReply,
  fails: [
    ...INSTALL_FAILURES,
    'SKILL_IMPORT_UPLOAD_EXPIRED',
    'SKILL_IMPORT_STAGE_FAILED',
    'SKILL_IMPORT_NOT_COMPATIBLE',
  ],
})

export const listImports = route({
  method: 'GET',
  url: '/api/skills/import/list',
  tag: TAG,
  summary: "List the user's imports, newest first",
  privilege: 'read',
  query: PageQuery.extend({ state: ImportState.optional(), source: ImportSource.optional() }),
  reply: z.object({
    items: z.array(ImportedSkillRecord.extend({ warnings: z.array(Warning) })),
    ...pageFields,
  }),
})

export const getImport = route({
  method: 'GET',
  url: '/api/skills/import/:importId',
  tag: TAG,
  summary: 'Get one import with its compatibility report',
  privilege: 'read',
  params: z.object({ importId: Uuid }),
  reply: z.object({
    import_record: ImportedSkillRecord,
    compatibility_report: SkillCompatibilityReport.optional(),
    partial_deployment: LearnPartialDeploymentState.optional(),
    proposal_id: Uuid.optional(),
    warnings: z.array(Warning),
    schema_version: SchemaVersion,
  }),
  fails: ['SKILL_IMPORT_NOT_FOUND'],
})

export const streamImportEvents = route({
  method: 'GET',
  url: '/api/skills/import/events/:importId',
  earlier_url: '/api/skills/import/:importId/events',
  tag: TAG,
  summary: 'Stream the progress of an import, replayed from Last-Event-ID',
  privilege: 'read',
  params: z.object({ importId: Uuid }),
  query: z.object({ last_event_id: z.string().max(40).optional() }),
  reply: ImportEvent,
  stream: true,
  fails: ['SKILL_IMPORT_NOT_FOUND', 'STREAM_LIMIT_REACHED', 'NOT_ACCEPTABLE'],
})

export const testTrigger = route({
  method: 'POST',
  url: '/api/skills/trigger-test',
  tag: TAG,
  summary: 'Test whether a text triggers an imported skill or an ability',
  privilege: 'write',
  body: strictRequestBody({
    import_id: Uuid.optional(),
    ability_id: AbilityId.optional(),
    trigger_text: text(2000),
    project_id: z.string().max(160).optional(),
    context_excerpt: z.string().max(4000).optional(),
  }).refine((body) => body.import_id !== undefined || body.ability_id !== undefined, {
    path: ['import_id'],
    error: 'or ability_id is required',
  }),
  reply: z.object({
    matched: z.boolean(),
    candidate_ability_id: AbilityId.optional(),
    candidate_import_id: Uuid.optional(),
    score: z.number().min(0).max(1).optional(),
    reasons: z.array(z.string().max(240)),
    rejection_reasons: z.array(z.string().max(240)),
    receipt_id: Uuid.optional(),
    schema_version: SchemaVersion,
  }),
  fails: ['SKILL_IMPORT_NOT_FOUND', 'ABILITY_NOT_FOUND'],
})

export const listSkillPacks = route({
  method: 'GET',
  url: '/api/skills/packs',
  tag: TAG,
  summary: 'List the skill packs',
  privilege: 'read',
  reply: z.object({ packs: z.array(SkillPackMetadata), schema_version: SchemaVersion }),
})

export const putSkillPack = route({
  method: 'PUT',
  url: '/api/skills/packs/:packId',
  tag: TAG,
  summary: 'Add a skill pack, or replace it',
  privilege: 'admin',
  params: z.object({ packId: z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/) }),
  body: requestBody({
    title: text(120),
    description: text(500).optional(),
    compatibility_target: text(120).optional(),
    active_build_surface: z.boolean().default(true),
  }),
  reply: SkillPackMetadata,
})

export const exportAbility = route({
  method: 'GET',
  url: '/api/abilities/:abilityId/export',
  tag: 'abilities',
  summary: 'Export the current version as a portable bundle; deterministic for each version',
  privilege: 'read',
  params: z.object({ abilityId: AbilityId }),
  reply: z.unknown(),
  media: 'application/zip',
  fails: ['ABILITY_NOT_FOUND', 'ABILITY_NOT_PORTABLE'],
})
