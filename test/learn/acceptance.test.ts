import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { allRoutes } from '@apprentice/contracts/index.ts'
import type { LearnTimelineEvent } from '@apprentice/contracts/learn/session.ts'
import { adminToken, type Daemon, startDaemon } from '../kit/daemon.ts'
import { kinds, openStream } from '../live/sse-client.ts'
import { capture } from './observation/capturing.ts'
import { showSession } from './shown-session.ts'

const url = '/api/learn/sessions'

async function create(daemon: Daemon, changes: object = {}): Promise<string> {
  const made = await daemon.post(url, {
    entry_mode: 'demonstrating_skill',
    observation_mode: 'inside_agent',
    ...changes,
  })
  return made.json<{ session: { learn_session_id: string } }>().session.learn_session_id
}

async function timelineOf(daemon: Daemon, id: string): Promise<LearnTimelineEvent[]> {
  const detail = await daemon.get(`${url}/${id}/detail`)
  return detail.json<{ timeline: LearnTimelineEvent[] }>().timeline
}

/** The lines of a log file under `system`. */
async function linesOf(daemon: Daemon, path: string): Promise<Record<string, unknown>[]> {
  await daemon.mirrorsSettled()
  const text = daemon.mirror(path) ?? ''
  expect(text === '' || text.endsWith('\n')).toBe(true)
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

test('one session goes from created to drafted, and every hop is on its timeline and was streamed live', async () => {
  const daemon = await startDaemon()
  const listening = await daemon.listen()
  const id = await create(daemon)
  const stream = await openStream(`${listening.url}${url}/${id}/events`, { token: adminToken })
  onTestFinished(() => stream.close())

  await daemon.post(`${url}/${id}/start`)
  await capture(daemon, id, 3)
  await daemon.post(`${url}/${id}/mark-step`, { step_label: 'The settings are open' })
  await daemon.post(`${url}/${id}/mark-goal`, { goal_description: 'Turn on dark mode' })
  for (const command of ['pause', 'resume', 'stop', 'generate-proposal']) {
    expect((await daemon.post(`${url}/${id}/${command}`)).statusCode, command).toBeLessThan(300)
  }

  const hops = [
    'idle>armed',
    'armed>capturing',
    'capturing>paused',
    'paused>capturing',
    'capturing>stopped',
    'stopped>reviewing',
    'reviewing>drafting_proposal',
  ]
  const timeline = await timelineOf(daemon, id)
  const moves = timeline.filter(({ kind }) => kind === 'state_change')
  expect(moves.map(({ from_state, to_state }) => `${from_state}>${to_state}`)).toEqual(hops)
  const frames = await stream.until((all) => kinds(all).includes('learn.proposal.created'))
  const streamed = frames.filter(({ event }) => event === 'learn.session.state_changed')
  const hopOf = ({ from, to }: Record<string, unknown>) => `${String(from)}>${String(to)}`
  expect(streamed.map(({ data }) => hopOf(data?.payload ?? {}))).toEqual(hops)
  expect(kinds(frames)).toEqual(
    timeline.filter(({ kind }) => kind !== 'boundary').map(({ event_kind }) => event_kind),
  )
})

test('the timeline, the receipts and the files tell of one session the same story', async () => {
  const daemon = await startDaemon()
  const id = await showSession(daemon, { goal: 'Share a note' })
  await daemon.post(`${url}/${id}/cancel`, { reason: 'changed my mind' })

  const timeline = await timelineOf(daemon, id)
  const logged = await linesOf(daemon, `learning/session_events/${id}.jsonl`)
  expect(logged.map(({ seq }) => seq)).toEqual(timeline.map(({ seq }) => seq))
  const reply = await daemon.get(`/api/learn/receipts?learn_session_id=${id}`)
  const receipts = reply.json<{ receipts: { receipt_id: string }[] }>().receipts
  const written = await linesOf(daemon, 'learning/receipts.jsonl')
  expect(written.map(({ receipt_id }) => receipt_id)).toEqual(
    receipts.map(({ receipt_id }) => receipt_id).toReversed(),
  )
  expect(receipts[0]).toMatchObject({
    receipt_kind: 'learn.session.cancelled',
    reason: 'changed my mind',
  })
})

test('a checkpoint report is one line of its log; only a skipped or failed one goes on to who looks into it', async () => {
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

  const logged = await linesOf(daemon, 'learning/checkpoint_receipts.jsonl')
  expect(logged.map(({ status }) => status)).toEqual(['reached', 'skipped', 'failed'])
  const friction = await linesOf(daemon, outbox.friction)
  expect(friction).toMatchObject([
    { kind: 'friction.checkpoint_skipped', checkpoint_receipt_id: receiptId(logged[1]) },
  ])
  const repair = await linesOf(daemon, outbox.repair)
  expect(repair).toMatchObject([
    { kind: 'repair.checkpoint_failed', checkpoint_receipt_id: receiptId(logged[2]) },
  ])
  expect(daemon.session(id)?.state).toBe('capturing')
})

const outbox = {
  friction: 'learning/outbox/doc8_friction.jsonl',
  repair: 'learning/outbox/doc9_repair.jsonl',
}
const receiptId = (line: Record<string, unknown> | undefined) => line?.['checkpoint_receipt_id']

test('what an agent would read of a draft holds checkpoints and nothing of the graph behind them', async () => {
  const daemon = await startDaemon()
  const id = await showSession(daemon, {
    goal: 'Share a note as PDF',
    steps: ['The share menu is open', { label: 'The PDF is saved', hint: 'verification' }],
  })
  const made = await daemon.post(`${url}/${id}/generate-proposal`)
  const { proposal_id } = made.json<{ proposal_id: string }>()
  await daemon.mirrorsSettled()

  const skill = daemon.mirror(`learning/proposals/${proposal_id}/draft/SKILL.md`) ?? ''
  expect(skill).toContain('Checkpoints')
  expect(skill).toContain('The share menu is open')
  const graph = daemon.mirror(`learning/proposals/${proposal_id}/draft/graph.json`) ?? ''
  const { nodes } = JSON.parse(graph) as { nodes: { node_id: string }[] }
  expect(nodes.length).toBeGreaterThan(0)
  for (const { node_id } of nodes) expect(skill).not.toContain(node_id)
  expect(skill).not.toMatch(/\b(?:node|edge)_?(?:id|kind)\b/)
})

/** Both shapes a client may have been written against, spelled out again. */
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
  'the observation scope of a session that is %s fits both shapes clients know',
  async (state) => {
    const daemon = await startDaemon()
    const id = await daemon.aSessionIn(state)
    const scope: unknown = (await daemon.get(`${url}/${id}/observation-scope`)).json()
    expect(storedScope.parse(scope).learn_session_id).toBe(id)
    expect(bannerScope.parse(scope).session_id).toBe(id)
  },
)

test('every route about one session names it in a plural path, and none uses the old singular', () => {
  const about = allRoutes.filter(({ url: path }) => path.startsWith('/api/learn/session'))
  expect(about.length).toBeGreaterThan(15)
  for (const { method, url: path } of about) {
    expect(path, method).toMatch(/^\/api\/learn\/sessions(?:$|\/:sessionId(?:$|\/[a-z-]+))/)
  }
})

test('a stop said twice is told apart from a wrong move, and the second changes nothing', async () => {
  const daemon = await startDaemon()
  const id = await showSession(daemon)
  const before = [daemon.session(id), daemon.events().length]

  const again = await daemon.post(`${url}/${id}/stop`)

  expect(again.statusCode).toBe(409)
  expect(again.json()).toMatchObject({
    error: { code: 'CAPTURE_ALREADY_STOPPED', retryable: false },
  })
  expect([daemon.session(id), daemon.events().length]).toEqual(before)
})

test('nothing is observed after a session is switched off, whatever an adapter still sends', async () => {
  const daemon = await startDaemon()
  const id = await create(daemon)
  await daemon.post(`${url}/${id}/start`)
  await capture(daemon, id, 2)
  for (const [command, code] of [
    ['pause', 'INVALID_LEARN_STATE_TRANSITION'],
    ['cancel', 'CAPTURE_ALREADY_STOPPED'],
  ] as const) {
    await daemon.post(`${url}/${id}/${command}`)
    await expect(capture(daemon, id, 1)).rejects.toThrow(code)
    const scope = (await daemon.get(`${url}/${id}/observation-scope`)).json()
    expect(scope).toMatchObject({ adapters_active: [], active_runtime: 'none' })
  }
  const kept = await daemon.get(`${url}/${id}/observations`)
  expect(kept.json()).toMatchObject({ total: 2 })
})

test('two people teach at the same time and neither learns anything of the other', async () => {
  const daemon = await startDaemon()
  const [ann, bob] = [await daemon.tokenFor('ann'), await daemon.tokenFor('bob')]
  const [hers, his] = await Promise.all(
    [ann, bob].map((token) => showSession(daemon, { token, goal: 'Share a note' })),
  )
  for (const [token, own, other] of [
    [ann, hers, his],
    [bob, his, hers],
  ] as const) {
    for (const path of [url, '/api/learn/history', '/api/learn/receipts']) {
      const { body } = await daemon.get(path, token)
      expect(body).toContain(own)
      expect(body).not.toContain(other)
    }
    const current = await daemon.get('/api/learn/runtime/current', token)
    expect(current.json()).toMatchObject({ learn_session_id: own })
    for (const read of ['detail', 'observations', 'observation-scope', 'checkpoint-receipts']) {
      const reply = await daemon.get(`${url}/${other}/${read}`, token)
      expect(reply.json(), read).toMatchObject({ error: { code: 'LEARN_SESSION_NOT_FOUND' } })
    }
  }
})

test('an intent asks and the daemon writes: the file appears, and a refused one leaves none', async () => {
  const daemon = await startDaemon()
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
  await daemon.mirrorsSettled()
  expect(daemon.mirror('skills/config/legal_tables.json')).toBeUndefined()

  expect((await daemon.post('/api/config/intents', intent({ border: 'thin' }))).statusCode).toBe(
    202,
  )
  await daemon.mirrorsSettled()
  expect(daemon.mirror('skills/config/legal_tables.json')).toContain('thin')
})
