import { expect, onTestFinished, test } from 'vitest'
import type { ExecutionRecord } from '@apprentice/contracts/devices/executions.ts'
import { createPhone } from '@apprentice/phone/phone.ts'
import { startAdbServerFace } from '@apprentice/phone/wire/adb-server-face.ts'
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

test('an execution runs on the simulated phone and answers with its steps', async () => {
  const daemon = await startDaemon({ config: { phone: 'simulated' } })
  const phone = daemon.system.floor.phone.simulated
  const reply = await daemon.post('/api/executions', {
    ...payload('c1', [
      { id: 'open', type: 'open_app', params: { applicationId: 'com.android.settings' } },
      { id: 'look', type: 'snapshot' },
    ]),
    wait_ms: 10_000,
  })
  const { execution } = reply.json<Reply>()
  expect(reply.statusCode).toBe(200)
  expect(execution).toMatchObject({
    state: 'succeeded',
    completed_steps: 2,
    envelope: { status: 'success' },
  })
  expect(phone?.foreground()?.packageName).toBe('com.android.settings')
})

test('a simulated phone is called one, whichever adb server it is reached through', async () => {
  const face = await startAdbServerFace({ hosts: [createPhone({ serial: 'over-adb' })] })
  onTestFinished(() => face.close())
  const adb = { host: '127.0.0.1', port: face.port }
  const daemon = await startDaemon({ config: { phone: 'adb', adb } })
  const seen = async () =>
    (await daemon.get('/api/devices')).json<{ devices: { serial: string; simulated: boolean }[] }>()
  await expect.poll(seen).toMatchObject({ devices: [{ serial: 'over-adb', simulated: true }] })
})
