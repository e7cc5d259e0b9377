import type { LightMyRequestResponse } from 'fastify'
import { expect, test } from 'vitest'
import { findStartRefusal, getOwnExecution } from '../../src/domain/devices/executions.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { runPractice } from '../practice/practice-session.ts'
import { addNote, countRows, FIRST_NOTES, installRecipes, NOTES, readNotes, startRun } from '../runs/run-kit.ts'

const put = (daemon: Daemon, url: string, payload: object, token?: string): Promise<LightMyRequestResponse> =>
  daemon.request({ method: 'PUT', url: `/api/policy/${url}`, payload, ...(token === undefined ? {} : { token }) })

const setProfile = async (daemon: Daemon, name: string, profile: object): Promise<void> => {
  const reply = await put(daemon, `profiles/${name}`, { profile })
  expect(reply.statusCode, reply.body).toBe(200)
}

const assign = async (daemon: Daemon, target: string, profile_name: string | null): Promise<void> => {
  const reply = await put(daemon, target, { profile_name })
  expect(reply.statusCode, reply.body).toBe(200)
}

const startNotes = (options: object = {}): Promise<Daemon> =>
  startDaemon({ quick: true, config: { phone: 'simulated' }, ...options })

/** Another token of the same user, with its id. */
async function createToken(daemon: Daemon, privilege = 'write'): Promise<{ id: string; secret: string }> {
  const reply = await daemon.post('/api/tokens', { user_id: 'local', label: 'agent', privilege })
  const { token, secret } = reply.json<{ token: { token_id: string }; secret: string }>()
  return { id: token.token_id, secret }
}

const execute = (daemon: Daemon, actions: object[], more: object = {}, token?: string) =>
  daemon.post(
    '/api/executions',
    {
      execution: {
        commandId: `c-${Math.random()}`,
        taskId: 't',
        source: 'test',
        expectedFormat: 'android-ui-automator',
        timeoutMs: 30_000,
        actions,
      },
      wait_ms: 60_000,
      ...more,
    },
    token,
  )

const openApp = (applicationId: string) => ({ id: 'open', type: 'open_app', params: { applicationId } })
const click = (resourceId: string) => ({ id: 'click', type: 'click', params: { matcher: { resourceId } } })
const readDenial = (reply: LightMyRequestResponse) =>
  reply.json<{ error: { code: string; details: { profile: string; rule: string } } }>().error

test('profiles are set by administrators only, with receipts and events', async () => {
  const daemon = await startDaemon()
  const writer = await daemon.tokenFor('local')
  for (const url of ['profiles/guest', 'lanes/experimental_private', 'tokens/bootstrap']) {
    const body = url.startsWith('profiles') ? { profile: {} } : { profile_name: 'guest' }
    expect((await put(daemon, url, body, writer)).statusCode, url).toBe(403)
  }
  expect((await daemon.get('/api/policy/profiles', writer)).statusCode).toBe(403)
  expect((await put(daemon, 'tokens/bootstrap', { profile_name: 'guest' })).statusCode).toBe(404)
  expect((await put(daemon, 'profiles/guest', { profile: { unknown: 1 } })).statusCode).toBe(400)
  await setProfile(daemon, 'guest', { deny_packages: ['org.shop'] })
  await assign(daemon, 'lanes/experimental_private', 'guest')
  expect((await daemon.get('/api/policy/profiles')).json()).toMatchObject({
    profiles: [
      { profile: { name: 'default', purchase_risk: 'consent' }, built_in: true },
      { profile: { name: 'guest', deny_packages: ['org.shop'] }, built_in: false, updated_by: 'local' },
    ],
    assignments: [{ scope: 'lane', target: 'experimental_private', profile_name: 'guest' }],
  })
  expect((await daemon.get('/api/policy/effective', writer)).json()).toMatchObject({
    profile: { name: 'default' },
    lanes: [{ install_lane: 'experimental_private', profile: { name: 'guest' } }],
  })
  await assign(daemon, 'lanes/experimental_private', null)
  expect((await daemon.delete('/api/policy/profiles/guest')).statusCode).toBe(200)
  const changes = [
    'policy.profile.changed',
    'policy.assignment.changed',
    'policy.assignment.changed',
    'policy.profile.removed',
  ]
  expect(
    daemon
      .events()
      .map(({ kind }) => kind)
      .filter((kind) => kind.startsWith('policy.')),
  ).toEqual(changes)
  const { receipts } = (await daemon.get('/api/learn/receipts?page_size=50')).json<{
    receipts: { receipt_kind: string }[]
  }>()
  expect(receipts.map(({ receipt_kind }) => receipt_kind).toSorted()).toEqual(changes.toSorted())
})

test('the profile of a token restricts its executions, also by what is on the screen, and that of its logins', async () => {
  const daemon = await startNotes()
  const agent = await createToken(daemon)
  await setProfile(daemon, 'climate-only', { allow_packages: ['org.apprentice.climate'] })
  await assign(daemon, `tokens/${agent.id}`, 'climate-only')
  const refused = await execute(daemon, [openApp(NOTES)], {}, agent.secret)
  expect(refused.statusCode).toBe(403)
  expect(readDenial(refused)).toMatchObject({
    code: 'POLICY_DENIED',
    details: { profile: 'climate-only', rule: 'packages' },
  })

  // Another token of the user has opened the app. The touch is refused by the app that the screen shows.
  expect((await execute(daemon, [openApp(NOTES)])).json()).toMatchObject({ execution: { state: 'succeeded' } })
  const touched = await execute(daemon, [click(`${NOTES}:id/new_note`)], {}, agent.secret)
  expect(touched.json()).toMatchObject({
    execution: { state: 'failed', envelope: { errorCode: 'POLICY_DENIED' } },
  })
  expect(touched.body).toContain('The profile climate-only does not allow org.apprentice.notes.')

  const code = (await daemon.post('/api/login-codes', {}, agent.secret)).json<{ code: string }>().code
  const login = await daemon.request({ method: 'GET', url: `/login?code=${code}`, token: null })
  const cookie = String(login.headers['set-cookie']).split(';')[0]
  const headers = { cookie, origin: 'http://127.0.0.1' }
  const reply = await daemon.request({ method: 'GET', url: '/api/policy/effective', token: null, headers })
  expect(reply.json()).toMatchObject({ profile: { name: 'climate-only' } })
})

test('hours and devices are checked when work is queued and again when it starts', async () => {
  const daemon = await startNotes({ now: '2026-03-02T16:59:00.000Z' })
  await setProfile(daemon, 'default', { hours: { windows: [{ from: '08:00', to: '17:00' }] } })
  const queued = (await execute(daemon, [openApp(NOTES)])).json<{ execution: { execution_id: string } }>()
  const readRefusal = () =>
    daemon.system.store.read((reader) => {
      const row = getOwnExecution(reader, queued.execution.execution_id, 'local')
      return findStartRefusal(reader, row, daemon.clock.now.toISOString()) ?? null
    })
  expect(readRefusal()).toBeNull()
  daemon.clock.advance(60_000)
  expect(readRefusal()).toMatchObject({ errorCode: 'POLICY_DENIED', error: expect.stringContaining('08:00-17:00 UTC') })
  const late = await execute(daemon, [openApp(NOTES)])
  expect(readDenial(late)).toMatchObject({ details: { profile: 'default', rule: 'hours' } })

  await setProfile(daemon, 'default', { allow_devices: ['another-phone'] })
  const other = await execute(daemon, [openApp(NOTES)])
  expect(readDenial(other)).toMatchObject({ details: { rule: 'devices' } })
  expect((await daemon.delete('/api/policy/profiles/default')).statusCode).toBe(200)
  expect((await execute(daemon, [openApp(NOTES)])).statusCode).toBe(200)
})

test('a request restricts its own work and cannot extend the profile of the operator', async () => {
  const daemon = await startNotes()
  const own = await execute(daemon, [openApp(NOTES)], { policy: { name: 'mine', deny_packages: [NOTES] } })
  expect(readDenial(own)).toMatchObject({ details: { profile: 'mine', rule: 'packages' } })
  await setProfile(daemon, 'default', { deny_packages: [NOTES] })
  const extended = await execute(daemon, [openApp(NOTES)], { policy: { name: 'mine', allow_packages: [NOTES] } })
  expect(readDenial(extended)).toMatchObject({ details: { profile: 'default', rule: 'packages' } })
})

test('a lane profile applies to the runs of its abilities in addition to that of the token', async () => {
  const daemon = await startNotes()
  await installRecipes(daemon, {
    'add-note': addNote,
    'buy-note': { ...addNote, capabilities: [...addNote.capabilities, 'purchase_risk'] },
  })
  const inputs = { title: 'First', body: 'x' }
  await setProfile(daemon, 'no-typing', { deny_capabilities: ['type_text'] })
  await assign(daemon, 'lanes/experimental_private', 'no-typing')
  const refused = await startRun(daemon, 'add-note', { inputs })
  expect(readDenial(refused.reply)).toMatchObject({ details: { profile: 'no-typing', rule: 'capabilities' } })
  expect(countRows(daemon, 'executions')).toBe(0)

  await assign(daemon, 'lanes/experimental_private', null)
  await setProfile(daemon, 'default', { purchase_risk: 'deny' })
  const bought = await startRun(daemon, 'buy-note', { inputs, allow_capabilities: ['purchase_risk'] })
  expect(readDenial(bought.reply)).toMatchObject({
    details: { profile: 'default', rule: 'purchase_risk', consent_suffices: false },
  })
  const { run } = await startRun(daemon, 'add-note', { inputs })
  expect(run.state, JSON.stringify(run.trouble)).toBe('success')
  expect(readNotes(daemon)).toHaveLength(FIRST_NOTES + 1)
})

test('a later part of a run is refused when a profile has changed meanwhile', async () => {
  const daemon = await startNotes()
  await installRecipes(daemon, { 'add-note': addNote })
  const items = Array.from({ length: 3 }, (_, at) => ({ title: `T${at}`, body: 'x' }))
  const started = await startRun(daemon, 'add-note', { items, wait_ms: 0 })
  await setProfile(daemon, 'default', { deny_packages: [NOTES] })
  const { run_id } = started.run
  await expect
    .poll(
      async () => (await daemon.get(`/api/abilities/runs/${run_id}`)).json<{ run: { state: string } }>().run.state,
      { timeout: 60_000 },
    )
    .not.toMatch(/queued|running/)
  const { run } = (await daemon.get(`/api/abilities/runs/${run_id}`)).json<{
    run: { state: string; trouble: unknown }
  }>()
  expect(run.state).not.toBe('success')
  expect(JSON.stringify(run)).toContain('POLICY_DENIED')
  expect(readNotes(daemon).length).toBeLessThan(FIRST_NOTES + 3)
})

test(
  'a practice is refused by a profile, and what a profile closes on the way is told',
  { timeout: 120_000 },
  async () => {
    const daemon = await startNotes()
    await setProfile(daemon, 'default', { deny_packages: ['org.apprentice.climate'] })
    const refused = runPractice(daemon, { goal: 'Open Reception', app: 'org.apprentice.climate' })
    await expect(refused).rejects.toThrow('POLICY_DENIED')

    const other = await startNotes()
    await setProfile(other, 'default', { allow_capabilities: ['observe', 'navigate'] })
    const { practice } = await runPractice(other, {
      goal: 'Open "Delete note?"',
      app: NOTES,
      policy: { forbid_destructive_writes: false },
    })
    expect(practice.outcome).toBe('not_found')
    expect(practice.closed_ways.map(({ reason }) => reason)).toContain('The profile default does not allow click.')
    expect(practice.summary).toContain('The profile default does not allow click.')
  },
)
