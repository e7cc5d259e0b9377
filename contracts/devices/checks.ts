import { z } from 'zod'
import { DateTime, SchemaVersion, strictRequestBody, Uuid } from '../base/fields.ts'
import { route } from '../base/route.ts'
import { Effect } from './action.ts'
import { reaching, Serial } from './device.ts'
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
  WaitBaseline,
  WaitForIdle,
  WaitForScreenChange,
  WaitForScreenChangeResult,
  WaitForUi,
  WaitForUiChange,
  WaitForUiChangeResult,
  WaitForUiResult,
} from './verification.ts'

/** An action that was done: an execution stands for its last acting step. */
export const ActionId = z
  .string()
  .regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(\/[^\n]{1,128})?$/, 'must name an execution')
  .describe('`<execution_id>` or `<execution_id>/<step_id>`')

const requestMarks = strictRequestBody({}).shape
/** Named, the action must have ended before a reading counts, and what came out is noted with it. */
const aboutAction = { action_id: ActionId.optional(), ...requestMarks }

const UiWait = WaitForUi.safeExtend({ kind: z.literal('ui'), ...aboutAction })
const IdleWait = WaitForIdle.extend({ kind: z.literal('idle'), ...aboutAction })
const UiChangeWait = WaitForUiChange.extend({ kind: z.literal('ui_change'), ...requestMarks })
const ScreenChangeWait = WaitForScreenChange.extend({
  kind: z.literal('screen_change'),
  previous_fingerprint: WaitForScreenChange.shape.previous_fingerprint.optional(),
  baseline: WaitBaseline.optional(),
  ...requestMarks,
}).refine(
  ({ previous_fingerprint, baseline }) =>
    (previous_fingerprint === undefined) !== (baseline === undefined),
  'exactly one of previous_fingerprint and baseline is needed',
)

export const WaitRequest = z
  .discriminatedUnion('kind', [UiWait, ScreenChangeWait, UiChangeWait, IdleWait])
  .meta({ id: 'WaitRequest' })
export type WaitRequest = z.output<typeof WaitRequest>

export const ExpectRequest = z
  .discriminatedUnion('kind', [
    ExpectScreen.safeExtend({ kind: z.literal('screen'), ...aboutAction }),
    ExpectElementVisible.safeExtend({ kind: z.literal('element_visible'), ...aboutAction }),
    ExpectState.safeExtend({ kind: z.literal('state'), ...aboutAction }),
  ])
  .meta({ id: 'ExpectRequest' })
export type ExpectRequest = z.output<typeof ExpectRequest>

/** A reading that was kept, by number and time. */
export const KeptReading = z.object({
  snapshot_revision: z.int().min(1),
  fingerprint: z.string(),
  captured_at: z.iso.datetime(),
})
export type KeptReading = z.infer<typeof KeptReading>

const against = {
  baseline: KeptReading.nullable().describe('Null when the first reading of the wait was taken'),
}

export const WaitOutcome = z.discriminatedUnion('kind', [
  WaitForUiResult.extend({ kind: z.literal('ui') }),
  WaitForScreenChangeResult.extend({ kind: z.literal('screen_change'), ...against }),
  WaitForUiChangeResult.extend({ kind: z.literal('ui_change'), ...against }),
  WaitForUiChangeResult.omit({ observed_change: true }).extend({ kind: z.literal('idle') }),
])
export type WaitOutcome = z.infer<typeof WaitOutcome>

export const ExpectOutcome = z.discriminatedUnion('kind', [
  ExpectScreenResult.extend({ kind: z.literal('screen') }),
  ExpectElementVisibleResult.extend({ kind: z.literal('element_visible') }),
  ExpectStateResult.extend({ kind: z.literal('state') }),
])
export type ExpectOutcome = z.infer<typeof ExpectOutcome>

const tag = 'devices'
const params = z.object({ serial: Serial })
const watching = [...reaching, 'EXECUTION_NOT_FOUND', 'SHUTTING_DOWN'] as const

export const waitOnDevice = route({
  method: 'POST',
  url: '/api/devices/:serial/waits',
  tag,
  summary: 'Wait for something on the screen; other work goes on between the readings',
  privilege: 'write',
  params,
  body: WaitRequest,
  reply: z.object({ wait: WaitOutcome, schema_version: SchemaVersion }),
  fails: [...watching, 'BASELINE_NOT_FOUND'],
})

export const expectOnDevice = route({
  method: 'POST',
  url: '/api/devices/:serial/expects',
  tag,
  summary: 'Whether the screen is as it should be',
  privilege: 'write',
  params,
  body: ExpectRequest,
  reply: z.object({ expect: ExpectOutcome, schema_version: SchemaVersion }),
  fails: watching,
})

export const ClassifyAction = ClassifyRequest.extend({
  action_id: ActionId,
  foreground_matches: z
    .boolean()
    .nullable()
    .default(null)
    .describe('Of a launch: whether the launched app is in front'),
  ...requestMarks,
}).meta({ id: 'ClassifyAction' })

/** What an action is taken to do, and who said so. */
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
  tag,
  summary: 'What came of an action, by the evidence given; it never replaces an expectation',
  privilege: 'read',
  params,
  body: ClassifyAction,
  reply: Classification.extend({ action: ActionFacts, schema_version: SchemaVersion }),
  fails: ['EXECUTION_NOT_FOUND'],
})

export const diffDevice = route({
  method: 'POST',
  url: '/api/devices/:serial/diff',
  tag,
  summary: 'What changed between two readings the caller has been shown; the last two by default',
  privilege: 'write',
  params,
  body: strictRequestBody({
    before_revision: z.int().min(1).optional(),
    after_revision: z.int().min(1).optional(),
  }),
  reply: z.object({
    before: KeptReading,
    after: KeptReading,
    diff: SnapshotDiff,
    schema_version: SchemaVersion,
  }),
  fails: ['DEVICE_NOT_FOUND', 'BASELINE_NOT_FOUND'],
})

export const LogLine = z
  .object({
    at: DateTime.describe("By this daemon's clock"),
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
  tag,
  summary: "The device's log around an execution: once, and only where the screen cannot tell",
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
    clock_offset_ms: z.number().describe("The device's clock less this daemon's"),
    lines: z.array(LogLine),
    truncated: z.boolean().describe('Older lines of the time were left out'),
    has_log_errors: z.boolean(),
    schema_version: SchemaVersion,
  }),
  fails: [...reaching, 'EXECUTION_NOT_FOUND', 'DIAGNOSTICS_NOT_ALLOWED', 'LOGCAT_UNAVAILABLE'],
})
