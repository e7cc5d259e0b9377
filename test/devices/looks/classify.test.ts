import { expect, test } from 'vitest'
import type { ActionFacts } from '@apprentice/contracts/devices/looks.ts'
import type { Classification } from '@apprentice/contracts/devices/verification.ts'
import { aLamp, LAMP, type Rig, tap } from './rig.ts'

type Reply = Classification & { action: ActionFacts; error?: { code: string } }

const classify = async ({ daemon, url }: Rig, body: object, token?: string): Promise<Reply> =>
  (await daemon.post(`${url}/classify`, body, token)).json<Reply>()

test('what an action does is decided by its definition, then its request, then the table', async () => {
  const rig = await aLamp()
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
  const actionOf = async (step?: string) => {
    const action_id = step === undefined ? done.execution_id : `${done.execution_id}/${step}`
    return (await classify(rig, { action_id, ui_changed: false })).action
  }
  expect(await actionOf('open')).toMatchObject({ action_type: 'side_effect', source: 'schema' })
  expect(await actionOf('tap_power')).toMatchObject({
    verb: 'click',
    action_type: 'local_state',
    source: 'fallback_table',
    table_version: 1,
  })
  expect(await actionOf('tap_order')).toMatchObject({
    action_type: 'side_effect',
    source: 'handler',
  })
  // The execution as a whole is its last step that did something.
  expect(await actionOf()).toMatchObject({ step_id: 'tap_order', action_type: 'side_effect' })
})

const failed = [{ endpoint: '/a', status: 'failure' }]
const fine = [{ endpoint: '/a', status: 'success' }]
const odd = [{ endpoint: '/a', status: 'odd' }]

const unchanged = [
  ['local_state', null, 'no_op', 'local_without_change'],
  ['local_state', [], 'no_op', 'local_without_change'],
  ['local_state', failed, 'backend_failure', 'request_failed'],
  ['local_state', fine, 'no_op', 'local_without_change'],
  ['local_state', odd, 'no_op', 'local_without_change'],
  ['side_effect', null, 'unknown', 'network_not_collected'],
  ['side_effect', [], 'no_op', 'no_request'],
  ['side_effect', failed, 'backend_failure', 'request_failed'],
  ['side_effect', fine, 'ui_failure', 'requests_without_change'],
  ['side_effect', odd, 'unknown', 'undecided'],
] as const

test('without a change on the screen the effect and the requests decide', async () => {
  const rig = await aLamp()
  const ids = {
    local_state: (await rig.execute([tap('order', { expects: { effect: 'local_state' } })]))
      .execution_id,
    side_effect: (await rig.execute([tap('order', { expects: { effect: 'side_effect' } })]))
      .execution_id,
  }
  for (const [effect, network_requests, outcome, rule_id] of unchanged) {
    const evidence = { action_id: ids[effect], ui_changed: false, network_requests }
    const told = await classify(rig, evidence)
    expect(told, rule_id).toMatchObject({ outcome, rule_id, table_version: 1 })
  }
})

test('the evidence is identified, and nothing is written down', async () => {
  const rig = await aLamp()
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

test('a launch is decided by the app in front', async () => {
  const rig = await aLamp()
  const { execution_id: action_id } = await rig.execute([
    { id: 'open', type: 'open_app', params: { applicationId: LAMP } },
  ])
  const launched = { action_id, ui_changed: false, network_requests: [] }
  expect((await classify(rig, launched)).rule_id).toBe('launch_without_foreground')
  expect(await classify(rig, { ...launched, foreground_matches: true })).toMatchObject({
    outcome: 'success',
  })
})

test("the caller names the action, not its effect, and only the caller's own", async () => {
  const rig = await aLamp()
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
