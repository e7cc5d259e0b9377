import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { MiningScan, TraceCluster } from '@apprentice/contracts/learn/mining.ts'
import type { Phone } from '@apprentice/phone/phone.ts'
import { findProposal, type StoredProposal } from '../../src/store/proposals/proposals.ts'
import { listRuns } from '../../src/store/validation/validation-runs.ts'
import { type Daemon, type DaemonOptions, startDaemon } from '../kit/daemon.ts'

export const climate = 'org.apprentice.climate'

export interface OnPhone {
  readonly daemon: Daemon
  readonly phone: Phone
}

export async function onPhone(options: DaemonOptions = {}): Promise<OnPhone> {
  const daemon = await startDaemon({ ...options, config: { phone: 'simulated' } })
  const phone = daemon.system.floor.phone.simulated
  if (phone === undefined) throw new Error('no phone')
  await expect.poll(async () => (await daemon.get('/api/devices')).body).toContain('"device"')
  return { daemon, phone }
}

/** What the units are set to, by the phone's own account. */
export function temperatures(phone: Phone): Record<string, number> {
  const { units } = phone.state(climate).saved as unknown as {
    units: { name: string; temperature: number }[]
  }
  return Object.fromEntries(units.map(({ name, temperature }) => [name, temperature]))
}

export const tap = (matcher: object) => ({ type: 'click', params: { matcher } })

/** Begins at the list of units, wherever the phone was left. */
const opened = [
  { type: 'close_app', params: { applicationId: climate } },
  { type: 'open_app', params: { applicationId: climate } },
]

/** Sets a unit some steps warmer, and looks whether the phone says so. */
export const warmer = (unit: string, steps: number): object[] => [
  ...opened,
  { type: 'wait_for_node', params: { matcher: { textEquals: unit } } },
  tap({ textEquals: unit }),
  ...Array.from({ length: steps }, () => tap({ contentDescEquals: 'Warmer' })),
  tap({ textEquals: 'Save' }),
  tap({ resourceId: 'android:id/button1' }),
  { type: 'expect', params: { matcher: { textEquals: unit } } },
]

export interface Doing {
  readonly goal?: string
  readonly project_id?: string
  readonly token?: string
  readonly taskId?: string
}

/** Runs actions as one execution and returns its id. */
export async function perform(
  daemon: Daemon,
  actions: readonly object[],
  { token, taskId = 't', ...facts }: Doing = {},
): Promise<{ execution_id: string; state: string }> {
  daemon.clock.advance(1000)
  const reply = await daemon.post(
    '/api/executions',
    {
      execution: {
        commandId: randomUUID(),
        taskId,
        source: 'test',
        expectedFormat: 'android-ui-automator',
        timeoutMs: 60_000,
        actions: actions.map((action, at) => ({ id: `a${at}`, ...action })),
      },
      wait_ms: 60_000,
      ...facts,
    },
    token,
  )
  expect(reply.statusCode, reply.body).toBe(200)
  return reply.json<{ execution: { execution_id: string; state: string } }>().execution
}

/** The same workflow three times, for a project, each time for another unit. */
export async function repeatThreeTimes(
  daemon: Daemon,
  doing: Doing = { goal: 'Set the temperature of a unit', project_id: 'house' },
): Promise<string[]> {
  const ids: string[] = []
  for (const [unit, steps] of [
    ['Reception', 2],
    ['Lobby', 1],
    ['Kitchen', 3],
  ] as const) {
    const done = await perform(daemon, warmer(unit, steps), doing)
    expect(done.state).toBe('succeeded')
    ids.push(done.execution_id)
  }
  return ids
}

export async function scan(daemon: Daemon, token?: string): Promise<MiningScan> {
  const reply = await daemon.post('/api/learn/mining/scan', {}, token)
  expect(reply.statusCode, reply.body).toBe(200)
  return reply.json<MiningScan>()
}

export async function clustersOf(daemon: Daemon, token?: string): Promise<TraceCluster[]> {
  const reply = await daemon.get('/api/learn/mining/clusters', token)
  expect(reply.statusCode, reply.body).toBe(200)
  return reply.json<{ clusters: TraceCluster[] }>().clusters
}

export async function set(daemon: Daemon, settings: Record<string, unknown>): Promise<void> {
  const reply = await daemon.request({
    method: 'PUT',
    url: '/api/learn/mining/settings',
    payload: settings,
  })
  expect(reply.statusCode, reply.body).toBe(200)
}

export const proposalOf = (daemon: Daemon, id: string): StoredProposal => {
  const found = daemon.system.store.read((reader) => findProposal(reader, id) ?? null)
  if (found === null) throw new Error(`no proposal ${id}`)
  return found
}

/** Waits until nothing is done to a proposal by itself any more, and says where it came to rest. */
export async function settled(daemon: Daemon, id: string): Promise<string> {
  const stateOf = () => proposalOf(daemon, id).proposal_state
  await expect
    .poll(stateOf, { timeout: 20_000 })
    .not.toMatch(/^(draft|testing|installing_private)$/)
  return stateOf()
}

export const testRunsOf = (daemon: Daemon, id: string) =>
  daemon.system.store.read((reader) => listRuns(reader, id, { page: 1, page_size: 10 })).runs
