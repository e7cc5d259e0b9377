import { expect, test } from 'vitest'
import type { ObservedActionEvent } from '@apprentice/contracts/learn/observation.ts'
import { startDaemon } from '../../kit/daemon.ts'

const CLIMATE = 'org.apprentice.climate'
const part = (name: string) => ({ resourceId: `${CLIMATE}:id/${name}` })
const stepper = {
  value: part('temperature_value'),
  increase: part('temperature_plus'),
  decrease: part('temperature_minus'),
}

test('a capture of an execution with guards and controls records only the touches', async () => {
  const daemon = await startDaemon({ config: { phone: 'simulated' } })
  const phone = daemon.system.devices.phone.simulated ?? expect.fail('no phone')
  const created = await daemon.post('/api/learn/sessions', {
    entry_mode: 'demonstrating_skill',
    observation_mode: 'outside_agent',
    device_serial: phone.serial,
  })
  const { learn_session_id: id } = created.json<{ session: { learn_session_id: string } }>().session
  await daemon.post(`/api/learn/sessions/${id}/start`, {})
  const actions = [
    { type: 'open_uri', params: { uri: 'climate://unit/1' } },
    { type: 'click', when: { text: 'No such' }, params: { matcher: { text: 'Save' } } },
    { type: 'set_checked', params: { matcher: part('power'), checked: true } },
    { type: 'adjust_until', params: { ...stepper, target: 21 } },
    { type: 'adjust_until', params: { ...stepper, target: 22 } },
    { type: 'set_checked', params: { matcher: part('power'), checked: false } },
    { type: 'expect', params: { matcher: part('power'), checked: false } },
  ]
  const reply = await daemon.post('/api/executions', {
    execution: {
      commandId: 'c1',
      taskId: 't',
      source: 'test',
      expectedFormat: 'android-ui-automator',
      timeoutMs: 60_000,
      actions: actions.map((action, at) => ({ id: `a${at}`, ...action })),
      dismissals: [{ text: 'Later' }],
    },
    wait_ms: 60_000,
  })
  expect(reply.json()).toMatchObject({
    execution: {
      state: 'succeeded',
      envelope: {
        stepResults: [
          {},
          { success: true, outcome: 'skipped', data: { skipped_by: 'when' } },
          { data: { already: 'true' } },
          { data: { already: 'true' } },
          { data: { read: '22', adjustments: '2' } },
          { data: { checked: 'false' } },
          { data: { observed: 'checked: false' } },
        ],
      },
    },
  })
  expect(phone.touches()).toBe(3)
  const listed = await daemon.get(`/api/learn/sessions/${id}/observations?page_size=100`)
  const { events } = listed.json<{ events: ObservedActionEvent[] }>()
  expect(events.map(({ action_label }) => action_label)).toEqual(['Open a link', 'Tap Warmer', 'Tap Power'])
})
