import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Device } from '@apprentice/contracts/devices/device.ts'
import type { ExecutionRecord } from '@apprentice/contracts/devices/executions.ts'
import { startAdbServer } from '@apprentice/phone/wire/adb-server.ts'
import { buildDaemonEnv, daemonProgram, type Program, startProgram } from '../../bench/program.ts'
import { eventually } from '../driver/outcomes.ts'
import { createPhones, MARKS } from './pool.ts'

const TOKEN = 'crash-admin-token-0123456789'

/** Starts phones in the process of the test, so that they survive a kill of the daemon. */
export async function startSurvivingPhones(count: number, latencyMs = 1) {
  const created = await createPhones(count)
  for (const { phone } of created) {
    phone.setLatency({
      dumpMs: latencyMs,
      inputMs: latencyMs,
      launchMs: 1,
      screencapMs: 1,
      idleTimeoutMs: 1,
    })
  }
  const face = await startAdbServer({ hosts: created.map(({ phone }) => phone) })
  const home = mkdtempSync(join(tmpdir(), 'apprentice-phones-'))
  let program: Program | undefined
  onTestFinished(async () => {
    await program?.end('SIGKILL')
    await face.close()
    rmSync(home, { recursive: true, force: true })
  })
  return {
    phones: created.map(({ phone, clock }) => ({
      serial: phone.serial,
      clock,
      order: () => phone.state(MARKS).saved['order'] as readonly string[],
    })),
    /** Starts a daemon on the same home. */
    serve: async (): Promise<Client> => {
      program = startProgram([daemonProgram, 'serve'], {
        ...buildDaemonEnv(home, TOKEN),
        APPRENTICE_PHONE: 'adb',
        ADB_SERVER_SOCKET: `tcp:127.0.0.1:${face.port}`,
      })
      const { url } = await program.firstLine
      return createClient(String(url))
    },
    kill: async () => program?.end('SIGKILL'),
  }
}

export type Client = ReturnType<typeof createClient>

function createClient(url: string) {
  const request = async <T>(path: string, body?: object): Promise<T & { status: number }> => {
    const reply = await fetch(`${url}${path}`, {
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    })
    return { status: reply.status, ...((await reply.json()) as T) }
  }
  return {
    /** Resolves when `count` phones are connected. */
    waitForPhones: async (count: number) => {
      const usable = async () => {
        const { devices } = await request<{ devices: Device[] }>('/api/devices')
        return devices.filter(({ state }) => state === 'device').length
      }
      await eventually(usable, (found) => found === count)
    },
    send: (body: object) => request<{ execution: ExecutionRecord }>('/api/executions', body),
    count: async (state: string) => (await request<{ total: number }>(`/api/executions?state=${state}`)).total,
    /** Lists all executions, keyed by command id. */
    list: async () => {
      const path = '/api/executions?page_size=100'
      const { executions } = await request<{ executions: ExecutionRecord[] }>(path)
      const whole = new Map<string, ExecutionRecord>()
      // Results are read one by one, because lists are without them.
      for (const { execution_id } of executions) {
        const { execution } = await request<{ execution: ExecutionRecord }>(`/api/executions/${execution_id}`)
        whole.set(execution.command_id, execution)
      }
      return whole
    },
  }
}
