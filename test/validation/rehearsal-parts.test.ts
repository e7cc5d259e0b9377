import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { ValidationRun, ValidationStepResult } from '@apprentice/contracts/learn/validation.ts'
import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import { findExecutionPolicy } from '../../src/store/devices/execution-policies.ts'
import { findExecution } from '../../src/store/devices/executions.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { addNote, callStep, countRows, FIRST_NOTES, installRecipes, NOTES, pauses, readNotes } from '../runs/run-kit.ts'
import { draftProposal, type DraftedProposal, getRuns, putRecipe } from './drafts.ts'

const listed = (text: string) => ({
  resource_id: `${NOTES}:id/note`,
  containing: { text_equals: text, annotation: 'USER_SPECIFIC' as const },
})

/** Writes two notes by calling the ability that writes one. */
const addTwo: Recipe = {
  ...addNote,
  recipe_id: `${NOTES}.add-two`,
  summary: 'Write two notes',
  inputs: [{ name: 'first', type: 'string', required: true }],
  steps: [
    callStep('call_first', 'add-note', { inputs: { title: '${inputs.first}', body: 'one' } }),
    callStep('call_second', 'add-note', { inputs: { title: 'Second', body: 'two' } }),
    { id: 'again', type: 'close_app' },
    { id: 'list', type: 'open_app' },
  ],
  verification: [{ id: 'listed', selector: listed('${inputs.first}') }],
  checkpoints: [{ checkpoint_id: 'cp-01', after_step: 'list' }],
}

/** Needs several executions because of its length. */
const long: Recipe = {
  ...addNote,
  steps: [...addNote.steps.slice(0, 4), ...pauses(60), ...addNote.steps.slice(4)],
  checkpoints: [
    { checkpoint_id: 'cp-01', after_step: 'save' },
    { checkpoint_id: 'cp-02', after_step: 'open' },
  ],
}

interface Rehearsed {
  readonly daemon: Daemon
  readonly run: ValidationRun
  readonly steps: readonly ValidationStepResult[]
}

interface Setup {
  readonly recipe: Recipe
  readonly examples: Readonly<Record<string, string>>
  readonly policy?: object
  readonly prepare?: (daemon: Daemon) => Promise<void>
}

async function rehearse({ recipe, examples, policy = {}, prepare }: Setup): Promise<Rehearsed & { reply: number }> {
  const daemon = await startDaemon({ quick: true, config: { phone: 'simulated' } })
  await expect.poll(async () => (await daemon.get('/api/devices')).body).toContain('"device"')
  await installRecipes(daemon, { 'add-note': addNote })
  await prepare?.(daemon)
  const draft: DraftedProposal = await draftProposal(daemon)
  await putRecipe(daemon, draft, { recipe, examples })
  await daemon.post(`/api/learn/sessions/${draft.session}/set-test-policy`, {
    test_policy: { policy_id: randomUUID(), mode: 'controlled_live_test', ...policy },
  })
  const reply = await daemon.post(`${draft.url}/validate`, { selected_tests: ['rehearsal'], wait_ms: 100_000 })
  const { runs, steps } = await getRuns(daemon, draft)
  const [run] = runs
  if (run === undefined) throw new Error(reply.body)
  return { daemon, run, steps, reply: reply.statusCode }
}

const listExecutions = ({ result_refs }: ValidationRun): string[] =>
  result_refs.map((ref) => ref.replace(/^execution:/, ''))

const readResult = ({ steps }: Rehearsed, id: string) => steps.find(({ test_case_id }) => test_case_id === id)?.result

test('a draft that calls other abilities is rehearsed with all its parts', { timeout: 120_000 }, async () => {
  const rehearsed = await rehearse({ recipe: addTwo, examples: { first: 'First' } })
  const { daemon, run, steps } = rehearsed
  expect(run.overall_result, JSON.stringify(steps.filter(({ result }) => result === 'failed'))).toBe('passed')
  expect(readNotes(daemon).slice(FIRST_NOTES)).toEqual([
    { title: 'First', body: 'one' },
    { title: 'Second', body: 'two' },
  ])
  for (const id of ['verify:call_first/written', 'verify:call_second/written', 'verify:listed', 'checkpoint:cp-01']) {
    expect(readResult(rehearsed, id), id).toBe('passed')
  }
  expect(readResult(rehearsed, 'plan:action:call_first/save')).toBe('passed')
  expect(listExecutions(run).length).toBeGreaterThan(3)
  for (const id of listExecutions(run)) {
    const row = daemon.system.store.read((reader) => findExecution(reader, id) ?? null)
    expect(row?.state).toBe('succeeded')
    expect(JSON.stringify(row)).not.toContain('"First"')
  }
  expect(countRows(daemon, 'device_leases')).toBe(0)
})

test('a draft with several executions is rehearsed, and its actions count together', { timeout: 120_000 }, async () => {
  const examples = { title: 'Milk', body: 'two litres' }
  const done = await rehearse({ recipe: long, examples })
  expect(done.run.overall_result, JSON.stringify(done.steps.filter(({ result }) => result === 'failed'))).toBe('passed')
  expect(readNotes(done.daemon).at(-1)).toEqual({ title: 'Milk', body: 'two litres' })
  expect(readResult(done, 'checkpoint:cp-02')).toBe('passed')
  const [, second = ''] = listExecutions(done.run)
  const policy = done.daemon.system.store.read((reader) => findExecutionPolicy(reader, second) ?? null)
  expect(policy?.start?.count).toBeGreaterThan(3)
})

test('a part that fails ends the rehearsal, and later parts are not started', { timeout: 120_000 }, async () => {
  const [first, ...others] = addTwo.steps
  const missing = { id: 'missing', type: 'click' as const, selector: { resource_id: `${NOTES}:id/nothing` } }
  const steps = [first, missing, ...others].flatMap((step) => step ?? [])
  const failed = await rehearse({ recipe: { ...addTwo, steps }, examples: { first: 'First' } })
  expect(failed.run.overall_result).toBe('failed')
  expect(readNotes(failed.daemon).slice(FIRST_NOTES)).toEqual([{ title: 'First', body: 'one' }])
  expect(readResult(failed, 'action:missing')).toBe('failed')
  expect(readResult(failed, 'checkpoint:cp-01')).toBe('failed')
  expect(readResult(failed, 'verify:listed')).toBeUndefined()
  expect(countRows(failed.daemon, 'device_leases')).toBe(0)
})

test('the policy is checked for the actions of called abilities before anything is done', async () => {
  const refused = await rehearse({ recipe: addTwo, examples: { first: 'First' }, policy: { mode: 'read_only' } })
  expect(refused.reply).toBe(400)
  expect(readResult(refused, 'plan:action:call_first/save')).toBe('failed')
  expect(readNotes(refused.daemon)).toHaveLength(FIRST_NOTES)
})
