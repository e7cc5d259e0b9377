import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { Settings } from '../../src/config/config.ts'
import { recordSessionEvent } from '../../src/domain/command/ledger.ts'
import { adminToken, type Daemon, startDaemon } from '../kit/daemon.ts'
import { type Frame, ids, kinds, openStream, type Stream } from './sse-client.ts'

const sessions = '/api/learn/sessions'

async function listen(daemon: Daemon) {
  const { url } = await daemon.listen()
  const open = async (id: string, headers: Record<string, string> = {}, query = ''): Promise<Stream> => {
    const stream = await openStream(`${url}${sessions}/${id}/events${query}`, {
      token: adminToken,
      headers,
    })
    onTestFinished(() => stream.close())
    return stream
  }
  return { url, open }
}

/** Writes events as a command does. */
async function emit(daemon: Daemon, id: string, count: number, payload: Record<string, unknown> = {}) {
  await daemon.system.store.write((tx) => {
    const ctx = {
      tx,
      now: daemon.clock.now.toISOString(),
      actor: { kind: 'user', user_id: 'local' },
      correlation_id: 'test',
      newId: daemon.system.newId,
    } as const
    for (let n = 0; n < count; n += 1) recordSessionEvent(ctx, id, 'checkpoint.reached', { payload })
  })
}

test('lifecycle events arrive live, numbered from one, with the documented frame', async () => {
  const daemon = await startDaemon()
  const { open } = await listen(daemon)
  const id = await daemon.aSessionIn('armed')
  const stream = await open(id)
  expect(stream.headers.get('content-type')).toContain('text/event-stream')
  expect(stream.headers.get('cache-control')).toContain('no-cache')
  expect(stream.headers.get('x-accel-buffering')).toBe('no')
  await stream.until((frames) => frames.length > 0)
  expect(stream.frames[0]).toEqual({ retry: '3000' })

  await daemon.post(`${sessions}/${id}/start`)
  await daemon.post(`${sessions}/${id}/pause`)
  const frames = await stream.until((all) => kinds(all).includes('learn.capture.paused'))
  expect(ids(frames)).toEqual(kinds(frames).map((_, n) => String(n + 1)))
  expect(kinds(frames).filter((kind) => kind !== 'learn.boundary.marked')).toEqual([
    'learn.session.state_changed',
    'learn.capture.started',
    'learn.session.state_changed',
    'learn.capture.paused',
  ])
  const { timeline } = (await daemon.get(`${sessions}/${id}/detail`)).json<{
    timeline: { seq: number; event_kind: string }[]
  }>()
  expect(timeline.map(({ seq, event_kind }) => [String(seq), event_kind])).toEqual(
    frames.flatMap((frame) => (frame.id === undefined ? [] : [[frame.id, frame.event]])),
  )
  expect(frames.find(({ event }) => event === 'learn.capture.started')?.data).toMatchObject({
    event_kind: 'learn.capture.started',
    session_id: id,
    payload: { adapter_count: 1 },
    timestamp: daemon.clock.now.toISOString(),
    schema_version: 1,
  })
})

test.each([
  ['header', (last: string) => [{ 'last-event-id': last }, ''] as const],
  ['query', (last: string) => [{}, `?last_event_id=${last}`] as const],
])('a reconnect replays exactly the missed events, with the id in the %s', async (_how, lastId) => {
  const daemon = await startDaemon()
  const { open } = await listen(daemon)
  const id = await daemon.aSessionIn('capturing')
  await emit(daemon, id, 1200)
  const [headers, query] = lastId('200')
  const stream = await open(id, headers, query)
  await stream.until((frames) => ids(frames).length === 1000)
  await emit(daemon, id, 3)
  const frames = await stream.until((all) => ids(all).length === 1003)
  expect(ids(frames)).toEqual(Array.from({ length: 1003 }, (_, n) => String(n + 201)))
})

test.each(['abc', '-1', '99999999999999999999', '1e3', '999'])(
  'the invalid id "%s" gets the backlog, at most the newest 500 events',
  async (last) => {
    const daemon = await startDaemon()
    const { open } = await listen(daemon)
    const id = await daemon.aSessionIn('capturing')
    await emit(daemon, id, 600)
    const stream = await open(id, { 'last-event-id': last })
    const frames = await stream.until((all) => ids(all).length === 500)
    expect([ids(frames)[0], ids(frames).at(-1)]).toEqual(['101', '600'])
  },
)

test('events written during a replay are neither lost nor repeated', async () => {
  const daemon = await startDaemon()
  const { open } = await listen(daemon)
  const id = await daemon.aSessionIn('capturing')
  await emit(daemon, id, 5000)
  const writing = (async () => {
    for (let n = 0; n < 50; n += 1) await emit(daemon, id, 10)
  })()
  const stream = await open(id, { 'last-event-id': '0' })
  await writing
  const frames = await stream.until((all) => ids(all).length >= 5500)
  expect(ids(frames)).toEqual(Array.from({ length: 5500 }, (_, n) => String(n + 1)))
})

test('cancelling ends the stream after its last event; reconnecting then answers 204', async () => {
  const daemon = await startDaemon()
  const { open } = await listen(daemon)
  const id = await daemon.aSessionIn('armed')
  const stream = await open(id)
  await daemon.post(`${sessions}/${id}/cancel`)
  await stream.ended
  expect(kinds(stream.frames).at(-1)).toBe('learn.session.cancelled')
  const last = ids(stream.frames).at(-1) ?? ''

  const missed = await open(id, { 'last-event-id': '1' })
  await missed.ended
  expect(ids(missed.frames)).toEqual(ids(stream.frames).slice(1))
  const nothing = await open(id, { 'last-event-id': last })
  expect(nothing.status).toBe(204)
})

test('deleting a session ends its streams', async () => {
  const daemon = await startDaemon()
  const { open } = await listen(daemon)
  const id = await daemon.aSessionIn('cancelled')
  await daemon.aSessionIn('cancelled')
  const live = await daemon.aSessionIn('armed')
  const stream = await open(live)
  await daemon.delete(`${sessions}/${live}`)
  await stream.ended
  expect((await daemon.get(`${sessions}/${live}/events`)).statusCode).toBe(404)
  expect(daemon.session(id)?.state).toBe('cancelled')
})

test.each(['installed_private', 'quarantined'] as const)(
  'a stream of a session that is %s stays open',
  async (state) => {
    const daemon = await startDaemon()
    const { open } = await listen(daemon)
    const id = await daemon.aSessionIn(state)
    const stream = await open(id)
    await emit(daemon, id, 1)
    expect(ids(await stream.until((frames) => ids(frames).length === 1))).toEqual(['1'])
  },
)

test('a refusal before the stream opens is the ordinary error envelope', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('armed')
  const path = `${sessions}/${id}/events`
  expect((await daemon.request({ method: 'GET', url: path, token: null })).json()).toMatchObject({
    error: { code: 'UNAUTHENTICATED' },
  })
  const json = await daemon.request({
    method: 'GET',
    url: path,
    headers: { accept: 'application/json' },
  })
  expect([json.statusCode, json.json()]).toMatchObject([406, { error: { code: 'NOT_ACCEPTABLE' } }])
})

test('comments keep an idle stream alive', async () => {
  const daemon = await startDaemon({ settings: { limits: limits({ stream_keepalive_ms: 20 }) } })
  const { open } = await listen(daemon)
  const stream = await open(await daemon.aSessionIn('armed'))
  const alive = (frames: readonly Frame[]) => frames.filter(({ comment }) => comment === 'keepalive')
  const frames = await stream.until((all) => alive(all).length > 1)
  expect(alive(frames).length).toBeGreaterThan(1)
})

test('the number of streams of a user is limited; closing one frees a place', async () => {
  const daemon = await startDaemon({ settings: { limits: limits({ streams_per_user: 2 }) } })
  const { open } = await listen(daemon)
  const id = await daemon.aSessionIn('armed')
  const [first] = [await open(id), await open(id)]
  expect((await open(id)).status).toBe(429)
  first.close()
  await expect.poll(() => daemon.system.hub.subscribers).toBe(1)
  expect((await open(id)).status).toBe(200)
})

test.each([
  ['of a session', (id: string) => `${sessions}/${id}/events`],
  ['of everything', () => '/api/events'],
])('a client that stops reading a stream %s is disconnected; others get all events', async (_what, toPath) => {
  const daemon = await startDaemon({
    settings: { limits: limits({ stream_buffer_bytes: 262_144 }) },
  })
  const { url, open } = await listen(daemon)
  const id = await daemon.aSessionIn('capturing')
  const stalled = connect(Number(new URL(url).port), '127.0.0.1')
  onTestFinished(() => {
    stalled.destroy()
  })
  stalled.pause()
  stalled.write(
    `GET ${toPath(id)} HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: text/event-stream\r\nauthorization: Bearer ${adminToken}\r\n\r\n`,
  )
  const healthy = await open(id)
  await expect.poll(() => daemon.system.hub.subscribers).toBe(2)
  // The system buffers some megabytes for a client before the daemon notices that it does not read.
  let sent = 0
  while (daemon.system.hub.subscribers === 2 && sent < 20_000) {
    await emit(daemon, id, 10, { evidence: 'x'.repeat(4000) })
    sent += 10
    await healthy.until((frames) => ids(frames).length === sent)
  }
  expect(daemon.system.hub.subscribers).toBe(1)
  await emit(daemon, id, 1)
  const frames = await healthy.until((all) => ids(all).length === sent + 1)
  expect(ids(frames)).toEqual(Array.from({ length: sent + 1 }, (_, n) => String(n + 1)))
})

test('stopping the daemon ends every stream and answers running requests', async () => {
  const daemon = await startDaemon()
  const { url, open } = await listen(daemon)
  const id = await daemon.aSessionIn('armed')
  const stream = await open(id)
  const body = JSON.stringify({ title: 'Forms' })
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  let received = ''
  socket.on('data', (chunk) => (received += String(chunk)))
  socket.write(
    `POST /api/categories HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${adminToken}\r\n` +
      `content-type: application/json\r\nexpect: 100-continue\r\ncontent-length: ${body.length}\r\n\r\n`,
  )
  // The request has begun once the server asks for its body.
  await expect.poll(() => received).toContain('HTTP/1.1 100')
  const stopped = daemon.stop()
  socket.write(body)
  await stopped
  await expect.poll(() => received).toContain('HTTP/1.1 201')
  await stream.ended
  expect(daemon.system.hub.subscribers).toBe(0)
})

const limits = (changes: Partial<Settings['limits']>): Settings['limits'] => ({
  ...Settings.parse({}).limits,
  requests_per_second: 1e6,
  request_burst: 1e6,
  ...changes,
})
