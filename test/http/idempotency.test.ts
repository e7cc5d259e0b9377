import { expect, test } from 'vitest'
import { startDaemon } from '../kit/daemon.ts'
import { startTeaching } from '../teach/teaching.ts'

const url = '/api/learn/sessions'
const body = { entry_mode: 'coaching_agent' }

test('the same Idempotency-Key gets the first reply again and does nothing twice', async () => {
  const daemon = await startDaemon()
  const ask = { method: 'POST', url, payload: body, headers: { 'idempotency-key': 'k1' } } as const
  const first = await daemon.request(ask)
  const before = daemon.events().length
  const again = await daemon.request(ask)
  expect([again.statusCode, again.body]).toEqual([201, first.body])
  expect(daemon.events()).toHaveLength(before)
})

test('client_request_id in the body serves the same purpose', async () => {
  const daemon = await startDaemon()
  const named = { ...body, client_request_id: 'c1' }
  const [first, again] = [await daemon.post(url, named), await daemon.post(url, named)]
  expect(again.body).toBe(first.body)
})

test('another order of keys is the same request; another value is not', async () => {
  const daemon = await startDaemon()
  const first = await daemon.post(url, {
    entry_mode: 'coaching_agent',
    room_id: 'r',
    client_request_id: 'c',
  })
  const same = await daemon.post(url, {
    client_request_id: 'c',
    room_id: 'r',
    entry_mode: 'coaching_agent',
  })
  expect(same.body).toBe(first.body)
  const other = await daemon.post(url, { ...body, room_id: 'other', client_request_id: 'c' })
  expect(other.statusCode).toBe(409)
  expect(other.json()).toMatchObject({ error: { code: 'IDEMPOTENCY_CONFLICT' } })
})

test('the same key on another session is a different request', async () => {
  const daemon = await startDaemon()
  const [one, two] = [await daemon.aSessionIn('capturing'), await daemon.aSessionIn('capturing')]
  const pause = (id: string) => daemon.post(`${url}/${id}/pause`, { client_request_id: 'p' })
  expect((await pause(one)).statusCode).toBe(200)
  expect((await pause(two)).json()).toMatchObject({ error: { code: 'IDEMPOTENCY_CONFLICT' } })
  expect(daemon.session(two)?.state).toBe('capturing')
})

test('a refusal is not stored: the same key may succeed later', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('armed')
  const pause = () => daemon.post(`${url}/${id}/pause`, { client_request_id: 'p' })
  expect((await pause()).statusCode).toBe(400)
  await daemon.post(`${url}/${id}/start`)
  expect((await pause()).statusCode).toBe(200)
})

test('after 24 hours the key can be used again', async () => {
  const daemon = await startDaemon()
  const named = { ...body, client_request_id: 'c' }
  const first = await daemon.post(url, named)
  daemon.clock.advance(24 * 3_600_000 - 1)
  expect((await daemon.post(url, named)).body).toBe(first.body)
  daemon.clock.advance(1)
  expect((await daemon.post(url, named)).body).not.toBe(first.body)
})

test('the same key of two users is independent', async () => {
  const daemon = await startDaemon()
  const other = await daemon.tokenFor('other')
  const named = { ...body, client_request_id: 'c' }
  const [mine, theirs] = [await daemon.post(url, named), await daemon.post(url, named, other)]
  expect([mine.statusCode, theirs.statusCode]).toEqual([201, 201])
  expect(theirs.body).not.toBe(mine.body)
})

test('twenty concurrent copies are executed once', async () => {
  const daemon = await startDaemon()
  const named = { ...body, client_request_id: 'c' }
  const replies = await Promise.all(Array.from({ length: 20 }, () => daemon.post(url, named)))
  expect(new Set(replies.map((reply) => reply.body)).size).toBe(1)
  expect(daemon.events().filter((event) => event.kind === 'learn.session.started')).toHaveLength(1)
})

test('a reply that contains a secret is never stored', async () => {
  const daemon = await startDaemon()
  const ask = { user_id: 'ann', label: 'x', client_request_id: 'c' }
  const [first, again] = [await daemon.post('/api/tokens', ask), await daemon.post('/api/tokens', ask)]
  expect(again.json()).not.toEqual(first.json())
  const kept = daemon.system.store.read(({ db }) => db.prepare('SELECT count(*) FROM idempotency').pluck().get())
  expect(kept).toBe(0)
})

test('a repeated cancel gets the first reply again, without the texts that the execution would have typed', async () => {
  const { daemon, phone } = await startTeaching({ quick: false })
  const queue = async (commandId: string, actions: object[]) => {
    const execution = {
      commandId,
      taskId: 't',
      source: 'test',
      expectedFormat: 'android-ui-automator',
      timeoutMs: 60_000,
      actions,
    }
    const reply = await daemon.post('/api/executions', { execution, serial: phone.serial })
    return reply.json<{ execution: { execution_id: string } }>().execution.execution_id
  }
  const running = await queue('c1', [{ id: 'a', type: 'sleep', params: { durationMs: 60_000 } }])
  const typing = { id: 'a', type: 'enter_text', params: { matcher: { role: 'textfield' }, text: 'planted-text' } }
  const waiting = await queue('c2', [typing])
  for (const id of [waiting, running]) {
    const cancel = () => daemon.post(`/api/executions/${id}/cancel`, { client_request_id: `cancel-${id}` })
    const [first, beside] = await Promise.all([cancel(), cancel()])
    expect(first.json()).toMatchObject({ execution: { state: 'cancelled' } })
    expect([beside.statusCode, beside.body]).toEqual([200, first.body])
    expect((await cancel()).body).toBe(first.body)
    expect(first.body).not.toContain('planted-text')
    expect((await daemon.post(`/api/executions/${id}/cancel`)).json()).toMatchObject({
      error: { code: 'EXECUTION_SETTLED' },
    })
  }
})
