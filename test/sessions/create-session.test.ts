import { expect, test } from 'vitest'
import { listReceipts } from '../../src/store/command/receipts.ts'
import { addAbility } from '../abilities/ability-rows.ts'
import { startDaemon, type Daemon } from '../kit/daemon.ts'

const create = (daemon: Daemon, body: Record<string, unknown>, token?: string) =>
  daemon.post('/api/learn/sessions', body, token)

const listReceiptKinds = (daemon: Daemon) =>
  daemon.system.store
    .read((reader) => listReceipts(reader, 'local', { page: 1, page_size: 100 }))
    .receipts.map((receipt) => receipt.receipt_kind)

test('create returns 201 with a session that moved from idle to armed, and records receipts', async () => {
  const daemon = await startDaemon()
  const reply = await create(daemon, {
    entry_mode: 'demonstrating_skill',
    observation_mode: 'mixed',
  })
  expect(reply.statusCode).toBe(201)
  const { session } = reply.json<{ session: { learn_session_id: string } }>()
  expect(session).toMatchObject({
    state: 'armed',
    build_policy: 'build_then_review',
    execution_mode: 'guided',
    target_kind: 'new_skill',
    actor_mode: 'user_driven',
    target_app_whitelist: [],
    schema_version: 1,
  })
  expect(daemon.eventsOf(session.learn_session_id)).toEqual(['learn.session.started', 'learn.session.state_changed'])
  expect(daemon.events().at(-1)?.payload).toEqual({ from: 'idle', to: 'armed' })
  expect(listReceiptKinds(daemon)).toEqual(['learn.observation.armed', 'learn.session.started'])
})

test('without observation_mode no observation is armed', async () => {
  const daemon = await startDaemon()
  const reply = await create(daemon, { entry_mode: 'coaching_agent' })
  expect(reply.json()).toMatchObject({ session: { observation_mode: 'none' } })
  expect(listReceiptKinds(daemon)).toEqual(['learn.session.started'])
})

const OVERLAY = ['overlay', 'wait_for_first_meaningful_event'] as const
const RECENT_RUN = ['recent-run', 'show_recent_run_picker'] as const
const UI_TABLE: [string, string, readonly [string, string]][] = [
  ...['none', 'inside_agent', 'outside_agent', 'mixed'].map(
    (mode) => ['demonstrating_skill', mode, OVERLAY] as [string, string, readonly [string, string]],
  ),
  ['coaching_agent', 'outside_agent', OVERLAY],
  ['coaching_agent', 'mixed', OVERLAY],
  ['coaching_agent', 'none', RECENT_RUN],
  ['coaching_agent', 'inside_agent', RECENT_RUN],
  ['autonomous_agent_practice', 'inside_agent', ['exploratory', 'launch_exploration']],
  ['import_skill', 'none', ['import', 'show_import_configurator']],
]

test.each(UI_TABLE)('the UI mode for %s with observation mode %s', async (entry_mode, observation_mode, [ui, next]) => {
  const daemon = await startDaemon()
  const reply = await create(daemon, { entry_mode, observation_mode })
  expect(reply.json()).toMatchObject({ ui_mode: ui, next_action: next })
})

test('improving an ability opens the delta editor', async () => {
  const daemon = await startDaemon()
  await addKnownAbility(daemon)
  const reply = await create(daemon, {
    entry_mode: 'improving_existing_skill',
    target_skill_id: 'learned.known',
  })
  expect(reply.json()).toMatchObject({
    session: { target_kind: 'existing_skill', actor_mode: 'mixed' },
    ui_mode: 'drawer',
    next_action: 'show_skill_delta_editor',
  })
})

test('ask_before_build sets the build policy, import disables observation, the whitelist is normalized', async () => {
  const daemon = await startDaemon()
  const whitelist = [' Mail ', 'Mail', '', '  ', ...Array.from({ length: 60 }, (_, n) => `app ${n}`)]
  const reply = await create(daemon, {
    entry_mode: 'import_skill',
    observation_mode: 'mixed',
    build_policy: 'build_then_review',
    ask_before_build: true,
    target_app_whitelist: whitelist,
  })
  const { session } = reply.json<{ session: { target_app_whitelist: string[] } }>()
  expect(session).toMatchObject({
    observation_mode: 'none',
    build_policy: 'ask_before_build',
    target_kind: 'imported_skill',
  })
  expect(session.target_app_whitelist).toHaveLength(50)
  expect(session.target_app_whitelist.slice(0, 2)).toEqual(['Mail', 'app 0'])
})

test.each([
  [{}, 400, 'INVALID_REQUEST', 'entry_mode'],
  [{ entry_mode: 'teaching' }, 400, 'INVALID_REQUEST', 'entry_mode'],
  [{ entry_mode: 'improving_existing_skill' }, 400, 'INVALID_REQUEST', 'target_skill_id'],
  [{ entry_point: 'teach', room_id: 'r' }, 400, 'INVALID_REQUEST', 'entry_point'],
  [{ entry_mode: 'coaching_agent', project_id: 'x'.repeat(121) }, 400, 'INVALID_REQUEST', 'project_id'],
  [{ entry_mode: 'coaching_agent', schema_version: 2 }, 400, 'INVALID_REQUEST', 'schema_version'],
])('the body %j is rejected with its field and creates nothing', async (body, status, code, field) => {
  const daemon = await startDaemon()
  const reply = await create(daemon, body)
  expect(reply.statusCode).toBe(status)
  expect(reply.json()).toMatchObject({ error: { code, details: { field } } })
  expect(daemon.events()).toEqual([])
  expect(listReceiptKinds(daemon)).toEqual([])
  expect((await daemon.get('/api/learn/sessions')).json()).toMatchObject({ total: 0 })
})

test('an unknown ability cannot be improved, and private_auto_install requires allow_private_install', async () => {
  const daemon = await startDaemon()
  const unknown = await create(daemon, {
    entry_mode: 'improving_existing_skill',
    target_skill_id: 'x',
  })
  expect([unknown.statusCode, unknown.json<{ error: { code: string } }>().error.code]).toEqual([
    404,
    'ABILITY_NOT_FOUND',
  ])
  const denied = await create(daemon, {
    entry_mode: 'coaching_agent',
    build_policy: 'private_auto_install',
  })
  expect(denied.json()).toMatchObject({ error: { code: 'INSTALL_LANE_DENIED' } })
  expect(daemon.events()).toEqual([])
})

test('creating a second session fails with the id of the active one', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('capturing')
  const reply = await create(daemon, { entry_mode: 'coaching_agent' })
  expect(reply.statusCode).toBe(409)
  expect(reply.json()).toMatchObject({
    active_session_id: id,
    error: { code: 'LEARN_SESSION_ALREADY_ACTIVE', details: { active_session_id: id } },
  })
  expect((await daemon.get('/api/learn/sessions')).json()).toMatchObject({ total: 1 })
  expect(daemon.events()).toEqual([])
})

test('of fifty concurrent creates exactly one succeeds per user', async () => {
  const daemon = await startDaemon()
  const other = await daemon.tokenFor('other')
  const body = { entry_mode: 'coaching_agent' }
  const replies = await Promise.all([
    ...Array.from({ length: 50 }, () => create(daemon, body)),
    ...Array.from({ length: 50 }, () => create(daemon, body, other)),
  ])
  const statuses = replies.map((reply) => reply.statusCode)
  expect(statuses.slice(0, 50).filter((status) => status === 201)).toHaveLength(1)
  expect(statuses.slice(50).filter((status) => status === 201)).toHaveLength(1)
  expect(new Set(statuses)).toEqual(new Set([201, 409]))
})

test.each(['approved', 'installed_private', 'quarantined', 'rejected', 'cancelled'] as const)(
  'a session in state %s does not block the next one',
  async (state) => {
    const daemon = await startDaemon()
    await daemon.aSessionIn(state)
    expect((await create(daemon, { entry_mode: 'coaching_agent' })).statusCode).toBe(201)
  },
)

test('with the literal rule an approved session blocks the next one', async () => {
  const daemon = await startDaemon({
    settings: { learn: { concurrency: 'literal', adapters_max_phase: 1 } },
  })
  await daemon.aSessionIn('approved')
  expect((await create(daemon, { entry_mode: 'coaching_agent' })).statusCode).toBe(409)
})

const addKnownAbility = (daemon: Daemon) => addAbility(daemon, { ability_id: 'learned.known', title: 'Known' })
