import { z } from 'zod'
import { DateTime, requestBody, SchemaVersion, Uuid } from '../base/fields.ts'
import { PageQuery, pageMarks } from '../base/page.ts'
import { route } from '../base/route.ts'
import { reaching, Serial } from './device.ts'

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
  operatorPackage: z.string().describe('Who made the recording'),
})
export type RecordingHeader = z.infer<typeof RecordingHeader>

const eventMarks = { ts: z.number(), seq: z.number() }
const snapshot = { snapshot: z.string().nullable().optional() }
const word = z.string().nullable()

export const RecordedBounds = z.object({
  left: z.number(),
  top: z.number(),
  right: z.number(),
  bottom: z.number(),
})

export const WindowChangeEvent = z.object({
  ...eventMarks,
  type: z.literal('window_change'),
  packageName: z.string().describe('May be empty'),
  className: word.optional(),
  title: word.optional(),
  ...snapshot,
})

export const ClickEvent = z.object({
  ...eventMarks,
  type: z.literal('click'),
  packageName: z.string(),
  resourceId: word,
  text: word,
  contentDesc: word,
  bounds: RecordedBounds,
  ...snapshot,
})

export const ScrollEvent = z.object({
  ...eventMarks,
  type: z.literal('scroll'),
  packageName: z.string(),
  resourceId: word,
  scrollX: z.number(),
  scrollY: z.number(),
  maxScrollX: z.number(),
  maxScrollY: z.number(),
  ...snapshot,
})

export const PressKeyEvent = z.object({
  ...eventMarks,
  type: z.literal('press_key'),
  key: z.literal('back').describe('The only key this version of the format knows'),
  ...snapshot,
})

export const TextChangeEvent = z.object({
  ...eventMarks,
  type: z.literal('text_change'),
  packageName: z.string(),
  resourceId: word,
  text: z.string(),
  ...snapshot,
})

/** The events of the format by type. */
export const RECORDING_EVENTS = {
  window_change: WindowChangeEvent,
  click: ClickEvent,
  scroll: ScrollEvent,
  press_key: PressKeyEvent,
  text_change: TextChangeEvent,
} as const
export type RecordingEventType = keyof typeof RECORDING_EVENTS

export const RecordingEvent = z
  .discriminatedUnion('type', [
    WindowChangeEvent,
    ClickEvent,
    ScrollEvent,
    PressKeyEvent,
    TextChangeEvent,
  ])
  .meta({ id: 'RecordingEvent' })
export type RecordingEvent = z.infer<typeof RecordingEvent>

const before = { uiStateBefore: z.string().nullable() }
const place = { seq: z.number(), packageName: z.string() }

/** `v1` drops what its readers do not know; `full` keeps typing, keys and scrolling. */
export const StepLogMode = z.enum(['v1', 'full'])
export type StepLogMode = z.infer<typeof StepLogMode>

export const RecordingStep = z.discriminatedUnion('type', [
  z.object({ ...place, type: z.literal('open_app'), ...before }),
  z.object({
    ...place,
    type: z.literal('click'),
    resourceId: word,
    text: word,
    contentDesc: word,
    bounds: RecordedBounds,
    ...before,
  }),
  z.object({
    ...place,
    type: z.literal('enter_text'),
    resourceId: word,
    text: z.string(),
    ...before,
  }),
  z.object({ seq: z.number(), type: z.literal('press_key'), key: z.literal('back'), ...before }),
  z.object({
    ...place,
    type: z.literal('scroll'),
    resourceId: word,
    scrollX: z.number(),
    scrollY: z.number(),
    maxScrollX: z.number(),
    maxScrollY: z.number(),
    eventCount: z.int().min(1),
    ...before,
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

const exportMarks = {
  seq: z.number(),
  ts: z.number(),
  deltaMsSincePrevious: z.number().nullable(),
}
const exportedSnapshot = {
  snapshot: z.object({ present: z.boolean(), xml: z.string().nullable() }),
}

/** What an export writes in its own way. */
const rewritten = { ts: true, seq: true, snapshot: true } as const

const ExportedEvent = z.discriminatedUnion('type', [
  z.object({
    ...exportMarks,
    type: z.literal('window_change'),
    packageName: z.string(),
    className: word,
    title: word,
    ...exportedSnapshot,
  }),
  z.object({ ...exportMarks, ...ClickEvent.omit(rewritten).shape, ...exportedSnapshot }),
  z.object({ ...exportMarks, ...ScrollEvent.omit(rewritten).shape, ...exportedSnapshot }),
  z.object({ ...exportMarks, ...PressKeyEvent.omit(rewritten).shape, ...exportedSnapshot }),
  z.object({ ...exportMarks, ...TextChangeEvent.omit(rewritten).shape, ...exportedSnapshot }),
])
export type ExportedEvent = z.infer<typeof ExportedEvent>

export const SnapshotMode = z.enum(['omit', 'include'])
export type SnapshotMode = z.infer<typeof SnapshotMode>

/** The durable form of a recording. Unknown keys are tolerated. */
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
  .describe('What is done through the daemon, or what fingers do on the phone itself')
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
    failure_code: z.string().max(80).optional().describe('Why a failed one ended by itself'),
    schema_version: SchemaVersion,
  })
  .meta({ id: 'DeviceRecording' })
export type DeviceRecording = z.infer<typeof DeviceRecording>

const tag = 'recordings'
const device = z.object({ serial: Serial })
const one = device.extend({ recordingId: Uuid })
const missing = ['DEVICE_NOT_FOUND', 'RECORDING_SESSION_NOT_FOUND'] as const
const unreadable = ['RECORDING_PARSE_FAILED', 'RECORDING_SCHEMA_VERSION_UNSUPPORTED'] as const
const reply = z.object({ recording: DeviceRecording, schema_version: SchemaVersion })
const mode = { mode: StepLogMode.default('v1') }
/** A file with trees runs to some megabytes; this is room for the longest demonstration. */
const FILE_CHARACTERS = 24 * 1024 * 1024
const file = { ndjson: z.string().max(FILE_CHARACTERS) }
const body_limit = 32 * 1024 * 1024

export const startRecording = route({
  method: 'POST',
  url: '/api/devices/:serial/recordings',
  tag,
  summary: 'Begin to record what is done on a device; one recording per device at a time',
  privilege: 'write',
  params: device,
  body: requestBody({
    session_id: RecordingSessionId.optional(),
    source: RecordingSource.default('proxy'),
    learn_session_id: Uuid.optional(),
  }),
  reply,
  status: 201,
  fails: [
    ...reaching,
    'RECORDING_ALREADY_IN_PROGRESS',
    'RECORDING_START_FAILED',
    'LEARN_SESSION_NOT_FOUND',
  ],
})

export const stopRecording = route({
  method: 'POST',
  url: '/api/devices/:serial/recordings/:recordingId/stop',
  tag,
  summary: 'End a recording and keep it',
  privilege: 'write',
  params: one,
  reply,
  fails: [...missing, 'RECORDING_NOT_IN_PROGRESS'],
})

export const listRecordings = route({
  method: 'GET',
  url: '/api/devices/:serial/recordings',
  tag,
  summary: 'Recordings of a device, newest first',
  privilege: 'read',
  params: device,
  query: PageQuery,
  reply: z.object({
    recordings: z.array(DeviceRecording),
    ...pageMarks,
    schema_version: SchemaVersion,
  }),
  fails: ['DEVICE_NOT_FOUND'],
})

export const getRecording = route({
  method: 'GET',
  url: '/api/devices/:serial/recordings/:recordingId',
  tag,
  summary: 'One recording with its events, a page at a time',
  privilege: 'read',
  params: one,
  query: PageQuery.extend({ snapshots: SnapshotMode.default('omit') }),
  reply: z.object({
    recording: DeviceRecording,
    events: z.array(RecordingEvent),
    ...pageMarks,
    schema_version: SchemaVersion,
  }),
  fails: missing,
})

export const pullRecording = route({
  method: 'GET',
  url: '/api/devices/:serial/recordings/:recordingId/ndjson',
  tag,
  summary: 'A recording as a file of one JSON object per line',
  privilege: 'read',
  params: one,
  reply: z.string(),
  media: 'application/x-ndjson',
  fails: missing,
})

export const recordingSteps = route({
  method: 'GET',
  url: '/api/devices/:serial/recordings/:recordingId/steps',
  tag,
  summary: 'A recording as a log of steps',
  privilege: 'read',
  params: one,
  query: z.object(mode),
  reply: RecordingStepLog,
  fails: missing,
})

export const exportRecording = route({
  method: 'GET',
  url: '/api/devices/:serial/recordings/:recordingId/export',
  tag,
  summary: 'A recording as durable evidence; redacted, it also carries no trees',
  privilege: 'read',
  params: one,
  query: z.object({
    snapshots: SnapshotMode.default('omit'),
    redact: z.stringbool().default(false),
  }),
  reply: RecordingExport,
  fails: missing,
})

export const parseRecordingFile = route({
  method: 'POST',
  url: '/api/recordings/parse',
  tag,
  summary: 'The steps of a recording file made elsewhere; nothing is kept',
  privilege: 'read',
  body: requestBody({ ...file, ...mode }),
  body_limit,
  reply: RecordingStepLog,
  fails: unreadable,
})

export const exportRecordingFile = route({
  method: 'POST',
  url: '/api/recordings/export',
  tag,
  summary: 'The export of a recording file made elsewhere; nothing is kept',
  privilege: 'read',
  body: requestBody({
    ...file,
    snapshots: SnapshotMode.default('omit'),
    redact: z.boolean().default(false),
  }),
  body_limit,
  reply: RecordingExport,
  fails: unreadable,
})
