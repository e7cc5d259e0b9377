import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { Practice } from '@apprentice/contracts/learn/practice.ts'
import type { LearnSession } from '@apprentice/contracts/learn/session.ts'
import type { Daemon } from '../kit/daemon.ts'
import { ok } from '../teach/teaching.ts'

export const SETTINGS_APP = 'com.android.settings'
export const CLIMATE_APP = 'org.apprentice.climate'
export const NOTES_APP = 'org.apprentice.notes'
export const SHOP_APP = 'org.apprentice.shop'

export interface PracticeReply {
  readonly session: LearnSession
  readonly practice: Practice
}

export interface PracticeOptions {
  readonly apps?: readonly string[]
  readonly policy?: object
  readonly session?: object
  readonly request?: object
}

/** Creates a practice session with a policy that allows changes. */
export async function createPracticeSession(
  daemon: Daemon,
  app: string,
  { apps = [app], policy = {}, session = {} }: PracticeOptions = {},
): Promise<string> {
  const made = await ok<{ session: LearnSession; next_action: string }>(daemon, '/api/learn/sessions', {
    entry_mode: 'autonomous_agent_practice',
    target_app_whitelist: apps,
    ...session,
  })
  expect(made.next_action).toBe('launch_exploration')
  const { learn_session_id: id } = made.session
  await ok(daemon, `/api/learn/sessions/${id}/set-test-policy`, {
    test_policy: {
      policy_id: randomUUID(),
      mode: 'controlled_live_test',
      max_actions: 120,
      ...policy,
    },
  })
  return id
}

/** Starts a practice and waits for its end. */
export async function runPractice(
  daemon: Daemon,
  { goal, app, ...options }: PracticeOptions & { goal: string; app: string },
): Promise<PracticeReply> {
  const id = await createPracticeSession(daemon, app, options)
  const reply = await daemon.post(`/api/learn/sessions/${id}/practice`, {
    goal,
    application_id: app,
    wait_ms: 120_000,
    ...options.request,
  })
  expect(reply.statusCode, reply.body).toBe(200)
  return reply.json<PracticeReply>()
}
