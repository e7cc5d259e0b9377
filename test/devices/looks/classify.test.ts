import { expect, test } from 'vitest'
import type { ActionFacts } from '@apprentice/contracts/devices/checks.ts'
import type { Classification } from '@apprentice/contracts/devices/verification.ts'
import { startLamp, LAMP, type Rig, tap } from './rig.ts'

type Reply = Classification & { action: ActionFacts; error?: { code: string } }

const classify = async ({ daemon, url }: Rig, body: object, token?: string): Promise<Reply> =>
  (await daemon.post(`${url}/classify`, body, token)).json<Reply>()

test('the effect of an action comes from its schema, then its request, then the fallback table', async () => {
  const rig = await startLamp()
  const done = await rig.execute([
    {
      id: 'open',
      type: 'open_app',
      params: { applicationId: LAMP },
      expects: { effect: 'local_state' },
    },
    tap('power'),
    tap('order', { expects: { effect: 'side_effect' } }),
    { id: 'look', type: 'snapshot_ui' },
  ])
  expect(done.state).toBe('succeeded')
  const readAction = async (step?: string) => {
    const action_id = step === undefined ? done.execution_id : `${done.execution_id}/${step}`
    return (await classify(rig, { action_id, ui_changed: false })).action
  }
  expect(await readAction('open')).toMatchObject({ action_type: 'side_effect', source: 'schema' })
  expect(await readAction('tap_power')).toMatchObject({
    verb: 'click',
    action_type: 'local_state',
    source: 'fallback_table',
    table_version: 1,
  })
  expect(await readAction('tap_order')).toMatchObject({
    action_type: 'side_effect',
    source: 'handler',
  })
  // An execution without a step id stands for its last acting step.
  expect(await readAction()).toMatchObject({ step_id: 'tap_order', action_type: 'side_effect' })
})

const FAILED = [{ endpoint: '/a', status: 'failure' }]
const SUCCEEDED = [{ endpoint: '/a', status: 'success' }]
const OTHER = [{ endpoint: '/a', status: 'odd' }]

const UNCHANGED = [
  ['local_state', null, 'no_op', 'local_without_change'],
  ['local_state', [], 'no_op', 'local_without_change'],
  ['local_state', FAILED, 'backend_failure', 'request_failed'],
  ['local_state', SUCCEEDED, 'no_op', 'local_without_change'],
  ['local_state', OTHER, 'no_op', 'local_without_change'],
  ['side_effect', null, 'unknown', 'network_not_collected'],
  ['side_effect', [], 'no_op', 'no_request'],
  ['side_effect', FAILED, 'backend_failure', 'request_failed'],
  ['side_effect', SUCCEEDED, 'ui_failure', 'requests_without_change'],
  ['side_effect', OTHER, 'unknown', 'undecided'],
] as const

test('without a screen change the outcome depends on the effect and the requests', async () => {
  const rig = await startLamp()
  const ids = {
    local_state: (await rig.execute([tap('order', { expects: { effect: 'local_state' } })])).execution_id,
    side_effect: (await rig.execute([tap('order', { expects: { effect: 'side_effect' } })])).execution_id,
  }
  for (const [effect, network_requests, outcome, rule_id] of UNCHANGED) {
    const evidence = { action_id: ids[effect], ui_changed: false, network_requests }
    const result = await classify(rig, evidence)
    expect(result, rule_id).toMatchObject({ outcome, rule_id, table_version: 1 })
  }
})

test('equal evidence has an equal digest, and nothing is stored', async () => {
  const rig = await startLamp()
  const { execution_id: action_id } = await rig.execute([tap('power')])
  const events = rig.daemon.events().length
  const first = await classify(rig, { action_id, ui_changed: true })
  const same = await classify(rig, { ui_changed: true, action_id, has_log_errors: null })
  const other = await classify(rig, { action_id, ui_changed: true, predicate: 'false' })
  expect(first).toMatchObject({ outcome: 'success', rule_id: 'changed_without_expectation' })
  expect(same.inputs_digest).toBe(first.inputs_digest)
  expect(other).toMatchObject({ outcome: 'changed_unverified' })
  expect(other.inputs_digest).not.toBe(first.inputs_digest)
  expect(rig.daemon.events()).toHaveLength(events)
})

test('the outcome of a launch depends on the app in the foreground', async () => {
  const rig = await startLamp()
  const { execution_id: action_id } = await rig.execute([
    { id: 'open', type: 'open_app', params: { applicationId: LAMP } },
  ])
  const launched = { action_id, ui_changed: false, network_requests: [] }
  expect((await classify(rig, launched)).rule_id).toBe('launch_without_foreground')
  expect(await classify(rig, { ...launched, foreground_matches: true })).toMatchObject({
    outcome: 'success',
  })
})

test('a caller cannot set the effect and cannot classify actions of other users or devices', async () => {
  const rig = await startLamp()
  const { execution_id: action_id } = await rig.execute([tap('power')])
  const forged = await classify(rig, { action_id, ui_changed: false, effect: 'side_effect' })
  expect(forged.error?.code).toBe('INVALID_REQUEST')
  expect((await classify(rig, { ui_changed: false })).error?.code).toBe('INVALID_REQUEST')
  const bob = await rig.daemon.tokenFor('bob')
  const foreign = await classify(rig, { action_id, ui_changed: false }, bob)
  expect(foreign.error?.code).toBe('EXECUTION_NOT_FOUND')
  const elsewhere = { ...rig, url: '/api/devices/another' }
  const wrong = await classify(elsewhere, { action_id, ui_changed: false })
  expect(wrong.error?.code).toBe('EXECUTION_NOT_FOUND')
})

test('without ui_changed the last reading before the action is compared with a new one', async () => {
  const rig = await startLamp()
  await rig.execute([{ id: 'open', type: 'open_app', params: { applicationId: LAMP } }])
  const unseen = await rig.execute([tap('power')])
  const refused = await rig.daemon.post(`${rig.url}/classify`, { action_id: unseen.execution_id })
  expect(refused.json()).toMatchObject({ error: { code: 'BASELINE_NOT_FOUND' } })

  await rig.daemon.post(`${rig.url}/snapshot`, {})
  const pressed = await rig.execute([tap('power')])
  const changed = await rig.daemon.post(`${rig.url}/classify`, { action_id: pressed.execution_id })
  expect(changed.json()).toMatchObject({ outcome: 'success', looks: { ui_changed: true } })

  const idle = await rig.execute([{ id: 'wait', type: 'sleep', params: { durationMs: 1 } }])
  const same = await rig.daemon.post(`${rig.url}/classify`, { action_id: idle.execution_id })
  expect(same.json()).toMatchObject({ looks: { ui_changed: false } })
  const reader = await rig.daemon.tokenFor('local', 'read')
  const denied = await rig.daemon.post(`${rig.url}/classify`, { action_id: idle.execution_id }, reader)
  expect(denied.json()).toMatchObject({ error: { code: 'FORBIDDEN' } })
})

test('an element is found by words, and the whole state of a phone is read at once', async () => {
  const rig = await startLamp()
  await rig.execute([{ id: 'open', type: 'open_app', params: { applicationId: LAMP } }])
  const find = async (body: object) =>
    (await rig.daemon.post(`${rig.url}/find-element`, { timeout_ms: 0, ...body })).json()
  expect(await find({ query: 'Order' })).toMatchObject({
    found: true,
    match: { reason: 'exact_text_match', score: 1, element: { text: 'Order', clickable: true } },
  })
  expect(await find({ query: 'orde' })).toMatchObject({
    found: true,
    match: { reason: expect.stringContaining('partial') },
  })
  expect(await find({ query: 'orde', exact: true })).toMatchObject({ found: false, match: null, candidates: [] })
  expect((await rig.daemon.post(`${rig.url}/find-element`, { query: ' ' })).statusCode).toBe(400)

  const debug = await rig.daemon.post(`${rig.url}/debug-snapshot`, { reason: 'a run failed' })
  expect(debug.json()).toMatchObject({
    raw: {
      reason: 'a run failed',
      ui_tree: { package: LAMP },
      screenshot: { media_type: 'image/png' },
    },
    semantic: {
      signals: { has_ui_tree: true, has_screenshot: true },
      actions_available: expect.arrayContaining(['Order']),
    },
  })
})
