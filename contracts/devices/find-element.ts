import { z } from 'zod'
import { SchemaVersion, strictRequestBody, text } from '../base/fields.ts'
import { route } from '../base/route.ts'
import { LogLine } from './checks.ts'
import { DEVICE_FAILURES, EvidenceRef, Serial } from './device.ts'
import { LoadingState, Snapshot, SnapshotElement } from './snapshot.ts'

export const ElementMatchReason = z.enum([
  'exact_text_match',
  'exact_content_desc_match',
  'exact_resource_id_match',
  'partial_text_match',
  'partial_content_desc_match',
  'partial_resource_id_match',
  'exact_class_match',
  'partial_class_match',
  'semantic_role_match',
  'semantic_action_match',
  'semantic_control_match',
])
export type ElementMatchReason = z.infer<typeof ElementMatchReason>

export const FoundElement = z
  .object({
    element: SnapshotElement.describe('What a touch would reach'),
    score: z.number().min(0).max(1),
    reason: ElementMatchReason,
    promoted_from: z.int().min(0).optional().describe('The index of the matching element inside it'),
  })
  .meta({ id: 'FoundElement' })
export type FoundElement = z.infer<typeof FoundElement>

const TAG = 'devices'
const params = z.object({ serial: Serial })
const fails = [...DEVICE_FAILURES, 'SNAPSHOT_EXTRACTION_FAILED', 'SHUTTING_DOWN'] as const

export const findElement = route({
  method: 'POST',
  url: '/api/devices/:serial/find-element',
  tag: TAG,
  summary: 'Find the element that words name on the current screen, with the other candidates',
  waits: { for: 'the device', at_most_ms: 21_000 },
  privilege: 'write',
  params,
  body: strictRequestBody({
    query: text(500),
    exact: z.boolean().default(false),
    timeout_ms: z
      .int()
      .min(0)
      .max(60_000)
      .default(3000)
      .describe('How long to wait for the device, and to read again while nothing matches'),
  }),
  reply: z.object({
    found: z.boolean(),
    ambiguous: z.boolean().describe('The two best candidates hardly differ'),
    match: FoundElement.nullable(),
    candidates: z.array(FoundElement).max(5).describe('The best first'),
    matched_count: z.int().min(0),
    snapshot_revision: z.int().min(1),
    schema_version: SchemaVersion,
  }),
  fails,
})

const partError = z.string().max(240).optional()

export const DebugSnapshot = z
  .object({
    raw: z.object({
      timestamp: z.iso.datetime(),
      reason: z.string().max(240),
      snapshot_revision: z.int().min(1).optional(),
      captured_at_ms: z.number().optional(),
      activity: z.string().nullable(),
      fingerprint: z.string().nullable(),
      loading_state: LoadingState.nullable(),
      ui_tree: Snapshot.nullable(),
      ui_tree_error: partError,
      screenshot: EvidenceRef.nullable(),
      screenshot_error: partError,
      logs: z.array(LogLine),
      logs_error: partError,
    }),
    semantic: z
      .object({
        screen: z.string().nullable(),
        signals: z.record(z.string(), z.boolean()),
        actions_available: z.array(z.string()).max(10).nullable(),
        confidence: z.number().min(0).max(1),
        warnings: z.array(z.string()),
      })
      .nullable()
      .describe('Derived from `raw` for planning, never for verification; null if little is known'),
    schema_version: SchemaVersion,
  })
  .meta({ id: 'DebugSnapshot' })
export type DebugSnapshot = z.infer<typeof DebugSnapshot>

export const captureDebugSnapshot = route({
  method: 'POST',
  url: '/api/devices/:serial/debug-snapshot',
  tag: TAG,
  summary: 'Read screen, picture and log together; a part that fails is reported and the others are kept',
  waits: { for: 'the device', at_most_ms: 60_000 },
  privilege: 'write',
  params,
  body: strictRequestBody({
    reason: text(240),
    include_logs: z.boolean().default(true),
    log_lines: z.int().min(1).max(2000).default(200),
  }),
  reply: DebugSnapshot,
  fails: ['DEVICE_NOT_FOUND', 'DEVICE_LEASED', 'SHUTTING_DOWN'],
})
