import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished, vi } from 'vitest'
import type { Device } from '@apprentice/contracts/devices/device.ts'
import type { ExecutionRecord } from '@apprentice/contracts/devices/executions.ts'
import { startAdbServer } from '@apprentice/phone/wire/adb-server.ts'
import { buildDaemonEnv, daemonProgram, type Program, startProgram } from '../bench/program.ts'
import { createPhones, MARKS, payload } from '../devices/pool/pool.ts'
import { findFreePort, type WhenOver } from '../kit/phone-of-the-run.ts'
import { type CutProxy, startCutProxy } from './cut-proxy.ts'
import { startRedisServer } from './redis-server.ts'

const TOKEN = 'fault-admin-token-0123456789'

export interface RigHost {
  readonly name: string
  readonly network: CutProxy
  readonly phones: readonly RigPhone[]
  start(): void
  kill(): Promise<void>
  signal(name: NodeJS.Signals): void
}

export interface RigPhone {
  readonly serial: string
  /** The tapped marks, in order, as the phone itself counted them. */
  order(): readonly string[]
}

export interface FaultRigOptions {
  readonly hosts?: number
  readonly phones?: number
  readonly lostAfterMs?: number
  readonly latencyMs?: number
}

export type FaultRig = Awaited<ReturnType<typeof startFaultRig>>

/** Redis, a daemon and hosts as processes. The phones are in the process of the caller and survive all of them. */
export async function startFaultRig(
  { hosts: hostCount = 1, phones = 1, lostAfterMs = 2000, latencyMs = 5 }: FaultRigOptions,
  whenOver: WhenOver = onTestFinished,
) {
  const redis = await startRedisServer(whenOver)
  const empty = await startAdbServer({ hosts: [] })
  whenOver(() => empty.close())
  const home = mkdtempSync(join(tmpdir(), 'apprentice-hosts-'))
  whenOver(() => rmSync(home, { recursive: true, force: true }))
  writeFileSync(
    join(home, 'settings.json'),
    JSON.stringify({
      hosts: { lost_after_ms: lostAfterMs },
      // The soak asks for thousands of executions at its end.
      limits: { requests_per_second: 1e6, request_burst: 1e6 },
    }),
  )
  const port = await findFreePort()
  const url = `http://127.0.0.1:${port}`
  let daemon: Program | undefined
  const serve = async () => {
    daemon = startProgram([daemonProgram, 'serve'], {
      ...buildDaemonEnv(home, TOKEN),
      APPRENTICE_PORT: String(port),
      APPRENTICE_PHONE: 'adb',
      ADB_SERVER_SOCKET: `tcp:127.0.0.1:${empty.port}`,
      APPRENTICE_REDIS: redis.url,
    })
    await daemon.firstLine
  }
  whenOver(async () => void (await daemon?.end('SIGKILL')))
  await serve()
  const client = createClient(url)
  const hosts: RigHost[] = []
  for (let at = 0; at < hostCount; at += 1) {
    hosts.push(
      await createRigHost({ name: `lab-${at + 1}`, url, redisPort: redis.port, phones, latencyMs }, client, whenOver),
    )
  }
  return { redis, hosts, serve, ...client, killDaemon: async () => void (await daemon?.end('SIGKILL')) }
}

async function createRigHost(
  options: { name: string; url: string; redisPort: number; phones: number; latencyMs: number },
  { request }: ReturnType<typeof createClient>,
  whenOver: WhenOver,
): Promise<RigHost> {
  const { name, url, redisPort, latencyMs } = options
  const { secret } = await request<{ secret: string }>('/api/hosts', { name })
  const created = await createPhones(options.phones)
  for (const { phone } of created) {
    phone.setLatency({ dumpMs: latencyMs, inputMs: latencyMs, launchMs: 1, screencapMs: 1, idleTimeoutMs: 1 })
  }
  const face = await startAdbServer({ hosts: created.map(({ phone }) => phone) })
  whenOver(() => face.close())
  const network = await startCutProxy(redisPort, whenOver)
  let program: Program | undefined
  whenOver(async () => void (await program?.end('SIGKILL')))
  return {
    name,
    network,
    phones: created.map(({ phone }) => ({
      serial: `${name}::${phone.serial}`,
      order: () => phone.state(MARKS).saved['order'] as readonly string[],
    })),
    start: () => {
      program = startProgram([daemonProgram, 'host', '--url', url], {
        ADB_SERVER_SOCKET: `tcp:127.0.0.1:${face.port}`,
        APPRENTICE_REDIS: `redis://127.0.0.1:${network.port}`,
        APPRENTICE_HOST_TOKEN: secret,
      })
    },
    kill: async () => void (await program?.end('SIGKILL')),
    signal: (signal) => void program?.child.kill(signal),
  }
}

function createClient(url: string) {
  const request = async <T>(path: string, body?: object): Promise<T & { status: number }> => {
    const reply = await fetch(`${url}${path}`, {
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    })
    return { status: reply.status, ...((await reply.json()) as T) }
  }
  const get = async (id: string) => (await request<{ execution: ExecutionRecord }>(`/api/executions/${id}`)).execution
  const devices = async () => (await request<{ devices: Device[] }>('/api/devices')).devices
  const waitForState = (serial: string, state: string, timeout = 60_000) =>
    vi.waitUntil(async () => (await devices()).some((one) => one.serial === serial && one.state === state), {
      timeout,
      interval: 50,
    })
  return {
    request,
    get,
    devices,
    waitForState,
    send: async (
      serial: string,
      actions: readonly object[],
      more: { readonly commandId?: string; readonly priority?: number } = {},
    ) => {
      const { commandId, priority = 0 } = more
      const body = {
        execution: payload({ actions, timeoutMs: 60_000, ...(commandId === undefined ? {} : { commandId }) }),
        serial,
        priority,
      }
      return (await request<{ execution: ExecutionRecord }>('/api/executions', body)).execution
    },
    cancel: (id: string) => request(`/api/executions/${id}/cancel`, {}),
    /** The execution once it has ended. */
    end: async (id: string) => {
      await vi.waitUntil(async () => (await get(id)).settled_at !== undefined, { timeout: 90_000, interval: 50 })
      return get(id)
    },
  }
}
