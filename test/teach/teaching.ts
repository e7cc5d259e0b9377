import { expect } from 'vitest'
import type { AbilityRun } from '@apprentice/contracts/abilities/runs.ts'
import type { Phone } from '@apprentice/phone/phone.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'

/** A daemon with a simulated phone and helpers to teach it a workflow. */
export interface TeachingSetup {
  readonly daemon: Daemon
  readonly phone: Phone
  /** Runs actions on the phone as one execution. */
  act(...actions: readonly object[]): Promise<void>
  /** Demonstrates a workflow from start to stop. Returns the session id. */
  demonstrate(lesson: Lesson): Promise<string>
  /** Drafts, validates and installs the demonstrated workflow. Returns the ability id. */
  install(sessionId: string): Promise<string>
  run(abilityId: string, inputs: object, options?: object): Promise<AbilityRun>
}

export interface Lesson {
  readonly goal: string
  readonly show: (setup: Pick<TeachingSetup, 'act'>) => Promise<void>
  readonly session?: object
  readonly start?: object
}

let executionCount = 0

export async function startTeaching(options: Parameters<typeof startDaemon>[0] = {}): Promise<TeachingSetup> {
  const daemon = await startDaemon({
    quick: true,
    ...options,
    config: { phone: 'simulated', ...options?.config },
  })
  const phone = daemon.system.devices.phone.simulated
  if (phone === undefined) throw new Error('no simulated phone')
  const setup: TeachingSetup = {
    daemon,
    phone,
    act: (...actions) => runActions(daemon, actions),
    demonstrate: (lesson) => demonstrate(setup, lesson),
    install: (sessionId) => install(daemon, sessionId),
    run: async (abilityId, inputs, more = {}) => {
      const reply = await daemon.post(`/api/abilities/${abilityId}/run`, {
        inputs,
        wait_ms: 90_000,
        ...more,
      })
      expect(reply.statusCode, reply.body).toBe(200)
      return reply.json<{ run: AbilityRun }>().run
    },
  }
  return setup
}

export const CLIMATE = 'org.apprentice.climate'

/** A unit of the climate app in the state of the phone. */
export interface Unit {
  name: string
  temperature: number
}

export const readUnits = ({ phone }: Pick<TeachingSetup, 'phone'>): Unit[] =>
  structuredClone((phone.state(CLIMATE).saved as unknown as { units: Unit[] }).units)

export const open = (applicationId: string) => ({ type: 'open_app', params: { applicationId } })
export const tap = (matcher: object | string) => ({
  type: 'click',
  params: { matcher: typeof matcher === 'string' ? { textEquals: matcher } : matcher },
})
export const type = (matcher: object, text: string) => ({
  type: 'enter_text',
  params: { matcher, text },
})

async function runActions(daemon: Daemon, actions: readonly object[]): Promise<void> {
  executionCount += 1
  const reply = await daemon.post('/api/executions', {
    execution: {
      commandId: `shown-${executionCount}`,
      taskId: 'lesson',
      source: 'test',
      expectedFormat: 'android-ui-automator',
      timeoutMs: 60_000,
      actions: actions.map((action, at) => ({ id: `a${at}`, ...action })),
    },
    wait_ms: 60_000,
  })
  const { execution } = reply.json<{ execution: { state: string; envelope: { error: string } } }>()
  expect(`${execution.state} ${execution.envelope.error}`).toBe('succeeded null')
}

async function demonstrate(setup: TeachingSetup, lesson: Lesson): Promise<string> {
  const { daemon, phone } = setup
  const made = await daemon.post('/api/learn/sessions', {
    entry_mode: 'demonstrating_skill',
    observation_mode: 'outside_agent',
    device_serial: phone.serial,
    ...lesson.session,
  })
  expect(made.statusCode, made.body).toBe(201)
  const id = made.json<{ session: { learn_session_id: string } }>().session.learn_session_id
  await ok(daemon, `/api/learn/sessions/${id}/start`, lesson.start ?? {})
  await ok(daemon, `/api/learn/sessions/${id}/mark-goal`, { goal_description: lesson.goal })
  await lesson.show(setup)
  await ok(daemon, `/api/learn/sessions/${id}/stop`)
  return id
}

async function install(daemon: Daemon, sessionId: string): Promise<string> {
  const drafted = await ok<{ proposal_id: string }>(daemon, `/api/learn/sessions/${sessionId}/generate-proposal`)
  const proposal = `/api/learn/proposals/${drafted.proposal_id}`
  await ok(daemon, `${proposal}/validate`, { wait_ms: 60_000, schema_version: 1 })
  const { ability_id } = await ok<{ ability_id: string }>(daemon, `${proposal}/install`)
  return ability_id
}

/** Posts and expects success. A failure message contains the reply. */
export async function ok<T>(daemon: Daemon, url: string, body: object = {}): Promise<T> {
  const reply = await daemon.post(url, body)
  expect(reply.statusCode, `${url}: ${reply.body}`).toBeLessThan(300)
  return reply.json<T>()
}
