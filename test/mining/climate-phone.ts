import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { MiningScan, TraceCluster } from '@apprentice/contracts/learn/mining.ts'
import type { Phone } from '@apprentice/phone/phone.ts'
import { findProposal, type StoredProposal } from '../../src/store/proposals/proposals.ts'
import { listRuns } from '../../src/store/validation/validation-runs.ts'
import { type Daemon, type DaemonOptions, startDaemon } from '../kit/daemon.ts'

export const CLIMATE_APP = 'org.apprentice.climate'

export interface PhoneSetup {
  readonly daemon: Daemon
  readonly phone: Phone
}

export async function startPhone(options: DaemonOptions = {}): Promise<PhoneSetup> {
  const daemon = await startDaemon({ quick: true, ...options, config: { phone: 'simulated' } })
  const phone = daemon.system.devices.phone.simulated
  if (phone === undefined) throw new Error('no phone')
  await expect.poll(async () => (await daemon.get('/api/devices')).body).toContain('"device"')
  return { daemon, phone }
}

/** The temperatures of these units in the model of the phone. */
export function listTemperatures(phone: Phone, ...names: readonly string[]): (number | undefined)[] {
  const { units } = phone.state(CLIMATE_APP).saved as unknown as {
    units: { name: string; temperature: number }[]
  }
  return names.map((name) => units.find((unit) => unit.name === name)?.temperature)
}

export const toTap = (matcher: object) => ({ type: 'click', params: { matcher } })

/** Restarts the app, which then shows the list of units. */
const OPEN_APP = [
  { type: 'close_app', params: { applicationId: CLIMATE_APP } },
  { type: 'open_app', params: { applicationId: CLIMATE_APP } },
]

/** Raises the temperature of a unit by some steps, saves, and expects the unit in the list. */
export const buildWarmerActions = (unit: string, steps: number): object[] => [
  ...OPEN_APP,
  { type: 'wait_for_node', params: { matcher: { textEquals: unit } } },
  toTap({ textEquals: unit }),
  ...Array.from({ length: steps }, () => toTap({ contentDescEquals: 'Warmer' })),
  toTap({ textEquals: 'Save' }),
  toTap({ resourceId: 'android:id/button1' }),
  { type: 'expect', params: { matcher: { textEquals: unit } } },
]

export interface ExecutionFacts {
  readonly goal?: string
  readonly project_id?: string
  readonly token?: string
  readonly taskId?: string
}

/** Runs actions as one execution and returns its id. */
export async function execute(
  daemon: Daemon,
  actions: readonly object[],
  { token, taskId = 't', ...facts }: ExecutionFacts = {},
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

/** Executes the same workflow three times, each time for another unit. */
export async function repeatThreeTimes(
  daemon: Daemon,
  facts: ExecutionFacts = { goal: 'Set the temperature of a unit', project_id: 'house' },
): Promise<string[]> {
  const ids: string[] = []
  for (const [unit, steps] of [
    ['Reception', 2],
    ['Lobby', 1],
    ['Kitchen', 3],
  ] as const) {
    const done = await execute(daemon, buildWarmerActions(unit, steps), facts)
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

export async function listClusters(daemon: Daemon, token?: string): Promise<TraceCluster[]> {
  const reply = await daemon.get('/api/learn/mining/clusters', token)
  expect(reply.statusCode, reply.body).toBe(200)
  return reply.json<{ clusters: TraceCluster[] }>().clusters
}

export async function changeSettings(daemon: Daemon, settings: Record<string, unknown>): Promise<void> {
  const reply = await daemon.request({
    method: 'PUT',
    url: '/api/learn/mining/settings',
    payload: settings,
  })
  expect(reply.statusCode, reply.body).toBe(200)
}

export const getProposal = (daemon: Daemon, id: string): StoredProposal => {
  const found = daemon.system.store.read((reader) => findProposal(reader, id) ?? null)
  if (found === null) throw new Error(`no proposal ${id}`)
  return found
}

/** Waits until the daemon has finished work on a proposal, and returns its state. */
export async function waitUntilSettled(daemon: Daemon, id: string): Promise<string> {
  const readState = () => getProposal(daemon, id).proposal_state
  await expect.poll(readState, { timeout: 20_000 }).not.toMatch(/^(draft|testing|installing_private)$/)
  return readState()
}

export const listTestRuns = (daemon: Daemon, id: string) =>
  daemon.system.store.read((reader) => listRuns(reader, id, { page: 1, page_size: 10 })).runs
