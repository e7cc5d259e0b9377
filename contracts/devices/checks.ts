import { z } from 'zod'
import { DateTime, SchemaVersion, strictRequestBody, Uuid } from '../base/fields.ts'
import { route } from '../base/route.ts'
import { Effect } from './action.ts'
import { DEVICE_FAILURES, Serial } from './device.ts'
import { SnapshotDiff } from './snapshot.ts'
import {
  Classification,
  ClassifyRequest,
  ExpectElementVisible,
  ExpectElementVisibleResult,
  ExpectScreen,
  ExpectScreenResult,
  ExpectState,
  ExpectStateResult,
  EffectDecision,
  NetworkEvidence,
  WaitBaseline,
  WaitForIdle,
  WaitForScreenChange,
  WaitForScreenChangeResult,
  WaitForUi,
  WaitForUiChange,
  WaitForUiChangeResult,
  WaitForUiResult,
} from './verification.ts'

/** An executed action. An execution id without a step id means its last acting step. */
export const ActionId = z
  .string()
  .regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(\/[^\n]{1,128})?$/, 'must name an execution')
  .describe('`<execution_id>` or `<execution_id>/<step_id>`')

const requestFields = strictRequestBody({}).shape
/** With an action, only readings after its end count, and the result is stored with it. */
const actionFields = { action_id: ActionId.optional(), ...requestFields }

const UiWait = WaitForUi.safeExtend({ kind: z.literal('ui'), ...actionFields })
const IdleWait = WaitForIdle.extend({ kind: z.literal('idle'), ...actionFields })
const UiChangeWait = WaitForUiChange.extend({ kind: z.literal('ui_change'), ...requestFields })
const ScreenChangeWait = WaitForScreenChange.extend({
  kind: z.literal('screen_change'),
  previous_fingerprint: WaitForScreenChange.shape.previous_fingerprint.optional(),
  baseline: WaitBaseline.optional(),
  ...requestFields,
}).refine(
  ({ previous_fingerprint, baseline }) => (previous_fingerprint === undefined) !== (baseline === undefined),
  'requires exactly one of previous_fingerprint and baseline',
)

export const WaitRequest = z
  .discriminatedUnion('kind', [UiWait, ScreenChangeWait, UiChangeWait, IdleWait])
  .meta({ id: 'WaitRequest' })
export type WaitRequest = z.output<typeof WaitRequest>

export const ExpectRequest = z
  .discriminatedUnion('kind', [
    ExpectScreen.safeExtend({ kind: z.literal('screen'), ...actionFields }),
    ExpectElementVisible.safeExtend({ kind: z.literal('element_visible'), ...actionFields }),
    ExpectState.safeExtend({ kind: z.literal('state'), ...actionFields }),
  ])
  .meta({ id: 'ExpectRequest' })
export type ExpectRequest = z.output<typeof ExpectRequest>

/** A reference to a stored reading. */
export const ReadingRef = z.object({
  snapshot_revision: z.int().min(1),
  fingerprint: z.string(),
  captured_at: z.iso.datetime(),
})
export type ReadingRef = z.infer<typeof ReadingRef>

const baselineFields = {
  baseline: ReadingRef.nullable().describe('Null if the first reading of the wait was used'),
}

export const WaitOutcome = z.discriminatedUnion('kind', [
  WaitForUiResult.extend({ kind: z.literal('ui') }),
  WaitForScreenChangeResult.extend({ kind: z.literal('screen_change'), ...baselineFields }),
  WaitForUiChangeResult.extend({ kind: z.literal('ui_change'), ...baselineFields }),
  WaitForUiChangeResult.omit({ observed_change: true }).extend({ kind: z.literal('idle') }),
])
export type WaitOutcome = z.infer<typeof WaitOutcome>

export const ExpectOutcome = z.discriminatedUnion('kind', [
  ExpectScreenResult.extend({ kind: z.literal('screen') }),
  ExpectElementVisibleResult.extend({ kind: z.literal('element_visible') }),
  ExpectStateResult.extend({ kind: z.literal('state') }),
])
export type ExpectOutcome = z.infer<typeof ExpectOutcome>

const TAG = 'devices'
const params = z.object({ serial: Serial })
const READING_FAILURES = [...DEVICE_FAILURES, 'EXECUTION_NOT_FOUND', 'SHUTTING_DOWN'] as const

export const waitOnDevice = route({
  method: 'POST',
  url: '/api/devices/:serial/waits',
  tag: TAG,
  summary: 'Wait for a condition on the screen; other work continues between readings',
  waits: { for: 'the device', at_most_ms: 21_000 },
  privilege: 'write',
  params,
  body: WaitRequest,
  reply: z.object({ wait: WaitOutcome, schema_version: SchemaVersion }),
  fails: [...READING_FAILURES, 'BASELINE_NOT_FOUND'],
})

export const expectOnDevice = route({
  method: 'POST',
  url: '/api/devices/:serial/expects',
  tag: TAG,
  summary: 'Check whether the screen matches an expectation',
  waits: { for: 'the device', at_most_ms: 21_000 },
  privilege: 'write',
  params,
  body: ExpectRequest,
  reply: z.object({ expect: ExpectOutcome, schema_version: SchemaVersion }),
  fails: READING_FAILURES,
})

export const ClassifyAction = ClassifyRequest.extend({
  action_id: ActionId,
  ui_changed: ClassifyRequest.shape.ui_changed
    .optional()
    .describe('Absent: the daemon compares the last reading before the action with a new one; needs write privilege'),
  foreground_matches: z
    .boolean()
    .nullable()
    .default(null)
    .describe('For a launch: whether the launched app is in the foreground'),
  ...requestFields,
}).meta({ id: 'ClassifyAction' })

/** The effect of an action and where it was declared. */
export const ActionFacts = z
  .object({
    action_id: ActionId,
    step_id: z.string(),
    verb: z.string(),
    action_type: Effect,
    source: EffectDecision.shape.source,
    table_version: EffectDecision.shape.table_version,
  })
  .meta({ id: 'ActionFacts' })
export type ActionFacts = z.infer<typeof ActionFacts>

export const classifyOnDevice = route({
  method: 'POST',
  url: '/api/devices/:serial/classify',
  tag: TAG,
  summary: 'Classify the outcome of an action by the given evidence; never replaces an expectation',
  waits: { for: 'the device', at_most_ms: 30_000 },
  privilege: 'read',
  params,
  body: ClassifyAction,
  reply: Classification.extend({
    action: ActionFacts,
    looks: z
      .object({ before: ReadingRef, after: ReadingRef, ui_changed: z.boolean() })
      .nullable()
      .describe('The readings that were compared; null if the caller told what changed'),
    schema_version: SchemaVersion,
  }),
  fails: ['EXECUTION_NOT_FOUND', 'FORBIDDEN', 'BASELINE_NOT_FOUND', ...READING_FAILURES],
})

export const diffDevice = route({
  method: 'POST',
  url: '/api/devices/:serial/diff',
  tag: TAG,
  summary: 'Compare two readings that the caller received; by default the last two',
  privilege: 'write',
  params,
  body: strictRequestBody({
    before_revision: z.int().min(1).optional(),
    after_revision: z.int().min(1).optional(),
  }),
  reply: z.object({
    before: ReadingRef,
    after: ReadingRef,
    diff: SnapshotDiff,
    schema_version: SchemaVersion,
  }),
  fails: ['DEVICE_NOT_FOUND', 'BASELINE_NOT_FOUND'],
})

export const LogLine = z
  .object({
    at: DateTime.describe('By the clock of the daemon'),
    pid: z.int(),
    tid: z.int(),
    level: z.enum(['V', 'D', 'I', 'W', 'E', 'F']),
    tag: z.string(),
    text: z.string(),
  })
  .meta({ id: 'LogLine' })
export type LogLine = z.infer<typeof LogLine>

export const DiagnosticsPurpose = z.enum(['verification', 'diagnosis'])

export const readDiagnostics = route({
  method: 'GET',
  url: '/api/devices/:serial/diagnostics',
  tag: TAG,
  summary: 'Read the device log around an execution: once, and only if the screen cannot verify the result',
  waits: { for: 'the device', at_most_ms: 15_000 },
  privilege: 'write',
  params,
  query: z.object({
    execution_id: Uuid,
    purpose: DiagnosticsPurpose.default('verification'),
    lines: z.coerce.number().int().min(1).max(2000).default(500),
  }),
  reply: z.object({
    execution_id: Uuid,
    purpose: DiagnosticsPurpose,
    from: DateTime,
    to: DateTime,
    clock_offset_ms: z.number().describe('Clock of the device minus clock of the daemon'),
    lines: z.array(LogLine),
    truncated: z.boolean().describe('Older lines of the period were omitted'),
    has_log_errors: z.boolean(),
    network_requests: NetworkEvidence.max(200).describe('The requests that the lines mention; a sign, never a proof'),
    schema_version: SchemaVersion,
  }),
  fails: [...DEVICE_FAILURES, 'EXECUTION_NOT_FOUND', 'DIAGNOSTICS_NOT_ALLOWED', 'LOGCAT_UNAVAILABLE'],
})
