import { hash } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import type { ExecutionRecord } from '@apprentice/contracts/devices/executions.ts'
import { adminToken, type Daemon } from '../kit/daemon.ts'
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
  const jpeg = await daemon.get(frame?.jpeg_url ?? '')
  expect([jpeg.statusCode, jpeg.headers['content-type']]).toEqual([200, 'image/jpeg'])
  expect(jpeg.rawPayload.length).toBeLessThan(picture.rawPayload.length / 2)
  for (const end of ['', '/jpeg', `/jpeg?since=${frame?.frame_id ?? ''}`]) {
    const unknown = await daemon.get(`/api/devices/${serial}/screen/frames/${'0'.repeat(32)}${end}`)
    expect(unknown.json(), end).toMatchObject({ error: { code: 'NOT_FOUND' } })
  }
})

test('a small change is announced with the part that differs from the frame before', async () => {
  const { daemon, serial, watch } = await startWatched()
  await openApp(daemon, 'org.apprentice.notes')
  const screen = await watch()
  const findPoint = (label: string) => {
    const found = screen
      .elements()
      .at(-1)
      ?.elements.find((one) => one.label === label)
    return found && { x: Math.floor((found.bounds[0] + found.bounds[2]) / 2), y: found.bounds[1] + 10 }
  }
  await screen.until(() => findPoint('New note') !== undefined)
  await daemon.post(`/api/devices/${serial}/input`, { kind: 'tap', ...findPoint('New note'), wait_ms: 20_000 })
  await screen.until(() => findPoint('Save') !== undefined)
  const isPart = () => screen.frames().at(-1)?.change !== undefined
  for (let digit = 0; !isPart() && digit < 10; digit += 1) {
    const seen = screen.frames().length
    await daemon.post(`/api/devices/${serial}/input`, { kind: 'text', text: String(digit), wait_ms: 20_000 })
    await screen.until(() => screen.frames().length > seen)
  }
  const { frame_id, change } = screen.frames().at(-1) ?? expect.fail('no frame')
  const earlier = screen.frames().map((frame) => frame.frame_id)
  expect(earlier.indexOf(change?.since ?? '')).toBeLessThan(earlier.lastIndexOf(frame_id))
  const part = await daemon.get(change?.url ?? '')
  expect([part.statusCode, part.headers['content-type']]).toEqual([200, 'image/jpeg'])
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
  const { execution } = (await execute(daemon, [nap], { wait_ms: 0 })).json<{ execution: ExecutionRecord }>()
  await screen.until(() => screen.states().at(-1)?.state === 'busy')
  await daemon.post(`/api/executions/${execution.execution_id}/cancel`)
  await screen.until(() => screen.states().length >= 3)
  expect(screen.states().map(({ state }) => state)).toEqual(['live', 'busy', 'live'])
  const reply = await openApp(daemon, CLIMATE)
  expect(reply.json()).toMatchObject({ execution: { state: 'succeeded' } })
})

test('viewers see what an execution does while it runs', async () => {
  const { daemon, watch } = await startWatched()
  const screen = await watch()
  await screen.until(() => screen.states().at(-1)?.state === 'live')
  const seen = screen.frames().length
  const open = { id: 'open', type: 'open_app', params: { applicationId: CLIMATE } }
  const nap = { id: 'nap', type: 'sleep', params: { durationMs: 15_000 } }
  const { execution } = (await execute(daemon, [open, nap], { wait_ms: 0 })).json<{ execution: ExecutionRecord }>()
  const path = `/api/executions/${execution.execution_id}`
  await screen.until(() => screen.frames().length > seen)
  const { execution: then } = (await daemon.get(path)).json<{ execution: ExecutionRecord }>()
  expect(then.state).toBe('running')
  await daemon.post(`${path}/cancel`)
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

test('input and viewing need write privilege, as snapshots do', async () => {
  const { daemon, serial, watch } = await startWatched()
  const reader = await daemon.tokenFor('reader', 'read')
  const own = await watch()
  await own.until(() => own.frames().length > 0)
  const refused = [
    await daemon.post(`/api/devices/${serial}/input`, { kind: 'key', key: 'home' }, reader),
    await daemon.get(`/api/devices/${serial}/screen`, reader),
    await daemon.get(own.frames()[0]?.url ?? '', reader),
    await daemon.get(own.frames()[0]?.jpeg_url ?? '', reader),
    await daemon.post(`/api/devices/${serial}/snapshot`, {}, reader),
  ]
  expect(refused.map(errorCode)).toEqual(refused.map(() => 'FORBIDDEN'))
  expect((await daemon.get('/api/executions')).json()).toMatchObject({ total: 0 })
})

const startLease = async (daemon: Daemon, serial: string, token: string) => {
  await daemon.post(`/api/devices/${serial}/lease`, {}, token)
  return () => daemon.post(`/api/devices/${serial}/lease/release`, {}, token)
}

const startSession = async (daemon: Daemon, serial: string, token: string) => {
  const body = { entry_mode: 'demonstrating_skill', device_serial: serial }
  const created = await daemon.post('/api/learn/sessions', body, token)
  const { learn_session_id } = created.json<{ session: { learn_session_id: string } }>().session
  const path = `/api/learn/sessions/${learn_session_id}`
  expect((await daemon.post(`${path}/start`, {}, token)).statusCode).toBe(200)
  return () => daemon.post(`${path}/stop`, {}, token)
}

const startRecording = async (daemon: Daemon, serial: string, token: string) => {
  const path = `/api/devices/${serial}/recordings`
  const started = await daemon.post(path, {}, token)
  expect(started.statusCode).toBe(201)
  const { recording_id } = started.json<{ recording: { recording_id: string } }>().recording
  return () => daemon.post(`${path}/${recording_id}/stop`, {}, token)
}

test.each([
  ['lease', startLease],
  ['capture', startSession],
  ['recording', startRecording],
])("during another user's %s nobody else sees or touches the screen", async (_kind, start) => {
  const { daemon, serial, watch, pictures } = await startWatched()
  const holder = await daemon.tokenFor('holder')
  const stranger = await daemon.tokenFor('stranger')
  const theirs = await watch({ token: stranger })
  await theirs.until(() => theirs.states().at(-1)?.state === 'live')
  const end = await start(daemon, serial, holder)
  await theirs.until(() => theirs.states().at(-1)?.code === 'DEVICE_LEASED')
  const seen = [theirs.frames().length, theirs.elements().length]
  const taken = pictures()
  await openApp(daemon, CLIMATE, holder)
  const own = await watch({ token: holder })
  await own.until(() => own.elements().at(-1)?.foreground.package === CLIMATE && own.frames().length > 0)
  const [frame] = own.frames()
  const refused = [
    await daemon.get(`/api/devices/${serial}/screen`, stranger),
    await daemon.get(frame?.url ?? '', stranger),
    await daemon.get(frame?.jpeg_url ?? '', stranger),
    await daemon.post(`/api/devices/${serial}/snapshot`, {}, stranger),
    await daemon.post(`/api/devices/${serial}/screenshot`, {}, stranger),
    await daemon.post(`/api/devices/${serial}/input`, { kind: 'key', key: 'home' }, stranger),
    await daemon.post(`/api/devices/${serial}/lease`, {}, stranger),
    await daemon.post(`/api/devices/${serial}/recordings`, {}, stranger),
  ]
  expect(refused.map(errorCode)).toEqual(refused.map(() => 'DEVICE_LEASED'))
  const session = await daemon.post('/api/learn/sessions', { entry_mode: 'demonstrating_skill' }, stranger)
  const { learn_session_id: id } = session.json<{ session: { learn_session_id: string } }>().session
  const bound = await daemon.post(`/api/learn/sessions/${id}/start`, { device_serial: serial }, stranger)
  expect(errorCode(bound)).toBe('DEVICE_LEASED')
  expect([theirs.frames().length, theirs.elements().length]).toEqual(seen)
  expect(pictures()).toBeGreaterThan(taken)
  expect((await daemon.get(frame?.url ?? '', holder)).statusCode).toBe(200)
  expect((await end()).statusCode).toBe(200)
  // What the holder saw stays the holder's.
  expect(errorCode(await daemon.get(frame?.url ?? '', stranger))).toBe('NOT_FOUND')
  expect(errorCode(await daemon.get(frame?.jpeg_url ?? '', stranger))).toBe('NOT_FOUND')
  await theirs.until(() => theirs.states().at(-1)?.state === 'live' && theirs.frames().length > (seen[0] ?? 0))
  theirs.close()
  own.close()
})

test('a stream is refused for an unknown device, an invalid rate and above the stream limit', async () => {
  const { daemon, serial, url, watch } = await startWatched({
    settings: { limits: { streams_per_user: 3 } },
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

const errorCode = (reply: { json: () => unknown }) => (reply.json() as { error?: { code: string } }).error?.code

function openApp(daemon: Daemon, app: string, token = adminToken) {
  return execute(daemon, [{ id: 'open', type: 'open_app', params: { applicationId: app } }], { token })
}

function execute(daemon: Daemon, actions: object[], { wait_ms = 15_000, token = adminToken } = {}) {
  const body = {
    execution: {
      commandId: `c-${hash('sha256', JSON.stringify(actions), 'hex').slice(0, 12)}`,
      taskId: 't',
      source: 'test',
      expectedFormat: 'android-ui-automator',
      timeoutMs: 20_000,
      actions,
    },
    wait_ms,
  }
  return daemon.post('/api/executions', body, token)
}
