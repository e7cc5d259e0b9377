import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Device } from '@apprentice/contracts/devices/device.ts'
import type { ExecutionRecord } from '@apprentice/contracts/devices/executions.ts'
import type { PhonesRequest, StartedPhones } from './device-phones.ts'
import type { Measure } from './figure.ts'
import { BENCH_TOKEN, createHome } from './home.ts'
import { buildDaemonEnv, daemonProgram, type Program, startProgram } from './program.ts'

/** Phones that answer at once, to measure only the daemon. */
export const NO_LATENCY = { dumpMs: 0, inputMs: 0, launchMs: 0, screencapMs: 0, idleTimeoutMs: 0 }

export async function startPhones(request: PhonesRequest): Promise<StartedPhones & { close(): Promise<unknown> }> {
  const loader = fileURLToPath(import.meta.resolve('tsx'))
  const program = startProgram([
    '--import',
    loader,
    join(import.meta.dirname, 'device-phones.ts'),
    JSON.stringify(request),
  ])
  // The program prints this as its first line.
  const phones = (await program.firstLine) as unknown as StartedPhones
  return { ...phones, close: () => program.end('SIGKILL') }
}

export interface BenchDaemon {
  readonly url: string
  readonly pid: number
  /** Runs an execution and waits for its end. Throws unless it succeeds. */
  execute(serial: string, commandId: string): Promise<ExecutionRecord>
  close(): Promise<void>
}

/** Starts the built daemon with the phones of an adb server. */
export async function startDeviceDaemon(
  phones: Pick<StartedPhones, 'server' | 'serials'>,
  env: Readonly<Record<string, string>> = {},
): Promise<BenchDaemon> {
  const home = createHome()
  const program = startProgram([daemonProgram, 'serve'], {
    ...buildDaemonEnv(home, BENCH_TOKEN),
    APPRENTICE_PHONE: 'adb',
    ADB_SERVER_SOCKET: `tcp:127.0.0.1:${phones.server}`,
    ...env,
  })
  const close = async () => {
    await program.end('SIGKILL')
    rmSync(home, { recursive: true, force: true })
  }
  try {
    const url = await readAddress(program)
    await waitForDevices(url, phones.serials.length)
    return { url, pid: program.child.pid ?? 0, close, execute: (serial, commandId) => execute(url, serial, commandId) }
  } catch (error) {
    await close()
    throw error
  }
}

/** The first log line contains the address of the daemon. */
async function readAddress(program: Program): Promise<string> {
  return String((await program.firstLine)['url'])
}

export async function waitForDevices(url: string, count: number): Promise<void> {
  const headers = { authorization: `Bearer ${BENCH_TOKEN}` }
  for (let attempt = 0; attempt < 3000; attempt += 1) {
    const reply = await fetch(`${url}/api/devices`, { headers })
    const { devices } = (await reply.json()) as { devices: Device[] }
    if (devices.filter(({ state }) => state === 'device').length === count) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error('The daemon did not list its phones in time.')
}

async function execute(url: string, serial: string, commandId: string): Promise<ExecutionRecord> {
  const reply = await fetch(`${url}/api/executions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${BENCH_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ execution: buildTapPayload(commandId), serial, wait_ms: 60_000 }),
  })
  const { execution } = (await reply.json()) as { execution: ExecutionRecord }
  if (execution?.state !== 'succeeded') throw new Error(`${commandId}: ${JSON.stringify(execution)}`)
  return execution
}

/** The most common action: find a node by its text and tap it. */
export const buildTapPayload = (commandId: string) => ({
  commandId,
  taskId: 'bench',
  source: 'bench',
  expectedFormat: 'android-ui-automator',
  timeoutMs: 60_000,
  actions: [{ id: 'tap', type: 'click', params: { matcher: { textEquals: 'Mark 3' } } }],
})

/** Compares a time with a baseline. Smaller is better. */
export const compareTimes = (
  at_most: number,
  { what, ours, baseline, unit }: Omit<Measure, 'ratio' | 'target'>,
): Measure => ({ what, ours, baseline, unit, ratio: ours / baseline, target: { at_most } })

export async function measureMs(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}
