import { expect, test } from 'vitest'
import { listReceipts } from '../../src/store/command/receipts.ts'
import { addAbility } from '../abilities/an-ability.ts'
import { startDaemon, type Daemon } from '../kit/daemon.ts'

const create = (daemon: Daemon, body: Record<string, unknown>, token?: string) =>
  daemon.post('/api/learn/sessions', body, token)

const receiptKinds = (daemon: Daemon) =>
  daemon.system.store
    .read((reader) => listReceipts(reader, 'local', { page: 1, page_size: 100 }))
    .receipts.map((receipt) => receipt.receipt_kind)

test('create answers 201 with an armed session that passed through idle, and leaves receipts', async () => {
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
  expect(daemon.eventsOf(session.learn_session_id)).toEqual([
    'learn.session.started',
    'learn.session.state_changed',
  ])
  expect(receiptKinds(daemon)).toEqual(['learn.observation.armed', 'learn.session.started'])
})

test('nothing is armed for observation unless the person asked for it', async () => {
  const daemon = await startDaemon()
  await create(daemon, { entry_mode: 'coaching_agent' })
  expect(receiptKinds(daemon)).toEqual(['learn.session.started'])
})

const overlay = ['overlay', 'wait_for_first_meaningful_event'] as const
const recentRun = ['recent-run', 'show_recent_run_picker'] as const
const uiTable: [string, string, readonly [string, string]][] = [
  ...['none', 'inside_agent', 'outside_agent', 'mixed'].map(
    (mode) => ['demonstrating_skill', mode, overlay] as [string, string, readonly [string, string]],
  ),
  ['coaching_agent', 'outside_agent', overlay],
  ['coaching_agent', 'mixed', overlay],
  ['coaching_agent', 'none', recentRun],
  ['coaching_agent', 'inside_agent', recentRun],
  ['autonomous_agent_practice', 'inside_agent', ['exploratory', 'launch_exploration']],
  ['import_skill', 'none', ['import', 'show_import_configurator']],
]

test.each(uiTable)(
  '%s with observation %s shows its own page',
  async (entry_mode, observation_mode, [ui, next]) => {
    const daemon = await startDaemon()
    const reply = await create(daemon, { entry_mode, observation_mode })
    expect(reply.json()).toMatchObject({ ui_mode: ui, next_action: next })
  },
)

test('improving a known ability shows the delta editor', async () => {
  const daemon = await startDaemon()
  await anAbility(daemon)
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

test('ask_before_build decides the build policy, import forces observation off, the whitelist is tidied', async () => {
  const daemon = await startDaemon()
  const whitelist = [
    ' Mail ',
    'Mail',
    '',
    '  ',
    ...Array.from({ length: 60 }, (_, n) => `app ${n}`),
  ]
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
  [
    { entry_mode: 'coaching_agent', project_id: 'x'.repeat(121) },
    400,
    'INVALID_REQUEST',
    'project_id',
  ],
  [{ entry_mode: 'coaching_agent', schema_version: 2 }, 400, 'INVALID_REQUEST', 'schema_version'],
])('a body like %j is refused by name and creates nothing', async (body, status, code, field) => {
  const daemon = await startDaemon()
  const reply = await create(daemon, body)
  expect(reply.statusCode).toBe(status)
  expect(reply.json()).toMatchObject({ error: { code, details: { field } } })
  expect(daemon.events()).toEqual([])
})

test('an unknown ability cannot be improved, and auto-install needs its permission', async () => {
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

test('a second create while one is capturing names the session in the way', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('capturing')
  const reply = await create(daemon, { entry_mode: 'coaching_agent' })
  expect(reply.statusCode).toBe(409)
  expect(reply.json()).toMatchObject({
    active_session_id: id,
    error: { code: 'LEARN_SESSION_ALREADY_ACTIVE', details: { active_session_id: id } },
  })
})

test('of fifty creates at once exactly one wins, per user', async () => {
  const daemon = await startDaemon()
  const other = await daemon.tokenFor('other')
  const body = { entry_mode: 'coaching_agent' }
  const replies = await Promise.all([
    ...Array.from({ length: 50 }, () => create(daemon, body)),
    ...Array.from({ length: 50 }, () => create(daemon, body, other)),
  ])
  const won = replies.map((reply) => reply.statusCode)
  expect(won.slice(0, 50).filter((status) => status === 201)).toHaveLength(1)
  expect(won.slice(50).filter((status) => status === 201)).toHaveLength(1)
  expect(new Set(won)).toEqual(new Set([201, 409]))
})

test.each(['approved', 'installed_private', 'quarantined', 'rejected', 'cancelled'] as const)(
  'a session that is %s is not in the way of the next one',
  async (state) => {
    const daemon = await startDaemon()
    await daemon.aSessionIn(state)
    expect((await create(daemon, { entry_mode: 'coaching_agent' })).statusCode).toBe(201)
  },
)

test('the literal rule, when set, counts an approved session as being in the way', async () => {
  const daemon = await startDaemon({
    settings: { learn: { concurrency: 'literal', adapters_max_phase: 1 } },
  })
  await daemon.aSessionIn('approved')
  expect((await create(daemon, { entry_mode: 'coaching_agent' })).statusCode).toBe(409)
})

const anAbility = (daemon: Daemon) =>
  addAbility(daemon, { ability_id: 'learned.known', title: 'Known' })
