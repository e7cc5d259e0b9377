import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Device } from '@apprentice/contracts/devices/device.ts'
import type { ExecutionRecord } from '@apprentice/contracts/devices/executions.ts'
import { startAdbServerFace } from '@apprentice/phone/wire/adb-server-face.ts'
import { daemonEnv, daemonProgram, type Program, startProgram } from '../../bench/program.ts'
import { eventually } from '../driver/outcomes.ts'
import { makePhones, MARKS } from './pool.ts'

const token = 'floor-admin-token-0123456789'

/** Phones in the test's own process, so that they outlive the daemons that use them. */
export async function startFloor(count: number, latencyMs = 1) {
  const made = await makePhones(count)
  for (const { phone } of made) {
    phone.setLatency({
      dumpMs: latencyMs,
      inputMs: latencyMs,
      launchMs: 1,
      screencapMs: 1,
      idleTimeoutMs: 1,
    })
  }
  const face = await startAdbServerFace({ hosts: made.map(({ phone }) => phone) })
  const home = mkdtempSync(join(tmpdir(), 'apprentice-floor-'))
  let program: Program | undefined
  onTestFinished(async () => {
    await program?.end('SIGKILL')
    await face.close()
    rmSync(home, { recursive: true, force: true })
  })
  return {
    phones: made.map(({ phone, clock }) => ({
      serial: phone.serial,
      clock,
      order: () => phone.state(MARKS).saved['order'] as readonly string[],
    })),
    /** Starts a daemon on the same home. */
    serve: async (): Promise<Client> => {
      program = startProgram([daemonProgram, 'serve'], {
        ...daemonEnv(home, token),
        APPRENTICE_PHONE: 'adb',
        ADB_SERVER_SOCKET: `tcp:127.0.0.1:${face.port}`,
      })
      const { url } = await program.firstLine
      return clientOf(String(url))
    },
    kill: async () => program?.end('SIGKILL'),
  }
}

export type Client = ReturnType<typeof clientOf>

function clientOf(url: string) {
  const ask = async <T>(path: string, body?: object): Promise<T & { status: number }> => {
    const reply = await fetch(`${url}${path}`, {
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    })
    return { status: reply.status, ...((await reply.json()) as T) }
  }
  return {
    /** Resolves when as many phones can be used. */
    sees: async (count: number) => {
      const usable = async () => {
        const { devices } = await ask<{ devices: Device[] }>('/api/devices')
        return devices.filter(({ state }) => state === 'device').length
      }
      await eventually(usable, (found) => found === count)
    },
    send: (body: object) => ask<{ execution: ExecutionRecord }>('/api/executions', body),
    count: async (state: string) =>
      (await ask<{ total: number }>(`/api/executions?state=${state}`)).total,
    /** All executions, by their command. */
    all: async () => {
      const path = '/api/executions?page_size=100'
      const { executions } = await ask<{ executions: ExecutionRecord[] }>(path)
      return new Map(executions.map((execution) => [execution.command_id, execution]))
    },
  }
}
