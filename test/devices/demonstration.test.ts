import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { DeviceRecording, RecordingExport } from '@apprentice/contracts/devices/recording.ts'
import type { ObservedActionEvent } from '@apprentice/contracts/learn/observation.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { throughHost } from '../kit/phone-of-the-run.ts'
import { countScreenReads } from './screen-reads.ts'

const formatUrl = ({ serial }: { serial: string }) => `/api/devices/${serial}/recordings`
const climate = 'org.apprentice.climate'

async function onPhone(): Promise<{
  daemon: Daemon
  phone: NonNullable<Daemon['system']['devices']['phone']['simulated']>
}> {
  const daemon = await startDaemon({ config: { phone: 'simulated' } })
  const phone = daemon.system.devices.phone.simulated
  if (phone === undefined) throw new Error('no phone')
  return { daemon, phone }
}

let commands = 0
async function execute(daemon: Daemon, ...actions: object[]) {
  commands += 1
  const reply = await daemon.post('/api/executions', {
    execution: {
      commandId: `c${commands}`,
      taskId: 't',
      source: 'test',
      expectedFormat: 'android-ui-automator',
      timeoutMs: 30_000,
      actions: actions.map((action, at) => ({ id: `a${at}`, ...action })),
    },
    wait_ms: 30_000,
  })
  const { execution } = reply.json<{ execution: { state: string; envelope: { error: string } } }>()
  expect(`${execution.state} ${execution.envelope.error}`).toBe('succeeded null')
}

const open = (applicationId: string) => ({ type: 'open_app', params: { applicationId } })
const tap = (text: string) => ({ type: 'click', params: { matcher: { textEquals: text } } })

async function startOn(daemon: Daemon, serial: string, body: object = {}): Promise<string> {
  const made = await daemon.post('/api/learn/sessions', {
    entry_mode: 'demonstrating_skill',
    observation_mode: 'outside_agent',
    device_serial: serial,
  })
  const id = made.json<{ session: { learn_session_id: string } }>().session.learn_session_id
  await daemon.post(`/api/learn/sessions/${id}/start`, body)
  return id
}

const observed = async (daemon: Daemon, id: string) =>
  (await daemon.get(`/api/learn/sessions/${id}/observations?page_size=100`)).json<{
    events: ObservedActionEvent[]
  }>().events

test('actions of an execution on a bound device become observed actions with evidence', async () => {
  const { daemon, phone } = await onPhone()
  const id = await startOn(daemon, phone.serial)
  await execute(daemon, open(climate), tap('Reception'))
  const events = await observed(daemon, id)
  expect(events.map((event) => [event.adapter_kind, event.app_family, event.caused_state_change])).toEqual([
    ['wrapper_receipt', climate, true],
    ['wrapper_receipt', climate, true],
  ])
  expect(events.map((event) => event.action_label)).toEqual(['Open Climate', 'Tap Reception'])
  const ref = events[1]?.before_state_ref ?? ''
  const tree = await daemon.get(`/api/evidence/${ref.replace('evidence:', '')}`)
  expect(tree.headers['content-type']).toBe('application/xml')
  expect(tree.body).toContain('Reception')
  const stranger = await daemon.tokenFor('stranger')
  expect((await daemon.get(`/api/evidence/${ref.replace('evidence:', '')}`, stranger)).statusCode).toBe(404)
})

test('only the owner can read a stopped capture with the screens of every step', async () => {
  const { daemon, phone } = await onPhone()
  const id = await startOn(daemon, phone.serial)
  await execute(daemon, open(climate), tap('Reception'), {
    type: 'press_key',
    params: { key: 'back' },
  })
  await daemon.post(`/api/learn/sessions/${id}/stop`)
  const { demonstrations } = daemon.system
  const [trace, ...others] = await demonstrations.readSession(id, 'local')
  expect(others).toEqual([])
  expect(trace?.steps.map(({ kind, app, key }) => [kind, app, key])).toEqual([
    ['open_app', climate, undefined],
    ['tap', climate, undefined],
    ['key', climate, 'back'],
  ])
  const tapped = trace?.steps[1]
  const node = tapped?.before?.nodes.find(({ path }) => path === tapped.node_path)
  const listTexts = (tree = tapped?.after) => tree?.nodes.map(({ attributes }) => attributes['text'])
  expect(node?.attributes['clickable']).toBe('true')
  expect(listTexts()).toContain('Temperature')
  expect(listTexts(tapped?.before)).toContain('Reception')
  expect(await demonstrations.readSession(id, 'stranger')).toEqual([])
})

test('without consent a typed text is not stored, and its token links the field to later screens', async () => {
  const { daemon, phone } = await onPhone()
  const id = await startOn(daemon, phone.serial)
  const secret = 'Quarterly numbers for Ms Vorobyeva'
  await execute(
    daemon,
    open('org.apprentice.notes'),
    tap('New note'),
    { type: 'enter_text', params: { matcher: { role: 'textfield', index: 0 }, text: secret } },
    { type: 'snapshot' },
  )
  const typed = (await observed(daemon, id)).find((event) => event.action_label.startsWith('Type'))
  const [name = ''] = /‹text:\d+›/.exec(typed?.action_label ?? '') ?? []
  expect(name).not.toBe('')
  const after = await daemon.get(`/api/evidence/${(typed?.after_state_ref ?? '').replace('evidence:', '')}`)
  expect(after.body).toContain(`text="${name}"`)
  const rows = daemon.system.store.read(({ db }) => ({
    observations: db.prepare('SELECT * FROM observations').all(),
    steps: db.prepare('SELECT * FROM observed_steps').all(),
    recorded: db.prepare('SELECT * FROM recording_events').all(),
    executions: db.prepare('SELECT * FROM executions').all(),
    jobs: db.prepare('SELECT * FROM jobs').all(),
    events: db.prepare('SELECT * FROM events').all(),
  }))
  expect(JSON.stringify(rows).includes('Vorobyeva')).toBe(false)
  for (const tree of readStoredTrees(daemon)) expect(tree).not.toContain('Vorobyeva')
})

test('a proxy recording stores every step with its tree, and can be pulled, parsed and exported', async () => {
  const { daemon, phone } = await onPhone()
  const recordings = formatUrl(phone)
  const made = await daemon.post(recordings, { session_id: 'demo-1' })
  expect(made.statusCode).toBe(201)
  const { recording } = made.json<{ recording: DeviceRecording }>()
  const again = await daemon.post(recordings, {})
  expect(again.json()).toMatchObject({
    error: {
      code: 'RECORDING_ALREADY_IN_PROGRESS',
      details: { recording_id: recording.recording_id },
    },
  })
  await execute(daemon, open(climate), tap('Reception'))
  const stopped = await daemon.post(`${recordings}/${recording.recording_id}/stop`)
  expect(stopped.json()).toMatchObject({ recording: { state: 'stopped' } })
  expect((await daemon.post(`${recordings}/${recording.recording_id}/stop`)).json()).toMatchObject({
    error: { code: 'RECORDING_NOT_IN_PROGRESS' },
  })

  const exported = (
    await daemon.get(`${recordings}/${recording.recording_id}/export?snapshots=include`)
  ).json<RecordingExport>()
  expect(exported.session).toMatchObject({ sessionId: 'demo-1', schemaVersion: 1 })
  const click = exported.events.find((event) => event.type === 'click')
  expect(click).toMatchObject({ packageName: climate, snapshot: { present: true } })
  expect(click?.snapshot.xml).toContain('<hierarchy')
  const pulled = await daemon.get(`${recordings}/${recording.recording_id}/ndjson`)
  expect(pulled.headers['content-type']).toContain('application/x-ndjson')
  const parsed = await daemon.post('/api/recordings/parse', { ndjson: pulled.body })
  const steps = await daemon.get(`${recordings}/${recording.recording_id}/steps`)
  expect(parsed.json()).toEqual(steps.json())
  const bad = await daemon.post('/api/recordings/parse', { ndjson: `${pulled.body}\n{"nope"` })
  expect(bad.json()).toMatchObject({ error: { code: 'RECORDING_PARSE_FAILED' } })
})

// Fingers on a phone of a host cannot be recorded.
if (!throughHost) {
  test("touches on the phone are recorded and become observed actions of the person's session", async () => {
    const { daemon, phone } = await onPhone()
    const recordings = formatUrl(phone)
    const id = await startOn(daemon, phone.serial)
    await execute(daemon, open(climate))
    const made = await daemon.post(recordings, { source: 'touch', learn_session_id: id })
    expect(made.statusCode).toBe(201)
    const { recording } = made.json<{ recording: DeviceRecording }>()
    const find = () => phone.screenNodes().find((node) => node.text === 'Reception')
    await expect.poll(find).toBeDefined()
    // The recorder must have read the screen before the touch.
    const reads = countScreenReads(daemon.system.devices.driver(phone.serial))
    await expect.poll(reads).toBeGreaterThan(1)
    const { left = 0, right = 0, top = 0, bottom = 0 } = find()?.bounds ?? {}
    await phone.person.touch((left + right) / 2, (top + bottom) / 2)
    await expect.poll(async () => (await observed(daemon, id)).length, { timeout: 15_000 }).toBe(2)
    await daemon.post(`${recordings}/${recording.recording_id}/stop`)
    const events = await observed(daemon, id)
    expect(events[1]).toMatchObject({
      adapter_kind: 'wrapper_receipt',
      app_family: climate,
      caused_state_change: true,
    })
    const { recordings: listed } = (await daemon.get(recordings)).json<{
      recordings: DeviceRecording[]
    }>()
    expect(listed).toMatchObject([{ source: 'touch', state: 'stopped', learn_session_id: id }])
  })
}

test('a password is not stored, even with consent', async () => {
  const { daemon, phone } = await onPhone()
  const id = await startOn(daemon, phone.serial, { text_capture_consent: true })
  await execute(daemon, open('org.apprentice.portal'), {
    type: 'enter_text',
    params: { matcher: { password: true }, text: 'hunter2hunter2' },
  })
  expect((await observed(daemon, id)).map((event) => event.action_label).join()).not.toContain('hunter2')
  for (const bytes of readStoredTrees(daemon)) expect(bytes).not.toContain('hunter2')
  const rows = daemon.system.store.read(({ db }) => [
    ...db.prepare('SELECT * FROM observations').all(),
    ...db.prepare('SELECT * FROM executions').all(),
    ...db.prepare('SELECT * FROM jobs').all(),
  ])
  expect(JSON.stringify(rows).includes('hunter2')).toBe(false)
})

test('deleting a capture deletes its evidence rows, and the sweep deletes the files', async () => {
  const { daemon, phone } = await onPhone()
  const id = await startOn(daemon, phone.serial)
  await execute(daemon, open(climate))
  expect(readStoredTrees(daemon).length).toBeGreaterThan(0)
  await daemon.delete(`/api/learn/sessions/${id}`)
  const remaining = daemon.system.store.read(({ db }) => db.prepare('SELECT count(*) FROM evidence').pluck().get())
  expect(remaining).toBe(0)
  expect(await daemon.system.sweepEvidence()).toBeGreaterThan(0)
  const files = readdirSync(join(daemon.home, 'evidence'), { recursive: true, withFileTypes: true })
  expect(files.filter((entry) => entry.isFile())).toEqual([])
})

function readStoredTrees(daemon: Daemon): string[] {
  const hashes = daemon.system.store.read(({ db }) =>
    db.prepare('SELECT sha256 FROM evidence').pluck().all(),
  ) as string[]
  expect(hashes.length).toBeGreaterThan(1)
  return hashes.map((sha) => readFileSync(join(daemon.home, 'evidence', sha.slice(0, 2), sha), 'utf8'))
}
