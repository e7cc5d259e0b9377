import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Daemon } from '../kit/daemon.ts'
import { openClassroom } from '../teach/teaching.ts'
import { climate, notes, practiceSession, practise, settings, shop } from './practising.ts'

const hub = 'org.example.hub'
const simApps = join(import.meta.dirname, 'apps')

const stateOf = (phone: { state(app: string): unknown }, ...apps: string[]): unknown =>
  structuredClone(apps.map((app) => (phone.state(app) as { saved: unknown }).saved))

test('a goal that nothing leads to ends without a proposal, and nothing has changed', async () => {
  const { daemon, phone } = await openClassroom()
  const before = stateOf(phone, settings)
  const { practice, session } = await practise(daemon, {
    goal: 'Turn on Night light',
    app: settings,
    policy: { max_actions: 60 },
  })
  expect(['not_found', 'actions_spent']).toContain(practice.outcome)
  expect(practice.actions_used).toBeLessThanOrEqual(60)
  expect(practice.screens_seen).toBeGreaterThan(5)
  expect(practice.proposal_id).toBeUndefined()
  expect(session.state).toBe('armed')
  expect(stateOf(phone, settings)).toEqual(before)
  const again = await daemon.post(
    `/api/learn/sessions/${session.learn_session_id}/generate-proposal`,
    {},
  )
  expect(again.statusCode).toBe(400)
}, 120_000)

test('what only a destructive step leads to is not reached, and the person is told why', async () => {
  const { daemon, phone } = await openClassroom()
  const before = stateOf(phone, notes)
  const { practice } = await practise(daemon, { goal: 'Open "Delete note?"', app: notes })
  expect(practice).toMatchObject({ outcome: 'not_found' })
  expect(practice.closed_ways).toContainEqual({
    label: 'Delete',
    reason: expect.stringContaining('forbids what destroys'),
  })
  expect(stateOf(phone, notes)).toEqual(before)

  await daemon.post(`/api/learn/sessions/${practice.learn_session_id}/cancel`, {})
  const allowed = await practise(daemon, {
    goal: 'Open "Delete note?"',
    app: notes,
    policy: { forbid_destructive_writes: false },
  })
  expect(allowed.practice).toMatchObject({ outcome: 'proven', closed_ways: [] })
  expect(stateOf(phone, notes)).toEqual(before)
}, 120_000)

test('an order is never placed to see what comes after it', async () => {
  const { daemon, phone } = await openClassroom()
  const cart = [{ id: 5, name: 'Coffee grinder', price: 64, quantity: 1 }]
  phone.setState(shop, { saved: { ...phone.state(shop).saved, cart } })
  const before = stateOf(phone, shop)
  const { practice } = await practise(daemon, {
    goal: 'Open "Place order?"',
    app: shop,
    policy: { max_actions: 40 },
  })
  expect(practice.outcome).not.toBe('proven')
  expect(practice.closed_ways).toContainEqual({
    label: 'Place order',
    reason: expect.stringContaining('forbids what reaches others'),
  })
  expect(stateOf(phone, shop)).toEqual(before)
}, 120_000)

test('an app that is not on the whitelist is left as it is, even where the goal lies in it', async () => {
  const { daemon, phone } = await openClassroom({ config: { simApps } })
  const before = stateOf(phone, settings)
  const goal = 'Turn on Hotspot'
  const { practice } = await practise(daemon, { goal, app: hub })
  expect(practice).toMatchObject({ outcome: 'not_found' })
  expect(practice.ways_tried).toBeGreaterThan(0)
  expect(practice.proposal_id).toBeUndefined()
  expect(stateOf(phone, settings)).toEqual(before)
  expect(await touchedWords(daemon)).toMatch(/Hotspot settings/)
  expect(await touchedWords(daemon)).not.toMatch(/Network/)

  await daemon.post(`/api/learn/sessions/${practice.learn_session_id}/cancel`, {})
  const both = await practise(daemon, { goal, app: hub, apps: [hub, settings] })
  expect(both.practice.outcome).toBe('proven')
  expect(await touchedWords(daemon)).toMatch(/Network/)
  expect(phone.state(settings).saved['hotspot']).toBe(true)
}, 180_000)

test('beyond the first screen only what speaks of the goal or opens more is tried', async () => {
  const { daemon, phone } = await openClassroom({ config: { simApps } })
  const lost = await practise(daemon, { goal: 'Turn on Loud hours', app: hub })
  expect(lost.practice.outcome).toBe('not_found')
  expect(await touchedWords(daemon)).toMatch(/Advanced/)
  expect(await touchedWords(daemon)).not.toMatch(/Shred/)
  expect(phone.state(hub).saved).toEqual({ quiet: false })

  await daemon.post(`/api/learn/sessions/${lost.session.learn_session_id}/cancel`, {})
  const found = await practise(daemon, { goal: 'Enable quiet hours', app: hub })
  expect(found.practice.outcome).toBe('proven')
  expect(phone.state(hub).saved).toEqual({ quiet: true })
}, 60_000)

/** Everything that executions named in order to touch it. */
async function touchedWords(daemon: Daemon): Promise<string> {
  const { executions } = (await daemon.get('/api/executions?page_size=100')).json<{
    executions: { execution_id: string }[]
  }>()
  const whole = await Promise.all(
    executions.map(({ execution_id }) => daemon.get(`/api/executions/${execution_id}`)),
  )
  return whole
    .map((reply) => reply.json<{ execution: { execution: { actions: object[] } } }>())
    .map(({ execution }) => JSON.stringify(execution.execution.actions))
    .join('\n')
}

test('a policy of few actions is kept', async () => {
  const { daemon, phone } = await openClassroom()
  const before = phone.touches()
  const { practice } = await practise(daemon, {
    goal: 'Set the temperature of the Kitchen to 22',
    app: climate,
    policy: { max_actions: 9 },
  })
  expect(practice).toMatchObject({ outcome: 'actions_spent', max_actions: 9 })
  expect(practice.actions_used).toBeLessThanOrEqual(9)
  expect(phone.touches() - before).toBeLessThanOrEqual(9)
  expect(phone.state(climate).saved).toMatchObject({
    units: expect.arrayContaining([expect.objectContaining({ name: 'Kitchen', temperature: 20 })]),
  })
}, 60_000)

test('a goal nobody can prove is refused with what can be, and nothing begins', async () => {
  const { daemon, phone } = await openClassroom()
  const id = await practiceSession(daemon, settings)
  const touches = phone.touches()
  const reply = await daemon.post(`/api/learn/sessions/${id}/practice`, { goal: 'Tidy up a bit' })
  expect(reply.statusCode).toBe(400)
  expect(reply.json()).toMatchObject({
    error: { code: 'PRACTICE_GOAL_UNCLEAR', message: expect.stringContaining('turn on') },
  })
  expect((await daemon.get(`/api/learn/sessions/${id}/practice`)).statusCode).toBe(404)
  expect(phone.touches()).toBe(touches)
})

test('practice needs a policy that lets it act, an app of the whitelist, and a session made for it', async () => {
  const { daemon } = await openClassroom()
  const goal = 'Turn on dark theme'
  const made = await daemon.post('/api/learn/sessions', {
    entry_mode: 'autonomous_agent_practice',
    target_app_whitelist: [settings],
  })
  const { learn_session_id: id } = made.json<{ session: { learn_session_id: string } }>().session
  const url = `/api/learn/sessions/${id}`
  const bare = await daemon.post(`${url}/practice`, { goal })
  expect(bare.json()).toMatchObject({ error: { code: 'TEST_POLICY_VIOLATION' } })
  await daemon.post(`${url}/cancel`, {})

  const withPolicy = await practiceSession(daemon, settings)
  const foreign = await daemon.post(`/api/learn/sessions/${withPolicy}/practice`, {
    goal,
    application_id: notes,
  })
  expect(foreign.json()).toMatchObject({
    error: { code: 'TEST_POLICY_VIOLATION', details: { field: 'application_id' } },
  })
  await daemon.post(`/api/learn/sessions/${withPolicy}/cancel`, {})

  const shown = await daemon.post('/api/learn/sessions', { entry_mode: 'demonstrating_skill' })
  const { session } = shown.json<{ session: { learn_session_id: string } }>()
  const other = await daemon.post(`/api/learn/sessions/${session.learn_session_id}/practice`, {
    goal,
  })
  expect(other.json()).toMatchObject({ error: { code: 'INVALID_REQUEST' } })
})
