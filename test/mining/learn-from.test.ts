import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { AbilityRun } from '@apprentice/contracts/abilities/runs.ts'
import type { RecentRun } from '@apprentice/contracts/abilities/learn-from.ts'
import type { ProposalDetail } from '@apprentice/contracts/learn/proposal-review.ts'
import type { LearnSession } from '@apprentice/contracts/learn/session.ts'
import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import type { Daemon } from '../kit/daemon.ts'
import {
  startPhone,
  execute,
  getProposal,
  changeSettings,
  waitUntilSettled,
  toTap,
  listTemperatures,
  buildWarmerActions,
} from './climate-phone.ts'

const URL = '/api/learn/from-runs'

async function learnFrom(daemon: Daemon, body: object) {
  const reply = await daemon.post(URL, body)
  expect(reply.statusCode, reply.body).toBe(201)
  return reply.json<{
    session: LearnSession
    captured_trace_ids: string[]
    next_action: string
    drift?: { run_id: string; code: string }
  }>()
}

/** Drafts, tests and installs a proposal from a session. */
async function draftAndInstall(daemon: Daemon, session: string): Promise<{ id: string; recipe: Recipe }> {
  const made = await daemon.post(`/api/learn/sessions/${session}/generate-proposal`)
  expect(made.statusCode, made.body).toBe(201)
  const { proposal_id } = made.json<{ proposal_id: string }>()
  const proposal = `/api/learn/proposals/${proposal_id}`
  const tested = await daemon.post(`${proposal}/validate`)
  expect(tested.json(), tested.body).toMatchObject({ validation_run: { overall_result: 'passed' } })
  const detail = (await daemon.get(`${proposal}/detail`)).json<ProposalDetail>()
  const requested = await daemon.post(`${proposal}/install`, {
    install_lane: 'experimental_private',
  })
  expect(requested.statusCode, requested.body).toBeLessThan(300)
  expect(await waitUntilSettled(daemon, proposal_id)).toBe('installed_private')
  const { ability_id = '' } = getProposal(daemon, proposal_id)
  return { id: ability_id, recipe: detail.recipe as unknown as Recipe }
}

async function run(daemon: Daemon, ability: { id: string; recipe: Recipe }, unit: string, to: number) {
  const inputs = Object.fromEntries(
    ability.recipe.inputs.map(({ name, type }) => [name, type.startsWith('string') ? unit : to]),
  )
  const reply = await daemon.post(`/api/abilities/${ability.id}/run`, { inputs, wait_ms: 60_000 })
  return reply.json<{ run: AbilityRun }>().run
}

test('an ability learned from one execution works for another unit, and its failed run starts an improvement', async () => {
  const { daemon, phone } = await startPhone()
  const { execution_id } = await execute(daemon, buildWarmerActions('Reception', 2), {
    goal: 'Set the temperature of a unit',
  })
  expect(listTemperatures(phone, 'Reception')).toEqual([23.5])
  const recent = (await daemon.get('/api/learn/recent-runs')).json<{ runs: RecentRun[] }>()
  expect(recent.runs).toMatchObject([{ execution_id, succeeded: true, goal: 'Set the temperature of a unit' }])

  const made = await learnFrom(daemon, { execution_ids: [execution_id] })
  expect(made).toMatchObject({
    session: { entry_mode: 'coaching_agent', state: 'stopped', observation_mode: 'none' },
    ui_mode: 'recent-run',
    next_action: 'generate_proposal',
    captured_trace_ids: [execution_id],
  })
  const ability = await draftAndInstall(daemon, made.session.learn_session_id)

  expect(await run(daemon, ability, 'Kitchen', 23)).toMatchObject({ state: 'success' })
  expect(listTemperatures(phone, 'Kitchen', 'Reception', 'Lobby')).toEqual([23, 23.5, 21])

  const failed = await run(daemon, ability, 'Nowhere', 23)
  expect(failed.state).toBe('failed')
  const improving = await learnFrom(daemon, { receipt_ids: [failed.use_receipt_id] })
  expect(improving).toMatchObject({
    session: {
      entry_mode: 'improving_existing_skill',
      target_skill_id: ability.id,
      state: 'armed',
    },
    next_action: 'show_skill_delta_editor',
    drift: { run_id: failed.run_id },
    captured_trace_ids: [],
  })
})

test('differences between several executions become inputs', async () => {
  const { daemon, phone } = await startPhone()
  const one = await execute(daemon, buildWarmerActions('Reception', 2))
  const two = await execute(daemon, buildWarmerActions('Lobby', 1))
  const made = await learnFrom(daemon, {
    execution_ids: [one.execution_id, two.execution_id],
    goal: 'Set the temperature of a unit',
  })
  const ability = await draftAndInstall(daemon, made.session.learn_session_id)
  expect(ability.recipe.inputs.length).toBeGreaterThanOrEqual(2)
  expect(await run(daemon, ability, 'Workshop', 21)).toMatchObject({ state: 'success' })
  expect(listTemperatures(phone, 'Workshop', 'Reception', 'Lobby')).toEqual([21, 23.5, 21.5])
})

test('executions without evidence, failed, foreign or unknown ones are refused, and no session is created', async () => {
  const { daemon } = await startPhone()
  const ask = async (body: object, token?: string) =>
    (await daemon.post(URL, body, token)).json<{ error: { code: string; details?: object } }>().error
  const short = await execute(daemon, [toTap({ textEquals: 'Climate' })])
  expect(await ask({ execution_ids: [short.execution_id] })).toMatchObject({
    code: 'EXECUTION_WITHOUT_EVIDENCE',
    details: { execution_id: short.execution_id, reason: 'not_kept' },
  })
  const wrong = await execute(daemon, [
    ...buildWarmerActions('Lobby', 1).slice(0, 4),
    { type: 'expect', params: { matcher: { textEquals: 'Nothing' }, timeoutMs: 500 } },
  ])
  expect(wrong.state).toBe('failed')
  expect(await ask({ execution_ids: [wrong.execution_id] })).toMatchObject({
    code: 'EXECUTION_NOT_SUCCESSFUL',
  })
  const good = await execute(daemon, buildWarmerActions('Lobby', 1))
  const stranger = await daemon.tokenFor('stranger')
  expect(await ask({ execution_ids: [good.execution_id] }, stranger)).toMatchObject({
    code: 'EXECUTION_NOT_FOUND',
  })
  expect(await ask({ run_ids: [randomUUID()] })).toMatchObject({ code: 'ABILITY_RUN_NOT_FOUND' })
  expect(await ask({ receipt_ids: [randomUUID()] })).toMatchObject({ code: 'INVALID_REQUEST' })
  expect(await ask({})).toMatchObject({ code: 'INVALID_REQUEST' })
  const sessions = (await daemon.get('/api/learn/sessions')).json<{ total: number }>()
  expect(sessions.total).toBe(0)

  await changeSettings(daemon, { observe_inside_elnor: false })
  const unseen = await execute(daemon, buildWarmerActions('Kitchen', 1))
  expect(await ask({ execution_ids: [unseen.execution_id] })).toMatchObject({
    code: 'EXECUTION_WITHOUT_EVIDENCE',
  })
})

test('an active session refuses another one, which leaves no rows', async () => {
  const { daemon } = await startPhone()
  const { execution_id } = await execute(daemon, buildWarmerActions('Lobby', 1))
  await daemon.post('/api/learn/sessions', { entry_mode: 'demonstrating_skill' })
  const reply = await daemon.post(URL, { execution_ids: [execution_id] })
  expect(reply.json()).toMatchObject({ error: { code: 'LEARN_SESSION_ALREADY_ACTIVE' } })
  const links = daemon.system.store.read((reader) =>
    reader.db.prepare('SELECT count(*) AS n FROM learned_executions').get(),
  )
  expect(links).toEqual({ n: 0 })
  expect((await daemon.get('/api/learn/sessions')).json()).toMatchObject({ total: 1 })
})

test('recorded steps and screens are deleted after 30 days, or 7 days after the end of their session', async () => {
  const { daemon } = await startPhone()
  const one = await execute(daemon, buildWarmerActions('Lobby', 1))
  const two = await execute(daemon, buildWarmerActions('Reception', 1))
  const { session } = await learnFrom(daemon, { execution_ids: [one.execution_id] })
  const listRecorded = () =>
    daemon.system.store.read((reader) =>
      reader.db
        .prepare('SELECT execution_id FROM execution_steps ORDER BY kept_at')
        .all()
        .map((row) => (row as { execution_id: string }).execution_id),
    )
  const runNight = async (days: number) => {
    daemon.clock.advance(days * 86_400_000)
    await daemon.system.sweeper.sweepNow()
    await expect.poll(() => countOpenJobs(daemon), { timeout: 10_000 }).toBe(0)
  }
  await runNight(8)
  expect(listRecorded()).toEqual([one.execution_id, two.execution_id])
  await daemon.post(`/api/learn/sessions/${session.learn_session_id}/cancel`)
  await runNight(8)
  expect(listRecorded()).toEqual([two.execution_id])
  await runNight(20)
  expect(listRecorded()).toEqual([])
  const trees = daemon.system.store.read((reader) => reader.db.prepare('SELECT count(*) AS n FROM evidence').get())
  expect(trees).toEqual({ n: 0 })
})

const countOpenJobs = (daemon: Daemon): number =>
  daemon.system.store.read((reader) => {
    const row = reader.db.prepare(`SELECT count(*) AS n FROM jobs WHERE state IN ('queued', 'running')`).get()
    return (row as { n: number }).n
  })

test('a typed password is in no recorded step, execution or screen', async () => {
  const { daemon } = await startPhone()
  await execute(daemon, [
    { type: 'open_app', params: { applicationId: 'org.apprentice.portal' } },
    { type: 'enter_text', params: { matcher: { password: true }, text: 'hunter2hunter2' } },
    { type: 'press_key', params: { key: 'back' } },
  ])
  const rows = daemon.system.store.read(({ db }) => [
    ...db.prepare('SELECT * FROM execution_steps').all(),
    ...db.prepare('SELECT * FROM executions').all(),
  ])
  expect(rows.length).toBeGreaterThanOrEqual(2)
  expect(JSON.stringify(rows)).not.toContain('hunter2')
  const trees = daemon.system.store.read(({ db }) => db.prepare('SELECT sha256 FROM evidence').all())
  expect(trees.length).toBeGreaterThan(0)
  for (const { sha256 } of trees as { sha256: string }[]) {
    const bytes = await daemon.system.evidenceFiles.read(sha256)
    expect(bytes?.toString('utf8')).not.toContain('hunter2')
  }
})
