import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import type { ValidationRun } from '@apprentice/contracts/learn/validation.ts'
import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import { breachIn } from '../../src/domain/validation/rehearse.ts'
import { listPolicyChecks } from '../../src/store/devices/execution-policies.ts'
import { findExecution, listExecutions } from '../../src/store/devices/executions.ts'
import { adminToken, type Daemon, startDaemon } from '../kit/daemon.ts'
import { openStream } from '../live/sse-client.ts'
import { drafted, type Drafted, runsOf, stored, withRecipe } from './drafted.ts'
import { climateRecipe, noteRecipe } from './recipes.ts'

interface Bench {
  readonly daemon: Daemon
  readonly draft: Drafted
  readonly unit: (name: string) => { temperature: number } | undefined
}

const examples = { unit: 'Reception', temperature: '24' }

async function bench(policy: object | undefined, recipe: Recipe = climateRecipe()): Promise<Bench> {
  const daemon = await startDaemon({ config: { phone: 'simulated' } })
  const phone = daemon.system.floor.phone.simulated
  if (phone === undefined) throw new Error('no phone')
  await expect.poll(async () => (await daemon.get('/api/devices')).body).toContain('"device"')
  const draft = await drafted(daemon)
  await withRecipe(daemon, draft, { recipe, examples })
  if (policy !== undefined) await setPolicy(daemon, draft, policy)
  const unit = (name: string) => {
    const { units } = phone.state('org.apprentice.climate').saved as unknown as {
      units: { name: string; temperature: number }[]
    }
    return units.find((one) => one.name === name)
  }
  return { daemon, draft, unit }
}

async function setPolicy(daemon: Daemon, { session }: Drafted, policy: object): Promise<void> {
  const reply = await daemon.post(`/api/learn/sessions/${session}/set-test-policy`, {
    test_policy: { policy_id: randomUUID(), mode: 'controlled_live_test', ...policy },
  })
  expect(reply.statusCode, reply.body).toBe(200)
}

async function rehearse({ daemon, draft }: Bench, body: object = {}): Promise<ValidationRun> {
  const reply = await daemon.post(`${draft.url}/validate`, {
    selected_tests: ['rehearsal'],
    wait_ms: 60_000,
    ...body,
  })
  expect(reply.statusCode, reply.body).toBe(200)
  return reply.json<{ validation_run: ValidationRun }>().validation_run
}

const executionsOf = ({ daemon }: Bench): number =>
  daemon.system.store.read(
    (reader) => listExecutions(reader, 'local', { page: 1, page_size: 10 }).total,
  )

const checksOf = ({ daemon }: Bench, run: ValidationRun) =>
  daemon.system.store.read((reader) => listPolicyChecks(reader, executionOf(run)))

const executionOf = ({ result_refs }: ValidationRun): string =>
  (result_refs[0] ?? '').replace(/^execution:/, '')

test('a rehearsal does the whole recipe on the phone and tells each step while it runs', async () => {
  const at = await bench({})
  const { daemon, draft } = at
  const { url } = await daemon.listen()
  const stream = await openStream(`${url}/api/learn/sessions/${draft.session}/events`, {
    token: adminToken,
  })
  onTestFinished(() => stream.close())

  const started = await daemon.post(`${draft.url}/validate`)

  expect(started.statusCode, started.body).toBe(202)
  expect(started.json()).toMatchObject({
    validation_run: { run_kind: 'rehearsal', overall_result: 'partial' },
  })
  expect(daemon.session(draft.session)?.state).toBe('testing_proposal')
  const told = await stream.until((all) =>
    all.some(({ data }) => data?.payload['test_case_id'] === 'checkpoint:cp-01'),
  )
  expect(told.map(({ event }) => event)).not.toContain('learn.validation.completed')
  await stream.until((all) => all.some(({ event }) => event === 'learn.validation.completed'))

  const { runs, steps } = await runsOf(daemon, draft)
  const failed = steps.filter(({ result }) => result !== 'passed')
  expect(runs[0]?.overall_result, JSON.stringify(failed)).toBe('passed')
  const ids = steps.map(({ test_case_id }) => test_case_id)
  expect(ids).toEqual(
    expect.arrayContaining(['action:set', 'checkpoint:cp-01', 'checkpoint:cp-02', 'verify:listed']),
  )
  expect(at.unit('Reception')?.temperature).toBe(24)
  expect(daemon.session(draft.session)?.state).toBe('ready_for_review')
})

test('everything a rehearsal does was asked about first', async () => {
  const recipe = climateRecipe()
  const at = await bench({}, recipe)
  const run = await rehearse(at)
  expect(run.overall_result).toBe('passed')

  const { store } = at.daemon.system
  const checks = checksOf(at, run)
  const row = store.read((reader) => findExecution(reader, executionOf(run)))
  const acted = row?.step_results.filter(({ id }) => !id.startsWith('verify')) ?? []
  expect(new Set(checks.map(({ action_id }) => action_id))).toEqual(
    new Set(acted.map(({ id }) => id)),
  )
  expect(checks.every(({ admitted }) => admitted)).toBe(true)
  expect(store.read((reader) => breachIn(reader, executionOf(run)) ?? null)).toBeNull()
})

test('other values may be rehearsed; they are forgotten when it is over', async () => {
  const at = await bench({})
  const run = await rehearse(at, { inputs: { unit: 'Kitchen', temperature: 18.5 } })
  expect(run.overall_result).toBe('passed')
  expect(at.unit('Kitchen')?.temperature).toBe(18.5)
  expect(at.unit('Reception')?.temperature).toBe(22.5)
  const kept = at.daemon.system.store.read(
    (reader) => reader.db.prepare('SELECT inputs FROM validation_runs').all() as never,
  )
  expect(kept).toEqual([{ inputs: null }])
})

test('what was demonstrated is done in a rehearsal and in no record of it', async () => {
  const at = await bench({}, noteRecipe())
  await withRecipe(at.daemon, at.draft, { recipe: noteRecipe(), examples: { title: 'Oat milk' } })
  const run = await rehearse(at)
  expect(run.overall_result).toBe('passed')
  const { saved } = at.daemon.system.floor.phone.simulated?.state('org.apprentice.notes') ?? {}
  expect(JSON.stringify(saved)).toContain('Oat milk')
  const row = at.daemon.system.store.read((reader) => findExecution(reader, executionOf(run)))
  const typed = row?.payload.actions.find(({ type }) => type === 'enter_text')
  expect(typed?.params).toMatchObject({ text: '‹title›' })
  expect(JSON.stringify(row)).not.toContain('Oat milk')
  expect(JSON.stringify(await runsOf(at.daemon, at.draft))).not.toContain('Oat milk')
})

test('a change outside the safe target is refused before the phone is touched', async () => {
  const safe_targets = [{ target_kind: 'blank_project', ref: 'Reception' }]
  const at = await bench({ mode: 'safe_target_only', safe_targets })
  const reply = await at.daemon.post(`${at.draft.url}/validate`, { inputs: { unit: 'Kitchen' } })
  expect(reply.statusCode).toBe(400)
  expect(reply.json()).toMatchObject({ error: { code: 'TEST_POLICY_VIOLATION' } })
  expect(executionsOf(at)).toBe(0)

  const inside = await rehearse(at)
  expect(inside.overall_result).toBe('passed')
  expect(at.unit('Reception')?.temperature).toBe(24)
  expect(at.unit('Kitchen')?.temperature).toBe(20)
})

test('what only the screen tells is judged on the screen: the touch is not made', async () => {
  const { verification: _v, ...recipe } = climateRecipe()
  const blind: Recipe = {
    ...recipe,
    recipe_type: 'flow',
    capabilities: ['observe', 'navigate', 'click'],
    inputs: recipe.inputs.slice(0, 1),
    steps: [
      ...recipe.steps.slice(0, 1),
      // A plan does not tell what the first button says.
      { id: 'press', type: 'click', selector: { class: 'android.widget.Button', index: 0 } },
    ],
    checkpoints: [],
  }
  const at = await bench({ mode: 'read_only' }, blind)
  const touches = at.daemon.system.floor.phone.simulated?.touches() ?? 0
  const run = await rehearse(at)

  expect(run.overall_result).toBe('failed')
  const { steps } = await runsOf(at.daemon, at.draft)
  const failed = steps.filter(({ result }) => result === 'failed')
  expect(failed).toMatchObject([{ test_case_id: 'action:press' }])
  expect(failed[0]?.details).toMatch(/^TEST_POLICY_VIOLATION \| .*"Save"/)
  expect(at.daemon.system.floor.phone.simulated?.touches(), 'the unit was opened').toBe(touches + 1)
  const checks = checksOf(at, run)
  expect(checks.at(-1)).toMatchObject({ action_id: 'press', admitted: false })
  expect(at.daemon.session(at.draft.session)?.state, 'stopped in time is no breach').toBe(
    'testing_proposal',
  )
})

test('a budget that is used up stops the rehearsal where it stands', async () => {
  const at = await bench({ max_actions: 6 })
  const run = await rehearse(at)
  expect(run.overall_result).toBe('failed')
  const { steps } = await runsOf(at.daemon, at.draft)
  const failed = steps.filter(({ result }) => result === 'failed')
  expect(failed.map(({ test_case_id }) => test_case_id)).toEqual([
    'action:save',
    'checkpoint:cp-02',
  ])
  expect(failed[0]?.details).toContain('used up')
  expect(at.unit('Reception')?.temperature).toBe(22.5)
  expect(stored(at.daemon, at.draft.proposal).proposal_state).toBe('testing')
})

test('something done without being asked about takes the draft out of circulation', async () => {
  const at = await bench({})
  const { daemon, draft } = at
  const started = await daemon.post(`${draft.url}/validate`)
  expect(started.statusCode, started.body).toBe(202)
  const { validation_run } = started.json<{ validation_run: ValidationRun }>()
  // As if the guard had been asleep for one of the steps.
  await daemon.system.store.write((tx) => {
    tx.db.exec(`CREATE TRIGGER asleep AFTER INSERT ON policy_checks WHEN NEW.action_id = 'save'
      BEGIN DELETE FROM policy_checks WHERE position = NEW.position; END`)
  })
  await daemon.system.jobs.settled(validation_run.validation_run_id, 60_000)

  const { runs } = await runsOf(daemon, draft)
  expect(runs[0]).toMatchObject({ overall_result: 'failed' })
  expect(runs[0]?.reason).toContain('policy_breach: Step save')
  expect(stored(daemon, draft.proposal).proposal_state).toBe('quarantined')
  expect(daemon.session(draft.session)?.state).toBe('quarantined')
})

test('without leave to do anything nothing is rehearsed', async () => {
  const at = await bench(undefined)
  const reply = await at.daemon.post(`${at.draft.url}/validate`, { selected_tests: ['rehearsal'] })
  expect(reply.statusCode).toBe(400)
  expect(reply.json()).toMatchObject({
    error: {
      code: 'TEST_POLICY_VIOLATION',
      details: { refused: [{ test_case_id: 'plan:mode' }] },
    },
  })
  expect(executionsOf(at)).toBe(0)
})

test('what the recipe says would be so and is not fails the rehearsal', async () => {
  const recipe = climateRecipe()
  const wrong: Recipe = {
    ...recipe,
    verification: [
      {
        id: 'listed',
        selector: { text_equals: 'Nowhere', annotation: 'STRUCTURAL' },
        timeout_ms: 800,
      },
    ],
  }
  const at = await bench({ cleanup_required: true }, wrong)
  const run = await rehearse(at)
  expect(run.overall_result).toBe('failed')
  const { steps } = await runsOf(at.daemon, at.draft)
  const failed = steps.filter(({ result }) => result === 'failed')
  expect(failed.map(({ test_case_id }) => test_case_id)).toEqual(['verify:listed'])
  expect(failed[0]?.details).toContain('VERIFY_FAILED')
  expect(steps.at(-1)).toMatchObject({ test_case_id: 'cleanup:manual', result: 'skipped' })
  expect(at.unit('Reception')?.temperature, 'it was done all the same').toBe(24)
})

test('a canary looks at the first screen and touches nothing', async () => {
  const at = await bench(undefined)
  const reply = await at.daemon.post(`${at.draft.url}/validate`, {
    selected_tests: ['canary'],
    wait_ms: 60_000,
  })
  expect(reply.json(), reply.body).toMatchObject({
    validation_run: { run_kind: 'canary', overall_result: 'passed' },
  })
  const run = reply.json<{ validation_run: ValidationRun }>().validation_run
  const checks = at.daemon.system.store.read((reader) => listPolicyChecks(reader, executionOf(run)))
  expect(checks.map(({ action_type }) => action_type)).toEqual(['open_app'])
  const { steps } = await runsOf(at.daemon, at.draft)
  const own = steps.filter(({ test_case_id }) => !test_case_id.startsWith('lint:'))
  expect(own.map(({ test_case_id }) => test_case_id)).toEqual([
    'canary:open',
    'canary:first_screen',
    'canary:look',
  ])
  expect(at.unit('Reception')?.temperature).toBe(22.5)
})

test('a canary on a phone without the app fails', async () => {
  const elsewhere = { ...climateRecipe(), application_id: 'org.example.missing' }
  const at = await bench(undefined, elsewhere)
  const reply = await at.daemon.post(`${at.draft.url}/validate`, {
    selected_tests: ['canary'],
    wait_ms: 60_000,
  })
  expect(reply.json()).toMatchObject({ validation_run: { overall_result: 'failed' } })
})
