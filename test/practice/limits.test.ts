import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Daemon } from '../kit/daemon.ts'
import { startTeaching } from '../teach/teaching.ts'
import {
  CLIMATE_APP,
  NOTES_APP,
  createPracticeSession,
  runPractice,
  SETTINGS_APP,
  SHOP_APP,
} from './practice-session.ts'

const HUB_APP = 'org.example.hub'
const SIM_APPS_FOLDER = join(import.meta.dirname, 'apps')

const readState = (phone: { state(app: string): unknown }, ...apps: string[]): unknown =>
  structuredClone(apps.map((app) => (phone.state(app) as { saved: unknown }).saved))

test('an unreachable goal ends without a proposal or a change', async () => {
  const { daemon, phone } = await startTeaching()
  const before = readState(phone, SETTINGS_APP)
  const { practice, session } = await runPractice(daemon, {
    goal: 'Turn on Night light',
    app: SETTINGS_APP,
    policy: { max_actions: 60 },
  })
  expect(['not_found', 'actions_spent']).toContain(practice.outcome)
  expect(practice.actions_used).toBeLessThanOrEqual(60)
  expect(practice.screens_seen).toBeGreaterThan(5)
  expect(practice.proposal_id).toBeUndefined()
  expect(session.state).toBe('armed')
  expect(readState(phone, SETTINGS_APP)).toEqual(before)
  const again = await daemon.post(`/api/learn/sessions/${session.learn_session_id}/generate-proposal`, {})
  expect(again.statusCode).toBe(400)
}, 120_000)

test('a screen behind a destructive step is not reached, and closed_ways gives the reason', async () => {
  const { daemon, phone } = await startTeaching()
  const before = readState(phone, NOTES_APP)
  const { practice } = await runPractice(daemon, { goal: 'Open "Delete note?"', app: NOTES_APP })
  expect(practice).toMatchObject({ outcome: 'not_found' })
  expect(practice.closed_ways).toContainEqual({
    label: 'Delete',
    reason: expect.stringContaining('forbids destructive actions'),
    leads_to_goal: true,
  })
  expect(practice.summary).toContain('The way leads through "Delete", which policy does not allow')
  expect(readState(phone, NOTES_APP)).toEqual(before)

  await daemon.post(`/api/learn/sessions/${practice.learn_session_id}/cancel`, {})
  const allowed = await runPractice(daemon, {
    goal: 'Open "Delete note?"',
    app: NOTES_APP,
    policy: { forbid_destructive_writes: false },
  })
  expect(allowed.practice).toMatchObject({ outcome: 'proven', closed_ways: [] })
  expect(readState(phone, NOTES_APP)).toEqual(before)
}, 120_000)

test('an order button is never tapped during a search', async () => {
  const { daemon, phone } = await startTeaching()
  const cart = [{ id: 5, name: 'Coffee grinder', price: 64, quantity: 1 }]
  phone.setState(SHOP_APP, { saved: { ...phone.state(SHOP_APP).saved, cart } })
  const before = readState(phone, SHOP_APP)
  const { practice } = await runPractice(daemon, {
    goal: 'Open "Place order?"',
    app: SHOP_APP,
    policy: { max_actions: 40 },
  })
  expect(practice.outcome).not.toBe('proven')
  expect(practice.closed_ways).toContainEqual({
    label: 'Place order',
    reason: expect.stringContaining('forbids sending to others'),
    leads_to_goal: true,
  })
  expect(readState(phone, SHOP_APP)).toEqual(before)
  expect(await readExecutedActions(daemon)).not.toMatch(/Place order/)
}, 120_000)

test('no action is executed in an app outside the whitelist, even if the goal is there', async () => {
  const { daemon, phone } = await startTeaching({ config: { simApps: SIM_APPS_FOLDER } })
  const before = readState(phone, SETTINGS_APP)
  const goal = 'Turn on Hotspot'
  const { practice } = await runPractice(daemon, { goal, app: HUB_APP })
  expect(practice).toMatchObject({ outcome: 'not_found' })
  expect(practice.ways_tried).toBeGreaterThan(0)
  expect(practice.proposal_id).toBeUndefined()
  expect(readState(phone, SETTINGS_APP)).toEqual(before)
  expect(await readExecutedActions(daemon)).toMatch(/Hotspot settings/)
  expect(await readExecutedActions(daemon)).not.toMatch(/Network/)

  await daemon.post(`/api/learn/sessions/${practice.learn_session_id}/cancel`, {})
  const both = await runPractice(daemon, { goal, app: HUB_APP, apps: [HUB_APP, SETTINGS_APP] })
  expect(both.practice.outcome).toBe('proven')
  expect(await readExecutedActions(daemon)).toMatch(/Network/)
  expect(phone.state(SETTINGS_APP).saved['hotspot']).toBe(true)
}, 180_000)

test('beyond the first screen only ways with goal words or opening labels are tried', async () => {
  const { daemon, phone } = await startTeaching({ config: { simApps: SIM_APPS_FOLDER } })
  const missed = await runPractice(daemon, { goal: 'Turn on Loud hours', app: HUB_APP })
  expect(missed.practice.outcome).toBe('not_found')
  expect(await readExecutedActions(daemon)).toMatch(/Advanced/)
  expect(await readExecutedActions(daemon)).not.toMatch(/Shred/)
  expect(phone.state(HUB_APP).saved).toEqual({ quiet: false })

  await daemon.post(`/api/learn/sessions/${missed.session.learn_session_id}/cancel`, {})
  const found = await runPractice(daemon, { goal: 'Enable quiet hours', app: HUB_APP })
  expect(found.practice.outcome).toBe('proven')
  expect(phone.state(HUB_APP).saved).toEqual({ quiet: true })
}, 60_000)

/** The actions of all executions as one text. */
async function readExecutedActions(daemon: Daemon): Promise<string> {
  const { executions } = (await daemon.get('/api/executions?page_size=100')).json<{
    executions: { execution_id: string }[]
  }>()
  const whole = await Promise.all(executions.map(({ execution_id }) => daemon.get(`/api/executions/${execution_id}`)))
  return whole
    .map((reply) => reply.json<{ execution: { execution: { actions: object[] } } }>())
    .map(({ execution }) => JSON.stringify(execution.execution.actions))
    .join('\n')
}

test('a practice stays within max_actions of its policy', async () => {
  const { daemon, phone } = await startTeaching()
  const before = phone.touches()
  const { practice } = await runPractice(daemon, {
    goal: 'Set the temperature of the Kitchen to 22',
    app: CLIMATE_APP,
    policy: { max_actions: 9 },
  })
  expect(practice).toMatchObject({ outcome: 'actions_spent', max_actions: 9 })
  expect(practice.actions_used).toBeLessThanOrEqual(9)
  expect(phone.touches() - before).toBeLessThanOrEqual(9)
  expect(phone.state(CLIMATE_APP).saved).toMatchObject({
    units: expect.arrayContaining([expect.objectContaining({ name: 'Kitchen', temperature: 20 })]),
  })
}, 60_000)

test('an unclear goal is rejected with examples, and no practice starts', async () => {
  const { daemon, phone } = await startTeaching()
  const id = await createPracticeSession(daemon, SETTINGS_APP)
  const touches = phone.touches()
  const reply = await daemon.post(`/api/learn/sessions/${id}/practice`, { goal: 'Tidy up a bit' })
  expect(reply.statusCode).toBe(400)
  expect(reply.json()).toMatchObject({
    error: { code: 'PRACTICE_GOAL_UNCLEAR', message: expect.stringContaining('turn on') },
  })
  expect((await daemon.get(`/api/learn/sessions/${id}/practice`)).statusCode).toBe(404)
  expect(phone.touches()).toBe(touches)
})

test('practice needs an acting policy, an app of the whitelist and a practice session', async () => {
  const { daemon } = await startTeaching()
  const goal = 'Turn on dark theme'
  const made = await daemon.post('/api/learn/sessions', {
    entry_mode: 'autonomous_agent_practice',
    target_app_whitelist: [SETTINGS_APP],
  })
  const { learn_session_id: id } = made.json<{ session: { learn_session_id: string } }>().session
  const url = `/api/learn/sessions/${id}`
  const bare = await daemon.post(`${url}/practice`, { goal })
  expect(bare.json()).toMatchObject({ error: { code: 'TEST_POLICY_VIOLATION' } })
  await daemon.post(`${url}/cancel`, {})

  const withPolicy = await createPracticeSession(daemon, SETTINGS_APP)
  const foreign = await daemon.post(`/api/learn/sessions/${withPolicy}/practice`, {
    goal,
    application_id: NOTES_APP,
  })
  expect(foreign.json()).toMatchObject({
    error: { code: 'TEST_POLICY_VIOLATION', details: { field: 'application_id' } },
  })
  await daemon.post(`/api/learn/sessions/${withPolicy}/cancel`, {})

  const demonstration = await daemon.post('/api/learn/sessions', {
    entry_mode: 'demonstrating_skill',
  })
  const { session } = demonstration.json<{ session: { learn_session_id: string } }>()
  const other = await daemon.post(`/api/learn/sessions/${session.learn_session_id}/practice`, {
    goal,
  })
  expect(other.json()).toMatchObject({ error: { code: 'INVALID_REQUEST' } })
})
