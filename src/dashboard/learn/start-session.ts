import type { z } from 'zod'
import type { EntryMode, ObservationMode } from '@apprentice/contracts/learn/session.ts'
import {
  cancelSession,
  createSession,
  type CreateSessionBody,
  markGoal,
  setTestPolicy,
  startCapture,
} from '@apprentice/contracts/learn/sessions.ts'
import { startPractice } from '@apprentice/contracts/learn/practice.ts'
import { call } from '../api/client.ts'

/** What the person entered before the start. */
export interface Setup {
  readonly mode: EntryMode
  readonly goal: string
  readonly serial: string
  readonly apps: readonly string[]
  readonly observation: ObservationMode
  readonly consent: boolean
  readonly abilityId: string
  readonly mayWrite: boolean
}

/** Creates the session and starts it with its goal. Returns its id. A session that cannot be started is cancelled. */
export async function startFromSetup(setup: Setup): Promise<string> {
  const { session } = await call(createSession, { body: toCreateBody(setup) })
  const params = { sessionId: session.learn_session_id }
  try {
    await start(setup, session.learn_session_id)
  } catch (error) {
    await call(cancelSession, { params, body: {} }).catch(() => undefined)
    throw error
  }
  return session.learn_session_id
}

async function start(setup: Setup, sessionId: string): Promise<void> {
  const params = { sessionId }
  if (setup.mode === 'autonomous_agent_practice') {
    await call(setTestPolicy, { params, body: { test_policy: createPolicy(setup.mayWrite) } })
    const [application_id] = setup.apps
    await call(startPractice, { params, body: { goal: setup.goal, ...(application_id && { application_id }) } })
  } else {
    await call(startCapture, { params, body: { text_capture_consent: setup.consent, source: 'user_click' } })
    await call(markGoal, { params, body: { goal_description: setup.goal } })
  }
}

function toCreateBody({ mode, serial, apps, observation, abilityId }: Setup): z.input<typeof CreateSessionBody> {
  return {
    entry_mode: mode,
    observation_mode: observation,
    ...(serial === '' ? {} : { device_serial: serial }),
    ...(apps.length === 0 ? {} : { target_app_whitelist: [...apps] }),
    ...(mode === 'improving_existing_skill'
      ? { target_kind: 'existing_skill' as const, target_skill_id: abilityId }
      : {}),
  }
}

/** Practice may look; it may change something only if the person allowed it. */
const createPolicy = (mayWrite: boolean) => ({
  policy_id: crypto.randomUUID(),
  mode: mayWrite ? ('controlled_live_test' as const) : ('read_only' as const),
  schema_version: 1 as const,
})
