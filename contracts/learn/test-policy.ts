import { z } from 'zod'
import { SchemaVersion, text, Uuid } from '../base/fields.ts'

export const TestPolicyMode = z.enum([
  'read_only',
  'dry_run_only',
  'blank_artifact',
  'copy_artifact',
  'safe_target_only',
  'redirect_send',
  'live_read_safe_write',
  'controlled_live_test',
])

export const SafeTarget = z.object({
  target_kind: z.enum([
    'temp_folder',
    'blank_document',
    'copied_document',
    'blank_project',
    'safe_email_recipient',
    'managed_browser_profile',
    'test_sharepoint_site',
  ]),
  ref: text(240),
})

/** What a rehearsal or practice may change. */
export const TestPolicy = z
  .object({
    policy_id: Uuid,
    mode: TestPolicyMode,
    safe_targets: z.array(SafeTarget).max(50),
    forbid_destructive_writes: z.boolean(),
    forbid_external_send: z.boolean(),
    allowed_domains: z.array(text(120)).max(100),
    max_actions: z.int().min(1).max(200),
    cleanup_required: z.boolean(),
    schema_version: SchemaVersion,
  })
  .meta({ id: 'TestPolicy' })
export type TestPolicy = z.infer<typeof TestPolicy>

export const IncomingTestPolicy = TestPolicy.extend({
  safe_targets: TestPolicy.shape.safe_targets.default([]),
  forbid_destructive_writes: z.boolean().default(true),
  forbid_external_send: z.boolean().default(true),
  allowed_domains: TestPolicy.shape.allowed_domains.default([]),
  max_actions: TestPolicy.shape.max_actions.default(40),
  cleanup_required: z.boolean().default(false),
  schema_version: SchemaVersion.default(1),
}).meta({ id: 'IncomingTestPolicy' })
