import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createPhone } from '@apprentice/phone/phone.ts'
import { startAdbServer } from '@apprentice/phone/wire/adb-server.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { postRepeatedly } from '../kit/repeated-request.ts'
import { CLIMATE_APP, createPracticeSession, type PracticeReply, SETTINGS_APP } from './practice-session.ts'

/** A phone that outlives the daemons. */
async function startPhone() {
  const phone = createPhone({ serial: 'sim-1' })
  const face = await startAdbServer({ hosts: [phone] })
  const home = mkdtempSync(join(tmpdir(), 'apprentice-practice-'))
  const daemons: Daemon[] = []
  onTestFinished(async () => {
    for (const daemon of daemons) await daemon.stop()
    await face.close()
    rmSync(home, { recursive: true, force: true })
  })
  return {
    phone,
    serve: async (): Promise<Daemon> => {
      const adb = { host: '127.0.0.1', port: face.port }
      const daemon = await startDaemon({ home, config: { phone: 'adb', adb } })
      daemons.push(daemon)
      await expect.poll(async () => (await daemon.get('/api/devices')).body).toContain('"state":"device"')
      return daemon
    },
  }
}

const readPractice = async (daemon: Daemon, id: string): Promise<PracticeReply> =>
  (await daemon.get(`/api/learn/sessions/${id}/practice`)).json<PracticeReply>()

async function startPractice(daemon: Daemon, { goal, app }: { goal: string; app: string }) {
  const id = await createPracticeSession(daemon, app)
  const reply = await daemon.post(`/api/learn/sessions/${id}/practice`, { goal })
  expect(reply.statusCode, reply.body).toBe(202)
  return id
}

async function waitUntilEnded(daemon: Daemon, id: string): Promise<void> {
  await expect.poll(async () => (await readPractice(daemon, id)).practice.state, { timeout: 60_000 }).toBe('ended')
}

test('a search continues after a restart of the daemon without repeating a way, and ends proven', async () => {
  const { phone, serve } = await startPhone()
  const first = await serve()
  const id = await startPractice(first, { goal: 'Set screen timeout to 2 min', app: SETTINGS_APP })
  await expect
    .poll(async () => (await readPractice(first, id)).practice.ways_tried, { timeout: 20_000 })
    .toBeGreaterThan(2)
  await first.stop()

  const second = await serve()
  const resumed = await readPractice(second, id)
  expect(resumed.practice.state).toBe('exploring')
  const { actions_used, ways_tried } = resumed.practice
  await waitUntilEnded(second, id)

  const { practice, session } = await readPractice(second, id)
  expect(practice).toMatchObject({ outcome: 'proven', proposal_id: expect.any(String) })
  expect(practice.actions_used).toBeGreaterThan(actions_used)
  expect(practice.ways_tried).toBeGreaterThanOrEqual(ways_tried)
  expect(session.state).toBe('drafting_proposal')
  expect(phone.state(SETTINGS_APP).saved['timeout_ms']).toBe(120_000)
  const tried = second.system.store.read((reader) =>
    reader.db.prepare('SELECT body FROM practice_tries ORDER BY position').all(),
  ) as { body: string }[]
  const ways = tried
    .map(({ body }) => JSON.parse(body) as { from?: string; way?: { key: string } })
    .filter(({ from }) => from !== undefined)
    .map(({ from, way }) => `${from} ${way?.key}`)
  expect(new Set(ways).size).toBe(ways.length)
}, 120_000)

test('what was found of one sub-goal is known after a restart of the daemon', async () => {
  const { phone, serve } = await startPhone()
  const first = await serve()
  const goal = 'Turn on dark theme and turn off Bluetooth'
  const id = await startPractice(first, { goal, app: SETTINGS_APP })
  const isFound = () =>
    first.system.store.read(
      (reader) => reader.db.prepare('SELECT body FROM practice_tries').all() as { body: string }[],
    )
  await expect
    .poll(() => isFound().some(({ body }) => body.includes('"found"')), { timeout: 20_000, interval: 10 })
    .toBe(true)
  await first.stop()

  const second = await serve()
  expect((await readPractice(second, id)).practice.state).toBe('exploring')
  await waitUntilEnded(second, id)
  expect((await readPractice(second, id)).practice).toMatchObject({ outcome: 'proven' })
  expect(phone.state(SETTINGS_APP).saved).toMatchObject({ dark_theme: true, bluetooth: false })
}, 120_000)

test('a proof interrupted by a restart ends the practice, and no proposal can be drafted from it', async () => {
  const { phone, serve } = await startPhone()
  const first = await serve()
  const goal = 'Set the temperature of the Kitchen to 26'
  const id = await startPractice(first, { goal, app: CLIMATE_APP })
  await expect
    .poll(async () => (await readPractice(first, id)).practice.state, {
      timeout: 20_000,
      interval: 5,
    })
    .toBe('proving')
  await first.stop()
  const before = structuredClone(phone.state(CLIMATE_APP).saved)

  const second = await serve()
  await waitUntilEnded(second, id)
  const { practice, session } = await readPractice(second, id)
  expect(practice).toMatchObject({
    outcome: 'interrupted',
    summary: expect.stringContaining('unknown'),
  })
  expect(practice.proposal_id).toBeUndefined()
  const draft = await second.post(`/api/learn/sessions/${id}/generate-proposal`, {})
  expect(draft.json()).toMatchObject({ error: { code: 'INVALID_LEARN_STATE_TRANSITION' } })
  expect(session.state).toBe('paused')
  expect(phone.state(CLIMATE_APP).saved).toEqual(before)

  const again = await second.post(`/api/learn/sessions/${id}/practice`, { goal, wait_ms: 60_000 })
  expect(again.json<PracticeReply>().practice.outcome).toBe('proven')
  const { events } = (await second.get(`/api/learn/sessions/${id}/observations?page_size=100`)).json<{
    events: { action_label: string }[]
  }>()
  expect(events.filter(({ action_label }) => action_label.startsWith('Open'))).toHaveLength(1)
}, 120_000)

test('a cancelled practice sends no more touches, and its session stays armed', async () => {
  const { phone, serve } = await startPhone()
  const daemon = await serve()
  const id = await startPractice(daemon, { goal: 'Turn on Night light', app: SETTINGS_APP })
  await expect
    .poll(async () => (await readPractice(daemon, id)).practice.ways_tried, { timeout: 20_000 })
    .toBeGreaterThan(0)
  const inUse = await daemon.post(`/api/learn/sessions/${id}/practice`, { goal: 'Open Display' })
  expect(inUse.json()).toMatchObject({ error: { code: 'PRACTICE_IN_PROGRESS' } })

  const stopped = await postRepeatedly(daemon, `/api/learn/sessions/${id}/practice/cancel`)
  expect(stopped.statusCode, stopped.body).toBe(200)
  expect(stopped.json()).toMatchObject({
    practice: { state: 'ended', outcome: 'cancelled' },
    session: { state: 'armed' },
  })
  const touches = phone.touches()
  const again = await daemon.post(`/api/learn/sessions/${id}/practice/cancel`, {})
  expect(again.json()).toMatchObject({ error: { code: 'PRACTICE_ENDED' } })
  await new Promise((resolve) => setTimeout(resolve, 500))
  expect(phone.touches()).toBe(touches)
}, 60_000)

test('cancelling the session ends its practice', async () => {
  const { serve } = await startPhone()
  const daemon = await serve()
  const id = await startPractice(daemon, { goal: 'Turn on Night light', app: SETTINGS_APP })
  await expect
    .poll(async () => (await readPractice(daemon, id)).practice.ways_tried, { timeout: 20_000 })
    .toBeGreaterThan(0)
  await daemon.post(`/api/learn/sessions/${id}/cancel`, {})
  await waitUntilEnded(daemon, id)
  expect(await readPractice(daemon, id)).toMatchObject({
    practice: { outcome: 'cancelled' },
    session: { state: 'cancelled' },
  })
}, 60_000)

test('the time limit ends a practice', async () => {
  const { serve } = await startPhone()
  const daemon = await serve()
  const id = await startPractice(daemon, { goal: 'Turn on Night light', app: SETTINGS_APP })
  await expect
    .poll(async () => (await readPractice(daemon, id)).practice.ways_tried, { timeout: 20_000 })
    .toBeGreaterThan(0)
  daemon.clock.advance(601_000)
  await waitUntilEnded(daemon, id)
  expect((await readPractice(daemon, id)).practice.outcome).toBe('out_of_time')
}, 60_000)
