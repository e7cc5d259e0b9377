import { expect, test } from 'vitest'
import type { LogLine } from '@apprentice/contracts/devices/checks.ts'
import type { FailureReply } from '@apprentice/contracts/base/route.ts'
import type { NetworkEvidence } from '@apprentice/contracts/devices/verification.ts'
import { startLamp, byId, type Rig, tap } from './rig.ts'

interface Reply extends Partial<FailureReply> {
  readonly lines?: LogLine[]
  readonly has_log_errors?: boolean
  readonly network_requests?: NetworkEvidence
  readonly clock_offset_ms?: number
}

async function placeOrder(rig: Rig, effect?: 'side_effect'): Promise<string> {
  usePhoneClock(rig)
  const done = await rig.execute([tap('order', effect === undefined ? {} : { expects: { effect } })])
  expect(rig.phone.state('org.example.lamp').saved['orders']).toBe(1)
  return done.execution_id
}

/** The log is selected by time, so the daemon must use the clock of the phone. */
function usePhoneClock({ daemon }: Rig): void {
  Object.defineProperty(daemon.clock, 'now', { get: () => new Date(), configurable: true })
}

async function diagnostics(rig: Rig, id: string, purpose?: string, token?: string): Promise<Reply> {
  const more = purpose === undefined ? '' : `&purpose=${purpose}`
  const reply = await rig.daemon.get(`${rig.url}/diagnostics?execution_id=${id}${more}`, token)
  expect(reply.statusCode === 200).toBe(!('error' in reply.json<Reply>()))
  return reply.json<Reply>()
}

const expectOrder = (action_id: string) => ({
  kind: 'element_visible',
  selector: { text: 'Order placed' },
  action_id,
  timeout_ms: 100,
  poll_interval_ms: 50,
})

const REFUSAL = { error: { code: 'DIAGNOSTICS_NOT_ALLOWED' } }

test('the log is refused before any expectation was checked', async () => {
  const rig = await startLamp()
  for (const effect of [undefined, 'side_effect'] as const) {
    const id = await placeOrder(rig, effect)
    rig.setLamp({ orders: 0 })
    expect(await diagnostics(rig, id)).toMatchObject(REFUSAL)
    expect(await diagnostics(rig, id, 'diagnosis')).toMatchObject(REFUSAL)
  }
})

test('the log is refused when the screen confirmed the action', async () => {
  const rig = await startLamp()
  const id = await placeOrder(rig, 'side_effect')
  await rig.expect({ kind: 'element_visible', ...byId('order'), action_id: id })
  for (const purpose of ['verification', 'diagnosis']) {
    expect(await diagnostics(rig, id, purpose)).toMatchObject({
      error: { ...REFUSAL.error, details: { row: 1, purpose } },
    })
  }
})

test('the log of a local action is refused for verification and allowed for diagnosis after two checks', async () => {
  const rig = await startLamp()
  const id = await placeOrder(rig)
  await rig.expect(expectOrder(id))
  expect(await diagnostics(rig, id)).toMatchObject({ error: { details: { row: 2 } } })
  expect(await diagnostics(rig, id, 'diagnosis')).toMatchObject(REFUSAL)
  await rig.expect(expectOrder(id))
  expect(await diagnostics(rig, id)).toMatchObject({ error: { details: { row: 2 } } })
  expect((await diagnostics(rig, id, 'diagnosis')).lines).toBeDefined()
})

test('after a failed check the log is refused for verification and allowed once for diagnosis', async () => {
  const rig = await startLamp()
  const id = await placeOrder(rig, 'side_effect')
  await rig.expect(expectOrder(id))
  expect(await diagnostics(rig, id)).toMatchObject({ error: { details: { row: 4 } } })
  const [first, second] = await Promise.all([diagnostics(rig, id, 'diagnosis'), diagnostics(rig, id, 'diagnosis')])
  const granted = [first, second].filter(({ lines }) => lines !== undefined)
  expect(granted).toHaveLength(1)
  expect(granted[0]?.has_log_errors).toBe(true)
  expect(granted[0]?.network_requests).toEqual([{ endpoint: '/v1/orders', status: 'failure' }])
  expect(granted[0]?.lines?.at(-1)).toMatchObject({
    level: 'E',
    tag: 'Orders',
    text: 'POST /v1/orders failed',
  })
  expect(await diagnostics(rig, id, 'diagnosis')).toMatchObject(REFUSAL)
  const reads = rig.daemon.events().filter(({ kind }) => kind === 'execution.diagnostics_read')
  expect(reads).toHaveLength(1)
})

test('the log of a side effect is allowed after two unreadable screens', async () => {
  const rig = await startLamp()
  const id = await placeOrder(rig, 'side_effect')
  rig.phone.faults.set('dumpNullRoot')
  await rig.expect(expectOrder(id))
  expect(await diagnostics(rig, id)).toMatchObject(REFUSAL)
  await rig.expect(expectOrder(id))
  const read = await diagnostics(rig, id)
  expect(read.lines?.map(({ text }) => text)).toContain('POST /v1/orders failed')
  expect(Math.abs(read.clock_offset_ms ?? Infinity)).toBeLessThan(5000)
})

test('the log of a failed step is allowed for diagnosis at once, for its owner only', async () => {
  const rig = await startLamp()
  usePhoneClock(rig)
  const retry = { maxAttempts: 1 }
  const failed = await rig.execute([{ id: 'x', type: 'click', params: { matcher: { textEquals: 'Nowhere' }, retry } }])
  expect(failed.state).toBe('failed')
  const bob = await rig.daemon.tokenFor('bob')
  expect(await diagnostics(rig, failed.execution_id, 'diagnosis', bob)).toMatchObject({
    error: { code: 'EXECUTION_NOT_FOUND' },
  })
  expect(await diagnostics(rig, failed.execution_id)).toMatchObject(REFUSAL)
  const read = await diagnostics(rig, failed.execution_id, 'diagnosis')
  expect(read.has_log_errors).toBe(false)
  expect(read.lines).toBeDefined()
})

test('the log of a running execution is refused', async () => {
  const rig = await startLamp()
  const nap = { id: 'nap', type: 'sleep', params: { durationMs: 15_000 } }
  const { execution_id } = await rig.queue([nap])
  const refused = await diagnostics(rig, execution_id, 'diagnosis')
  expect(refused).toMatchObject(REFUSAL)
  expect(refused.error?.message).toContain('not ended')
})
