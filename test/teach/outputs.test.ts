import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ProposalDetail } from '@apprentice/contracts/learn/proposal-review.ts'
import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import { ok, open, startTeaching, tap, type TeachingSetup } from './teaching.ts'

const DESK = 'org.example.quietdesk'
const APPS = join(import.meta.dirname, 'apps')

interface Shown {
  readonly goal: string
  readonly actions: readonly object[]
  readonly marks: readonly object[]
}

async function teach(setup: TeachingSetup, { goal, actions, marks }: Shown) {
  const { daemon, phone } = setup
  await setup.act({ type: 'close_app', params: { applicationId: DESK } })
  const made = await ok<{ session: { learn_session_id: string } }>(daemon, '/api/learn/sessions', {
    entry_mode: 'demonstrating_skill',
    observation_mode: 'outside_agent',
    device_serial: phone.serial,
  })
  const url = `/api/learn/sessions/${made.session.learn_session_id}`
  await ok(daemon, `${url}/start`)
  await ok(daemon, `${url}/mark-goal`, { goal_description: goal })
  await setup.act(...actions)
  for (const mark of marks) await ok(daemon, `${url}/marks`, { kind: 'output', ...mark })
  await ok(daemon, `${url}/stop`)
  const { proposal_id, session } = await ok<{ proposal_id: string; session: { state: string } }>(
    daemon,
    `${url}/generate-proposal`,
  )
  const proposal = `/api/learn/proposals/${proposal_id}`
  expect(session.state, (await daemon.get(`${url}/detail`)).body).not.toBe('awaiting_questions')
  const detail = (await daemon.get(`${proposal}/detail`)).json<ProposalDetail & { recipe: Recipe }>()
  await ok(daemon, `${proposal}/validate`, { wait_ms: 60_000, schema_version: 1 })
  const { ability_id } = await ok<{ ability_id: string }>(daemon, `${proposal}/install`)
  const document = (await daemon.get(`${proposal}/files/SKILL.md`)).json<{ content: string }>().content
  return { ability_id, detail, document }
}

test('a workflow that only reads returns the values of the given entry, and succeeds without a question', async () => {
  const setup = await startTeaching({ config: { simApps: APPS } })
  const { ability_id, detail, document } = await teach(setup, {
    goal: 'Look up an order',
    actions: [open(DESK), tap('Orders'), tap('Lamps')],
    marks: [
      { name: 'price', value_type: 'number', element: { screen: 'now', selector: { textContains: '1240' } } },
      { name: 'state', element: { selector: { textEquals: 'open' } } },
    ],
  })
  expect(detail.recipe.outputs).toMatchObject([
    { name: 'price', type: 'number' },
    { name: 'state', type: 'string' },
  ])
  // No value of the demonstration is in the files.
  expect(JSON.stringify([detail.recipe, document])).not.toMatch(/1240|Lamps/)
  expect(document).toContain('## Outputs')
  expect(document).toContain('**price** (number)')
  const [input = expect.fail('no input')] = detail.recipe.inputs
  const chairs = await setup.run(ability_id, { [input.name]: 'Chairs' })
  expect(chairs).toMatchObject({ state: 'success', outputs: { price: 89, state: 'shipped' } })
  const missing = await setup.run(ability_id, { [input.name]: 'Sofas' })
  expect(missing).toMatchObject({ state: 'failed', outputs: {} })
})

test('the values of all rows of a list are returned in order', async () => {
  const setup = await startTeaching({ config: { simApps: APPS } })
  const { ability_id, detail } = await teach(setup, {
    goal: 'List the orders',
    actions: [open(DESK), tap('Orders')],
    marks: [
      { name: 'titles', value_type: 'list', element: { selector: { textEquals: 'Chairs' } } },
      { name: 'states', value_type: 'column', element: { selector: { textEquals: 'shipped' } } },
    ],
  })
  expect(detail.recipe.inputs).toEqual([])
  const run = await setup.run(ability_id, {})
  expect(run).toMatchObject({
    state: 'success',
    outputs: { titles: ['Lamps', 'Chairs', 'Desks'], states: ['open', 'shipped', 'open'] },
  })
})

test('a value in a row that no step chose makes the row an input', async () => {
  const setup = await startTeaching({ config: { simApps: APPS } })
  const { ability_id, detail } = await teach(setup, {
    goal: 'Read the state of an order',
    actions: [open(DESK), tap('Orders')],
    marks: [{ name: 'state', element: { selector: { textEquals: 'shipped' } } }],
  })
  const [input = expect.fail('no input'), ...others] = detail.recipe.inputs
  expect(others).toEqual([])
  expect(JSON.stringify(detail.recipe)).not.toContain('Chairs')
  const desks = await setup.run(ability_id, { [input.name]: 'Desks' })
  expect(desks).toMatchObject({ state: 'success', outputs: { state: 'open' } })
  const chairs = await setup.run(ability_id, { [input.name]: 'Chairs' })
  expect(chairs).toMatchObject({ state: 'success', outputs: { state: 'shipped' } })
})

test('an app that is only opened and read is a workflow', async () => {
  const setup = await startTeaching({ config: { simApps: APPS } })
  const { ability_id } = await teach(setup, {
    goal: 'Read the greeting',
    actions: [open(DESK)],
    marks: [{ name: 'greeting', element: { selector: { textEquals: 'Welcome' } } }],
  })
  expect(await setup.run(ability_id, {})).toMatchObject({ state: 'success', outputs: { greeting: 'Welcome' } })
})
