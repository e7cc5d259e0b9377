import { expect, test } from 'vitest'
import type { GateCode, SkillMiningSettings } from '@apprentice/contracts/learn/mining.ts'
import { listRunningScans, upsertScan } from '../../src/store/mining/mining-scans.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { runNightlyJob, DAY_MS } from '../capture/nightly.ts'
import { listClusters, scan, changeSettings } from './climate-phone.ts'
import { insertPastExecution, type PastExecution } from './past-executions.ts'

const repeat = (run: PastExecution): PastExecution[] => [run, run, run]

test.each<[GateCode, PastExecution[]]>([
  ['INSUFFICIENT_TRACES', [{}, {}]],
  ['variation_too_high', [{}, {}, { steps: ['menu', 'more', 'off', 'back'] }]],
  ['verification_too_low', repeat({ verified: false })],
  ['critical_safety_failure', [...repeat({}), { state: 'failed', error: 'POLICY_DENIED' }]],
  ['friction_block', [...repeat({}), { state: 'failed', error: 'NODE_NOT_FOUND', in_the_way: 'Rate us' }]],
  ['not_reusable', repeat({ goal: '' })],
])('%s alone prevents a proposal and is reported', async (code, executions) => {
  const daemon = await startDaemon()
  for (const execution of executions) await insertPastExecution(daemon, execution)
  const result = await scan(daemon)
  const [cluster] = await listClusters(daemon)
  expect(result).toMatchObject({
    clusters_seen: 1,
    proposals_created: [],
    gate_failures: [{ cluster_id: cluster?.cluster_id, reasons: [code] }],
  })
  expect(cluster?.gates.filter(({ passed }) => !passed)).toEqual([{ gate: expect.any(String), passed: false, code }])
  expect(cluster?.gates).toHaveLength(6)
  expect((await daemon.get('/api/learn/proposals')).json()).toMatchObject({ total: 0 })
})

test('similar goals share a cluster; another app, goal or user gets its own', async () => {
  const daemon = await startDaemon()
  await insertPastExecution(daemon, { goal: 'Switch the Kitchen lamp on' })
  await insertPastExecution(daemon, { goal: 'switch the lamp on at 7' })
  await insertPastExecution(daemon, { app: 'org.example.other' })
  await insertPastExecution(daemon, { goal: 'Order more bulbs' })
  await insertPastExecution(daemon, { owner: 'somebody' })
  await insertPastExecution(daemon, { state: 'cancelled', goal: 'Switch the lamp on' })
  await scan(daemon)
  const clusters = await listClusters(daemon)
  expect(clusters.map((one) => one.successful_trace_ids.length).toSorted((a, b) => a - b)).toEqual([1, 1, 1, 2])
  const lamp = clusters.find(({ successful_trace_ids }) => successful_trace_ids.length === 2)
  expect(lamp).toMatchObject({ normalized_goal: 'switch the lamp on' })
  expect(lamp?.failed_trace_ids).toHaveLength(1)
})

test('a cluster without screens is a build failure, retried only after a new execution', async () => {
  const daemon = await startDaemon()
  for (const run of repeat({ screens: false })) await insertPastExecution(daemon, run)
  expect(await scan(daemon)).toMatchObject({
    proposals_created: [],
    gate_failures: [],
    build_failures: [{ reason: 'no_screens_kept' }],
  })
  expect(await listClusters(daemon)).toMatchObject([{ build_error: 'no_screens_kept' }])
  expect((await daemon.get('/api/learn/sessions')).json()).toMatchObject({ total: 0 })
  expect(await scan(daemon)).toMatchObject({ proposals_created: [], build_failures: [] })
  const receipts = await daemon.get('/api/learn/receipts?receipt_kind=learn.mining.cluster_built')
  expect(receipts.json()).toMatchObject({ total: 1, receipts: [{ status: 'failed' }] })

  await insertPastExecution(daemon)
  expect((await scan(daemon)).proposals_created).toHaveLength(1)
  const [cluster] = await listClusters(daemon)
  expect(cluster?.build_error).toBeUndefined()
})

test('a scan creates at most max_proposals_per_scan proposals, by priority', async () => {
  const daemon = await startDaemon()
  await changeSettings(daemon, { max_proposals_per_scan: 1 })
  for (const run of repeat({ goal: 'Order more bulbs' })) await insertPastExecution(daemon, run)
  for (const run of [...repeat({}), {}]) await insertPastExecution(daemon, run)
  const [most, least] = await scan(daemon)
    .then(() => listClusters(daemon))
    .then((all) => all.toSorted((a, b) => b.priority - a.priority))
  expect(most).toMatchObject({ normalized_goal: 'switch the lamp on' })
  expect(most?.proposal_id).toBeDefined()
  expect(least?.proposal_id).toBeUndefined()
  expect((await scan(daemon)).proposals_created).toHaveLength(1)
  expect((await scan(daemon)).proposals_created).toHaveLength(0)
})

async function runNight(daemon: Daemon): Promise<void> {
  daemon.clock.advance(DAY_MS)
  await runNightlyJob(daemon)
}

test('the nightly scan covers all users and observes the interval and the mode', async () => {
  const daemon = await startDaemon()
  for (const owner of ['local', 'somebody']) {
    for (const run of repeat({ owner })) await insertPastExecution(daemon, run)
  }
  await runNight(daemon)
  const clusters = await listClusters(daemon)
  expect(clusters).toHaveLength(2)
  expect(clusters.every(({ proposal_id }) => proposal_id !== undefined)).toBe(true)
  const scans = () => daemon.events().filter(({ kind }) => kind === 'learn.mining.scanned').length
  expect(scans()).toBe(1)

  await changeSettings(daemon, { scan_interval_hours: 48 })
  await insertPastExecution(daemon)
  await runNight(daemon)
  expect(scans()).toBe(1)
  await runNight(daemon)
  expect(scans()).toBe(2)
  await changeSettings(daemon, { mode: 'off' })
  await runNight(daemon)
  await runNight(daemon)
  expect(scans()).toBe(2)
})

test('a scan left running by a stopped daemon is closed as failed by the next scan', async () => {
  const daemon = await startDaemon()
  const scan_id = '00000000-0000-4000-8000-00000000000a'
  await daemon.system.store.write((tx) =>
    upsertScan(tx, {
      scan_id,
      asked_by: 'system',
      occasion: 'nightly',
      state: 'running',
      started_at: daemon.clock.now.toISOString(),
    }),
  )
  for (const run of repeat({})) await insertPastExecution(daemon, run)
  const [one, two] = await Promise.all([scan(daemon), scan(daemon)])
  expect(one.proposals_created.length + two.proposals_created.length).toBe(1)
  const { store } = daemon.system
  const stale = store.read(({ db }) =>
    db.prepare('SELECT state, result FROM mining_scans WHERE scan_id = ?').get(scan_id),
  )
  expect(stale).toEqual({ state: 'failed', result: '{"reason":"interrupted"}' })
  expect(store.read((reader) => listRunningScans(reader).length)).toBe(0)
})

test('a failed scan is reported, and the next one builds the proposal', async () => {
  const daemon = await startDaemon()
  for (const run of repeat({})) await insertPastExecution(daemon, run)
  const spoil = (steps: string) =>
    daemon.system.store.write((tx) => {
      tx.db.prepare(`UPDATE execution_steps SET steps = ${steps}`).run()
    })
  await spoil(`'!' || steps`)
  const broken = await daemon.post('/api/learn/mining/scan', {})
  expect(broken.json()).toMatchObject({ error: { code: 'INTERNAL_ERROR' } })
  const receipts = await daemon.get('/api/learn/receipts?receipt_kind=learn.mining.scanned')
  expect(receipts.json()).toMatchObject({ receipts: [{ status: 'failed' }] })
  expect(daemon.events().map(({ kind }) => kind)).toContain('learn.mining.failed')
  await spoil('substr(steps, 2)')
  expect((await scan(daemon)).proposals_created).toHaveLength(1)
})

const SETTINGS_URL = '/api/learn/mining/settings'
const putSettings = (daemon: Daemon, payload: Record<string, unknown>, token?: string) =>
  daemon.request({
    method: 'PUT',
    url: SETTINGS_URL,
    payload,
    ...(token === undefined ? {} : { token }),
  })

test('settings start with defaults, change only in the given fields, and are projected', async () => {
  const daemon = await startDaemon()
  const defaults: SkillMiningSettings = {
    mode: 'build_then_review',
    observe_inside_elnor: true,
    observe_outside_elnor: false,
    min_successful_traces: 3,
    require_user_feedback_before_build_when_ambiguous: true,
    require_tests_before_proposal: true,
    max_variation_score: 0.35,
    min_verification_coverage: 0.6,
    scan_interval_hours: 24,
    max_proposals_per_scan: 3,
    schema_version: 1,
  }
  expect((await daemon.get(SETTINGS_URL)).json()).toEqual(defaults)
  const changed = await putSettings(daemon, { min_successful_traces: 5 })
  expect(changed.json()).toEqual({ ...defaults, min_successful_traces: 5 })
  expect((await daemon.post(SETTINGS_URL, { mode: 'off' })).json()).toMatchObject({
    mode: 'off',
    min_successful_traces: 5,
  })
  for (const bad of [{ min_successful_traces: 0 }, { mode: 'on' }, { max_variation_score: 2 }]) {
    expect((await putSettings(daemon, bad)).statusCode).toBe(400)
  }
  const writer = await daemon.tokenFor('writer')
  expect((await putSettings(daemon, { mode: 'off' }, writer)).statusCode).toBe(403)
  await daemon.waitForProjections()
  const projected = daemon.readProjection('learning/mining_settings_current.json') ?? ''
  expect(JSON.parse(projected)).toEqual({ ...defaults, min_successful_traces: 5, mode: 'off' })
})

test('observation outside the agent needs a confirmation and is recorded', async () => {
  const daemon = await startDaemon()
  const refused = await putSettings(daemon, {
    observe_outside_elnor: true,
    min_successful_traces: 9,
  })
  expect(refused.statusCode).toBe(403)
  expect(refused.json()).toMatchObject({ error: { code: 'OBSERVATION_CONFIRMATION_REQUIRED' } })
  expect((await daemon.get(SETTINGS_URL)).json()).toMatchObject({
    observe_outside_elnor: false,
    min_successful_traces: 3,
  })
  const confirmed = { observe_outside_elnor: true, confirm_observe_outside: true }
  expect((await putSettings(daemon, confirmed)).json()).toMatchObject({
    observe_outside_elnor: true,
  })
  // Once it is on, no confirmation is needed.
  expect((await putSettings(daemon, { observe_outside_elnor: true })).statusCode).toBe(200)
  const receipts = await daemon.get('/api/learn/receipts?receipt_kind=learn.mining.settings_changed')
  expect(receipts.json<{ receipts: { status: string }[] }>().receipts.map(({ status }) => status)).toEqual(['ok', 'ok'])
})

test('mode off refuses a scan', async () => {
  const daemon = await startDaemon()
  await changeSettings(daemon, { mode: 'off' })
  for (const run of repeat({})) await insertPastExecution(daemon, run)
  const reply = await daemon.post('/api/learn/mining/scan', {})
  expect([reply.statusCode, reply.json()]).toMatchObject([409, { error: { code: 'MINING_OFF' } }])
  expect(await listClusters(daemon)).toEqual([])
})

test.each<['GET' | 'POST', string, string]>([
  ['GET', '/api/skills/mining/settings', '/api/learn/mining/settings'],
  ['POST', '/api/skills/mining/settings', '/api/learn/mining/settings'],
  ['POST', '/api/skills/mining/scan', '/api/learn/mining/scan'],
  ['GET', '/api/skills/mining/proposals', '/api/learn/proposals'],
])('%s %s redirects to its successor', async (method, url, successor) => {
  const daemon = await startDaemon()
  const sent = await daemon.request({ method, url, ...(method === 'POST' ? { payload: {} } : {}) })
  expect([sent.statusCode, sent.headers.location]).toEqual([308, successor])
  const reached = await daemon.request({
    method,
    url: successor,
    ...(method === 'POST' ? { payload: {} } : {}),
  })
  expect(reached.statusCode, reached.body).toBe(200)
})
