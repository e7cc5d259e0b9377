import { expect, test } from 'vitest'
import type { DeviceRecording } from '@apprentice/contracts/devices/recording.ts'
import { startDaemon } from '../kit/daemon.ts'

test('a stopped proxy recording is removed from memory', async () => {
  const daemon = await startDaemon({ config: { phone: 'simulated' } })
  const { recorder, devices } = daemon.system
  const serial = devices.phone.simulated?.serial ?? ''
  const url = `/api/devices/${serial}/recordings`
  for (const commandId of ['first', 'second']) {
    const made = await daemon.post(url, {})
    const { recording } = made.json<{ recording: DeviceRecording }>()
    const ran = await daemon.post('/api/executions', {
      execution: {
        commandId,
        taskId: 'recorder-memory',
        source: 'test',
        expectedFormat: 'android-ui-automator',
        timeoutMs: 30_000,
        actions: [{ id: 'home', type: 'press_key', params: { key: 'home' } }],
      },
      wait_ms: 30_000,
    })
    expect(ran.json()).toMatchObject({ execution: { state: 'succeeded' } })
    expect(recorder.openProxies).toBe(1)

    await daemon.post(`${url}/${recording.recording_id}/stop`)
    expect(recorder.openProxies).toBe(0)
  }
})
