import type { PolicyProfile } from '@apprentice/contracts/policy/profile.ts'
import type { TestPolicy } from '@apprentice/contracts/learn/test-policy.ts'
import { Failure } from '../../failure/failure.ts'
import type { Reader } from '../../store/db/db.ts'
import type { StoredSession } from '../../store/sessions/learn-sessions.ts'
import { findLatestPractice, insertPractice, type PracticeRow } from '../../store/practice/practices.ts'
import { findTestPolicy } from '../../store/proposals/test-policies.ts'
import type { CommandContext } from '../command/context.ts'
import { chooseDevice } from '../devices/executions.ts'
import { assertDeviceAvailable } from '../devices/leases.ts'
import { assertWorkAllowed, withTerms } from '../policies/applied-policy.ts'
import { enqueueJob } from '../command/jobs.ts'
import { assertState } from '../sessions/session-machine.ts'
import { getOwnSession, markBoundary, saveSession } from '../sessions/session-moves.ts'
import { recordReceipt, recordSessionEvent } from '../command/ledger.ts'
import { parseGoal } from '../../knowledge/goal-search/goal/parse-goal.ts'

export const PRACTICE_JOB_KIND = 'learn.practice'

export interface PracticeRequest {
  readonly goal: string
  readonly application_id?: string | undefined
  readonly serial?: string | undefined
  readonly max_actions?: number | undefined
  readonly timeout_ms: number
  readonly policy?: PolicyProfile | undefined
}

/** The practice observes its own deadline. The deadline of the job is a fallback. */
const JOB_GRACE_MS = 30_000

/** Queues the job of a practice. The capture starts with the first proof, not with the search. */
export function startPractice(caller: CommandContext, sessionId: string, request: PracticeRequest): PracticeRow {
  const ctx = withTerms(caller, { policy: request.policy })
  const session = getOwnSession(ctx, sessionId)
  assertCanPractise(ctx.tx, session)
  const reading = parseGoal(request.goal)
  if (!reading.clear) {
    const { understood, missing } = reading
    throw new Failure('PRACTICE_GOAL_UNCLEAR', reading.reason, { details: { field: 'goal', understood, missing } })
  }
  const policy = getTestPolicy(ctx.tx, session)
  const application_id = chooseApplication(session, request)
  const { serial } = chooseDevice(ctx.tx, request.serial ?? session.device_serial)
  assertDeviceAvailable(ctx.tx, serial, { user_id: ctx.actor.user_id, now: ctx.now })
  assertWorkAllowed(ctx, { capabilities: ['observe', 'navigate'], packages: [application_id], serial })
  const practice = newPractice(ctx, session, { request, policy, application_id, serial })
  insertPractice(ctx.tx, practice)
  markBoundary(ctx, sessionId, { kind: 'mark_goal', label: practice.goal })
  const { observation_mode: mode } = session
  const observation_mode = mode === 'none' ? 'inside_agent' : mode
  saveSession(ctx, { ...session, device_serial: serial, observation_mode }, session)
  enqueueJob(ctx, {
    job_id: practice.practice_id,
    kind: PRACTICE_JOB_KIND,
    lane: `practice/${sessionId}`,
    deadline_at: addMs(practice.deadline_at, JOB_GRACE_MS),
    payload: {},
  })
  recordStarted(ctx, practice)
  return practice
}

function assertCanPractise(reader: Reader, session: StoredSession): void {
  if (session.entry_mode !== 'autonomous_agent_practice') {
    throw new Failure('INVALID_REQUEST', 'Practice needs a session with entry_mode autonomous_agent_practice.', {
      details: { field: 'sessionId', entry_mode: session.entry_mode },
    })
  }
  const last = findLatestPractice(reader, session.learn_session_id)
  if (last !== undefined && last.ended_at === undefined) {
    throw new Failure('PRACTICE_IN_PROGRESS', 'A practice is already running in this session.', {
      details: { practice_id: last.practice_id },
    })
  }
  assertState(session.state, ['armed', 'paused'])
}

function getTestPolicy(reader: Reader, { test_policy_ref }: StoredSession): TestPolicy {
  const id = test_policy_ref?.replace(/^test_policy:/, '')
  const policy = id === undefined ? undefined : findTestPolicy(reader, id)?.policy
  if (policy !== undefined && policy.mode !== 'dry_run_only') return policy
  throw new Failure(
    'TEST_POLICY_VIOLATION',
    'Practice acts on the phone. Set a test policy for the session that allows actions.',
    { details: { mode: policy?.mode ?? null } },
  )
}

function chooseApplication({ target_app_whitelist: apps }: StoredSession, { application_id }: PracticeRequest): string {
  const app = application_id ?? (apps.length === 1 ? apps[0] : undefined)
  if (app !== undefined && apps.includes(app)) return app
  throw new Failure('TEST_POLICY_VIOLATION', 'Set application_id to the package of an app in target_app_whitelist.', {
    details: { field: 'application_id', target_app_whitelist: apps },
  })
}

function newPractice(
  ctx: CommandContext,
  session: StoredSession,
  parts: {
    readonly request: PracticeRequest
    readonly policy: TestPolicy
    readonly application_id: string
    readonly serial: string
  },
): PracticeRow {
  const { request, policy, application_id, serial } = parts
  return {
    practice_id: ctx.newId(),
    learn_session_id: session.learn_session_id,
    owner_user_id: session.owner_user_id,
    goal: request.goal.trim(),
    application_id,
    serial,
    policy,
    state: 'exploring',
    actions_used: 0,
    max_actions: Math.min(policy.max_actions, request.max_actions ?? policy.max_actions),
    screens_seen: 0,
    ways_tried: 0,
    closed_ways: [],
    path: [],
    created_at: ctx.now,
    deadline_at: addMs(ctx.now, request.timeout_ms),
  }
}

const addMs = (time: string, ms: number): string => new Date(Date.parse(time) + ms).toISOString()

function recordStarted(ctx: CommandContext, practice: PracticeRow): void {
  const { practice_id, learn_session_id, application_id, max_actions, deadline_at } = practice
  recordSessionEvent(ctx, learn_session_id, 'learn.practice.started', {
    ref: `practice:${practice_id}`,
    payload: { practice_id, application_id, max_actions, deadline_at },
  })
  recordReceipt(ctx, 'learn.practice.started', {
    learn_session_id,
    summary: `Practice started in ${application_id} with at most ${max_actions} actions.`,
    details: { practice_id },
  })
}
