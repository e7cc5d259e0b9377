import { z } from 'zod'
import { DateTime, requestBody, SchemaVersion, Uuid } from '../base/fields.ts'
import { PageQuery, pageFields } from '../base/page.ts'
import { route } from '../base/route.ts'
import { DEVICE_FAILURES, Serial } from './device.ts'

export const RecordingSessionId = z
  .string()
  .regex(/^[A-Za-z0-9_-]+$/)
  .max(128)

/** First line of a recording file. Unknown keys are ignored. */
export const RecordingHeader = z.object({
  type: z.literal('recording_header'),
  schemaVersion: z.number(),
  sessionId: z.string(),
  startedAt: z.number().describe('Milliseconds since the epoch'),
  operatorPackage: z.string().describe('The program that made the recording'),
})
export type RecordingHeader = z.infer<typeof RecordingHeader>

const eventFields = { ts: z.number(), seq: z.number() }
const snapshotField = { snapshot: z.string().nullable().optional() }
const nullableText = z.string().nullable()

export const RecordedBounds = z.object({
  left: z.number(),
  top: z.number(),
  right: z.number(),
  bottom: z.number(),
})

export const WindowChangeEvent = z.object({
  ...eventFields,
  type: z.literal('window_change'),
  packageName: z.string().describe('May be empty'),
  className: nullableText.optional(),
  title: nullableText.optional(),
  ...snapshotField,
})

export const ClickEvent = z.object({
  ...eventFields,
  type: z.literal('click'),
  packageName: z.string(),
  resourceId: nullableText,
  text: nullableText,
  contentDesc: nullableText,
  bounds: RecordedBounds,
  ...snapshotField,
})

export const ScrollEvent = z.object({
  ...eventFields,
  type: z.literal('scroll'),
  packageName: z.string(),
  resourceId: nullableText,
  scrollX: z.number(),
  scrollY: z.number(),
  maxScrollX: z.number(),
  maxScrollY: z.number(),
  ...snapshotField,
})

export const PressKeyEvent = z.object({
  ...eventFields,
  type: z.literal('press_key'),
  key: z.literal('back').describe('The only key in this version of the format'),
  ...snapshotField,
})

export const TextChangeEvent = z.object({
  ...eventFields,
  type: z.literal('text_change'),
  packageName: z.string(),
  resourceId: nullableText,
  text: z.string(),
  ...snapshotField,
})

/** The event schemas by type. */
export const RECORDING_EVENTS = {
  window_change: WindowChangeEvent,
  click: ClickEvent,
  scroll: ScrollEvent,
  press_key: PressKeyEvent,
  text_change: TextChangeEvent,
} as const
export type RecordingEventType = keyof typeof RECORDING_EVENTS

export const RecordingEvent = z
  .discriminatedUnion('type', [WindowChangeEvent, ClickEvent, ScrollEvent, PressKeyEvent, TextChangeEvent])
  .meta({ id: 'RecordingEvent' })
export type RecordingEvent = z.infer<typeof RecordingEvent>

const uiStateField = { uiStateBefore: z.string().nullable() }
const stepFields = { seq: z.number(), packageName: z.string() }

/** `v1` omits event types that readers of version 1 do not know; `full` includes typing, keys and scrolling. */
export const StepLogMode = z.enum(['v1', 'full'])
export type StepLogMode = z.infer<typeof StepLogMode>

export const RecordingStep = z.discriminatedUnion('type', [
  z.object({ ...stepFields, type: z.literal('open_app'), ...uiStateField }),
  z.object({
    ...stepFields,
    type: z.literal('click'),
    resourceId: nullableText,
    text: nullableText,
    contentDesc: nullableText,
    bounds: RecordedBounds,
    ...uiStateField,
  }),
  z.object({
    ...stepFields,
    type: z.literal('enter_text'),
    resourceId: nullableText,
    text: z.string(),
    ...uiStateField,
  }),
  z.object({
    seq: z.number(),
    type: z.literal('press_key'),
    key: z.literal('back'),
    ...uiStateField,
  }),
  z.object({
    ...stepFields,
    type: z.literal('scroll'),
    resourceId: nullableText,
    scrollX: z.number(),
    scrollY: z.number(),
    maxScrollX: z.number(),
    maxScrollY: z.number(),
    eventCount: z.int().min(1),
    ...uiStateField,
  }),
])
export type RecordingStep = z.infer<typeof RecordingStep>

export const RecordingStepLog = z
  .object({
    sessionId: z.string(),
    schemaVersion: z.literal(1),
    steps: z.array(RecordingStep),
    _warnings: z.array(z.string()).optional(),
  })
  .meta({ id: 'RecordingStepLog' })
export type RecordingStepLog = z.infer<typeof RecordingStepLog>

const exportFields = {
  seq: z.number(),
  ts: z.number(),
  deltaMsSincePrevious: z.number().nullable(),
}
const exportedSnapshotField = {
  snapshot: z.object({ present: z.boolean(), xml: z.string().nullable() }),
}

/** Fields that an export writes in another format. */
const REWRITTEN_FIELDS = { ts: true, seq: true, snapshot: true } as const

const ExportedEvent = z.discriminatedUnion('type', [
  z.object({
    ...exportFields,
    type: z.literal('window_change'),
    packageName: z.string(),
    className: nullableText,
    title: nullableText,
    ...exportedSnapshotField,
  }),
  z.object({
    ...exportFields,
    ...ClickEvent.omit(REWRITTEN_FIELDS).shape,
    ...exportedSnapshotField,
  }),
  z.object({
    ...exportFields,
    ...ScrollEvent.omit(REWRITTEN_FIELDS).shape,
    ...exportedSnapshotField,
  }),
  z.object({
    ...exportFields,
    ...PressKeyEvent.omit(REWRITTEN_FIELDS).shape,
    ...exportedSnapshotField,
  }),
  z.object({
    ...exportFields,
    ...TextChangeEvent.omit(REWRITTEN_FIELDS).shape,
    ...exportedSnapshotField,
  }),
])
export type ExportedEvent = z.infer<typeof ExportedEvent>

export const SnapshotMode = z.enum(['omit', 'include'])
export type SnapshotMode = z.infer<typeof SnapshotMode>

/** The export format of a recording. Unknown keys are ignored. */
export const RecordingExport = z
  .object({
    exportVersion: z.literal(1),
    session: z.object({
      sessionId: z.string(),
      schemaVersion: z.number(),
      startedAt: z.number(),
      operatorPackage: z.string(),
    }),
    snapshotMode: SnapshotMode,
    events: z.array(ExportedEvent),
    counts: z.object({ totalEvents: z.int().min(0), byType: z.record(z.string(), z.int().min(1)) }),
    packageTransitions: z.array(
      z.object({
        seq: z.number(),
        ts: z.number(),
        fromPackageName: z.string(),
        toPackageName: z.string(),
      }),
    ),
    timeline: z.object({
      firstEventTs: z.number().nullable(),
      lastEventTs: z.number().nullable(),
      durationMs: z.number().nullable(),
    }),
  })
  .meta({ id: 'RecordingExport' })
export type RecordingExport = z.infer<typeof RecordingExport>

export const RecordingSource = z
  .enum(['proxy', 'touch'])
  .describe('proxy: actions executed through the daemon; touch: touches on the phone itself')
export type RecordingSource = z.infer<typeof RecordingSource>

export const DeviceRecording = z
  .object({
    recording_id: Uuid,
    session_id: RecordingSessionId,
    serial: Serial,
    source: RecordingSource,
    state: z.enum(['recording', 'stopped', 'failed']),
    learn_session_id: Uuid.optional(),
    event_count: z.int().min(0),
    started_at: DateTime,
    stopped_at: DateTime.optional(),
    failure_code: z.string().max(80).optional().describe('The reason of a failed recording'),
    schema_version: SchemaVersion,
  })
  .meta({ id: 'DeviceRecording' })
export type DeviceRecording = z.infer<typeof DeviceRecording>

const TAG = 'recordings'
const deviceParams = z.object({ serial: Serial })
const recordingParams = deviceParams.extend({ recordingId: Uuid })
const LOOKUP_FAILURES = ['DEVICE_NOT_FOUND', 'RECORDING_SESSION_NOT_FOUND'] as const
const FILE_FAILURES = [
  'RECORDING_PARSE_FAILED',
  'RECORDING_SCHEMA_VERSION_UNSUPPORTED',
  'WORK_LIMIT_EXCEEDED',
  'OVERLOADED',
] as const
const recordingReply = z.object({ recording: DeviceRecording, schema_version: SchemaVersion })
const modeField = { mode: StepLogMode.default('v1') }
/** A file with UI trees has several megabytes. */
const MAX_FILE_LENGTH = 24 * 1024 * 1024
const fileField = { ndjson: z.string().max(MAX_FILE_LENGTH) }
const BODY_LIMIT = 32 * 1024 * 1024

export const startRecording = route({
  method: 'POST',
  url: '/api/devices/:serial/recordings',
  tag: TAG,
  summary: 'Start recording a device; one recording per device at a time',
  waits: { for: 'the device', at_most_ms: 15_000 },
  privilege: 'write',
  params: deviceParams,
  body: requestBody({
    session_id: RecordingSessionId.optional(),
    source: RecordingSource.default('proxy'),
    learn_session_id: Uuid.optional(),
  }),
  reply: recordingReply,
  status: 201,
  fails: [...DEVICE_FAILURES, 'RECORDING_ALREADY_IN_PROGRESS', 'RECORDING_START_FAILED', 'LEARN_SESSION_NOT_FOUND'],
})

export const stopRecording = route({
  method: 'POST',
  url: '/api/devices/:serial/recordings/:recordingId/stop',
  tag: TAG,
  summary: 'Stop a recording and store it',
  waits: { for: 'the device', at_most_ms: 15_000 },
  privilege: 'write',
  params: recordingParams,
  reply: recordingReply,
  fails: [...LOOKUP_FAILURES, 'RECORDING_NOT_IN_PROGRESS'],
})

export const listRecordings = route({
  method: 'GET',
  url: '/api/devices/:serial/recordings',
  tag: TAG,
  summary: 'List the recordings of a device, newest first',
  privilege: 'read',
  params: deviceParams,
  query: PageQuery,
  reply: z.object({
    recordings: z.array(DeviceRecording),
    ...pageFields,
    schema_version: SchemaVersion,
  }),
  fails: ['DEVICE_NOT_FOUND'],
})

export const getRecording = route({
  method: 'GET',
  url: '/api/devices/:serial/recordings/:recordingId',
  tag: TAG,
  summary: 'Get one recording with one page of its events',
  privilege: 'read',
  params: recordingParams,
  query: PageQuery.extend({ snapshots: SnapshotMode.default('omit') }),
  reply: z.object({
    recording: DeviceRecording,
    events: z.array(RecordingEvent),
    ...pageFields,
    schema_version: SchemaVersion,
  }),
  fails: LOOKUP_FAILURES,
})

export const pullRecording = route({
  method: 'GET',
  url: '/api/devices/:serial/recordings/:recordingId/ndjson',
  tag: TAG,
  summary: 'Get a recording as newline-delimited JSON',
  privilege: 'read',
  params: recordingParams,
  reply: z.string(),
  media: 'application/x-ndjson',
  fails: LOOKUP_FAILURES,
})

export const recordingSteps = route({
  method: 'GET',
  url: '/api/devices/:serial/recordings/:recordingId/steps',
  tag: TAG,
  summary: 'Get a recording as a list of steps',
  privilege: 'read',
  params: recordingParams,
  query: z.object(modeField),
  reply: RecordingStepLog,
  fails: LOOKUP_FAILURES,
})

export const exportRecording = route({
  method: 'GET',
  url: '/api/devices/:serial/recordings/:recordingId/export',
  tag: TAG,
  summary: 'Export a recording; a redacted export contains no UI trees',
  privilege: 'read',
  params: recordingParams,
  query: z.object({
    snapshots: SnapshotMode.default('omit'),
    redact: z.stringbool().default(false),
  }),
  reply: RecordingExport,
  fails: LOOKUP_FAILURES,
})

export const parseRecordingFile = route({
  method: 'POST',
  url: '/api/recordings/parse',
  tag: TAG,
  summary: 'Parse the steps of a recording file; nothing is stored',
  privilege: 'read',
  body: requestBody({ ...fileField, ...modeField }),
  body_limit: BODY_LIMIT,
  reply: RecordingStepLog,
  fails: FILE_FAILURES,
})

export const exportRecordingFile = route({
  method: 'POST',
  url: '/api/recordings/export',
  tag: TAG,
  summary: 'Convert a recording file to an export; nothing is stored',
  privilege: 'read',
  body: requestBody({
    ...fileField,
    snapshots: SnapshotMode.default('omit'),
    redact: z.boolean().default(false),
  }),
  body_limit: BODY_LIMIT,
  reply: RecordingExport,
  fails: FILE_FAILURES,
})
