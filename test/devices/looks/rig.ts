import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { ExecutionRecord } from '@apprentice/contracts/devices/executions.ts'
import type { ExpectOutcome, WaitOutcome } from '@apprentice/contracts/devices/checks.ts'
import type { Snapshot } from '@apprentice/contracts/devices/snapshot.ts'
import type { FailureReply } from '@apprentice/contracts/base/route.ts'
import type { Phone } from '@apprentice/phone/phone.ts'
import { type Daemon, startDaemon } from '../../kit/daemon.ts'
import { countScreenReads } from '../screen-reads.ts'

export const LAMP = 'org.example.lamp'

export interface Answer<T> {
  readonly status: number
  readonly body: T
  readonly error: FailureReply['error'] | undefined
}

export interface Rig {
  readonly daemon: Daemon
  readonly phone: Phone
  readonly url: string
  /** The number of screen readings so far. */
  readonly reads: () => number
  readonly wait: (request: object, token?: string) => Promise<Answer<WaitOutcome>>
  readonly expect: (request: object, token?: string) => Promise<Answer<ExpectOutcome>>
  readonly snapshot: (token?: string) => Promise<Snapshot>
  /** Runs actions and waits until they have settled. */
  readonly execute: (actions: readonly object[], token?: string) => Promise<ExecutionRecord>
  readonly queue: (actions: readonly object[], priority?: number) => Promise<ExecutionRecord>
  /** Sets the state of the lamp app while it is on the screen. */
  readonly setLamp: (saved: Readonly<Record<string, boolean | string | number>>) => void
}

/** Starts a daemon with a simulated phone that shows the lamp app. */
export async function startLamp(): Promise<Rig> {
  const simApps = join(import.meta.dirname, 'apps')
  const daemon = await startDaemon({ config: { phone: 'simulated', simApps } })
  const phone = daemon.system.devices.phone.simulated
  if (phone === undefined) throw new Error('no simulated phone')
  const url = `/api/devices/${phone.serial}`
  const reads = countScreenReads(daemon.system.devices.driver(phone.serial))
  const rig = {
    daemon,
    phone,
    url,
    reads,
    ...createRequests(daemon, url),
    ...createExecutions(daemon),
  }
  await rig.execute([OPEN_LAMP])
  if (phone.foreground()?.packageName !== LAMP) throw new Error('the lamp did not open')
  return { ...rig, setLamp: (saved) => phone.setState(LAMP, { saved }) }
}

const OPEN_LAMP = { id: 'open', type: 'open_app', params: { applicationId: LAMP } }
export const tap = (id: string, more: object = {}) => ({
  id: `tap_${id}`,
  type: 'click',
  params: { matcher: { resourceId: `${LAMP}:id/${id}` } },
  ...more,
})
export const byId = (id: string) => ({ selector: { resource_id: `${LAMP}:id/${id}` } })

function createRequests(daemon: Daemon, url: string): Pick<Rig, 'wait' | 'expect' | 'snapshot'> {
  const post = async (path: string, request: object, token?: string) => {
    const reply = await daemon.post(`${url}/${path}`, request, token)
    const body = reply.json<Partial<FailureReply> & Record<string, unknown>>()
    return { status: reply.statusCode, body, error: body.error }
  }
  return {
    wait: async (request, token) => {
      const { body, ...rest } = await post('waits', request, token)
      return { ...rest, body: body['wait'] as WaitOutcome }
    },
    expect: async (request, token) => {
      const { body, ...rest } = await post('expects', request, token)
      return { ...rest, body: body['expect'] as ExpectOutcome }
    },
    snapshot: async (token) => (await post('snapshot', {}, token)).body['snapshot'] as Snapshot,
  }
}

function createExecutions(daemon: Daemon): Pick<Rig, 'execute' | 'queue'> {
  let count = 0
  const send = async (actions: readonly object[], options: object, token?: string) => {
    count += 1
    const execution = {
      commandId: `c${count}`,
      taskId: 't',
      source: 'test',
      expectedFormat: 'android-ui-automator',
      timeoutMs: 20_000,
      actions,
    }
    const reply = await daemon.post('/api/executions', { execution, ...options }, token)
    return reply.json<{ execution: ExecutionRecord }>().execution
  }
  return {
    execute: (actions, token) => send(actions, { wait_ms: 20_000 }, token),
    queue: (actions, priority = 0) => send(actions, { priority }),
  }
}

/** Runs work later, unless the test has finished by then. */
export function later(ms: number, work: () => void): void {
  const timer = setTimeout(work, ms)
  onTestFinished(() => clearTimeout(timer))
}

/** Returns a different word for each round. Digits are not used, because changing numbers do not count as a change. */
export const toWord = (round: number): string =>
  String(round).replaceAll(/\d/g, (digit) => 'abcdefghij'.charAt(Number(digit)))

/** Runs work repeatedly until the test has finished. */
export function repeat(everyMs: number, work: (round: number) => void): void {
  let round = 0
  const timer = setInterval(() => work((round += 1)), everyMs)
  onTestFinished(() => clearInterval(timer))
}
