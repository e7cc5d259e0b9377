import { expect, test } from 'vitest'
import type { GateCode, SkillMiningSettings } from '@apprentice/contracts/learn/mining.ts'
import { listRunningScans, putScan } from '../../src/store/mining/mining-scans.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { aNightPasses, dayMs } from '../learn/nightly.ts'
import { clustersOf, scan, set } from './climate.ts'
import { past, type PastRun } from './past-runs.ts'

const thrice = (run: PastRun): PastRun[] => [run, run, run]

test.each<[GateCode, PastRun[]]>([
  ['INSUFFICIENT_TRACES', [{}, {}]],
  ['variation_too_high', [{}, {}, { steps: ['menu', 'more', 'off', 'back'] }]],
  ['verification_too_low', thrice({ verified: false })],
  ['critical_safety_failure', [...thrice({}), { state: 'failed', error: 'POLICY_DENIED' }]],
  [
    'friction_block',
    [...thrice({}), { state: 'failed', error: 'NODE_NOT_FOUND', in_the_way: 'Rate us' }],
  ],
  ['not_reusable', thrice({ goal: '' })],
])('%s alone keeps a workflow from becoming a proposal, and is told', async (code, runs) => {
  const daemon = await startDaemon()
  for (const run of runs) await past(daemon, run)
  const result = await scan(daemon)
  const [cluster] = await clustersOf(daemon)
  expect(result).toMatchObject({
    clusters_seen: 1,
    proposals_created: [],
    gate_failures: [{ cluster_id: cluster?.cluster_id, reasons: [code] }],
  })
  expect(cluster?.gates.filter(({ passed }) => !passed)).toEqual([
    { gate: expect.any(String), passed: false, code },
  ])
  expect(cluster?.gates).toHaveLength(6)
  expect((await daemon.get('/api/learn/proposals')).json()).toMatchObject({ total: 0 })
})

test('goals that say the same are one workflow; another app, another goal or another user is another', async () => {
  const daemon = await startDaemon()
  await past(daemon, { goal: 'Switch the Kitchen lamp on' })
  await past(daemon, { goal: 'switch the lamp on at 7' })
  await past(daemon, { app: 'org.example.other' })
  await past(daemon, { goal: 'Order more bulbs' })
  await past(daemon, { owner: 'somebody' })
  await past(daemon, { state: 'cancelled', goal: 'Switch the lamp on' })
  await scan(daemon)
  const clusters = await clustersOf(daemon)
  expect(clusters.map((one) => one.successful_trace_ids.length).toSorted((a, b) => a - b)).toEqual([
    1, 1, 1, 2,
  ])
  const lamp = clusters.find(({ successful_trace_ids }) => successful_trace_ids.length === 2)
  expect(lamp).toMatchObject({ normalized_goal: 'switch the lamp on' })
  expect(lamp?.failed_trace_ids).toHaveLength(1)
})

test('a workflow whose screens are gone is told, not made up, and tried again only when there is something new', async () => {
  const daemon = await startDaemon()
  for (const run of thrice({ screens: false })) await past(daemon, run)
  expect(await scan(daemon)).toMatchObject({
    proposals_created: [],
    gate_failures: [],
    build_failures: [{ reason: 'no_screens_kept' }],
  })
  expect(await clustersOf(daemon)).toMatchObject([{ build_error: 'no_screens_kept' }])
  expect((await daemon.get('/api/learn/sessions')).json()).toMatchObject({ total: 0 })
  expect(await scan(daemon)).toMatchObject({ proposals_created: [], build_failures: [] })
  const receipts = await daemon.get('/api/learn/receipts?receipt_kind=learn.mining.cluster_built')
  expect(receipts.json()).toMatchObject({ total: 1, receipts: [{ status: 'failed' }] })

  await past(daemon)
  expect((await scan(daemon)).proposals_created).toHaveLength(1)
  const [cluster] = await clustersOf(daemon)
  expect(cluster?.build_error).toBeUndefined()
})

test('no more proposals come of one scan than were allowed, the most promising first', async () => {
  const daemon = await startDaemon()
  await set(daemon, { max_proposals_per_scan: 1 })
  for (const run of thrice({ goal: 'Order more bulbs' })) await past(daemon, run)
  for (const run of [...thrice({}), {}]) await past(daemon, run)
  const [most, least] = await scan(daemon)
    .then(() => clustersOf(daemon))
    .then((all) => all.toSorted((a, b) => b.priority - a.priority))
  expect(most).toMatchObject({ normalized_goal: 'switch the lamp on' })
  expect(most?.proposal_id).toBeDefined()
  expect(least?.proposal_id).toBeUndefined()
  expect((await scan(daemon)).proposals_created).toHaveLength(1)
  expect((await scan(daemon)).proposals_created).toHaveLength(0)
})

/** A day later the night's work is done again. */
async function runNight(daemon: Daemon): Promise<void> {
  daemon.clock.advance(dayMs)
  await aNightPasses(daemon)
}

test('the night looks through the runs of everybody, when it is time', async () => {
  const daemon = await startDaemon()
  for (const owner of ['local', 'somebody']) {
    for (const run of thrice({ owner })) await past(daemon, run)
  }
  await runNight(daemon)
  const clusters = await clustersOf(daemon)
  expect(clusters).toHaveLength(2)
  expect(clusters.every(({ proposal_id }) => proposal_id !== undefined)).toBe(true)
  const scans = () => daemon.events().filter(({ kind }) => kind === 'learn.mining.scanned').length
  expect(scans()).toBe(1)

  await set(daemon, { scan_interval_hours: 48 })
  await past(daemon)
  await runNight(daemon)
  expect(scans()).toBe(1)
  await runNight(daemon)
  expect(scans()).toBe(2)
  await set(daemon, { mode: 'off' })
  await runNight(daemon)
  await runNight(daemon)
  expect(scans()).toBe(2)
})

test('a scan the daemon went away under is closed by the next one, which goes on', async () => {
  const daemon = await startDaemon()
  const scan_id = '00000000-0000-4000-8000-00000000000a'
  await daemon.system.store.write((tx) =>
    putScan(tx, {
      scan_id,
      asked_by: 'system',
      occasion: 'nightly',
      state: 'running',
      started_at: daemon.clock.now.toISOString(),
    }),
  )
  for (const run of thrice({})) await past(daemon, run)
  const [one, two] = await Promise.all([scan(daemon), scan(daemon)])
  expect(one.proposals_created.length + two.proposals_created.length).toBe(1)
  const { store } = daemon.system
  const left = store.read(({ db }) =>
    db.prepare('SELECT state, result FROM mining_scans WHERE scan_id = ?').get(scan_id),
  )
  expect(left).toEqual({ state: 'failed', result: '{"reason":"interrupted"}' })
  expect(store.read((reader) => listRunningScans(reader).length)).toBe(0)
})

test('a scan that breaks off says so, and nothing of it is lost', async () => {
  const daemon = await startDaemon()
  for (const run of thrice({})) await past(daemon, run)
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

const settingsUrl = '/api/learn/mining/settings'
const put = (daemon: Daemon, payload: Record<string, unknown>, token?: string) =>
  daemon.request({
    method: 'PUT',
    url: settingsUrl,
    payload,
    ...(token === undefined ? {} : { token }),
  })

test('settings begin with their defaults, change only in what is named, and are mirrored', async () => {
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
  expect((await daemon.get(settingsUrl)).json()).toEqual(defaults)
  const changed = await put(daemon, { min_successful_traces: 5 })
  expect(changed.json()).toEqual({ ...defaults, min_successful_traces: 5 })
  expect((await daemon.post(settingsUrl, { mode: 'off' })).json()).toMatchObject({
    mode: 'off',
    min_successful_traces: 5,
  })
  for (const bad of [{ min_successful_traces: 0 }, { mode: 'on' }, { max_variation_score: 2 }]) {
    expect((await put(daemon, bad)).statusCode).toBe(400)
  }
  const writer = await daemon.tokenFor('writer')
  expect((await put(daemon, { mode: 'off' }, writer)).statusCode).toBe(403)
  await daemon.mirrorsSettled()
  const mirror = daemon.mirror('learning/mining_settings_current.json') ?? ''
  expect(JSON.parse(mirror)).toEqual({ ...defaults, min_successful_traces: 5, mode: 'off' })
})

test('to watch outside the agent is switched on only when that is confirmed, and is then on record', async () => {
  const daemon = await startDaemon()
  const refused = await put(daemon, { observe_outside_elnor: true, min_successful_traces: 9 })
  expect(refused.statusCode).toBe(403)
  expect(refused.json()).toMatchObject({ error: { code: 'OBSERVATION_CONFIRMATION_REQUIRED' } })
  expect((await daemon.get(settingsUrl)).json()).toMatchObject({
    observe_outside_elnor: false,
    min_successful_traces: 3,
  })
  const wanted = { observe_outside_elnor: true, confirm_observe_outside: true }
  expect((await put(daemon, wanted)).json()).toMatchObject({ observe_outside_elnor: true })
  // Once it is on, other changes need no confirmation.
  expect((await put(daemon, { observe_outside_elnor: true })).statusCode).toBe(200)
  const receipts = await daemon.get(
    '/api/learn/receipts?receipt_kind=learn.mining.settings_changed',
  )
  expect(
    receipts.json<{ receipts: { status: string }[] }>().receipts.map(({ status }) => status),
  ).toEqual(['ok', 'ok'])
})

test('switched off, nothing is looked through', async () => {
  const daemon = await startDaemon()
  await set(daemon, { mode: 'off' })
  for (const run of thrice({})) await past(daemon, run)
  const reply = await daemon.post('/api/learn/mining/scan', {})
  expect([reply.statusCode, reply.json()]).toMatchObject([409, { error: { code: 'MINING_OFF' } }])
  expect(await clustersOf(daemon)).toEqual([])
})

test.each<['GET' | 'POST', string, string]>([
  ['GET', '/api/skills/mining/settings', '/api/learn/mining/settings'],
  ['POST', '/api/skills/mining/settings', '/api/learn/mining/settings'],
  ['POST', '/api/skills/mining/scan', '/api/learn/mining/scan'],
  ['GET', '/api/skills/mining/proposals', '/api/learn/proposals'],
])('%s %s leads to its successor', async (method, url, successor) => {
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
