import { addAbility } from '../abilities/ability-rows.ts'
import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { allRoutes } from '@apprentice/contracts/index.ts'
import type { LearnTimelineEvent } from '@apprentice/contracts/learn/session.ts'
import { adminToken, type Daemon, startDaemon } from '../kit/daemon.ts'
import { kinds, openStream } from '../live/sse-client.ts'
import { captureEvents } from '../capture/capturing.ts'
import { demonstrateSession } from './demonstrated-session.ts'

const SESSIONS_URL = '/api/learn/sessions'

async function create(daemon: Daemon, changes: object = {}): Promise<string> {
  const made = await daemon.post(SESSIONS_URL, {
    entry_mode: 'demonstrating_skill',
    observation_mode: 'inside_agent',
    ...changes,
  })
  return made.json<{ session: { learn_session_id: string } }>().session.learn_session_id
}

async function readTimeline(daemon: Daemon, id: string): Promise<LearnTimelineEvent[]> {
  const detail = await daemon.get(`${SESSIONS_URL}/${id}/detail`)
  return detail.json<{ timeline: LearnTimelineEvent[] }>().timeline
}

/** The parsed lines of a log file under `system`. */
async function readLines(daemon: Daemon, path: string): Promise<Record<string, unknown>[]> {
  await daemon.waitForProjections()
  const text = daemon.readProjection(path) ?? ''
  expect(text === '' || text.endsWith('\n')).toBe(true)
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

test('every state change from create to draft is on the timeline and in the live stream', async () => {
  const daemon = await startDaemon()
  const listening = await daemon.listen()
  const id = await create(daemon)
  const stream = await openStream(`${listening.url}${SESSIONS_URL}/${id}/events`, {
    token: adminToken,
  })
  onTestFinished(() => stream.close())

  await daemon.post(`${SESSIONS_URL}/${id}/start`)
  await captureEvents(daemon, id, 3)
  await daemon.post(`${SESSIONS_URL}/${id}/mark-step`, { step_label: 'The settings are open' })
  await daemon.post(`${SESSIONS_URL}/${id}/mark-goal`, { goal_description: 'Turn on dark mode' })
  for (const command of ['pause', 'resume', 'stop', 'generate-proposal']) {
    expect((await daemon.post(`${SESSIONS_URL}/${id}/${command}`)).statusCode, command).toBeLessThan(300)
  }

  const transitions = [
    'idle>armed',
    'armed>capturing',
    'capturing>paused',
    'paused>capturing',
    'capturing>stopped',
    'stopped>reviewing',
    'reviewing>drafting_proposal',
  ]
  const timeline = await readTimeline(daemon, id)
  const stateChanges = timeline.filter(({ kind }) => kind === 'state_change')
  expect(stateChanges.map(({ from_state, to_state }) => `${from_state}>${to_state}`)).toEqual(transitions)
  const frames = await stream.until((all) => kinds(all).includes('learn.proposal.created'))
  const streamed = frames.filter(({ event }) => event === 'learn.session.state_changed')
  const formatTransition = ({ from, to }: Record<string, unknown>) => `${String(from)}>${String(to)}`
  expect(streamed.map(({ data }) => formatTransition(data?.payload ?? {}))).toEqual(transitions)
  expect(kinds(frames)).toEqual(timeline.map(({ event_kind }) => event_kind))
  // The timeline and the stream have one numbering.
  expect(frames.flatMap(({ id: number }) => (number === undefined ? [] : [Number(number)]))).toEqual(
    timeline.map(({ seq }) => seq),
  )
})

test('the timeline, the receipts and the projected files of a session agree', async () => {
  const daemon = await startDaemon()
  const id = await demonstrateSession(daemon, { goal: 'Share a note' })
  await daemon.post(`${SESSIONS_URL}/${id}/cancel`, { reason: 'changed my mind' })

  const timeline = await readTimeline(daemon, id)
  const logged = await readLines(daemon, `learning/session_events/${id}.jsonl`)
  expect(logged.map(({ seq }) => seq)).toEqual(timeline.map(({ seq }) => seq))
  const reply = await daemon.get(`/api/learn/receipts?learn_session_id=${id}`)
  const receipts = reply.json<{ receipts: { receipt_id: string }[] }>().receipts
  const written = await readLines(daemon, 'learning/receipts.jsonl')
  expect(written.map(({ receipt_id }) => receipt_id)).toEqual(receipts.map(({ receipt_id }) => receipt_id).toReversed())
  expect(receipts[0]).toMatchObject({
    receipt_kind: 'learn.session.cancelled',
    reason: 'changed my mind',
  })
})

test('a checkpoint report is one log line; only skipped and failed ones are written to an outbox file', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('capturing')
  const verify = (status: string) =>
    daemon.post('/api/bridge/verify-checkpoint', {
      checkpoint_id: `saved-${status}`,
      status,
      learn_session_id: id,
      ...(status === 'skipped' ? {} : { evidence: 'The list shows the new note' }),
      ...(status === 'reached' ? {} : { reason: 'The button was not there' }),
    })
  for (const status of ['reached', 'skipped', 'failed']) {
    expect((await verify(status)).json()).toMatchObject({ accepted: true, receipt: { status } })
  }

  const logged = await readLines(daemon, 'learning/checkpoint_receipts.jsonl')
  expect(logged.map(({ status }) => status)).toEqual(['reached', 'skipped', 'failed'])
  const friction = await readLines(daemon, OUTBOX_FILES.friction)
  expect(friction).toMatchObject([{ kind: 'friction.checkpoint_skipped', checkpoint_receipt_id: receiptId(logged[1]) }])
  const repair = await readLines(daemon, OUTBOX_FILES.repair)
  expect(repair).toMatchObject([{ kind: 'repair.checkpoint_failed', checkpoint_receipt_id: receiptId(logged[2]) }])
  expect(daemon.session(id)?.state).toBe('capturing')
})

const OUTBOX_FILES = {
  friction: 'learning/outbox/doc8_friction.jsonl',
  repair: 'learning/outbox/doc9_repair.jsonl',
}
const receiptId = (line: Record<string, unknown> | undefined) => line?.['checkpoint_receipt_id']

test('SKILL.md of a draft contains checkpoints and nothing of the graph', async () => {
  const daemon = await startDaemon()
  const id = await demonstrateSession(daemon, {
    goal: 'Share a note as PDF',
    steps: ['The share menu is open', { label: 'The PDF is saved', hint: 'verification' }],
  })
  const made = await daemon.post(`${SESSIONS_URL}/${id}/generate-proposal`)
  const { proposal_id } = made.json<{ proposal_id: string }>()
  await daemon.waitForProjections()

  const skill = daemon.readProjection(`learning/proposals/${proposal_id}/draft/SKILL.md`) ?? ''
  expect(skill).toContain('Checkpoints')
  expect(skill).toContain('The share menu is open')
  const graph = daemon.readProjection(`learning/proposals/${proposal_id}/draft/graph.json`) ?? ''
  const { nodes } = JSON.parse(graph) as { nodes: { node_id: string }[] }
  expect(nodes.length).toBeGreaterThan(0)
  for (const { node_id } of nodes) expect(skill).not.toContain(node_id)
  expect(skill).not.toMatch(/\b(?:node|edge)_?(?:id|kind)\b/)
})

/** Independent copies of the two shapes clients use. */
const storedScope = z.object({
  learn_session_id: z.uuid(),
  adapters_active: z.array(z.string()),
  data_classes_observed: z.array(z.string()),
  redaction_modes: z.record(z.string(), z.string()),
  scope: z.enum(['inside_agent', 'outside_agent', 'mixed', 'none']),
  target_app_whitelist: z.array(z.string()),
  off_target_events_dropped: z.int().min(0),
  started_at: z.iso.datetime(),
  schema_version: z.literal(1),
})
const bannerScope = z.object({
  session_id: z.uuid(),
  observation_mode: z.enum(['none', 'watch_actions', 'watch_with_audio', 'watch_with_notes']),
  capture_state: z.enum(['idle', 'capturing', 'paused', 'stopped']),
  active_runtime: z.enum(['none', 'openclaw_native', 'bridge_observer']),
  started_at: z.iso.datetime().optional(),
  stopped_at: z.iso.datetime().optional(),
  schema_version: z.literal(1),
})

test.each(['armed', 'capturing', 'paused', 'stopped', 'cancelled'] as const)(
  'the observation scope of a session in state %s fits both client shapes',
  async (state) => {
    const daemon = await startDaemon()
    const id = await daemon.aSessionIn(state)
    const scope: unknown = (await daemon.get(`${SESSIONS_URL}/${id}/observation-scope`)).json()
    expect(storedScope.parse(scope).learn_session_id).toBe(id)
    expect(bannerScope.parse(scope).session_id).toBe(id)
  },
)

test('every session route has a plural path', () => {
  const sessionRoutes = allRoutes.filter(({ url: path }) => path.startsWith('/api/learn/session'))
  expect(sessionRoutes.length).toBeGreaterThan(15)
  for (const { method, url: path } of sessionRoutes) {
    expect(path, method).toMatch(/^\/api\/learn\/sessions(?:$|\/:sessionId(?:$|\/[a-z-]+))/)
  }
})

test('a second stop fails with CAPTURE_ALREADY_STOPPED and changes nothing', async () => {
  const daemon = await startDaemon()
  const id = await demonstrateSession(daemon)
  const before = [daemon.session(id), daemon.events().length]

  const again = await daemon.post(`${SESSIONS_URL}/${id}/stop`)

  expect(again.statusCode).toBe(409)
  expect(again.json()).toMatchObject({
    error: { code: 'CAPTURE_ALREADY_STOPPED', retryable: false },
  })
  expect([daemon.session(id), daemon.events().length]).toEqual(before)
})

test('a paused or cancelled session stores no further events', async () => {
  const daemon = await startDaemon()
  const id = await create(daemon)
  await daemon.post(`${SESSIONS_URL}/${id}/start`)
  await captureEvents(daemon, id, 2)
  for (const [command, code] of [
    ['pause', 'INVALID_LEARN_STATE_TRANSITION'],
    ['cancel', 'CAPTURE_ALREADY_STOPPED'],
  ] as const) {
    await daemon.post(`${SESSIONS_URL}/${id}/${command}`)
    await expect(captureEvents(daemon, id, 1)).rejects.toThrow(code)
    const scope = (await daemon.get(`${SESSIONS_URL}/${id}/observation-scope`)).json()
    expect(scope).toMatchObject({ adapters_active: [], active_runtime: 'none' })
  }
  const observations = await daemon.get(`${SESSIONS_URL}/${id}/observations`)
  expect(observations.json()).toMatchObject({ total: 2 })
})

test('two users with concurrent sessions see nothing of each other', async () => {
  const daemon = await startDaemon()
  const [ann, bob] = [await daemon.tokenFor('ann'), await daemon.tokenFor('bob')]
  const [hers, his] = await Promise.all(
    [ann, bob].map((token) => demonstrateSession(daemon, { token, goal: 'Share a note' })),
  )
  for (const [token, own, other] of [
    [ann, hers, his],
    [bob, his, hers],
  ] as const) {
    for (const path of [SESSIONS_URL, '/api/learn/history', '/api/learn/receipts']) {
      const { body } = await daemon.get(path, token)
      expect(body).toContain(own)
      expect(body).not.toContain(other)
    }
    const current = await daemon.get('/api/learn/runtime/current', token)
    expect(current.json()).toMatchObject({ learn_session_id: own })
    for (const read of ['detail', 'observations', 'observation-scope', 'checkpoint-receipts']) {
      const reply = await daemon.get(`${SESSIONS_URL}/${other}/${read}`, token)
      expect(reply.json(), read).toMatchObject({ error: { code: 'LEARN_SESSION_NOT_FOUND' } })
    }
  }
})

test('an applied intent writes its configuration file; a rejected one writes none', async () => {
  const daemon = await startDaemon()
  await addAbility(daemon, { primary_capability_id: 'legal_tables' })
  const intent = (payload: object) => ({
    intent_id: randomUUID(),
    target: 'skill_config',
    capability_id: 'legal_tables',
    payload,
    requested_by: 'wrapper',
    correlation_id: 'set-1',
    created_at: '2026-03-01T12:00:00.000Z',
  })
  const refused = await daemon.post('/api/config/intents', intent({ api_key: 'x' }))
  expect(refused.json()).toMatchObject({ error: { code: 'INTENT_REJECTED' } })
  await daemon.waitForProjections()
  expect(daemon.readProjection('skills/config/legal_tables.json')).toBeUndefined()

  expect((await daemon.post('/api/config/intents', intent({ border: 'thin' }))).statusCode).toBe(202)
  await daemon.waitForProjections()
  expect(daemon.readProjection('skills/config/legal_tables.json')).toContain('thin')
})
