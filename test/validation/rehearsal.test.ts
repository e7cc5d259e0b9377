import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import type { ValidationRun } from '@apprentice/contracts/learn/validation.ts'
import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import { findRehearsalBreach } from '../../src/domain/validation/rehearsal-record.ts'
import { listPolicyChecks } from '../../src/store/devices/execution-policies.ts'
import { findExecution, listExecutions } from '../../src/store/devices/executions.ts'
import { adminToken, type Daemon, startDaemon } from '../kit/daemon.ts'
import { openStream } from '../live/sse-client.ts'
import { draftProposal, type DraftedProposal, getRuns, readProposal, putRecipe } from './drafts.ts'
import { climateRecipe, noteRecipe } from './recipes.ts'

interface Rig {
  readonly daemon: Daemon
  readonly draft: DraftedProposal
  readonly unit: (name: string) => { temperature: number } | undefined
}

const EXAMPLES = { unit: 'Reception', temperature: '24' }

async function startRig(policy: object | undefined, recipe: Recipe = climateRecipe()): Promise<Rig> {
  const daemon = await startDaemon({ quick: true, config: { phone: 'simulated' } })
  const phone = daemon.system.devices.phone.simulated
  if (phone === undefined) throw new Error('no phone')
  await expect.poll(async () => (await daemon.get('/api/devices')).body).toContain('"device"')
  const draft = await draftProposal(daemon)
  await putRecipe(daemon, draft, { recipe, examples: EXAMPLES })
  if (policy !== undefined) await setPolicy(daemon, draft, policy)
  const unit = (name: string) => {
    const { units } = phone.state('org.apprentice.climate').saved as unknown as {
      units: { name: string; temperature: number }[]
    }
    return units.find((candidate) => candidate.name === name)
  }
  return { daemon, draft, unit }
}

async function setPolicy(daemon: Daemon, { session }: DraftedProposal, policy: object): Promise<void> {
  const reply = await daemon.post(`/api/learn/sessions/${session}/set-test-policy`, {
    test_policy: { policy_id: randomUUID(), mode: 'controlled_live_test', ...policy },
  })
  expect(reply.statusCode, reply.body).toBe(200)
}

async function rehearse({ daemon, draft }: Rig, body: object = {}): Promise<ValidationRun> {
  const reply = await daemon.post(`${draft.url}/validate`, {
    selected_tests: ['rehearsal'],
    wait_ms: 60_000,
    ...body,
  })
  expect(reply.statusCode, reply.body).toBe(200)
  return reply.json<{ validation_run: ValidationRun }>().validation_run
}

const countExecutions = ({ daemon }: Rig): number =>
  daemon.system.store.read((reader) => listExecutions(reader, 'local', { page: 1, page_size: 10 }).total)

const listChecks = ({ daemon }: Rig, run: ValidationRun) =>
  daemon.system.store.read((reader) => listPolicyChecks(reader, readExecutionId(run)))

const readExecutionId = ({ result_refs }: ValidationRun): string => (result_refs[0] ?? '').replace(/^execution:/, '')

test('a rehearsal executes the whole recipe on the phone and streams each step while it runs', async () => {
  const rig = await startRig({})
  const { daemon, draft } = rig
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
  const frames = await stream.until((all) =>
    all.some(({ data }) => data?.payload['test_case_id'] === 'checkpoint:cp-01'),
  )
  expect(frames.map(({ event }) => event)).not.toContain('learn.validation.completed')
  await stream.until((all) => all.some(({ event }) => event === 'learn.validation.completed'))

  const { runs, steps } = await getRuns(daemon, draft)
  const failed = steps.filter(({ result }) => result !== 'passed')
  expect(runs[0]?.overall_result, JSON.stringify(failed)).toBe('passed')
  const ids = steps.map(({ test_case_id }) => test_case_id)
  expect(ids).toEqual(expect.arrayContaining(['action:set', 'checkpoint:cp-01', 'checkpoint:cp-02', 'verify:listed']))
  expect(rig.unit('Reception')?.temperature).toBe(24)
  expect(daemon.session(draft.session)?.state).toBe('ready_for_review')
})

test('every action of a rehearsal was checked by the policy gate', async () => {
  const recipe = climateRecipe()
  const rig = await startRig({}, recipe)
  const run = await rehearse(rig)
  expect(run.overall_result).toBe('passed')

  const { store } = rig.daemon.system
  const checks = listChecks(rig, run)
  const row = store.read((reader) => findExecution(reader, readExecutionId(run)))
  const acted = row?.step_results.filter(({ id }) => !id.startsWith('verify')) ?? []
  expect(new Set(checks.map(({ action_id }) => action_id))).toEqual(new Set(acted.map(({ id }) => id)))
  expect(checks.every(({ admitted }) => admitted)).toBe(true)
  expect(store.read((reader) => findRehearsalBreach(reader, readExecutionId(run)) ?? null)).toBeNull()
})

test('a rehearsal with other inputs does not store them', async () => {
  const rig = await startRig({})
  const run = await rehearse(rig, { inputs: { unit: 'Kitchen', temperature: 18.5 } })
  expect(run.overall_result).toBe('passed')
  expect(rig.unit('Kitchen')?.temperature).toBe(18.5)
  expect(rig.unit('Reception')?.temperature).toBe(22.5)
  const stored = rig.daemon.system.store.read(
    (reader) => reader.db.prepare('SELECT inputs FROM validation_runs').all() as never,
  )
  expect(stored).toEqual([{ inputs: null }])
  const row = rig.daemon.system.store.read((reader) => findExecution(reader, readExecutionId(run)))
  expect(JSON.stringify(row)).not.toContain('Kitchen')
})

test('demonstrated values are used in a rehearsal but stored in no record of it', async () => {
  const rig = await startRig({}, noteRecipe())
  await putRecipe(rig.daemon, rig.draft, { recipe: noteRecipe(), examples: { title: 'Oat milk' } })
  const run = await rehearse(rig)
  expect(run.overall_result).toBe('passed')
  const { saved } = rig.daemon.system.devices.phone.simulated?.state('org.apprentice.notes') ?? {}
  expect(JSON.stringify(saved)).toContain('Oat milk')
  const row = rig.daemon.system.store.read((reader) => findExecution(reader, readExecutionId(run)))
  const typed = row?.payload.actions.find(({ type }) => type === 'enter_text')
  expect(typed?.params).toMatchObject({ text: '‹title›' })
  expect(JSON.stringify(row)).not.toContain('Oat milk')
  expect(JSON.stringify(await getRuns(rig.daemon, rig.draft))).not.toContain('Oat milk')
})

test('a change outside the safe target is refused before anything is executed', async () => {
  const safe_targets = [{ target_kind: 'blank_project', ref: 'Reception' }]
  const rig = await startRig({ mode: 'safe_target_only', safe_targets })
  const reply = await rig.daemon.post(`${rig.draft.url}/validate`, { inputs: { unit: 'Kitchen' } })
  expect(reply.statusCode).toBe(400)
  expect(reply.json()).toMatchObject({ error: { code: 'TEST_POLICY_VIOLATION' } })
  expect(countExecutions(rig)).toBe(0)

  const inside = await rehearse(rig)
  expect(inside.overall_result).toBe('passed')
  expect(rig.unit('Reception')?.temperature).toBe(24)
  expect(rig.unit('Kitchen')?.temperature).toBe(20)
})

test('an action that only the screen shows to be forbidden is not executed', async () => {
  const { verification: _v, ...recipe } = climateRecipe()
  const blind: Recipe = {
    ...recipe,
    recipe_type: 'flow',
    capabilities: ['observe', 'navigate', 'click'],
    inputs: recipe.inputs.slice(0, 1),
    steps: [
      ...recipe.steps.slice(0, 1),
      // The plan does not show the label of the first button.
      { id: 'press', type: 'click', selector: { class: 'android.widget.Button', index: 0 } },
    ],
    checkpoints: [],
  }
  const rig = await startRig({ mode: 'read_only' }, blind)
  const touches = rig.daemon.system.devices.phone.simulated?.touches() ?? 0
  const run = await rehearse(rig)

  expect(run.overall_result).toBe('failed')
  const { steps } = await getRuns(rig.daemon, rig.draft)
  const failed = steps.filter(({ result }) => result === 'failed')
  expect(failed).toMatchObject([{ test_case_id: 'action:press' }])
  expect(failed[0]?.details).toMatch(/^TEST_POLICY_VIOLATION \| .*"Save"/)
  expect(rig.daemon.system.devices.phone.simulated?.touches(), 'only the unit was opened').toBe(touches + 1)
  const checks = listChecks(rig, run)
  expect(checks.at(-1)).toMatchObject({ action_id: 'press', admitted: false })
  expect(rig.daemon.session(rig.draft.session)?.state, 'a refused action is no breach').toBe('testing_proposal')
})

test('a rehearsal stops when max_actions is reached', async () => {
  const rig = await startRig({ max_actions: 6 })
  const run = await rehearse(rig)
  expect(run.overall_result).toBe('failed')
  const { steps } = await getRuns(rig.daemon, rig.draft)
  const failed = steps.filter(({ result }) => result === 'failed')
  expect(failed.map(({ test_case_id }) => test_case_id)).toEqual(['action:save', 'checkpoint:cp-02'])
  expect(failed[0]?.details).toContain('used up')
  expect(rig.unit('Reception')?.temperature).toBe(22.5)
  expect(readProposal(rig.daemon, rig.draft.proposal).proposal_state).toBe('testing')
})

test('an action without a policy check quarantines the draft', async () => {
  const rig = await startRig({})
  const { daemon, draft } = rig
  const started = await daemon.post(`${draft.url}/validate`)
  expect(started.statusCode, started.body).toBe(202)
  const { validation_run } = started.json<{ validation_run: ValidationRun }>()
  // Deletes the policy check of one step.
  await daemon.system.store.write((tx) => {
    tx.db.exec(`CREATE TRIGGER unchecked AFTER INSERT ON policy_checks WHEN NEW.action_id = 'save'
      BEGIN DELETE FROM policy_checks WHERE position = NEW.position; END`)
  })
  await daemon.system.jobs.waitUntilSettled(validation_run.validation_run_id, 60_000)

  const { runs } = await getRuns(daemon, draft)
  expect(runs[0]).toMatchObject({ overall_result: 'failed' })
  expect(runs[0]?.reason).toContain('policy_breach: Step save')
  expect(readProposal(daemon, draft.proposal).proposal_state).toBe('quarantined')
  expect(daemon.session(draft.session)?.state).toBe('quarantined')
})

test('without a policy nothing is rehearsed', async () => {
  const rig = await startRig(undefined)
  const reply = await rig.daemon.post(`${rig.draft.url}/validate`, {
    selected_tests: ['rehearsal'],
  })
  expect(reply.statusCode).toBe(400)
  expect(reply.json()).toMatchObject({
    error: {
      code: 'TEST_POLICY_VIOLATION',
      details: { refused: [{ test_case_id: 'plan:mode' }] },
    },
  })
  expect(countExecutions(rig)).toBe(0)
})

test('a failed verification fails the rehearsal', async () => {
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
  const rig = await startRig({ cleanup_required: true }, wrong)
  const run = await rehearse(rig)
  expect(run.overall_result).toBe('failed')
  const { steps } = await getRuns(rig.daemon, rig.draft)
  const failed = steps.filter(({ result }) => result === 'failed')
  expect(failed.map(({ test_case_id }) => test_case_id)).toEqual(['verify:listed'])
  expect(failed[0]?.details).toContain('VERIFY_FAILED')
  expect(steps.at(-1)).toMatchObject({ test_case_id: 'cleanup:manual', result: 'skipped' })
  expect(rig.unit('Reception')?.temperature, 'the actions were executed').toBe(24)
})

test('a canary reads the first screen and touches nothing', async () => {
  const rig = await startRig(undefined)
  const touches = rig.daemon.system.devices.phone.simulated?.touches()
  const reply = await rig.daemon.post(`${rig.draft.url}/validate`, {
    selected_tests: ['canary'],
    wait_ms: 60_000,
  })
  expect(reply.json(), reply.body).toMatchObject({
    validation_run: { run_kind: 'canary', overall_result: 'passed' },
  })
  const run = reply.json<{ validation_run: ValidationRun }>().validation_run
  const checks = rig.daemon.system.store.read((reader) => listPolicyChecks(reader, readExecutionId(run)))
  expect(checks.map(({ action_type }) => action_type)).toEqual(['open_app'])
  const { steps } = await getRuns(rig.daemon, rig.draft)
  const own = steps.filter(({ test_case_id }) => !test_case_id.startsWith('lint:'))
  expect(own.map(({ test_case_id }) => test_case_id)).toEqual(['canary:open', 'canary:first_screen', 'canary:look'])
  expect(rig.daemon.system.devices.phone.simulated?.touches()).toBe(touches)
  expect(rig.unit('Reception')?.temperature).toBe(22.5)
})

test('a canary fails on a phone without the app', async () => {
  const elsewhere = { ...climateRecipe(), application_id: 'org.example.missing' }
  const rig = await startRig(undefined, elsewhere)
  const reply = await rig.daemon.post(`${rig.draft.url}/validate`, {
    selected_tests: ['canary'],
    wait_ms: 60_000,
  })
  expect(reply.json()).toMatchObject({ validation_run: { overall_result: 'failed' } })
})
