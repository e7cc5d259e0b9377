import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ElementMark } from '@apprentice/contracts/learn/elements.ts'
import type { ObservedActionEvent } from '@apprentice/contracts/learn/observation.ts'
import type { AskedQuestion } from '@apprentice/contracts/learn/proposal.ts'
import type { ProposalDetail } from '@apprentice/contracts/learn/proposal-review.ts'
import { ok, open, startTeaching, tap, type TeachingSetup } from './teaching.ts'

const DESK = 'org.example.quietdesk'
const APPS = join(import.meta.dirname, 'apps')

async function startCapture(setup: TeachingSetup): Promise<string> {
  const { daemon, phone } = setup
  const made = await ok<{ session: { learn_session_id: string } }>(daemon, '/api/learn/sessions', {
    entry_mode: 'demonstrating_skill',
    observation_mode: 'outside_agent',
    device_serial: phone.serial,
  })
  const url = `/api/learn/sessions/${made.session.learn_session_id}`
  await ok(daemon, `${url}/start`, { text_capture_consent: true })
  return url
}

const mark = async ({ daemon }: TeachingSetup, url: string, body: object) =>
  (await ok<{ mark: ElementMark }>(daemon, `${url}/marks`, body)).mark

async function refuse({ daemon }: TeachingSetup, url: string, body: object) {
  const reply = await daemon.post(`${url}/marks`, body)
  const { error } = reply.json<{ error: { code: string; message: string; details: Record<string, unknown> } }>()
  return { status: reply.statusCode, ...error }
}

const listEvents = async ({ daemon }: TeachingSetup, url: string): Promise<ObservedActionEvent[]> =>
  (await daemon.get(`${url}/observations?page_size=100`)).json<{ events: ObservedActionEvent[] }>().events

const readDraft = async ({ daemon }: TeachingSetup, url: string): Promise<ProposalDetail> => {
  const { proposal_id } = await ok<{ proposal_id: string }>(daemon, `${url}/generate-proposal`)
  const { questions } = (await daemon.get(`${url}/detail`)).json<{ questions: AskedQuestion[] }>()
  const answers = questions.map(({ question_id }) => ({ question_id, choice_id: 'nothing_shows_it' }))
  if (answers.length > 0) await ok(daemon, `${url}/answer-questions`, { answers })
  return (await daemon.get(`/api/learn/proposals/${proposal_id}/detail`)).json<ProposalDetail>()
}

test('an element is found by its words, point or path, and stored with its screen in one transaction', async () => {
  const setup = await startTeaching({ config: { simApps: APPS } })
  const url = await startCapture(setup)
  await setup.act(open(DESK), tap('Prepare'))
  const words = await mark(setup, url, {
    kind: 'proof',
    element: { screen: 'now', selector: { textContains: 'in its place' } },
  })
  const [, pressed] = await listEvents(setup, url)
  expect(words).toMatchObject({
    kind: 'proof',
    label: 'Everything is in its place',
    screen: 'after',
    event_id: pressed?.event_id,
    evidence_ref: pressed?.after_state_ref,
  })
  const { bounds = expect.fail('no bounds') } = words
  const point = { x: Math.round((bounds.left + bounds.right) / 2), y: Math.round((bounds.top + bounds.bottom) / 2) }
  const byPoint = await mark(setup, url, { kind: 'proof', element: { point } })
  const byPath = await mark(setup, url, { kind: 'proof', element: { path: words.node_path } })
  expect([byPoint.node_path, byPath.node_path]).toEqual([words.node_path, words.node_path])
  const { daemon } = setup
  const listed = (await daemon.get(`${url}/marks`)).json<{ marks: ElementMark[] }>().marks
  expect(listed.map(({ mark_id }) => mark_id)).toEqual([words.mark_id, byPoint.mark_id, byPath.mark_id])
  const receipts = (await daemon.get('/api/learn/receipts?receipt_kind=learn.element.marked')).body
  expect(receipts).toContain('An element was marked: proof.')
  expect(receipts).not.toContain('in its place')
  const removed = await daemon.delete(`${url}/marks/${byPath.mark_id}`)
  expect(removed.json()).toEqual({ deleted: true })
  expect((await daemon.get(`${url}/marks`)).json<{ marks: ElementMark[] }>().marks).toHaveLength(2)
  expect((await daemon.delete(`${url}/marks/${randomUUID()}`)).statusCode).toBe(404)
  const stranger = await daemon.tokenFor('stranger')
  expect((await daemon.get(`${url}/marks`, stranger)).statusCode).toBe(404)
})

test('a reference that names nothing, several elements or no kept screen is refused and says what is there', async () => {
  const setup = await startTeaching({ config: { simApps: APPS } })
  const url = await startCapture(setup)
  expect(await refuse(setup, url, { kind: 'proof', element: { path: '0' } })).toMatchObject({
    status: 409,
    code: 'ELEMENT_NOT_FOUND',
    details: { field: 'element.screen', seen: [] },
  })
  await setup.act(open(DESK), tap('Orders'))
  const missing = await refuse(setup, url, { kind: 'proof', element: { selector: { textEquals: 'Sofas' } } })
  expect(missing).toMatchObject({
    status: 409,
    code: 'ELEMENT_NOT_FOUND',
    details: { field: 'element.selector', seen: expect.arrayContaining(['Lamps', 'Chairs']) },
  })
  const several = await refuse(setup, url, { kind: 'proof', element: { selector: { textEquals: 'open' } } })
  expect(several).toMatchObject({ status: 409, code: 'ELEMENT_AMBIGUOUS', details: { field: 'element.selector' } })
  expect(several.details['candidates']).toMatchObject([{ label: 'open' }, { label: 'open' }])
  expect(await refuse(setup, url, { kind: 'proof', element: { path: '9.9.9' } })).toMatchObject({
    code: 'ELEMENT_NOT_FOUND',
    details: { field: 'element.path' },
  })
  const unknown = { event_id: randomUUID(), path: '0' }
  expect(await refuse(setup, url, { kind: 'proof', element: unknown })).toMatchObject({
    status: 404,
    code: 'OBSERVATION_EVENT_NOT_FOUND',
  })
  const title = { selector: { textEquals: 'Orders' } }
  expect(await refuse(setup, url, { kind: 'output', value_type: 'number', element: title })).toMatchObject({
    code: 'ELEMENT_NOT_FOUND',
    message: expect.stringContaining('shows no number'),
  })
  expect(await refuse(setup, url, { kind: 'output', value_type: 'list', element: title })).toMatchObject({
    message: expect.stringContaining('not in a list'),
  })
  const unused = { selector: { textEquals: 'Chairs' } }
  expect(await refuse(setup, url, { kind: 'input', element: unused })).toMatchObject({
    message: expect.stringContaining('No step chose this element'),
  })
  for (const element of [
    {},
    { path: '0', point: { x: 1, y: 1 } },
    { screen: 'now', event_id: randomUUID(), path: '0' },
  ]) {
    expect(await refuse(setup, url, { kind: 'proof', element })).toMatchObject({ status: 400, code: 'INVALID_REQUEST' })
  }
  expect(await refuse(setup, url, { kind: 'proof', value_type: 'text', element: title })).toMatchObject({
    status: 400,
    details: { field: 'value_type' },
  })
  expect((await setup.daemon.get(`${url}/marks`)).json<{ marks: ElementMark[] }>().marks).toEqual([])
})

test('the screen now can be pointed at only while the capture runs, and the phone must be reachable', async () => {
  const setup = await startTeaching({ config: { simApps: APPS } })
  const url = await startCapture(setup)
  await setup.act(open(DESK), tap('Prepare'))
  const element = { screen: 'now', selector: { textContains: 'in its place' } }
  const driver = setup.daemon.system.devices.driver(setup.phone.serial)
  const dump = driver.dump.bind(driver)
  driver.dump = () => Promise.resolve({ outcome: 'failed', kind: 'null_root', text: 'null root node' } as never)
  expect(await refuse(setup, url, { kind: 'proof', element })).toMatchObject({ code: 'SNAPSHOT_EXTRACTION_FAILED' })
  driver.dump = dump
  await ok(setup.daemon, `${url}/stop`)
  expect(await refuse(setup, url, { kind: 'proof', element })).toMatchObject({
    status: 400,
    code: 'INVALID_LEARN_STATE_TRANSITION',
  })
  const kept = { selector: { textContains: 'in its place' } }
  expect(await mark(setup, url, { kind: 'proof', element: kept })).toMatchObject({
    label: 'Everything is in its place',
  })
})

test('what the person says proves it becomes a check; what was there before does not', async () => {
  const setup = await startTeaching({ config: { simApps: APPS } })
  const url = await startCapture(setup)
  await setup.act(open(DESK), tap('Prepare'))
  await mark(setup, url, { kind: 'proof', element: { selector: { textContains: 'in its place' } } })
  await mark(setup, url, { kind: 'proof', element: { selector: { textEquals: 'Welcome' } } })
  await ok(setup.daemon, `${url}/mark-goal`, { goal_description: 'Prepare the desk' })
  await ok(setup.daemon, `${url}/stop`)
  const { recipe } = await readDraft(setup, url)
  const checks = JSON.stringify(recipe?.['verification'])
  expect(checks).toContain('in its place')
  expect(checks).not.toContain('Welcome')
  expect(recipe).not.toHaveProperty('unproven')
})

test('a status in the row of the chosen entry is checked in the row of the entry of each run', async () => {
  const setup = await startTeaching({ config: { simApps: APPS } })
  const { daemon } = setup
  const url = await startCapture(setup)
  await ok(daemon, `${url}/mark-goal`, { goal_description: 'Ship an order' })
  await setup.act(open(DESK), tap('Orders'), tap('Lamps'), tap('Ship'))
  const rows = { selector: { textEquals: 'shipped', index: 0 } }
  expect(await mark(setup, url, { kind: 'proof', element: rows })).toMatchObject({ label: 'shipped' })
  await ok(daemon, `${url}/stop`)
  const detail = await readDraft(setup, url)
  expect(detail.recipe).not.toHaveProperty('unproven')
  expect(JSON.stringify(detail.recipe)).not.toContain('Lamps')
  const proposal = `/api/learn/proposals/${detail.proposal.proposal_id}`
  await ok(daemon, `${proposal}/validate`, { wait_ms: 60_000, schema_version: 1 })
  const { ability_id } = await ok<{ ability_id: string }>(daemon, `${proposal}/install`)
  const inputs = (detail.recipe?.['inputs'] ?? []) as { name: string }[]
  const [input = expect.fail('no input')] = inputs
  expect(await setup.run(ability_id, { [input.name]: 'Desks' })).toMatchObject({ state: 'success' })
  const { orders } = setup.phone.state(DESK).saved as unknown as { orders: { title: string; state: string }[] }
  expect(orders.find(({ title }) => title === 'Desks')?.state).toBe('shipped')
})

test('a chosen entry is an input or always the same as the person says', async () => {
  const setup = await startTeaching({ config: { simApps: APPS } })
  const teach = async (kind: 'input' | 'constant', more: object = {}) => {
    await setup.act({ type: 'close_app', params: { applicationId: DESK } })
    const url = await startCapture(setup)
    await setup.act(open(DESK), tap('Orders'), tap('Lamps'))
    const [, , chosen] = await listEvents(setup, url)
    const element = { screen: 'before', selector: { textEquals: 'Lamps' } }
    const made = await mark(setup, url, { kind, element, ...more })
    expect(made.event_id).toBe(chosen?.event_id)
    await ok(setup.daemon, `${url}/mark-goal`, { goal_description: 'Open an order' })
    await ok(setup.daemon, `${url}/stop`)
    const { recipe } = await readDraft(setup, url)
    await ok(setup.daemon, `${url}/cancel`)
    return recipe?.['inputs'] as { name: string; default?: unknown }[]
  }
  expect(await teach('input', { name: 'piece' })).toMatchObject([{ name: 'piece', required: true }])
  expect((await teach('constant')).filter((input) => input.default === undefined)).toEqual([])
})
