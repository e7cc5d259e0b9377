import { z } from 'zod'
import { DateTime, requestBody, SchemaVersion, text, Uuid } from '../base/fields.ts'
import { PageQuery, pageFields } from '../base/page.ts'
import { route } from '../base/route.ts'
import { LearnSession, ObservationMode } from './session.ts'

export const AdapterKind = z.enum([
  'browser_dom',
  'browser_snapshot',
  'mcp_receipt',
  'wrapper_receipt',
  'terminal_command',
  'process_launch',
  'keyboard_shortcut',
  'file_dialog',
  'midi',
  'accessibility_ui',
  'mouse_click',
  'clipboard',
  'text_entry',
])
export type AdapterKind = z.infer<typeof AdapterKind>

export const ControlSurface = z.enum([
  'native_openclaw_tool',
  'native_openclaw_browser',
  'bridge_tool',
  'mcp_connector',
  'mcp_server',
  'app_api',
  'wrapper_script',
  'applescript',
  'python_wrapper',
  'keyboard_shortcut',
  'midi_binding',
  'page_knowledge_ui',
  'raw_ui',
])
export type ControlSurface = z.infer<typeof ControlSurface>

export const RedactionMode = z.enum(['none', 'mask_text', 'hash_only'])
export type RedactionMode = z.infer<typeof RedactionMode>

export const ObservationAdapterStatus = z
  .object({
    adapter_id: z.string().max(80),
    kind: AdapterKind,
    enabled: z.boolean(),
    healthy: z.boolean(),
    phase: z.enum(['phase_1', 'phase_2', 'phase_3']),
    last_seen_at: DateTime.optional(),
    last_error_code: z.string().max(120).optional(),
    reason: z.string().max(240).optional().describe('Why the adapter is not available; absent if it is'),
    schema_version: SchemaVersion,
  })
  .meta({ id: 'ObservationAdapterStatus' })
export type ObservationAdapterStatus = z.infer<typeof ObservationAdapterStatus>

export const ObservedActionEvent = z
  .object({
    event_id: Uuid,
    learn_session_id: Uuid,
    adapter_kind: AdapterKind,
    app_family: z.string().max(80).optional(),
    bundle_id: z.string().max(160).optional(),
    window_title: z.string().max(200).optional(),
    action_label: z.string().max(240),
    control_surface: ControlSurface.optional(),
    target_ref: z.string().max(240).optional(),
    before_state_ref: z.string().max(240).optional(),
    after_state_ref: z.string().max(240).optional(),
    caused_state_change: z.boolean(),
    redaction_mode: RedactionMode,
    created_at: DateTime,
    schema_version: SchemaVersion,
  })
  .meta({ id: 'ObservedActionEvent' })
export type ObservedActionEvent = z.infer<typeof ObservedActionEvent>

/** An event in a request: some fields have defaults. `raw_text` is redacted and not stored. */
export const IncomingActionEvent = ObservedActionEvent.extend({
  action_label: text(240),
  caused_state_change: z.boolean().default(false),
  redaction_mode: RedactionMode.default('mask_text'),
  created_at: z.iso.datetime(),
  schema_version: SchemaVersion.default(1),
  raw_text: z.string().max(2000).optional(),
}).meta({ id: 'IncomingActionEvent' })
export type IncomingActionEvent = z.infer<typeof IncomingActionEvent>

export const BoundaryKind = z.enum([
  'start',
  'pause',
  'resume',
  'stop',
  'cancel',
  'trim_start',
  'trim_end',
  'mark_goal',
  'mark_step',
])
export type BoundaryKind = z.infer<typeof BoundaryKind>

export const BoundarySource = z.enum(['user_click', 'hotkey', 'system_inferred', 'api_call'])
export type BoundarySource = z.infer<typeof BoundarySource>

export const StepKindHint = z.enum(['action', 'guard', 'verification', 'decision', 'other'])

export const WorkflowBoundary = z
  .object({
    boundary_id: Uuid,
    learn_session_id: Uuid,
    kind: BoundaryKind,
    source: BoundarySource,
    label: z.string().max(400).optional(),
    source_event_id: Uuid.optional(),
    step_kind_hint: StepKindHint.optional(),
    created_at: DateTime,
    schema_version: SchemaVersion,
  })
  .meta({ id: 'WorkflowBoundary' })
export type WorkflowBoundary = z.infer<typeof WorkflowBoundary>

/** Combines two documented shapes: the stored scope and the flags for an observation banner. */
export const ObservationScope = z
  .object({
    learn_session_id: Uuid,
    adapters_active: z.array(AdapterKind),
    data_classes_observed: z.array(z.string().max(80)),
    redaction_modes: z.record(z.string(), RedactionMode),
    scope: ObservationMode,
    target_app_whitelist: z.array(z.string()),
    off_target_events_dropped: z.int().min(0),
    session_id: Uuid,
    observation_mode: z.enum(['none', 'watch_actions', 'watch_with_audio', 'watch_with_notes']),
    capture_state: z.enum(['idle', 'capturing', 'paused', 'stopped']),
    active_runtime: z.enum(['none', 'openclaw_native', 'bridge_observer']),
    started_at: DateTime,
    stopped_at: DateTime.optional(),
    schema_version: SchemaVersion,
  })
  .meta({ id: 'ObservationScope' })
export type ObservationScope = z.infer<typeof ObservationScope>

const SessionParams = z.object({ sessionId: Uuid })
const TAG = 'learn observation'

export const ingestObservations = route({
  method: 'POST',
  url: '/api/learn/sessions/:sessionId/observations',
  tag: TAG,
  summary: 'Add observed actions to a capturing session',
  privilege: 'write',
  params: SessionParams,
  body: requestBody({
    batch_request_id: Uuid,
    adapter_id: text(80),
    events: z.array(IncomingActionEvent).min(1).max(200),
  }),
  reply: z.object({
    accepted: z.int().min(0),
    duplicates: z.int().min(0),
    dropped_off_target: z.int().min(0),
    rejected: z.array(z.object({ event_id: Uuid, code: z.string().max(80) })),
    off_target_events_dropped: z.int().min(0),
    captured_event_count: z.int().min(0),
    schema_version: SchemaVersion,
  }),
  status: 202,
  fails: [
    'LEARN_SESSION_NOT_FOUND',
    'INVALID_LEARN_STATE_TRANSITION',
    'CAPTURE_ALREADY_STOPPED',
    'SESSION_TIMEOUT',
    'ADAPTER_UNAVAILABLE',
  ],
})

export const listObservations = route({
  method: 'GET',
  url: '/api/learn/sessions/:sessionId/observations',
  tag: TAG,
  summary: 'List captured actions, redacted as stored, with their boundaries',
  privilege: 'read',
  params: SessionParams,
  query: PageQuery.extend({ include_trimmed: z.stringbool().default(false) }),
  reply: z.object({
    events: z.array(ObservedActionEvent),
    boundaries: z.array(WorkflowBoundary),
    ...pageFields,
    schema_version: SchemaVersion,
  }),
  fails: ['LEARN_SESSION_NOT_FOUND', 'SESSION_TIMEOUT'],
})

export const deleteObservation = route({
  method: 'DELETE',
  url: '/api/learn/sessions/:sessionId/observations/:eventId',
  tag: TAG,
  summary: 'Delete one captured action before a proposal exists',
  privilege: 'write',
  params: SessionParams.extend({ eventId: Uuid }),
  reply: z.object({ deleted: z.literal(true) }),
  fails: [
    'LEARN_SESSION_NOT_FOUND',
    'OBSERVATION_EVENT_NOT_FOUND',
    'INVALID_LEARN_STATE_TRANSITION',
    'SESSION_TIMEOUT',
  ],
})

export const retainObservations = route({
  method: 'POST',
  url: '/api/learn/sessions/:sessionId/observations/retain',
  tag: TAG,
  summary: 'Retain the raw capture for longer than seven days, or end its retention',
  privilege: 'write',
  params: SessionParams,
  body: requestBody({ retain: z.boolean() }),
  reply: z.object({ session: LearnSession }),
  fails: ['LEARN_SESSION_NOT_FOUND', 'SESSION_TIMEOUT'],
})

export const getObservationScope = route({
  method: 'GET',
  url: '/api/learn/sessions/:sessionId/observation-scope',
  tag: TAG,
  summary: 'Get what is observed and how it is redacted',
  privilege: 'read',
  params: SessionParams,
  reply: ObservationScope,
  fails: ['LEARN_SESSION_NOT_FOUND', 'SESSION_TIMEOUT'],
})

export const listAdapters = route({
  method: 'GET',
  url: '/api/learn/adapters',
  tag: TAG,
  summary: 'List observation adapters and their health',
  privilege: 'read',
  reply: z.object({ adapters: z.array(ObservationAdapterStatus), schema_version: SchemaVersion }),
})

export const heartbeatAdapter = route({
  method: 'POST',
  url: '/api/learn/adapters/:adapterId/heartbeat',
  tag: TAG,
  summary: 'Report the health of an adapter',
  privilege: 'write',
  params: z.object({ adapterId: z.string().regex(/^[A-Za-z0-9._:-]{1,80}$/) }),
  body: requestBody({
    kind: AdapterKind,
    healthy: z.boolean(),
    last_error_code: z.string().max(120).optional(),
  }),
  reply: z.object({ adapter: ObservationAdapterStatus, schema_version: SchemaVersion }),
})
