import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { ExecutionRecord } from '@apprentice/contracts/devices/executions.ts'
import type { ExpectOutcome, WaitOutcome } from '@apprentice/contracts/devices/looks.ts'
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
  /** How often the screen was read, for whomever. */
  readonly reads: () => number
  readonly wait: (request: object, token?: string) => Promise<Answer<WaitOutcome>>
  readonly expect: (request: object, token?: string) => Promise<Answer<ExpectOutcome>>
  readonly snapshot: (token?: string) => Promise<Snapshot>
  /** Runs actions to their end, as the user whose token it is. */
  readonly execute: (actions: readonly object[], token?: string) => Promise<ExecutionRecord>
  readonly queue: (actions: readonly object[], priority?: number) => Promise<ExecutionRecord>
  /** Sets what the lamp has saved, while it is on the screen. */
  readonly lamp: (saved: Readonly<Record<string, boolean | string | number>>) => void
}

/** A daemon with a simulated phone that shows the lamp. */
export async function aLamp(): Promise<Rig> {
  const simApps = join(import.meta.dirname, 'apps')
  const daemon = await startDaemon({ config: { phone: 'simulated', simApps } })
  const phone = daemon.system.floor.phone.simulated
  if (phone === undefined) throw new Error('the daemon brought no phone')
  const url = `/api/devices/${phone.serial}`
  const reads = countScreenReads(daemon.system.floor.driver(phone.serial))
  const rig = { daemon, phone, url, reads, ...asking(daemon, url), ...executing(daemon) }
  await rig.execute([open])
  if (phone.foreground()?.packageName !== LAMP) throw new Error('the lamp did not open')
  return { ...rig, lamp: (saved) => phone.setState(LAMP, { saved }) }
}

const open = { id: 'open', type: 'open_app', params: { applicationId: LAMP } }
export const tap = (id: string, more: object = {}) => ({
  id: `tap_${id}`,
  type: 'click',
  params: { matcher: { resourceId: `${LAMP}:id/${id}` } },
  ...more,
})
export const byId = (id: string) => ({ selector: { resource_id: `${LAMP}:id/${id}` } })

function asking(daemon: Daemon, url: string): Pick<Rig, 'wait' | 'expect' | 'snapshot'> {
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

function executing(daemon: Daemon): Pick<Rig, 'execute' | 'queue'> {
  let count = 0
  const send = async (actions: readonly object[], how: object, token?: string) => {
    count += 1
    const execution = {
      commandId: `c${count}`,
      taskId: 't',
      source: 'test',
      expectedFormat: 'android-ui-automator',
      timeoutMs: 20_000,
      actions,
    }
    const reply = await daemon.post('/api/executions', { execution, ...how }, token)
    return reply.json<{ execution: ExecutionRecord }>().execution
  }
  return {
    execute: (actions, token) => send(actions, { wait_ms: 20_000 }, token),
    queue: (actions, priority = 0) => send(actions, { priority }),
  }
}

/** Does something later, unless the test is over by then. */
export function later(ms: number, work: () => void): void {
  const timer = setTimeout(work, ms)
  onTestFinished(() => clearTimeout(timer))
}

/** A word that no other round has. Numbers would not do: they tick on many a screen. */
export const wordOf = (round: number): string =>
  String(round).replaceAll(/\d/g, (digit) => 'abcdefghij'.charAt(Number(digit)))

/** Does something over and over until the test is over. */
export function over(everyMs: number, work: (round: number) => void): void {
  let round = 0
  const timer = setInterval(() => work((round += 1)), everyMs)
  onTestFinished(() => clearInterval(timer))
}
