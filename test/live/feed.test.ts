import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { writeAs } from '../../src/domain/command/context.ts'
import { recordEvent } from '../../src/domain/command/ledger.ts'
import { isWanted } from '../../src/live/source.ts'
import type { StoredEvent } from '../../src/store/command/events.ts'
import { adminToken, shareDaemon } from '../kit/daemon.ts'
import { ids, kinds, openStream, type Stream } from './sse-client.ts'

const useDaemon = shareDaemon()
let url = ''
beforeAll(async () => {
  url = (await useDaemon().listen()).url
})

async function follow(query: string, token = adminToken, headers: Record<string, string> = {}): Promise<Stream> {
  const stream = await openStream(`${url}/api/events${query}`, { token, headers })
  onTestFinished(() => stream.close())
  return stream
}

const subjects = ({ frames }: Stream): unknown[] =>
  frames.flatMap(({ data }) => (data === undefined ? [] : [(data as unknown as { subject: string }).subject]))

/** Creates a session and cancels it, because a user has one active session at a time. */
async function createSession(token: string): Promise<string> {
  const body = { entry_mode: 'demonstrating_skill', observation_mode: 'outside_agent' }
  const made = await useDaemon().post('/api/learn/sessions', body, token)
  const { session } = made.json<{ session: { learn_session_id: string } }>()
  await useDaemon().post(`/api/learn/sessions/${session.learn_session_id}/cancel`, {}, token)
  return session.learn_session_id
}

test('a user is told of own events and of devices, with the global sequence as id, and of nothing of others', async () => {
  const daemon = useDaemon()
  const [ann, bob] = [await daemon.tokenFor('ann'), await daemon.tokenFor('bob')]
  const own = await follow('?backlog=0', ann)
  const all = await follow('?backlog=0&scope=all')
  const [first, second] = [await createSession(ann), await createSession(bob)]
  const { store, newId } = daemon.system
  await writeAs(
    { store, newId, clock: () => daemon.clock.now },
    { actor: { kind: 'user', user_id: 'bob' }, correlation_id: 'test' },
    (ctx) => recordEvent(ctx, 'device/phone', 'device.leased'),
  )
  const frames = await own.until((seen) => kinds(seen).includes('device.leased'))
  expect(new Set(subjects(own))).toEqual(new Set([`learn/${first}`, 'device/phone']))
  expect(frames.find(({ event }) => event === 'learn.session.started')?.data).toMatchObject({
    event_kind: 'learn.session.started',
    user_id: 'ann',
    correlation_id: expect.any(String),
    schema_version: 1,
  })
  const recorded = daemon.events()
  for (const frame of frames) {
    if (frame.id === undefined) continue
    expect(recorded.find(({ seq }) => String(seq) === frame.id)?.kind).toBe(frame.event)
  }
  await all.until((seen) => kinds(seen).includes('device.leased'))
  expect(subjects(all)).toEqual(expect.arrayContaining([`learn/${first}`, `learn/${second}`, 'device/phone']))
})

test('only an administrator may ask for the events of all users', async () => {
  const token = await useDaemon().tokenFor('ann')
  const refused = await useDaemon().get('/api/events?scope=all', token)
  expect([refused.statusCode, refused.json()]).toMatchObject([403, { error: { code: 'FORBIDDEN' } }])
})

test('a reconnect replays exactly the missed events of the filter, and follow=false ends after them', async () => {
  const token = await useDaemon().tokenFor('carl')
  const sessions = [await createSession(token), await createSession(token), await createSession(token)]
  const started = await follow('?kind=learn.session.started&follow=false', token)
  await started.ended
  expect(subjects(started)).toEqual(sessions.map((id) => `learn/${id}`))
  const last = ids(started.frames)[0] ?? ''
  const missed = await follow('?kind=learn.session.started,device.&follow=false', token, { 'last-event-id': last })
  await missed.ended
  expect(subjects(missed)).toEqual(sessions.slice(1).map((id) => `learn/${id}`))
  const one = await follow(`?subject=learn/${sessions[1]}&follow=false`, token)
  await one.ended
  expect(new Set(subjects(one))).toEqual(new Set([`learn/${sessions[1]}`]))
  const beginning = await follow('?subject=learn/&kind=learn.session.started&follow=false', token)
  await beginning.ended
  expect(subjects(beginning)).toHaveLength(3)
})

test('a stream over everything counts as a stream of the user', async () => {
  const token = await useDaemon().tokenFor('dora')
  await follow('', token)
  expect(useDaemon().system.hub.countStreams('dora')).toBe(1)
})

test('an invalid filter is refused by name', async () => {
  const refused = await useDaemon().get('/api/events?kind=LEARN!')
  expect([refused.statusCode, refused.body]).toMatchObject([400, expect.stringContaining('kind')])
})

test('an event for everyone in a session is told of the ability, not of the session', () => {
  const event = {
    subject: 'learn/s',
    learn_session_id: 's',
    kind: 'ability.quarantined',
    payload: { ability_id: 'learned.a' },
    visible_to: '*',
  } as unknown as StoredEvent
  const filter = { user_id: 'ann', kinds: [], follow: true }
  expect(isWanted({ ...filter, subject: 'ability/learned.a' }, event)).toBe(true)
  expect(isWanted({ ...filter, subject: 'learn/s' }, event)).toBe(false)
  expect(isWanted(filter, { ...event, visible_to: 'bob' })).toBe(false)
  expect(isWanted(filter, { ...event, visible_to: undefined })).toBe(false)
})
