import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest'
import { type ResultEnvelope, type StepResult, normalizeExecution } from '@apprentice/contracts/devices/execution.ts'
import { AdbClient } from '../../../src/devices/adb/adb-client.ts'
import { AndroidDriver } from '../../../src/devices/driver/android-driver.ts'
import { DeviceShell } from '../../../src/devices/shell/device-shell.ts'
import type { Driver } from '../../../src/devices/driver/driver.ts'
import {
  type EngineHost,
  type StepEvidence,
  runExecution,
} from '../../../src/devices/engine/execution/run-execution.ts'
import { type Phone, type PhoneOptions, createPhone } from '@apprentice/phone/phone.ts'
import { type AttachedPhone, type ServerKind, type Server, serverKinds } from './adb-servers.ts'

export const BENCH = 'org.example.bench'
export const CONTROLS = 'org.example.controls'

/** A phone with the bench app, a driver that records its calls, and everything an execution reported. */
export interface Bench {
  readonly phone: Phone
  readonly wire: AttachedPhone
  readonly server: Server
  readonly clock: SleepingClock
  /** The driver's calls so far, by name. */
  readonly calls: string[]
  /** How long the engine slept, each time. */
  readonly slept: number[]
  readonly started: string[]
  readonly finished: { readonly result: StepResult; readonly evidence: StepEvidence }[]
  readonly screenshots: Buffer[]
  readonly driver: Driver
  /** Opens a screen of the bench app and clears the recorded calls. */
  show(screen: string): Promise<void>
  /** Opens a screen of an app by its link. */
  visit(packageName: string, link: string): Promise<void>
  execute(actions: readonly RawAction[], host?: BenchHost): Promise<ResultEnvelope>
  /** Runs one action and returns its step. */
  step(action: RawAction, host?: BenchHost): Promise<StepResult>
  dumps(): number
}

/** Overrides of the host, and the dismissals, landmarks and words of the execution. */
export type BenchHost = Partial<EngineHost> & {
  readonly dismissals?: readonly Readonly<Record<string, unknown>>[]
  readonly landmarks?: readonly Readonly<Record<string, unknown>>[]
  readonly words?: readonly string[]
}

export interface RawAction {
  readonly type: string
  readonly id?: string
  readonly when?: Readonly<Record<string, unknown>>
  readonly unless?: Readonly<Record<string, unknown>>
  readonly doneIfMissing?: boolean
  readonly doneIfReversed?: boolean
  readonly expects?: { readonly effect: string }
  readonly params?: Readonly<Record<string, unknown>>
}

export interface BenchOptions extends PhoneOptions {
  /** Uses the real clock. */
  readonly realTime?: boolean
}

/** Runs a suite over both kinds of adb server. */
export function overBothServers(suite: (open: (options?: BenchOptions) => Promise<Bench>) => void): void {
  for (const kind of serverKinds) {
    describe.skipIf(!kind.available)(`over ${kind.name}`, () => {
      suite(createBench(kind))
    })
  }
}

/** Runs a suite over the embedded adb server. */
export function overEmbeddedServer(suite: (open: (options?: BenchOptions) => Promise<Bench>) => void): void {
  const [kind] = serverKinds
  if (kind !== undefined) suite(createBench(kind))
}

function createBench(kind: ServerKind): (options?: BenchOptions) => Promise<Bench> {
  let server: Server
  beforeAll(async () => {
    server = await kind.start()
  })
  afterAll(() => server.close())
  return (options) => openBench(server, options)
}

async function openBench(server: Server, options: BenchOptions = {}): Promise<Bench> {
  const clock = new SleepingClock()
  const { realTime = false, ...phoneOptions } = options
  const phone = createPhone({
    appsDirs: [join(import.meta.dirname, 'apps')],
    ...(!realTime && { clock }),
    ...phoneOptions,
  })
  expect(phone.documentReports).toEqual([])
  const wire = await server.attach(phone)
  const { serial } = wire
  const shell = new DeviceShell(new AdbClient(server.address), serial)
  onTestFinished(async () => {
    shell.close()
    await wire.detach()
  })
  const calls: string[] = []
  const slept: number[] = []
  const driver = countCalls(new AndroidDriver(shell, { server: server.address, serial }), calls)
  const records = { calls, slept, started: [], finished: [], screenshots: [] }
  const bench: Bench = {
    phone,
    wire,
    server,
    clock,
    driver,
    ...records,
    show: (screen) => bench.visit(BENCH, `bench:${screen}`),
    visit: async (packageName, link) => {
      await driver.closeApp(packageName, { timeoutMs: 5000 })
      await driver.openUri(link, { timeoutMs: 5000 })
      calls.length = 0
    },
    execute: (actions, host) => execute(bench, actions, { ...buildClockHost(realTime, clock, slept), ...host }),
    step: async (action, host) => {
      const envelope = await bench.execute([action], host)
      return envelope.stepResults[0] ?? expect.fail('no step')
    },
    dumps: () => calls.filter((name) => name === 'dump').length,
  }
  return bench
}

function execute(
  bench: Bench,
  actions: readonly RawAction[],
  { dismissals, landmarks, words, ...host }: BenchHost,
): Promise<ResultEnvelope> {
  const normalized = normalizeExecution({
    commandId: 'command-1',
    taskId: 'task-1',
    source: 'test',
    expectedFormat: 'android-ui-automator',
    timeoutMs: 60_000,
    actions: actions.map((action, at) => ({ id: `s${at + 1}`, ...action })),
    ...(dismissals && { dismissals }),
    ...(landmarks && { landmarks }),
    ...(words && { words }),
  })
  if (!normalized.ok) throw new Error(normalized.failure.reason)
  return runExecution(normalized.execution, {
    driver: bench.driver,
    timeoutMs: 60_000,
    signal: new AbortController().signal,
    saveScreenshot: async (png) => {
      bench.screenshots.push(png)
      return {
        path: `screenshots/${bench.screenshots.length}.png`,
        evidence_id: `e${bench.screenshots.length}`,
      }
    },
    onStepStarted: async ({ id }) => void bench.started.push(id),
    onStepFinished: async (result, evidence) => void bench.finished.push({ result, evidence }),
    ...host,
  })
}

function buildClockHost(realTime: boolean, clock: SleepingClock, slept: number[]): Partial<EngineHost> {
  if (realTime) return {}
  const sleep = async (ms: number, signal: AbortSignal) => {
    slept.push(ms)
    await clock.sleep(ms, signal)
  }
  return { now: () => clock.now(), sleep }
}

/** A clock that advances only by sleeping, without waiting. Phone and engine share it. */
export class SleepingClock {
  #nowMs = Date.now()

  now(): number {
    return this.#nowMs
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted === true) return
    this.#nowMs += ms
    await pause(0)
  }
}

function countCalls(driver: Driver, calls: string[]): Driver {
  return new Proxy(driver, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      return (...args: unknown[]) => {
        calls.push(String(name))
        return Reflect.apply(value, target, args) as unknown
      }
    },
  })
}

/** The centre of a node on the screen. */
export function findMiddle(phone: Phone, id: string): { x: number; y: number } {
  const node = phone.screenNodes().find(({ resourceId }) => resourceId === toResourceId(id))
  const { left, top, right, bottom } = (node ?? expect.fail(`no node ${id}`)).bounds
  return { x: Math.floor((left + right) / 2), y: Math.floor((top + bottom) / 2) }
}

export function toResourceId(name: string): string {
  return `${BENCH}:id/${name}`
}

export function listDisplayedTexts(phone: Phone): readonly string[] {
  return phone.screenNodes().map(({ text }) => text)
}
