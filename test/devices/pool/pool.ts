import { join } from 'node:path'
import type { LightMyRequestResponse } from 'fastify'
import { expect } from 'vitest'
import type { Device } from '@apprentice/contracts/devices/device.ts'
import type { ExecutionRecord } from '@apprentice/contracts/devices/executions.ts'
import { createPhone, type Phone, type PhoneOptions } from '@apprentice/phone/phone.ts'
import type { Daemon } from '../../kit/daemon.ts'
import { run } from '../../phone/phone-shell.ts'
import { eventually } from '../driver/outcomes.ts'
import type { Rig } from '../driver/rigs.ts'
import { ObservedClock } from './observed-clock.ts'
import type { PoolKind } from './pool-kinds.ts'

export const MARKS = 'org.example.marks'

/** A phone of the pool with the marks app in the foreground. */
export interface PoolPhone {
  readonly serial: string
  readonly phone: Phone
  readonly clock: ObservedClock
  readonly taps: () => number
  /** The tapped marks, in order. */
  readonly order: () => readonly string[]
}

export interface ExecutionRequest {
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
  /** Sends an execution and waits until it has settled. */
  execute(request: ExecutionRequest): Promise<Answer>
  /** Sends an execution without waiting. */
  queue(request: ExecutionRequest): Promise<Answer>
  get(id: string, token?: string): Promise<Answer>
  cancel(id: string, token?: string): Promise<Answer>
  /** Waits until the execution has settled. Fails if it does not. */
  end(id: string, token?: string): Promise<ExecutionRecord>
  device(phone: PoolPhone): Promise<Device>
  waitForState(phone: PoolPhone, ...states: string[]): Promise<void>
}

/** Every command takes time, so that the clock counts it. */
const LATENCY = { dumpMs: 1, inputMs: 1, launchMs: 1, screencapMs: 1, idleTimeoutMs: 1 }

export async function createPhones(count: number, options: PhoneOptions = {}) {
  const created = Array.from({ length: count }, (_, at) => {
    const clock = new ObservedClock()
    const phone = createPhone({
      serial: `sim-${at + 1}`,
      appsDirs: [join(import.meta.dirname, 'apps')],
      clock,
      latency: LATENCY,
      ...options,
    })
    expect(phone.documentReports).toEqual([])
    return { phone, clock }
  })
  for (const { phone, clock } of created) {
    const { stdout } = await run(phone, `am start -W -n ${MARKS}/.MarksActivity`)
    expect(stdout).toContain('Status: ok')
    Object.assign(clock, { commandCount: 0, maxBusy: 0 })
  }
  return created
}

/** Starts a daemon with phones behind an adb server. */
export async function startPool(kind: PoolKind, count = 1): Promise<Pool> {
  const created = await createPhones(count)
  const rig = await kind.rig.start(created.map(({ phone }) => phone))
  const { daemon, prefix } = await kind.startDaemon(rig)
  const phones = created.map(({ phone, clock }) => toPoolPhone(`${prefix}${rig.serial(phone)}`, phone, clock))
  const [first] = phones
  if (first === undefined) throw new Error('a pool needs a phone')
  const pool: Pool = {
    daemon,
    rig,
    phones,
    phone: first,
    ...createRequests(daemon),
    ...createDeviceReads(daemon),
  }
  for (const phone of phones) await pool.waitForState(phone, 'device')
  return pool
}

function toPoolPhone(serial: string, phone: Phone, clock: ObservedClock): PoolPhone {
  const saved = () => phone.state(MARKS).saved as { taps: number; order: string[] }
  return { serial, phone, clock, taps: () => saved().taps, order: () => saved().order }
}

let commands = 0

export function payload({ actions, commandId, timeoutMs = 20_000 }: ExecutionRequest): object {
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

function createRequests(daemon: Daemon) {
  const answer = (reply: LightMyRequestResponse): Answer => ({
    status: reply.statusCode,
    ...reply.json<Omit<Answer, 'status'>>(),
  })
  const send = async (request: ExecutionRequest, wait_ms: number) => {
    const { on, priority, token, more } = request
    const serial = typeof on === 'object' ? on.serial : on
    const body = {
      execution: payload(request),
      wait_ms,
      ...(serial === undefined ? {} : { serial }),
      ...(priority === undefined ? {} : { priority }),
      ...more,
    }
    return answer(await daemon.post('/api/executions', body, token))
  }
  const get = async (id: string, token?: string) => answer(await daemon.get(`/api/executions/${id}`, token))
  return {
    get,
    execute: (request: ExecutionRequest) => send(request, request.wait_ms ?? 15_000),
    queue: (request: ExecutionRequest) => send(request, request.wait_ms ?? 0),
    cancel: async (id: string, token?: string) => answer(await daemon.post(`/api/executions/${id}/cancel`, {}, token)),
    end: async (id: string, token?: string) => {
      expect(await daemon.system.jobs.waitUntilSettled(id, 15_000)).toBeDefined()
      return (await get(id, token)).execution
    },
  }
}

function createDeviceReads(daemon: Daemon) {
  const device = async ({ serial }: PoolPhone) => {
    const reply = await daemon.get('/api/devices')
    const { devices } = reply.json<{ devices: Device[] }>()
    const found = devices.find((one) => one.serial === serial)
    if (found === undefined) throw new Error(`${serial} is not listed`)
    return found
  }
  return {
    device,
    waitForState: async (phone: PoolPhone, ...states: string[]) => {
      await eventually(
        () => device(phone).then(({ state }) => state, String),
        (state) => states.includes(state),
      )
    },
  }
}

export const tapMark = (name: number | string, id = `mark-${name}`): object => ({
  id,
  type: 'click',
  params: { matcher: { textEquals: `Mark ${name}` }, retry: { maxAttempts: 1 } },
})

/** Taps the same mark by coordinate, without reading the screen. */
export function tapMarkAt({ phone }: PoolPhone, name: number): object {
  const node = phone.screenNodes().find(({ text }) => text === `Mark ${name}`)
  if (node === undefined) throw new Error(`no mark ${name} on the screen`)
  const { left, top, right, bottom } = node.bounds
  const coordinate = { x: Math.floor((left + right) / 2), y: Math.floor((top + bottom) / 2) }
  return { id: `touch-${name}`, type: 'click', params: { coordinate } }
}

export const sleepStep = (durationMs: number, id = 'sleep'): object => ({
  id,
  type: 'sleep',
  params: { durationMs },
})

/** A snapshot without retries. */
export const snapshotStep = {
  id: 'snapshot',
  type: 'snapshot',
  params: { retry: { maxAttempts: 1 } },
}

export const endlessWait = {
  id: 'wait',
  type: 'wait_for_node',
  params: { matcher: { textEquals: 'Never there' } },
}
