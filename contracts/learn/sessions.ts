import { z } from 'zod'
import { requestBody, SchemaVersion, text, Uuid } from '../base/fields.ts'
import { LearnSessionEvent } from '../base/events.ts'
import { PageQuery, pageFields } from '../base/page.ts'
import { route } from '../base/route.ts'
import { AdapterKind, BoundarySource, StepKindHint } from './observation.ts'
import {
  BuildPolicy,
  EntryMode,
  ExecutionMode,
  LearnSession,
  LearnSessionState,
  ObservationMode,
  TargetKind,
} from './session.ts'
import { IncomingTestPolicy } from './test-policy.ts'

const TAG = 'learn sessions'
const BASE_URL = '/api/learn/sessions/:sessionId'
const params = z.object({ sessionId: Uuid })
const SessionReply = z.object({ session: LearnSession })
const TRANSITION_FAILURES = ['LEARN_SESSION_NOT_FOUND', 'INVALID_LEARN_STATE_TRANSITION', 'SESSION_TIMEOUT'] as const

export const CreateSessionBody = requestBody({
  entry_mode: EntryMode.optional(),
  // A field of an earlier schema. It is refused with a message that names its successor.
  entry_point: z.never('was replaced by entry_mode').optional(),
  observation_mode: ObservationMode.optional(),
  build_policy: BuildPolicy.optional(),
  execution_mode: ExecutionMode.optional(),
  target_kind: TargetKind.optional(),
  project_id: text(120).optional(),
  room_id: text(160).optional(),
  target_skill_id: text(160).optional(),
  target_app_family: text(80).optional(),
  target_app_whitelist: z.array(z.string().max(160)).max(500).optional(),
  device_serial: text(160).optional(),
  ask_before_build: z.boolean().optional(),
  allow_private_install: z.boolean().optional(),
  requested_safe_target_ref: text(240).optional(),
  // Fields of the retired teach route, which redirects here and cannot add `entry_mode`.
  capability_family_hint: text(80).optional(),
  selected_trace_ids: z.array(Uuid).max(100).optional(),
})
export type CreateSessionBody = z.infer<typeof CreateSessionBody>

export const UiMode = z.enum(['overlay', 'recent-run', 'exploratory', 'drawer', 'import'])
export const CreateNextAction = z.enum([
  'wait_for_first_meaningful_event',
  'show_recent_run_picker',
  'launch_exploration',
  'show_skill_delta_editor',
  'show_import_configurator',
])

export const createSession = route({
  method: 'POST',
  url: '/api/learn/sessions',
  tag: TAG,
  summary: 'Create a learn session and arm it',
  privilege: 'write',
  query: z.object({ entry_mode: EntryMode.optional().describe('Used if the body has none') }),
  body: CreateSessionBody,
  reply: z.object({ session: LearnSession, ui_mode: UiMode, next_action: CreateNextAction }),
  status: 201,
  fails: ['LEARN_SESSION_ALREADY_ACTIVE', 'ABILITY_NOT_FOUND', 'INSTALL_LANE_DENIED'],
})

export const listSessions = route({
  method: 'GET',
  url: '/api/learn/sessions',
  tag: TAG,
  summary: "List the user's sessions, newest first",
  privilege: 'read',
  query: PageQuery.extend({
    state: LearnSessionState.optional(),
    entry_mode: EntryMode.optional(),
  }),
  reply: z.object({
    sessions: z.array(LearnSession),
    ...pageFields,
    schema_version: SchemaVersion,
  }),
})

export const startCapture = route({
  method: 'POST',
  url: `${BASE_URL}/start`,
  tag: TAG,
  summary: 'Start capturing',
  privilege: 'write',
  params,
  body: requestBody({
    requested_adapters: z.array(AdapterKind).max(20).optional(),
    text_capture_consent: z.boolean().optional(),
    source: BoundarySource.exclude(['system_inferred']).optional(),
    device_serial: text(160).optional(),
  }),
  reply: z.object({
    session: LearnSession,
    observation_active: z.boolean(),
    adapters_armed: z.array(z.string().max(80)),
  }),
  fails: [...TRANSITION_FAILURES, 'ADAPTER_UNAVAILABLE', 'DEVICE_LEASED'],
})

export const pauseCapture = route({
  method: 'POST',
  url: `${BASE_URL}/pause`,
  tag: TAG,
  summary: 'Pause a capturing session',
  privilege: 'write',
  params,
  body: requestBody({}),
  reply: SessionReply,
  fails: TRANSITION_FAILURES,
})

export const resumeCapture = route({
  method: 'POST',
  url: `${BASE_URL}/resume`,
  tag: TAG,
  summary: 'Resume capturing',
  privilege: 'write',
  params,
  body: requestBody({}),
  reply: SessionReply,
  fails: [...TRANSITION_FAILURES, 'ADAPTER_UNAVAILABLE', 'DEVICE_LEASED'],
})

export const stopCapture = route({
  method: 'POST',
  url: `${BASE_URL}/stop`,
  tag: TAG,
  summary: 'Stop the capture; the captured actions become a trace',
  waits: { for: 'the last screen of the phone', at_most_ms: 8000 },
  privilege: 'write',
  params,
  body: requestBody({}),
  reply: z.object({
    session: LearnSession,
    captured_event_count: z.int().min(0),
    captured_trace_ids: z.array(Uuid),
    next_action: z.enum(['cancel', 'review_captured', 'generate_proposal']),
  }),
  fails: [...TRANSITION_FAILURES, 'CAPTURE_ALREADY_STOPPED'],
})

export const cancelSession = route({
  method: 'POST',
  url: `${BASE_URL}/cancel`,
  tag: TAG,
  summary: 'Cancel the session',
  privilege: 'write',
  params,
  body: requestBody({ reason: text(240).optional() }),
  reply: SessionReply,
  fails: TRANSITION_FAILURES,
})

export const markGoal = route({
  method: 'POST',
  url: `${BASE_URL}/mark-goal`,
  tag: TAG,
  summary: 'Set the goal of the demonstration',
  privilege: 'write',
  params,
  body: requestBody({ goal_description: text(400), at_event_id: Uuid.optional() }),
  reply: SessionReply,
  fails: [...TRANSITION_FAILURES, 'OBSERVATION_EVENT_NOT_FOUND'],
})

export const markStep = route({
  method: 'POST',
  url: `${BASE_URL}/mark-step`,
  tag: TAG,
  summary: 'Label the step just demonstrated',
  privilege: 'write',
  params,
  body: requestBody({
    step_label: text(240),
    step_kind_hint: StepKindHint.default('action'),
    at_event_id: Uuid.optional(),
  }),
  reply: SessionReply,
  fails: [...TRANSITION_FAILURES, 'OBSERVATION_EVENT_NOT_FOUND'],
})

export const trimCapture = route({
  method: 'POST',
  url: `${BASE_URL}/trim`,
  tag: TAG,
  summary: 'Move the start or end of the used part of the capture; nothing is deleted',
  privilege: 'write',
  params,
  body: requestBody({ trim_kind: z.enum(['trim_start', 'trim_end']), to_event_id: Uuid }),
  reply: SessionReply,
  fails: [...TRANSITION_FAILURES, 'OBSERVATION_EVENT_NOT_FOUND'],
})

export const answerQuestions = route({
  method: 'POST',
  url: `${BASE_URL}/answer-questions`,
  tag: TAG,
  summary: 'Answer open questions of the draft',
  waits: { for: 'the interpretation of the capture', at_most_ms: 120_000 },
  privilege: 'write',
  params,
  body: requestBody({
    answers: z
      .array(
        z
          .object({
            question_id: text(80),
            answer_text: text(2000).optional(),
            choice_id: text(80).optional().describe('One of the choices of the question'),
          })
          .refine(({ answer_text, choice_id }) => (answer_text === undefined) !== (choice_id === undefined), {
            error: 'must have answer_text or choice_id, but not both',
          }),
      )
      .min(1)
      .max(20),
  }),
  reply: z.object({
    session: LearnSession,
    remaining_questions: z.int().min(0),
    next_action: z.enum(['more_questions', 'generate_proposal', 'ready_for_review']),
  }),
  fails: [...TRANSITION_FAILURES, 'QUESTION_NOT_FOUND', 'WORK_LIMIT_EXCEEDED', 'OVERLOADED'],
})

export const setTestPolicy = route({
  method: 'POST',
  url: `${BASE_URL}/set-test-policy`,
  tag: TAG,
  summary: 'Set the test policy of rehearsals and practice',
  privilege: 'write',
  params,
  body: requestBody({ test_policy: IncomingTestPolicy }),
  reply: SessionReply,
  fails: [...TRANSITION_FAILURES, 'TEST_POLICY_VIOLATION'],
})

export const generateProposal = route({
  method: 'POST',
  url: `${BASE_URL}/generate-proposal`,
  tag: TAG,
  summary: 'Draft a skill from the capture, or create questions about missing information',
  waits: { for: 'the interpretation of the capture', at_most_ms: 120_000 },
  privilege: 'write',
  params,
  body: requestBody({}),
  reply: z.object({ session: LearnSession, proposal_id: Uuid }),
  status: 201,
  fails: [...TRANSITION_FAILURES, 'INSUFFICIENT_TRACES', 'WORK_LIMIT_EXCEEDED', 'OVERLOADED'],
})

export const deleteSession = route({
  method: 'DELETE',
  url: BASE_URL,
  tag: TAG,
  summary: 'Delete a session that has ended or has no proposal, with its capture',
  privilege: 'write',
  params,
  reply: z.object({ deleted: z.literal(true) }),
  fails: TRANSITION_FAILURES,
})

export const streamSessionEvents = route({
  method: 'GET',
  url: `${BASE_URL}/events`,
  tag: TAG,
  summary: 'Stream the events of a session, replayed from Last-Event-ID',
  privilege: 'read',
  params,
  query: z.object({ last_event_id: z.string().max(40).optional() }),
  reply: LearnSessionEvent,
  stream: true,
  fails: ['LEARN_SESSION_NOT_FOUND', 'SESSION_TIMEOUT', 'STREAM_LIMIT_REACHED', 'NOT_ACCEPTABLE'],
})
