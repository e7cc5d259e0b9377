import { expect, test } from 'vitest'
import type { AbilityRun } from '@apprentice/contracts/abilities/runs.ts'
import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import { eventually } from '../devices/driver/outcomes.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { addNote, countRows, FIRST_NOTES, installRecipes, readNotes, startRun } from './run-kit.ts'

const ITEMS = [{ title: 'One' }, { title: 'Two', body: 'own text' }, { title: 'Three' }]

/** Fails for a title that is listed already. */
const onlyNew: Recipe = {
  ...addNote,
  steps: [
    {
      id: 'check',
      type: 'expect',
      selector: { text_equals: '${inputs.title}', annotation: 'USER_SPECIFIC' },
      params: { present: false, timeoutMs: 300 },
    },
    ...addNote.steps,
  ],
}
const WITH_OLD = [{ title: 'One' }, { title: 'Meeting' }, { title: 'Three' }]

async function startNotes(recipe = addNote): Promise<Daemon> {
  const daemon = await startDaemon({ quick: true, config: { phone: 'simulated' } })
  await installRecipes(daemon, { 'add-note': recipe })
  return daemon
}

const listTitles = (daemon: Daemon) =>
  readNotes(daemon)
    .slice(FIRST_NOTES)
    .map(({ title }) => title)
const listStates = ({ items = [] }: AbilityRun) => items.map(({ state }) => state)

test('a run does the same for each item, in order, and succeeds if all do', { timeout: 120_000 }, async () => {
  const daemon = await startNotes()
  const { reply, run } = await startRun(daemon, 'add-note', { inputs: { body: 'shared' }, items: ITEMS })
  expect(reply.statusCode, reply.body).toBe(200)
  expect(run.state, JSON.stringify(run.trouble)).toBe('success')
  expect(readNotes(daemon).slice(FIRST_NOTES)).toEqual([
    { title: 'One', body: 'shared' },
    { title: 'Two', body: 'own text' },
    { title: 'Three', body: 'shared' },
  ])
  expect(run).toMatchObject({ items_total: 3, items_done: 3, acted: true, input_names: ['body', 'title'] })
  expect(listStates(run)).toEqual(['success', 'success', 'success'])
  expect(run.items?.map(({ verification }) => verification)).toEqual([
    [{ verification_id: 'verify.written', held: true, observed: 'shared' }],
    [{ verification_id: 'verify.written', held: true, observed: 'own text' }],
    [{ verification_id: 'verify.written', held: true, observed: 'shared' }],
  ])
  const settled = daemon.events().filter(({ kind }) => kind === 'ability.run.item_settled')
  expect(settled.map(({ payload }) => payload)).toMatchObject([{ item: 0 }, { item: 1 }, { item: 2 }])
  expect(countRows(daemon, 'use_receipts')).toBe(1)

  const { runs } = (await daemon.get('/api/abilities/learned.add-note/runs')).json<{ runs: AbilityRun[] }>()
  expect(runs).toMatchObject([{ items_total: 3, items_done: 3 }])
  expect(runs[0]).not.toHaveProperty('items')
})

test('a list stops at the first item that fails and tells which were done', { timeout: 120_000 }, async () => {
  const daemon = await startNotes(onlyNew)
  const { run } = await startRun(daemon, 'add-note', { inputs: { body: 'x' }, items: WITH_OLD })
  expect(run.state).toBe('failed')
  expect(listStates(run)).toEqual(['success', 'failed', 'not_started'])
  expect(run).toMatchObject({ items_done: 1, trouble: { item: 1, step_id: 'check' } })
  expect(listTitles(daemon)).toEqual(['One'])
})

test('a list goes on after a failed item if asked to, and is then no success', { timeout: 120_000 }, async () => {
  const daemon = await startNotes(onlyNew)
  const body = { inputs: { body: 'x' }, items: WITH_OLD, on_item_failure: 'continue' }
  const { run } = await startRun(daemon, 'add-note', body)
  expect(run.state).toBe('failed')
  expect(listStates(run)).toEqual(['success', 'failed', 'success'])
  expect(run).toMatchObject({ items_done: 2, trouble: { item: 1 } })
  expect(listTitles(daemon)).toEqual(['One', 'Three'])
})

test('a list starts no further item once its ability is quarantined', { timeout: 120_000 }, async () => {
  const daemon = await startNotes()
  const { run } = await startRun(daemon, 'add-note', { inputs: { body: 'x' }, items: ITEMS, wait_ms: 0 })
  await eventually(
    () => daemon.events().filter(({ kind }) => kind === 'execution.started').length,
    (started) => started === 2,
  )
  await daemon.post('/api/abilities/learned.add-note/quarantine', { reason: 'test' })
  const ended = await eventually(
    async () => (await daemon.get(`/api/abilities/runs/${run.run_id}`)).json<{ run: AbilityRun }>().run,
    ({ settled_at }) => settled_at !== undefined,
  )
  expect(ended).toMatchObject({ state: 'failed', items_done: 2, trouble: { code: 'ABILITY_UNUSABLE', item: 2 } })
  expect(listStates(ended)).toEqual(['success', 'success', 'not_started'])
  expect(listTitles(daemon)).toEqual(['One', 'Two'])
})

test('cancelling a list keeps the items that were done', { timeout: 120_000 }, async () => {
  const hold = { id: 'hold', type: 'sleep', params: { durationMs: 60_000 } } as const
  const when = {
    resource_id: 'org.apprentice.notes:id/note',
    containing: { text_equals: 'One', annotation: 'STRUCTURAL' as const },
  }
  const daemon = await startNotes({ ...addNote, steps: [{ ...hold, when }, ...addNote.steps] })
  const { run } = await startRun(daemon, 'add-note', {
    inputs: { body: 'x' },
    items: ITEMS,
    wait_ms: 0,
    on_item_failure: 'continue',
  })
  await eventually(
    () => daemon.events().filter(({ kind }) => kind === 'execution.started').length,
    (started) => started === 2,
  )
  const reply = await daemon.post(`/api/abilities/runs/${run.run_id}/cancel`)
  const cancelled = reply.json<{ run: AbilityRun }>().run
  expect(cancelled).toMatchObject({ state: 'cancelled', items_done: 1 })
  expect(listStates(cancelled)).toEqual(['success', 'cancelled', 'not_started'])
  expect(listTitles(daemon)).toEqual(['One'])
})

test.each([
  ['no item', [], 'INVALID_REQUEST'],
  ['201 items', Array.from({ length: 201 }, () => ({ title: 'x' })), 'INVALID_REQUEST'],
  ['an item without a required input', [...ITEMS, {}], 'RECIPE_INPUT_MISSING'],
  ['an item with an unknown input', [...ITEMS, { title: 'Four', colour: 'red' }], 'RECIPE_INPUT_INVALID'],
])('a list with %s is refused before anything is queued', async (_name, items, code) => {
  const daemon = await startDaemon()
  await installRecipes(daemon, { 'add-note': addNote })
  const { reply } = await startRun(daemon, 'add-note', { inputs: { body: 'x' }, items })
  expect(reply.statusCode).toBe(400)
  const { error } = reply.json<{ error: { code: string; message: string; details: { item?: number } } }>()
  expect(error.code).toBe(code)
  if (code !== 'INVALID_REQUEST') expect(error).toMatchObject({ details: { item: 3 } })
  expect([countRows(daemon, 'executions'), countRows(daemon, 'ability_runs')]).toEqual([0, 0])
})
