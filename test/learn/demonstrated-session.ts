import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { SessionAction } from '../../src/domain/learn/allowed-actions.ts'
import { appendObservation } from '../../src/store/capture/observations.ts'
import { appendTrace } from '../../src/store/capture/traces.ts'
import type { Daemon } from '../kit/daemon.ts'

export interface DemonstratedSession {
  readonly labels?: readonly string[]
  readonly goal?: string
  readonly steps?: readonly (string | { label: string; hint: string })[]
  readonly create?: Record<string, unknown>
  readonly token?: string
}

/** Runs a session through the API from create to stop and returns its id. */
export async function demonstrateSession(daemon: Daemon, options: DemonstratedSession = {}): Promise<string> {
  const { token } = options
  const created = await daemon.post(
    '/api/learn/sessions',
    { entry_mode: 'demonstrating_skill', observation_mode: 'inside_agent', ...options.create },
    token,
  )
  expect(created.statusCode, created.body).toBe(201)
  const id = created.json<{ session: { learn_session_id: string } }>().session.learn_session_id
  const url = `/api/learn/sessions/${id}`
  await expectAccepted(daemon.post(`${url}/start`, {}, token))
  const labels = options.labels ?? ['Open the share menu', 'Choose PDF', 'Tap Export']
  if (labels.length > 0) await expectAccepted(daemon.post(`${url}/observations`, makeBatch(id, labels), token))
  for (const step of options.steps ?? []) {
    const { label, hint } = typeof step === 'string' ? { label: step, hint: 'action' } : step
    await expectAccepted(daemon.post(`${url}/mark-step`, { step_label: label, step_kind_hint: hint }, token))
  }
  if (options.goal !== undefined) {
    await expectAccepted(daemon.post(`${url}/mark-goal`, { goal_description: options.goal }, token))
  }
  await expectAccepted(daemon.post(`${url}/stop`, {}, token))
  return id
}

async function expectAccepted(sent: ReturnType<Daemon['post']>): Promise<void> {
  const reply = await sent
  expect(reply.statusCode, reply.body).toBeLessThan(300)
}

function makeBatch(sessionId: string, labels: readonly string[]) {
  return {
    batch_request_id: randomUUID(),
    adapter_id: 'wrapper_receipt',
    events: labels.map((action_label, index) => ({
      event_id: randomUUID(),
      learn_session_id: sessionId,
      adapter_kind: 'wrapper_receipt',
      app_family: 'notes',
      action_label,
      control_surface: 'wrapper_script',
      caused_state_change: true,
      created_at: new Date(Date.parse('2026-03-01T12:00:00.000Z') + index * 1000).toISOString(),
    })),
  }
}

/** Adds an observation to a session that was inserted directly. */
export async function addObservation(daemon: Daemon, sessionId: string): Promise<string> {
  const event_id = randomUUID()
  const at = daemon.clock.now.toISOString()
  await daemon.system.store.write((tx) => {
    appendObservation(tx, {
      event_id,
      learn_session_id: sessionId,
      adapter_kind: 'wrapper_receipt',
      app_family: 'notes',
      action_label: 'Open the share menu',
      caused_state_change: true,
      redaction_mode: 'mask_text',
      created_at: at,
      ingest_seq: 1,
      batch_id: randomUUID(),
      received_at: at,
      schema_version: 1,
    })
  })
  return event_id
}

export async function addTrace(daemon: Daemon, sessionId: string | undefined): Promise<string> {
  const trace_id = randomUUID()
  const step = { step_id: randomUUID(), action_label: 'Open the share menu', surface: 'app_api' }
  await daemon.system.store.write((tx) =>
    appendTrace(tx, {
      trace_id,
      owner_user_id: 'local',
      learn_session_id: sessionId,
      body: JSON.stringify({ app_id: 'notes', goal: 'Share a note', steps: [step] }),
      created_at: daemon.clock.now.toISOString(),
    }),
  )
  return trace_id
}

interface Question {
  readonly question_id: string
  readonly field: string
  readonly answered: boolean
}

export async function readQuestions(daemon: Daemon, id: string): Promise<Question[]> {
  const reply = await daemon.get(`/api/learn/sessions/${id}/detail`)
  return reply.json<{ questions: Question[] }>().questions
}

/** Sends a command of a session with a valid body. */
export async function sendCommand(
  daemon: Daemon,
  id: string,
  { action, event_id, question_id }: { action: SessionAction; event_id: string; question_id: string },
) {
  if (action === 'delete') return daemon.delete(`/api/learn/sessions/${id}`)
  const bodies: Partial<Record<SessionAction, unknown>> = {
    mark_goal: { goal_description: 'Share a note' },
    mark_step: { step_label: 'Open the note' },
    trim: { trim_kind: 'trim_start', to_event_id: event_id },
    answer_questions: { answers: [{ question_id, answer_text: 'global' }] },
    set_test_policy: { test_policy: { policy_id: randomUUID(), mode: 'dry_run_only' } },
  }
  return daemon.post(`/api/learn/sessions/${id}/${action.replaceAll('_', '-')}`, bodies[action] ?? {})
}
