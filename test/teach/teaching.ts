import { expect } from 'vitest'
import type { AbilityRun } from '@apprentice/contracts/abilities/runs.ts'
import type { Phone } from '@apprentice/phone/phone.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'

/** A daemon with a simulated phone, and the words to teach it something. */
export interface Classroom {
  readonly daemon: Daemon
  readonly phone: Phone
  /** Does these actions on the phone, as a person at the live screen would. */
  act(...actions: readonly object[]): Promise<void>
  /** Shows a workflow from start to stop; returns the session. */
  demonstrate(lesson: Lesson): Promise<string>
  /** Drafts, tests and installs what was shown; returns the ability. */
  install(sessionId: string): Promise<string>
  run(abilityId: string, inputs: object, options?: object): Promise<AbilityRun>
}

export interface Lesson {
  readonly goal: string
  readonly show: (room: Pick<Classroom, 'act'>) => Promise<void>
  readonly session?: object
  readonly start?: object
}

let commands = 0

export async function openClassroom(
  options: Parameters<typeof startDaemon>[0] = {},
): Promise<Classroom> {
  const daemon = await startDaemon({
    ...options,
    config: { phone: 'simulated', ...options?.config },
  })
  const phone = daemon.system.floor.phone.simulated
  if (phone === undefined) throw new Error('no simulated phone')
  const room: Classroom = {
    daemon,
    phone,
    act: (...actions) => perform(daemon, actions),
    demonstrate: (lesson) => demonstrate(room, lesson),
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
  return room
}

export const climate = 'org.apprentice.climate'

/** A unit of the climate app, as the phone itself has it. */
export interface Unit {
  name: string
  temperature: number
}

export const unitsOf = ({ phone }: Pick<Classroom, 'phone'>): Unit[] =>
  structuredClone((phone.state(climate).saved as unknown as { units: Unit[] }).units)

export const open = (applicationId: string) => ({ type: 'open_app', params: { applicationId } })
export const tap = (matcher: object | string) => ({
  type: 'click',
  params: { matcher: typeof matcher === 'string' ? { textEquals: matcher } : matcher },
})
export const type = (matcher: object, text: string) => ({
  type: 'enter_text',
  params: { matcher, text },
})

async function perform(daemon: Daemon, actions: readonly object[]): Promise<void> {
  commands += 1
  const reply = await daemon.post('/api/executions', {
    execution: {
      commandId: `shown-${commands}`,
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

async function demonstrate(room: Classroom, lesson: Lesson): Promise<string> {
  const { daemon, phone } = room
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
  await lesson.show(room)
  await ok(daemon, `/api/learn/sessions/${id}/stop`)
  return id
}

async function install(daemon: Daemon, sessionId: string): Promise<string> {
  const drafted = await ok<{ proposal_id: string }>(
    daemon,
    `/api/learn/sessions/${sessionId}/generate-proposal`,
  )
  const proposal = `/api/learn/proposals/${drafted.proposal_id}`
  await ok(daemon, `${proposal}/validate`, { wait_ms: 60_000, schema_version: 1 })
  const { ability_id } = await ok<{ ability_id: string }>(daemon, `${proposal}/install`)
  return ability_id
}

/** Posts and expects success, with what was said if it is none. */
export async function ok<T>(daemon: Daemon, url: string, body: object = {}): Promise<T> {
  const reply = await daemon.post(url, body)
  expect(reply.statusCode, `${url}: ${reply.body}`).toBeLessThan(300)
  return reply.json<T>()
}
