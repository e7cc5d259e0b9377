import { expect, test } from 'vitest'
import type { LogLine } from '@apprentice/contracts/devices/looks.ts'
import type { FailureReply } from '@apprentice/contracts/base/route.ts'
import { aLamp, byId, type Rig, tap } from './rig.ts'

interface Reply extends Partial<FailureReply> {
  readonly lines?: LogLine[]
  readonly has_log_errors?: boolean
  readonly clock_offset_ms?: number
}

async function ordered(rig: Rig, effect?: 'side_effect'): Promise<string> {
  liveByThePhone(rig)
  const done = await rig.execute([
    tap('order', effect === undefined ? {} : { expects: { effect } }),
  ])
  expect(rig.phone.state('org.example.lamp').saved['orders']).toBe(1)
  return done.execution_id
}

/** The log is found by time, so for once the daemon lives by the phone's clock. */
function liveByThePhone({ daemon }: Rig): void {
  Object.defineProperty(daemon.clock, 'now', { get: () => new Date(), configurable: true })
}

async function diagnostics(rig: Rig, id: string, purpose?: string, token?: string): Promise<Reply> {
  const more = purpose === undefined ? '' : `&purpose=${purpose}`
  const reply = await rig.daemon.get(`${rig.url}/diagnostics?execution_id=${id}${more}`, token)
  expect(reply.statusCode === 200).toBe(!('error' in reply.json<Reply>()))
  return reply.json<Reply>()
}

const ordersShown = (action_id: string) => ({
  kind: 'element_visible',
  selector: { text: 'Order placed' },
  action_id,
  timeout_ms: 100,
  poll_interval_ms: 50,
})

const refusal = { error: { code: 'DIAGNOSTICS_NOT_ALLOWED' } }

test('before anything was expected on the screen no log is handed out', async () => {
  const rig = await aLamp()
  for (const effect of [undefined, 'side_effect'] as const) {
    const id = await ordered(rig, effect)
    rig.lamp({ orders: 0 })
    expect(await diagnostics(rig, id)).toMatchObject(refusal)
    expect(await diagnostics(rig, id, 'diagnosis')).toMatchObject(refusal)
  }
})

test('what the screen has confirmed needs no log', async () => {
  const rig = await aLamp()
  const id = await ordered(rig, 'side_effect')
  await rig.expect({ kind: 'element_visible', ...byId('order'), action_id: id })
  for (const purpose of ['verification', 'diagnosis']) {
    expect(await diagnostics(rig, id, purpose)).toMatchObject({
      error: { ...refusal.error, details: { row: 1, purpose } },
    })
  }
})

test('an action that shows on the screen is not verified by logs, but its failure may be explained', async () => {
  const rig = await aLamp()
  const id = await ordered(rig)
  await rig.expect(ordersShown(id))
  expect(await diagnostics(rig, id)).toMatchObject({ error: { details: { row: 2 } } })
  expect(await diagnostics(rig, id, 'diagnosis')).toMatchObject(refusal)
  await rig.expect(ordersShown(id))
  expect(await diagnostics(rig, id)).toMatchObject({ error: { details: { row: 2 } } })
  expect((await diagnostics(rig, id, 'diagnosis')).lines).toBeDefined()
})

test('a check that came out false is an answer: no log to verify, one to explain, and only once', async () => {
  const rig = await aLamp()
  const id = await ordered(rig, 'side_effect')
  await rig.expect(ordersShown(id))
  expect(await diagnostics(rig, id)).toMatchObject({ error: { details: { row: 4 } } })
  const [first, second] = await Promise.all([
    diagnostics(rig, id, 'diagnosis'),
    diagnostics(rig, id, 'diagnosis'),
  ])
  const given = [first, second].filter(({ lines }) => lines !== undefined)
  expect(given).toHaveLength(1)
  expect(given[0]?.has_log_errors).toBe(true)
  expect(given[0]?.lines?.at(-1)).toMatchObject({
    level: 'E',
    tag: 'Orders',
    text: 'POST /orders failed',
  })
  expect(await diagnostics(rig, id, 'diagnosis')).toMatchObject(refusal)
  const reads = rig.daemon.events().filter(({ kind }) => kind === 'execution.diagnostics_read')
  expect(reads).toHaveLength(1)
})

test('when twice the screen could not tell, the log of a side effect may be read', async () => {
  const rig = await aLamp()
  const id = await ordered(rig, 'side_effect')
  rig.phone.faults.set('dumpNullRoot')
  await rig.expect(ordersShown(id))
  expect(await diagnostics(rig, id)).toMatchObject(refusal)
  await rig.expect(ordersShown(id))
  const read = await diagnostics(rig, id)
  expect(read.lines?.map(({ text }) => text)).toContain('POST /orders failed')
  expect(Math.abs(read.clock_offset_ms ?? Infinity)).toBeLessThan(5000)
})

test('a step that failed may be diagnosed at once, but only by whose it is', async () => {
  const rig = await aLamp()
  liveByThePhone(rig)
  const retry = { maxAttempts: 1 }
  const failed = await rig.execute([
    { id: 'x', type: 'click', params: { matcher: { textEquals: 'Nowhere' }, retry } },
  ])
  expect(failed.state).toBe('failed')
  const bob = await rig.daemon.tokenFor('bob')
  expect(await diagnostics(rig, failed.execution_id, 'diagnosis', bob)).toMatchObject({
    error: { code: 'EXECUTION_NOT_FOUND' },
  })
  expect(await diagnostics(rig, failed.execution_id)).toMatchObject(refusal)
  const read = await diagnostics(rig, failed.execution_id, 'diagnosis')
  expect(read.has_log_errors).toBe(false)
  expect(read.lines).toBeDefined()
})

test('an execution under way has no log to read', async () => {
  const rig = await aLamp()
  const nap = { id: 'nap', type: 'sleep', params: { durationMs: 15_000 } }
  const { execution_id } = await rig.queue([nap])
  const refused = await diagnostics(rig, execution_id, 'diagnosis')
  expect(refused).toMatchObject(refusal)
  expect(refused.error?.message).toContain('not ended')
})
