import { randomUUID } from 'node:crypto'
import { expect, onTestFinished } from 'vitest'
import type { FailureCode } from '@apprentice/contracts/base/failures.ts'
import { createPhone, type Phone } from '@apprentice/phone/phone.ts'
import { type AdbServer, startAdbServer } from '@apprentice/phone/wire/adb-server.ts'
import { withDaemon, type Scenario } from './scenarios.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'

interface Bench {
  readonly daemon: Daemon
  readonly face: AdbServer
  readonly phone: Phone
}

const serial = 'sim-1'
const device = `/api/devices/${serial}`
const takeSnapshot = (daemon: Daemon, timeout_ms = 20_000) => daemon.post(`${device}/snapshot`, { timeout_ms })

/** Starts a daemon with simulated phones on its own adb server and waits until it has seen all of them. */
const withPhones =
  (send: (bench: Bench) => ReturnType<Scenario>, serials: readonly string[] = [serial]): Scenario =>
  async () => {
    const phones = serials.map((name) => createPhone({ serial: name }))
    const face = await startAdbServer({ hosts: phones })
    onTestFinished(() => face.close())
    const adb = { host: '127.0.0.1', port: face.port }
    const daemon = await startDaemon({ config: { phone: 'adb', adb } })
    await waitForStates(daemon, ...serials.map(() => 'device'))
    const [phone] = phones
    if (phone === undefined) throw new Error('There is no phone.')
    return send({ daemon, face, phone })
  }

/** Waits until the daemon reports these states. */
async function waitForStates(daemon: Daemon, ...states: string[]): Promise<void> {
  await expect.poll(() => readStates(daemon)).toEqual(states)
}

async function readStates(daemon: Daemon): Promise<string[]> {
  const reply = await daemon.get('/api/devices')
  return reply.json<{ devices: { state: string }[] }>().devices.map(({ state }) => state)
}

/** An execution that ends at once. */
const payload = (actions: object[] = [{ id: 'rest', type: 'sleep', params: { durationMs: 1 } }]) => ({
  execution: {
    commandId: randomUUID(),
    taskId: 'task',
    source: 'test',
    expectedFormat: 'android-ui-automator',
    timeoutMs: 20_000,
    actions,
  },
})

/** Runs an execution that succeeds. Returns its id. */
async function runToEnd(daemon: Daemon, actions?: object[]): Promise<string> {
  const made = await daemon.post('/api/executions', { ...payload(actions), wait_ms: 20_000 })
  expect(made.statusCode, made.body).toBe(200)
  return made.json<{ execution: { execution_id: string } }>().execution.execution_id
}

async function startRecording(daemon: Daemon): Promise<string> {
  const made = await daemon.post(`${device}/recordings`)
  expect(made.statusCode, made.body).toBe(201)
  return made.json<{ recording: { recording_id: string } }>().recording.recording_id
}

const laterHeader = {
  type: 'recording_header',
  schemaVersion: 2,
  sessionId: 'later',
  startedAt: 1,
  operatorPackage: 'x',
}

/** Captures one step on the phone and points at an element of its screen. */
const withCapture = (element: object): Scenario =>
  withPhones(async ({ daemon }) => {
    const made = await daemon.post('/api/learn/sessions', {
      entry_mode: 'demonstrating_skill',
      observation_mode: 'outside_agent',
      device_serial: serial,
    })
    const { session } = made.json<{ session: { learn_session_id: string } }>()
    const session_url = `/api/learn/sessions/${session.learn_session_id}`
    await daemon.post(`${session_url}/start`)
    const params = { applicationId: 'org.apprentice.climate' }
    await runToEnd(daemon, [{ id: 'open', type: 'open_app', params }])
    return daemon.post(`${session_url}/marks`, { kind: 'proof', element })
  })

export const deviceScenarios = {
  ELEMENT_NOT_FOUND: withCapture({ selector: { textEquals: 'No such text' } }),
  ELEMENT_AMBIGUOUS: withCapture({ selector: { class: 'android.widget.TextView' } }),
  ELEMENT_MARK_NOT_FOUND: withDaemon(async (daemon) => {
    const id = await daemon.aSessionIn('capturing')
    return daemon.delete(`/api/learn/sessions/${id}/marks/${randomUUID()}`)
  }),
  NO_DEVICES: withDaemon((daemon) => daemon.post('/api/executions', payload())),
  DEVICE_NOT_FOUND: withDaemon((daemon) => daemon.get('/api/devices/never-seen')),
  MULTIPLE_DEVICES_DEVICE_ID_REQUIRED: withPhones(
    ({ daemon }) => daemon.post('/api/executions', payload()),
    ['sim-1', 'sim-2'],
  ),
  DEVICE_UNAUTHORIZED: withPhones(async ({ daemon, face }) => {
    face.faultsFor(serial).set({ unauthorized: true })
    await waitForStates(daemon, 'unauthorized')
    return takeSnapshot(daemon)
  }),
  DEVICE_OFFLINE: withPhones(async ({ daemon, face }) => {
    face.faultsFor(serial).set({ muteConnect: true })
    await waitForStates(daemon, 'offline')
    return takeSnapshot(daemon)
  }),
  DEVICE_LOST: withPhones(({ daemon, face }) => {
    face.faultsFor(serial).set({ dropAfter: 1 })
    return takeSnapshot(daemon)
  }),
  DEVICE_TIMEOUT: withPhones(({ daemon, phone }) => {
    phone.faults.hangCommand(/uiautomator/)
    return takeSnapshot(daemon, 1000)
  }),
  ADB_SERVER_FAILED: withPhones(async ({ daemon, face }) => {
    await face.stop()
    await waitForStates(daemon, 'gone')
    return takeSnapshot(daemon)
  }),
  SNAPSHOT_EXTRACTION_FAILED: withPhones(({ daemon, phone }) => {
    phone.faults.set('dumpNullRoot')
    return takeSnapshot(daemon)
  }),
  DEVICE_LEASED: withPhones(async ({ daemon }) => {
    await daemon.post(`${device}/lease`, {}, await daemon.tokenFor('ann'))
    return daemon.post(`${device}/lease`)
  }),
  LEASE_NOT_FOUND: withPhones(({ daemon }) => daemon.post(`${device}/lease/release`)),
  EXECUTION_VALIDATION_FAILED: withDaemon((daemon) =>
    daemon.post('/api/executions', { execution: { actions: 'none' } }),
  ),
  EXECUTION_ACTION_UNSUPPORTED: withDaemon((daemon) =>
    daemon.post('/api/executions', payload([{ id: 'a', type: 'teleport' }])),
  ),
  EXECUTION_NOT_FOUND: withDaemon((daemon) => daemon.get(`/api/executions/${randomUUID()}`)),
  EXECUTION_SETTLED: withPhones(async ({ daemon }) => daemon.post(`/api/executions/${await runToEnd(daemon)}/cancel`)),
  RECORDING_ALREADY_IN_PROGRESS: withPhones(async ({ daemon }) => {
    await startRecording(daemon)
    return daemon.post(`${device}/recordings`)
  }),
  RECORDING_NOT_IN_PROGRESS: withPhones(async ({ daemon }) => {
    const recording = `${device}/recordings/${await startRecording(daemon)}`
    await daemon.post(`${recording}/stop`)
    return daemon.post(`${recording}/stop`)
  }),
  RECORDING_SESSION_NOT_FOUND: withPhones(({ daemon }) => daemon.get(`${device}/recordings/${randomUUID()}`)),
  RECORDING_PARSE_FAILED: withDaemon((daemon) => daemon.post('/api/recordings/parse', { ndjson: '{"type":' })),
  RECORDING_SCHEMA_VERSION_UNSUPPORTED: withDaemon((daemon) =>
    daemon.post('/api/recordings/parse', { ndjson: `${JSON.stringify(laterHeader)}\n` }),
  ),
  RECORDING_COMPARE_FAILED: withDaemon((daemon) =>
    daemon.post('/api/recordings/compare', { baseline: {}, result: {} }),
  ),
  BASELINE_NOT_FOUND: withPhones(({ daemon }) => daemon.post(`${device}/diff`)),
  DIAGNOSTICS_NOT_ALLOWED: withPhones(async ({ daemon }) => {
    const home = [{ id: 'home', type: 'press_key', params: { key: 'home' } }]
    return daemon.get(`${device}/diagnostics?execution_id=${await runToEnd(daemon, home)}`)
  }),
  RECORDING_START_FAILED: withPhones(({ daemon, phone }) => {
    phone.faults.set('noTouchPanel')
    return daemon.post(`${device}/recordings`, { source: 'touch' })
  }),
  DEVICE_PREPARATION_FAILED: withPhones(({ daemon }) => {
    const apks = [Buffer.from('no APK').toString('base64')]
    return daemon.request({ method: 'PUT', url: `${device}/preparation`, payload: { apks } })
  }),
  LOGCAT_UNAVAILABLE: withPhones(async ({ daemon, phone }) => {
    const missing = [
      {
        id: 'tap',
        type: 'click',
        params: { matcher: { textEquals: 'nowhere' }, retry: { maxAttempts: 1 } },
      },
    ]
    const id = await runToEnd(daemon, missing)
    phone.faults.set('logcatDenied')
    return daemon.get(`${device}/diagnostics?execution_id=${id}&purpose=diagnosis`)
  }),
} satisfies Partial<Record<FailureCode, Scenario>>
