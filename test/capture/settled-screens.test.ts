import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import type { ObservedActionEvent } from '@apprentice/contracts/learn/observation.ts'
import { countScreenReads } from '../devices/screen-reads.ts'
import { ok, open, startTeaching, tap, type TeachingSetup } from '../teach/teaching.ts'

const DESK = 'org.example.slowdesk'
const APPS = join(import.meta.dirname, 'apps')

async function startCapture(setup: TeachingSetup): Promise<string> {
  const { daemon, phone } = setup
  const made = await ok<{ session: { learn_session_id: string } }>(daemon, '/api/learn/sessions', {
    entry_mode: 'demonstrating_skill',
    observation_mode: 'outside_agent',
    device_serial: phone.serial,
  })
  const id = made.session.learn_session_id
  await ok(daemon, `/api/learn/sessions/${id}/start`)
  return id
}

async function listEvents({ daemon }: TeachingSetup, id: string): Promise<ObservedActionEvent[]> {
  const reply = await daemon.get(`/api/learn/sessions/${id}/observations?page_size=100`)
  return reply.json<{ events: ObservedActionEvent[] }>().events
}

async function readAfter(setup: TeachingSetup, event: ObservedActionEvent | undefined): Promise<string> {
  const id = (event?.after_state_ref ?? '').replace('evidence:', '')
  return (await setup.daemon.get(`/api/evidence/${id}`)).body
}

test('stopping reads the screen until it has settled and keeps it as the screen after the last step', async () => {
  const setup = await startTeaching({ config: { simApps: APPS } })
  const id = await startCapture(setup)
  await setup.act(open(DESK))
  await setup.act(tap('Send'))
  await ok(setup.daemon, `/api/learn/sessions/${id}/stop`)
  const last = (await listEvents(setup, id)).at(-1)
  expect(await readAfter(setup, last)).toContain('text="Delivered"')
  expect(last?.caused_state_change).toBe(true)
  const [trace] = await setup.daemon.system.demonstrations.readSession(id, 'local')
  const texts = trace?.steps.at(-1)?.after?.nodes.map(({ attributes }) => attributes['text'])
  expect(texts).toContain('Delivered')
  const file = `learning/observations/${id}/events.jsonl`
  await setup.daemon.waitForProjections()
  expect(setup.daemon.readProjection(file)?.trim().split('\n').at(-1)).toContain(last?.after_state_ref)
})

test('a change that comes late is noticed after the step, without another action', async () => {
  const setup = await startTeaching({ config: { simApps: APPS } })
  const id = await startCapture(setup)
  await setup.act(open(DESK))
  await setup.act(tap('Send'))
  await vi.waitFor(
    async () => expect(await readAfter(setup, (await listEvents(setup, id)).at(-1))).toContain('text="Delivered"'),
    { timeout: 10_000, interval: 100 },
  )
})

test('pausing reads the last screen too, and what happens during the pause is not kept', async () => {
  const setup = await startTeaching({ config: { simApps: APPS } })
  const id = await startCapture(setup)
  await setup.act(open(DESK))
  await setup.act(tap('Send'))
  await ok(setup.daemon, `/api/learn/sessions/${id}/pause`)
  const paused = (await listEvents(setup, id)).at(-1)
  expect(await readAfter(setup, paused)).toContain('text="Delivered"')
  await setup.act(tap('Help'))
  await ok(setup.daemon, `/api/learn/sessions/${id}/stop`)
  const stopped = await listEvents(setup, id)
  expect(stopped.at(-1)?.after_state_ref).toBe(paused?.after_state_ref)
  expect(stopped).toHaveLength(2)
})

test('a step that is followed by another one keeps its own screen', async () => {
  const setup = await startTeaching({ config: { simApps: APPS } })
  const id = await startCapture(setup)
  await setup.act(open(DESK))
  await setup.act(tap('Help'))
  await setup.act({ type: 'press_key', params: { key: 'back' } })
  await ok(setup.daemon, `/api/learn/sessions/${id}/stop`)
  const screens = await Promise.all((await listEvents(setup, id)).map((event) => readAfter(setup, event)))
  expect(screens.map((xml) => xml.includes('Call the desk'))).toEqual([false, true, false])
})

test('a repeated stop request and a stop without a device step read no screen', async () => {
  const setup = await startTeaching({ config: { simApps: APPS } })
  const reads = countScreenReads(setup.daemon.system.devices.driver(setup.phone.serial))
  const idle = await startCapture(setup)
  await ok(setup.daemon, `/api/learn/sessions/${idle}/stop`)
  expect(reads()).toBe(0)
  await ok(setup.daemon, `/api/learn/sessions/${idle}/cancel`)
  const id = await startCapture(setup)
  await setup.act(open(DESK))
  const body = { client_request_id: 'stop-once' }
  const first = await ok(setup.daemon, `/api/learn/sessions/${id}/stop`, body)
  const after = reads()
  expect(await ok(setup.daemon, `/api/learn/sessions/${id}/stop`, body)).toEqual(first)
  expect(reads()).toBe(after)
})

test('a stop goes on when the phone is gone', async () => {
  const setup = await startTeaching({ config: { simApps: APPS } })
  const id = await startCapture(setup)
  await setup.act(open(DESK))
  const driver = setup.daemon.system.devices.driver(setup.phone.serial)
  driver.dump = () => Promise.reject(new Error('the phone is gone'))
  const [before] = await listEvents(setup, id)
  await ok(setup.daemon, `/api/learn/sessions/${id}/stop`)
  expect((await listEvents(setup, id))[0]?.after_state_ref).toBe(before?.after_state_ref)
})
