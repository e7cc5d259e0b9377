import { hash } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import type { ExecutionRecord } from '@apprentice/contracts/devices/executions.ts'
import { adminToken } from '../kit/daemon.ts'
import { pause, startWatched } from './live-screen-watch.ts'
import { countScreenReads } from './screen-reads.ts'

const CLIMATE = 'org.apprentice.climate'

test('a viewer gets the picture, the elements and the state live', async () => {
  const { daemon, serial, watch } = await startWatched()
  const screen = await watch()
  await screen.until(() => screen.states().at(-1)?.state === 'live')
  const [frame] = screen.frames()
  const [elements] = screen.elements()
  expect(screen.status).toBe(200)
  expect(elements?.foreground.package).toBe('com.android.launcher3')
  const climateIcon = elements?.elements.find(({ label, clickable }) => label === 'Climate' && clickable)
  expect(climateIcon?.bounds).toHaveLength(4)
  const picture = await daemon.get(frame?.url ?? '')
  expect(picture.headers['content-type']).toBe('image/png')
  expect(hash('sha256', picture.rawPayload, 'hex').slice(0, 32)).toBe(frame?.frame_id)
  expect(picture.rawPayload.readUInt32BE(16)).toBe(frame?.width)
  const unknown = await daemon.get(`/api/devices/${serial}/screen/frames/${'0'.repeat(32)}`)
  expect(unknown.json()).toMatchObject({ error: { code: 'NOT_FOUND' } })
})

test('a picture is sent only when it has changed, and so are the elements', async () => {
  const { daemon, pictures, watch } = await startWatched()
  await openApp(daemon, CLIMATE)
  const screen = await watch()
  // The app shows its list after a loading time.
  await screen.until(
    () =>
      screen
        .elements()
        .at(-1)
        ?.elements.some(({ label }) => label === 'Lobby') ?? false,
  )
  // The picture may arrive after the elements.
  await waitForPictures(pictures, 3)
  const count = () => [screen.frames(), screen.elements(), screen.states()].map((of) => of.length)
  const [before, after] = await withinOneMinute(async () => {
    const counted = count()
    await waitForPictures(pictures, 5)
    return [counted, count()]
  })
  expect(after).toEqual(before)
  await openApp(daemon, 'org.apprentice.notes')
  await screen.until(() => screen.elements().at(-1)?.foreground.package === 'org.apprentice.notes')
  const ids = screen.frames().map(({ frame_id }) => frame_id)
  expect(ids.length).toBeGreaterThan(1)
  expect(ids.filter((id, at) => id === ids[at - 1])).toEqual([])
})

test('viewers share one feed, which starts with the first viewer and ends with the last', async () => {
  const { daemon, pictures, watch } = await startWatched()
  await pause(300)
  expect(pictures()).toBe(0)
  const screens = [await watch({ maxFps: 4 }), await watch({ maxFps: 4 }), await watch({ maxFps: 4 })]
  for (const screen of screens) await screen.until(() => screen.elements().length > 0)
  const [before, startedMs] = [pictures(), performance.now()]
  await pause(1500)
  const seconds = (performance.now() - startedMs) / 1000
  // Four pictures a second for all viewers together. One feed per viewer would take three times as many.
  expect(pictures() - before).toBeLessThanOrEqual(4 * seconds + 1)
  const newest = () => screens.map((screen) => screen.frames().at(-1))
  await expect.poll(() => new Set(newest().map((frame) => frame?.frame_id)).size).toBe(1)
  screens[0]?.close()
  screens[1]?.close()
  await waitForPictures(pictures, 1)
  const last = screens[2]?.frames().at(-1)?.url ?? expect.fail('no picture')
  expect((await daemon.get(last)).statusCode).toBe(200)
  screens[2]?.close()
  await expect.poll(async () => (await daemon.get(last)).statusCode).toBe(404)
  const after = pictures()
  await pause(700)
  expect(pictures()).toBe(after)
})

test('an execution is not delayed by viewers, and they get the state busy', async () => {
  const { daemon, watch } = await startWatched()
  const screen = await watch()
  await screen.until(() => screen.states().at(-1)?.state === 'live')
  const nap = { id: 'nap', type: 'sleep', params: { durationMs: 15_000 } }
  const { execution } = (await execute(daemon, [nap], 0)).json<{ execution: ExecutionRecord }>()
  await screen.until(() => screen.states().at(-1)?.state === 'busy')
  await daemon.post(`/api/executions/${execution.execution_id}/cancel`)
  await screen.until(() => screen.states().length >= 3)
  expect(screen.states().map(({ state }) => state)).toEqual(['live', 'busy', 'live'])
  const reply = await openApp(daemon, CLIMATE)
  expect(reply.json()).toMatchObject({ execution: { state: 'succeeded' } })
})

test('the elements of a slow phone are read once, not with every picture', async () => {
  const { daemon, phone, serial, pictures, watch } = await startWatched()
  const reads = countScreenReads(daemon.system.devices.driver(serial))
  const latency = { dumpMs: 500, inputMs: 0, launchMs: 0, screencapMs: 20, idleTimeoutMs: 0 }
  phone.setLatency(latency)
  const screen = await watch()
  await screen.until(() => screen.elements().length === 1)
  const meanwhile = await withinOneMinute(async () => {
    const before = reads()
    await waitForPictures(pictures, 6)
    return reads() - before
  })
  expect(meanwhile).toBe(0)
})

test('unreadable elements are reported with their code while pictures continue', async () => {
  const { daemon, phone, serial, watch } = await startWatched()
  phone.faults.set('dumpNullRoot')
  const screen = await watch()
  await screen.until(() => screen.states().at(-1)?.state === 'unreadable')
  expect(screen.states().at(-1)?.code).toBe('SNAPSHOT_EXTRACTION_FAILED')
  expect(screen.frames()).not.toEqual([])
  expect(screen.elements()).toEqual([])
  phone.faults.clear()
  await daemon.post(`/api/devices/${serial}/input`, { kind: 'key', key: 'home', wait_ms: 5000 })
  await screen.until(() => screen.states().at(-1)?.state === 'live')
  expect(screen.elements()).not.toEqual([])
})

test('a lost phone is reported as offline', async () => {
  const { daemon, watch } = await startWatched()
  const screen = await watch()
  await screen.until(() => screen.states().at(-1)?.state === 'live')
  await daemon.system.devices.phone.close()
  await screen.until(() => ['offline', 'lost'].includes(screen.states().at(-1)?.state ?? ''))
  await screen.until(() => screen.states().at(-1)?.code === 'ADB_SERVER_FAILED')
  expect(screen.states().at(-1)?.state).toBe('offline')
})

test('a lease refuses input of other users but not their viewing', async () => {
  const { daemon, serial, watch } = await startWatched()
  const holder = await daemon.tokenFor('holder')
  const reader = await daemon.tokenFor('reader', 'read')
  await daemon.post(`/api/devices/${serial}/lease`, {}, holder)
  const screen = await watch({ token: reader })
  await screen.until(() => screen.frames().length > 0)
  const input = { kind: 'key', key: 'home' }
  const refused = await daemon.post(`/api/devices/${serial}/input`, input)
  const forbidden = await daemon.post(`/api/devices/${serial}/input`, input, reader)
  expect(refused.json()).toMatchObject({ error: { code: 'DEVICE_LEASED' } })
  expect(forbidden.json()).toMatchObject({ error: { code: 'FORBIDDEN' } })
  const executions = await daemon.get('/api/executions')
  expect(executions.json()).toMatchObject({ total: 0 })
})

test('a stream is refused for an unknown device, an invalid rate and above the stream limit', async () => {
  const { daemon, serial, url, watch } = await startWatched({
    settings: { limits: { streams_per_user: 3 } as never },
  })
  const screen = await watch()
  const unknown = await daemon.get('/api/devices/nobody/screen')
  expect(unknown.json()).toMatchObject({ error: { code: 'DEVICE_NOT_FOUND' } })
  const fast = await daemon.get(`/api/devices/${serial}/screen?max_fps=11`)
  expect(fast.json()).toMatchObject({ error: { code: 'INVALID_REQUEST' } })
  const plain = await daemon.request({
    method: 'GET',
    url: `/api/devices/${serial}/screen`,
    headers: { accept: 'application/json' },
  })
  expect(plain.json()).toMatchObject({ error: { code: 'NOT_ACCEPTABLE' } })
  const more = [await watch(), await watch(), await watch()]
  expect(more.map(({ status }) => status)).toEqual([200, 200, 429])
  for (const one of [screen, ...more]) one.close()
  const again = async () => {
    const one = await fetch(`${url}/api/devices/${serial}/screen`, {
      headers: { authorization: `Bearer ${adminToken}` },
    })
    await one.body?.cancel()
    return one.status
  }
  await expect.poll(again).toBe(200)
})

test('stopping the daemon ends the streams', async () => {
  const { daemon, watch } = await startWatched()
  const screen = await watch()
  await screen.until(() => screen.frames().length > 0)
  await waitForStableMinute()
  const before = screen.frames().length
  await daemon.stop()
  await screen.ended
  expect(screen.frames()).toHaveLength(before)
})

const waitForPictures = async (pictures: () => number, count: number) => {
  const taken = pictures()
  await vi.waitUntil(() => pictures() >= taken + count, { timeout: 20_000 })
}

/** The phone displays the time, so its picture changes at the full minute. */
async function waitForStableMinute(): Promise<void> {
  while ((new Date().getSeconds() + 5) % 60 < 8) await pause(100)
}

/** Repeats the work if the minute changed during or shortly before it, because the phone displays the time. */
async function withinOneMinute<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    const startedAt = new Date()
    const done = await work()
    if (startedAt.getSeconds() >= 5 && new Date().getMinutes() === startedAt.getMinutes()) return done
  }
}

function openApp(daemon: Awaited<ReturnType<typeof startWatched>>['daemon'], app: string) {
  return execute(daemon, [{ id: 'open', type: 'open_app', params: { applicationId: app } }])
}

function execute(daemon: Awaited<ReturnType<typeof startWatched>>['daemon'], actions: object[], wait_ms = 15_000) {
  return daemon.post('/api/executions', {
    execution: {
      commandId: `c-${hash('sha256', JSON.stringify(actions), 'hex').slice(0, 12)}`,
      taskId: 't',
      source: 'test',
      expectedFormat: 'android-ui-automator',
      timeoutMs: 20_000,
      actions,
    },
    wait_ms,
  })
}
