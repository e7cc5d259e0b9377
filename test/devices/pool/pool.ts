import { join } from 'node:path'
import type { LightMyRequestResponse } from 'fastify'
import { expect } from 'vitest'
import type { Device } from '@apprentice/contracts/devices/device.ts'
import type { ExecutionRecord } from '@apprentice/contracts/devices/executions.ts'
import { createPhone, type Phone, type PhoneOptions } from '@apprentice/phone/phone.ts'
import { type Daemon, startDaemon } from '../../kit/daemon.ts'
import { run } from '../../phone/phone-shell.ts'
import { eventually } from '../driver/outcomes.ts'
import type { Rig, RigKind } from '../driver/rigs.ts'
import { WatchedClock } from './watched-clock.ts'

export const MARKS = 'org.example.marks'

/** A phone of the pool, with the marks app in front. */
export interface PoolPhone {
  readonly serial: string
  readonly phone: Phone
  readonly clock: WatchedClock
  readonly taps: () => number
  /** The marks touched, in order. */
  readonly order: () => readonly string[]
}

export interface Ask {
  readonly actions: readonly object[]
  readonly on?: PoolPhone | string | undefined
  readonly commandId?: string
  readonly timeoutMs?: number
  readonly wait_ms?: number
  readonly priority?: number
  readonly token?: string
  readonly more?: object
}

export interface Answer {
  readonly status: number
  readonly execution: ExecutionRecord
  readonly error: { code: string; message: string; details: Record<string, unknown> }
}

export interface Pool {
  readonly daemon: Daemon
  readonly rig: Rig
  readonly phones: readonly PoolPhone[]
  /** The first phone. */
  readonly phone: PoolPhone
  /** Sends an execution and waits for its end. */
  execute(ask: Ask): Promise<Answer>
  /** Sends an execution and does not wait. */
  queue(ask: Ask): Promise<Answer>
  get(id: string, token?: string): Promise<Answer>
  cancel(id: string, token?: string): Promise<Answer>
  /** The execution once it settled; fails when it does not. */
  end(id: string, token?: string): Promise<ExecutionRecord>
  device(phone: PoolPhone): Promise<Device>
  becomes(phone: PoolPhone, ...states: string[]): Promise<void>
}

/** Every command takes a moment, so that the clock sees it. */
const MOMENT = { dumpMs: 1, inputMs: 1, launchMs: 1, screencapMs: 1, idleTimeoutMs: 1 }

export async function makePhones(count: number, options: PhoneOptions = {}) {
  const made = Array.from({ length: count }, (_, at) => {
    const clock = new WatchedClock()
    const phone = createPhone({
      serial: `sim-${at + 1}`,
      appsDirs: [join(import.meta.dirname, 'apps')],
      clock,
      latency: MOMENT,
      ...options,
    })
    expect(phone.documentReports).toEqual([])
    return { phone, clock }
  })
  for (const { phone, clock } of made) {
    const { stdout } = await run(phone, `am start -W -n ${MARKS}/.MarksActivity`)
    expect(stdout).toContain('Status: ok')
    Object.assign(clock, { begun: 0, mostBusy: 0 })
  }
  return made
}

/** A daemon and its phones behind an adb server. */
export async function startPool(kind: RigKind, count = 1): Promise<Pool> {
  const made = await makePhones(count)
  const rig = await kind.start(made.map(({ phone }) => phone))
  const phones = made.map(({ phone, clock }) => poolPhone(rig.serial(phone), phone, clock))
  const daemon = await startDaemon({ config: { phone: 'adb', adb: rig.server } })
  const [first] = phones
  if (first === undefined) throw new Error('a pool has a phone')
  const pool: Pool = { daemon, rig, phones, phone: first, ...asking(daemon), ...watching(daemon) }
  for (const phone of phones) await pool.becomes(phone, 'device')
  return pool
}

function poolPhone(serial: string, phone: Phone, clock: WatchedClock): PoolPhone {
  const saved = () => phone.state(MARKS).saved as { taps: number; order: string[] }
  return { serial, phone, clock, taps: () => saved().taps, order: () => saved().order }
}

let commands = 0

export function payload({ actions, commandId, timeoutMs = 20_000 }: Ask): object {
  commands += 1
  return {
    commandId: commandId ?? `command-${commands}`,
    taskId: 'task',
    source: 'test',
    expectedFormat: 'android-ui-automator',
    timeoutMs,
    actions,
  }
}

function asking(daemon: Daemon) {
  const answer = (reply: LightMyRequestResponse): Answer => ({
    status: reply.statusCode,
    ...reply.json<Omit<Answer, 'status'>>(),
  })
  const send = async (ask: Ask, wait_ms: number) => {
    const { on, priority, token, more } = ask
    const serial = typeof on === 'object' ? on.serial : on
    const body = {
      execution: payload(ask),
      wait_ms,
      ...(serial === undefined ? {} : { serial }),
      ...(priority === undefined ? {} : { priority }),
      ...more,
    }
    return answer(await daemon.post('/api/executions', body, token))
  }
  const get = async (id: string, token?: string) =>
    answer(await daemon.get(`/api/executions/${id}`, token))
  return {
    get,
    execute: (ask: Ask) => send(ask, ask.wait_ms ?? 15_000),
    queue: (ask: Ask) => send(ask, ask.wait_ms ?? 0),
    cancel: async (id: string, token?: string) =>
      answer(await daemon.post(`/api/executions/${id}/cancel`, {}, token)),
    end: async (id: string, token?: string) => {
      expect(await daemon.system.jobs.settled(id, 15_000)).toBeDefined()
      return (await get(id, token)).execution
    },
  }
}

function watching(daemon: Daemon) {
  const device = async ({ serial }: PoolPhone) => {
    const reply = await daemon.get('/api/devices')
    const { devices } = reply.json<{ devices: Device[] }>()
    const found = devices.find((one) => one.serial === serial)
    if (found === undefined) throw new Error(`${serial} is not listed`)
    return found
  }
  return {
    device,
    becomes: async (phone: PoolPhone, ...states: string[]) => {
      await eventually(
        () => device(phone).then(({ state }) => state, String),
        (state) => states.includes(state),
      )
    },
  }
}

export const mark = (name: number | string, id = `mark-${name}`): object => ({
  id,
  type: 'click',
  params: { matcher: { textEquals: `Mark ${name}` }, retry: { maxAttempts: 1 } },
})

/** The same touch, without looking first. */
export function touch({ phone }: PoolPhone, name: number): object {
  const node = phone.screenNodes().find(({ text }) => text === `Mark ${name}`)
  if (node === undefined) throw new Error(`no mark ${name} on the screen`)
  const { left, top, right, bottom } = node.bounds
  const coordinate = { x: Math.floor((left + right) / 2), y: Math.floor((top + bottom) / 2) }
  return { id: `touch-${name}`, type: 'click', params: { coordinate } }
}

export const sleep = (durationMs: number, id = 'sleep'): object => ({
  id,
  type: 'sleep',
  params: { durationMs },
})

/** A look that is not tried again. */
export const look = { id: 'look', type: 'snapshot', params: { retry: { maxAttempts: 1 } } }

export const waitForNothing = {
  id: 'wait',
  type: 'wait_for_node',
  params: { matcher: { textEquals: 'Never there' } },
}
