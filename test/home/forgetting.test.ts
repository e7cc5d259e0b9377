import { once } from 'node:events'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { deviceQueueName } from '../../src/domain/devices/executions.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { ok, open, startTeaching, tap, type, type TeachingSetup } from '../teach/teaching.ts'

const NOTES = 'org.apprentice.notes'
const PORTAL = 'org.apprentice.portal'
const TEXT = 'Quarterly-Vorobyeva-Mark'
const SECRET = 'hunter2-Secret-Mark'
const FIELD = { role: 'textfield', index: 0 }
const sleep = (durationMs: number) => ({ type: 'sleep', params: { durationMs } })

/** The files of the home that contain a text anywhere, also in the log of the database. */
function findFiles(home: string, text: string): string[] {
  return readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file).includes(text))
    .map((file) => file.slice(home.length + 1))
}

async function findFilesAfterFolding(daemon: Daemon, text: string): Promise<string[]> {
  await daemon.waitForProjections()
  expect(daemon.system.store.foldLog()).toBe(true)
  return findFiles(daemon.home, text)
}

let count = 0
const buildExecution = (...actions: object[]) => {
  count += 1
  return {
    commandId: `forget-${count}`,
    taskId: 't',
    source: 'test',
    expectedFormat: 'android-ui-automator',
    timeoutMs: 60_000,
    actions: actions.map((action, at) => ({ id: `a${at}`, ...action })),
  }
}

/** Queues an execution and returns its id. */
async function queue({ daemon }: TeachingSetup, ...actions: object[]): Promise<string> {
  const body = { execution: buildExecution(...actions) }
  const reply = await ok<{ execution: { execution_id: string } }>(daemon, '/api/executions', body)
  return reply.execution.execution_id
}

async function startCapture({ daemon, phone }: TeachingSetup, start: object = {}): Promise<string> {
  const body = { entry_mode: 'demonstrating_skill', observation_mode: 'outside_agent', device_serial: phone.serial }
  const { session } = await ok<{ session: { learn_session_id: string } }>(daemon, '/api/learn/sessions', body)
  await ok(daemon, `/api/learn/sessions/${session.learn_session_id}/start`, start)
  return session.learn_session_id
}

test('a text typed without consent stays in no file, whatever later executions of the capture read or name', async () => {
  const setup = await startTeaching()
  const id = await startCapture(setup)
  await setup.act(open(NOTES), tap('New note'), type(FIELD, TEXT), { type: 'snapshot' })
  await setup.act({ type: 'snapshot' }, { type: 'read_text', params: { matcher: FIELD } })
  await setup.act(tap('Save'), { type: 'snapshot' }, tap({ textContains: TEXT }), { type: 'snapshot' })
  await setup.daemon.post('/api/executions', { execution: buildExecution(tap(`Open ${TEXT}`)), wait_ms: 30_000 })
  await ok(setup.daemon, `/api/learn/sessions/${id}/stop`)
  expect(await findFilesAfterFolding(setup.daemon, TEXT)).toEqual([])
})

test('a password stays in no file, even with consent, also if the execution fails before it is typed', async () => {
  const setup = await startTeaching()
  const id = await startCapture(setup, { text_capture_consent: true })
  const enter = [open(PORTAL), type({ password: true }, SECRET), { type: 'snapshot' }]
  await setup.act(...enter)
  await setup.act({ type: 'snapshot' })
  const failing = buildExecution(open(PORTAL), tap('No such control'), type({ password: true }, SECRET))
  const failed = await setup.daemon.post('/api/executions', { execution: failing, wait_ms: 30_000 })
  expect(failed.json()).toMatchObject({ execution: { state: 'failed' } })
  await ok(setup.daemon, `/api/learn/sessions/${id}/stop`)
  await setup.act(...enter, tap({ role: 'button', index: 0 }))
  expect(await findFilesAfterFolding(setup.daemon, SECRET)).toEqual([])
})

test('an execution that is cancelled in the queue leaves nothing that it would have typed', async () => {
  const setup = await startTeaching()
  const { daemon, phone } = setup
  const release = new AbortController()
  onTestFinished(() => release.abort())
  const held = daemon.system.jobs
    .runInQueue(deviceQueueName(phone.serial), { priority: 100, principal: 'test', signal: release.signal }, () =>
      once(release.signal, 'abort'),
    )
    .catch(() => undefined)
  const waiting = await queue(setup, open(NOTES), type(FIELD, TEXT), type({ password: true }, SECRET), tap(TEXT))
  expect(findFiles(daemon.home, TEXT)).not.toEqual([])
  await ok(daemon, `/api/executions/${waiting}/cancel`)
  expect(await findFilesAfterFolding(daemon, TEXT)).toEqual([])
  expect(await findFilesAfterFolding(daemon, SECRET)).toEqual([])
  const { execution } = (await daemon.get(`/api/executions/${waiting}`)).json<{ execution: { execution: object } }>()
  expect(execution).toMatchObject({
    state: 'cancelled',
    execution: { actions: [{}, { params: { text: '•••' } }, {}, {}] },
  })
  release.abort()
  await held
})

test('after a kill nothing stays that the interrupted execution typed or would have typed', async () => {
  const setup = await startTeaching({ quick: false })
  const { daemon } = setup
  await startCapture(setup)
  const running = await queue(
    setup,
    open(NOTES),
    tap('New note'),
    type(FIELD, TEXT),
    { type: 'snapshot' },
    sleep(60_000),
    type({ password: true }, SECRET),
  )
  const countSteps = () =>
    daemon
      .get(`/api/executions/${running}`)
      .then((reply) => reply.json<{ execution: { completed_steps: number } }>().execution.completed_steps)
  await expect.poll(countSteps).toBe(4)
  // The home as a kill at this moment leaves it.
  const home = mkdtempSync(join(tmpdir(), 'apprentice-killed-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  cpSync(daemon.home, home, { recursive: true })
  await ok(daemon, `/api/executions/${running}/cancel`)
  expect(findFiles(home, TEXT)).not.toEqual([])

  const again = await startDaemon({ home })
  const reply = await again.get(`/api/executions/${running}`)
  expect(reply.json()).toMatchObject({ execution: { state: 'interrupted' } })
  expect(await findFilesAfterFolding(again, TEXT)).toEqual([])
  expect(await findFilesAfterFolding(again, SECRET)).toEqual([])
})
