import { expect, onTestFinished, test } from 'vitest'
import type { ExecutionRecord, ExecutionScreen } from '@apprentice/contracts/devices/executions.ts'
import { createPhone } from '@apprentice/phone/phone.ts'
import { startAdbServer } from '@apprentice/phone/wire/adb-server.ts'
import { startDaemon } from '../kit/daemon.ts'

interface Reply {
  execution: ExecutionRecord
}

const payload = (commandId: string, actions: object[], timeoutMs = 20_000) => ({
  execution: {
    commandId,
    taskId: 't',
    source: 'test',
    expectedFormat: 'android-ui-automator',
    timeoutMs,
    actions,
  },
})

test('an execution runs on the simulated phone and returns the result of each step', async () => {
  const daemon = await startDaemon({ config: { phone: 'simulated' } })
  const phone = daemon.system.devices.phone.simulated
  const reply = await daemon.post('/api/executions', {
    ...payload('c1', [
      { id: 'open', type: 'open_app', params: { applicationId: 'com.android.settings' } },
      { id: 'read', type: 'snapshot' },
    ]),
    wait_ms: 10_000,
  })
  const { execution } = reply.json<Reply>()
  expect(reply.statusCode).toBe(200)
  expect(execution).toMatchObject({
    state: 'succeeded',
    completed_steps: 2,
    envelope: {
      status: 'success',
      stepResults: [
        { id: 'open', actionType: 'open_app', success: true },
        { id: 'read', actionType: 'snapshot_ui', success: true },
      ],
    },
  })
  expect(phone?.foreground()?.packageName).toBe('com.android.settings')
})

test('the screens of an execution are listed by action, for its owner only', async () => {
  const daemon = await startDaemon({ config: { phone: 'simulated' } })
  const actions = [
    { id: 'open', type: 'open_app', params: { applicationId: 'org.apprentice.climate' } },
    { id: 'choose', type: 'click', params: { matcher: { textEquals: 'Lobby' } } },
    { id: 'read', type: 'snapshot' },
  ]
  const reply = await daemon.post('/api/executions', { ...payload('c1', actions), wait_ms: 15_000 })
  const url = `/api/executions/${reply.json<Reply>().execution.execution_id}/screens`
  const { screens } = (await daemon.get(url)).json<{ screens: ExecutionScreen[] }>()
  expect(screens.map(({ action_id }) => action_id)).toEqual(['open', 'choose'])
  const [, choose] = screens
  const read = async (id: string | undefined): Promise<string> => (await daemon.get(`/api/evidence/${id ?? ''}`)).body
  expect(await read(choose?.before)).toContain('Lobby')
  expect(await read(choose?.after)).toContain('Warmer')
  expect(choose?.point?.x).toBeGreaterThan(0)
  const foreign = await daemon.get(url, await daemon.tokenFor('somebody'))
  expect(foreign.json()).toMatchObject({ error: { code: 'EXECUTION_NOT_FOUND' } })
})

test('a simulated phone is reported as simulated also behind an external adb server', async () => {
  const face = await startAdbServer({ hosts: [createPhone({ serial: 'over-adb' })] })
  onTestFinished(() => face.close())
  const adb = { host: '127.0.0.1', port: face.port }
  const daemon = await startDaemon({ config: { phone: 'adb', adb } })
  const seen = async () =>
    (await daemon.get('/api/devices')).json<{ devices: { serial: string; simulated: boolean }[] }>()
  await expect.poll(seen).toMatchObject({ devices: [{ serial: 'over-adb', simulated: true }] })
})

test('each device has one driver, and a call to an absent device fails', async () => {
  const { devices } = (await startDaemon({ config: { phone: 'simulated' } })).system
  const serial = devices.phone.simulated?.serial ?? expect.fail('no phone')
  expect(devices.driver(serial)).toBe(devices.driver(serial))
  expect(devices.driver('absent')).not.toBe(devices.driver(serial))
  await expect(devices.driver('absent').tap({ x: 1, y: 1 }, { timeoutMs: 2000 })).rejects.toMatchObject({
    name: 'TransportFailure',
    kind: 'device_not_found',
  })
})
