import { describe, expect, test } from 'vitest'
import type { ExecutionRecord } from '@apprentice/contracts/devices/executions.ts'
import { eventually } from '../driver/outcomes.ts'
import { poolKinds } from './pool-kinds.ts'
import { snapshotStep, tapMark, payload, sleepStep, startPool, endlessWait } from './pool.ts'

const outcomes = ({ envelope }: ExecutionRecord) => envelope?.stepResults.map(({ id, outcome }) => [id, outcome])

describe.each(poolKinds)('over $name', (kind) => {
  test('an execution without a waiting client is accepted and settles', async () => {
    const pool = await startPool(kind)
    const free = pool.phone.clock.hold()
    const sent = await pool.queue({ actions: [tapMark(1), tapMark(2)] })
    expect(sent.status).toBe(202)
    expect(['queued', 'running']).toContain(sent.execution.state)
    expect(sent.execution.serial).toBe(pool.phone.serial)
    expect(sent.execution.envelope).toBeUndefined()
    free()
    const done = await pool.end(sent.execution.execution_id)
    expect(done).toMatchObject({ state: 'succeeded', completed_steps: 2 })
    expect(done.envelope).toMatchObject({ status: 'success', error: null })
    expect(pool.phone.order()).toEqual(['1', '2'])
  })

  test('the reply contains the result if the execution settles within wait_ms', async () => {
    const pool = await startPool(kind)
    const quick = await pool.execute({ actions: [tapMark(1), snapshotStep] })
    expect(quick.status).toBe(200)
    expect(quick.execution).toMatchObject({ state: 'succeeded', envelope: { status: 'success' } })
    expect(quick.execution.envelope?.stepResults[1]?.data['text']).toContain('Mark 3')

    const free = pool.phone.clock.hold()
    const long = await pool.execute({ actions: [tapMark(2)], wait_ms: 300 })
    expect(long.status).toBe(202)
    expect(long.execution.state).toBe('running')
    free()
    expect((await pool.end(long.execution.execution_id)).state).toBe('succeeded')
    expect(pool.phone.order()).toEqual(['1', '2'])
  })

  test('executions are listed newest first, by state and device, for their owner only', async () => {
    const pool = await startPool(kind, 2)
    const [one, two] = pool.phones
    const other = await pool.daemon.tokenFor('other')
    const first = await pool.execute({ actions: [tapMark(1)], on: one })
    pool.daemon.clock.advance(10)
    const second = await pool.execute({ actions: [tapMark('missing')], on: two })
    pool.daemon.clock.advance(10)
    const foreign = await pool.execute({ actions: [tapMark(1)], on: two, token: other })
    const list = async (query: string, token?: string) => {
      const reply = await pool.daemon.get(`/api/executions${query}`, token)
      const { executions, total } = reply.json<{ executions: ExecutionRecord[]; total: number }>()
      return { ids: executions.map(({ execution_id }) => execution_id), total }
    }
    const [a, b, c] = [first, second, foreign].map(({ execution }) => execution.execution_id)
    expect(await list('')).toEqual({ ids: [b, a], total: 2 })
    expect(await list('?state=failed')).toEqual({ ids: [b], total: 1 })
    expect(await list(`?serial=${one?.serial}`)).toEqual({ ids: [a], total: 1 })
    expect(await list('?page=2&page_size=1')).toEqual({ ids: [a], total: 2 })
    expect(await list('', other)).toEqual({ ids: [c], total: 1 })
    for (const answer of [await pool.get(a ?? '', other), await pool.cancel(a ?? '', other)]) {
      expect([answer.status, answer.error.code]).toEqual([404, 'EXECUTION_NOT_FOUND'])
    }
  })

  test('a cancelled queued execution never touches the phone', async () => {
    const pool = await startPool(kind)
    const free = pool.phone.clock.hold()
    const before = await pool.queue({ actions: [tapMark(1)] })
    const cancelled = await pool.queue({ actions: [tapMark(2)] })
    const after = await pool.queue({ actions: [tapMark(3)] })
    const { status, execution } = await pool.cancel(cancelled.execution.execution_id)
    expect(status).toBe(200)
    expect(execution).toMatchObject({ state: 'cancelled', completed_steps: 0 })
    expect(execution.envelope).toMatchObject({ errorCode: 'EXECUTION_CANCELLED', stepResults: [] })
    expect(execution.started_at).toBeUndefined()
    free()
    for (const { execution: other } of [before, after]) {
      expect((await pool.end(other.execution_id)).state).toBe('succeeded')
    }
    expect(pool.phone.order()).toEqual(['1', '3'])
    const again = await pool.cancel(cancelled.execution.execution_id)
    expect([again.status, again.error.code]).toEqual([409, 'EXECUTION_SETTLED'])
  })

  test.each([
    ['a wait', endlessWait],
    ['a sleep', sleepStep(60_000)],
  ])('a running execution can be cancelled during %s', async (_name, step) => {
    const pool = await startPool(kind)
    const sent = await pool.queue({ actions: [tapMark(1), step, tapMark(2)], timeoutMs: 120_000 })
    const id = sent.execution.execution_id
    await eventually(
      () => pool.get(id),
      ({ execution }) => execution.completed_steps === 1 && execution.current_step_id !== 'mark-1',
    )
    const { status, execution } = await pool.cancel(id)
    expect(status).toBe(200)
    expect(execution).toMatchObject({ state: 'cancelled', completed_steps: 1 })
    expect(execution.envelope?.errorCode).toBe('EXECUTION_CANCELLED')
    expect(outcomes(execution)).toEqual([['mark-1', 'succeeded']])
    expect((await pool.execute({ actions: [tapMark(3)] })).execution.state).toBe('succeeded')
    expect(pool.phone.order()).toEqual(['1', '3'])
  })

  test('the first failed step ends the execution, and the rest is skipped', async () => {
    const pool = await startPool(kind)
    const { status, execution } = await pool.execute({
      actions: [tapMark(1), tapMark('missing'), tapMark(2), tapMark(3)],
    })
    expect(status).toBe(200)
    expect(execution).toMatchObject({ state: 'failed', completed_steps: 2 })
    expect(execution.envelope).toMatchObject({ status: 'failed', errorCode: 'NODE_NOT_FOUND' })
    expect(execution.envelope?.error).toContain('mark-missing')
    expect(outcomes(execution)).toEqual([
      ['mark-1', 'succeeded'],
      ['mark-missing', 'failed'],
      ['mark-2', 'skipped'],
      ['mark-3', 'skipped'],
    ])
    expect(pool.phone.order()).toEqual(['1'])
  })

  test('time in the queue counts against the timeout', async () => {
    const pool = await startPool(kind)
    const free = pool.phone.clock.hold()
    await pool.queue({ actions: [tapMark(1)] })
    const short = await pool.queue({ actions: [tapMark(2), sleepStep(6000)], timeoutMs: 6500 })
    const late = await pool.queue({ actions: [tapMark(3)], timeoutMs: 2000 })
    pool.daemon.clock.advance(4000)
    free()
    const ended = await pool.end(short.execution.execution_id)
    expect(ended.envelope?.errorCode).toBe('RESULT_ENVELOPE_TIMEOUT')
    expect(outcomes(ended)).toEqual([
      ['mark-2', 'succeeded'],
      ['sleep', 'failed'],
    ])
    expect(ended.envelope?.stepResults[1]?.data).toMatchObject({
      timeout_ms: '2500',
      current_step_id: 'sleep',
      completed_steps: '["mark-2"]',
    })
    const never = await pool.end(late.execution.execution_id)
    expect(never).toMatchObject({ state: 'failed', completed_steps: 0 })
    expect(never.envelope?.errorCode).toBe('RESULT_ENVELOPE_TIMEOUT')
    expect(pool.phone.order()).toEqual(['1', '2'])
  })

  test('an execution that waits until its timeout fails without running', async () => {
    const pool = await startPool(kind)
    const free = pool.phone.clock.hold()
    const first = await pool.queue({ actions: [tapMark(1)] })
    const late = await pool.execute({ actions: [tapMark(2)], timeoutMs: 1000 })
    expect(late.status).toBe(200)
    expect(late.execution).toMatchObject({ state: 'failed', completed_steps: 0 })
    expect(late.execution.envelope?.errorCode).toBe('RESULT_ENVELOPE_TIMEOUT')
    expect((await pool.get(first.execution.execution_id)).execution.state).toBe('running')
    free()
    expect((await pool.end(first.execution.execution_id)).state).toBe('succeeded')
    expect(pool.phone.order()).toEqual(['1'])
  })

  test('a repeated commandId returns the same execution, and another payload is refused', async () => {
    const pool = await startPool(kind)
    const other = await pool.daemon.tokenFor('other')
    const ask = { actions: [tapMark(1)], commandId: 'once' }
    const [first, twin] = await Promise.all([pool.execute(ask), pool.execute(ask)])
    const again = await pool.execute(ask)
    const { execution_id } = first.execution
    expect([twin, again].map(({ execution }) => execution.execution_id)).toEqual([execution_id, execution_id])
    expect(again.execution).toEqual(first.execution)
    expect(pool.phone.taps()).toBe(1)

    const changed = await pool.execute({ ...ask, actions: [tapMark(2)] })
    expect([changed.status, changed.error.code]).toEqual([409, 'IDEMPOTENCY_CONFLICT'])
    expect(changed.error.details).toMatchObject({ field: 'commandId', execution_id })
    const theirs = await pool.execute({ ...ask, token: other })
    expect(theirs.execution.execution_id).not.toBe(execution_id)
    expect(pool.phone.order()).toEqual(['1', '1'])
  })

  test('a payload is validated before it is queued', async () => {
    const pool = await startPool(kind)
    const wrong = await pool.execute({
      actions: [tapMark(1), { id: 'key', type: 'press_key', params: { key: 'power' } }],
    })
    expect([wrong.status, wrong.error.code]).toEqual([400, 'EXECUTION_VALIDATION_FAILED'])
    expect(wrong.error.details).toMatchObject({
      path: 'actions.1.params.key',
      actionId: 'key',
      actionType: 'press_key',
    })
    const removed = await pool.execute({
      actions: [{ id: 'look', type: 'snapshot_ui', params: { format: 'ascii' } }],
    })
    expect(removed.error.details).toMatchObject({ invalidKeys: ['format'] })
    expect(removed.error.details['hint']).toContain('format')
    const unknown = await pool.execute({ actions: [tapMark(1), { id: 'fly', type: 'fly' }] })
    expect([unknown.status, unknown.error.code]).toEqual([400, 'EXECUTION_ACTION_UNSUPPORTED'])
    expect(unknown.error.details).toMatchObject({ path: 'actions.1.type', actionId: 'fly' })
    const budget = await pool.execute({ actions: [tapMark(1)], more: { timeout_ms: 5 } })
    expect([budget.status, budget.error.details['path']]).toEqual([400, 'timeoutMs'])
    const wide = 'x'.repeat(512)
    const large = await pool.execute({
      actions: Array.from({ length: 50 }, (_, at) => ({
        id: `type-${at}`,
        type: 'enter_text',
        params: { matcher: { resourceId: wide, textEquals: wide }, text: wide },
      })),
    })
    expect([large.status, large.error.code]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
    expect((await pool.daemon.get('/api/executions')).json()).toMatchObject({ total: 0 })
    expect(pool.phone.clock.commandCount).toBe(0)
  })

  test('a payload can be validated or planned without touching the phone', async () => {
    const pool = await startPool(kind)
    const execution = payload({
      actions: [{ id: 'tap', type: 'tap', params: { matcher: { text: 'Mark 1' } } }],
    })
    const ask = async (flags: object) => {
      const reply = await pool.daemon.post('/api/executions', { execution, ...flags })
      return { status: reply.statusCode, body: reply.json<Record<string, unknown>>() }
    }
    const checked = await ask({ validate_only: true })
    expect(checked.status).toBe(200)
    expect(checked.body).toMatchObject({
      ok: true,
      validated: true,
      execution: { actions: [{ type: 'click', params: { matcher: { textEquals: 'Mark 1' } } }] },
    })
    const planned = await ask({ dry_run: true, timeout_ms: 7000 })
    expect(planned.body).toMatchObject({
      ok: true,
      dryRun: true,
      plan: { timeoutMs: 7000, actionCount: 1, actions: [{ type: 'click' }] },
    })
    expect((await pool.daemon.get('/api/executions')).json()).toMatchObject({ total: 0 })
    expect(pool.phone.clock.commandCount).toBe(0)
    expect(pool.daemon.events().filter(({ kind: name }) => name.startsWith('execution.'))).toEqual([])
  })
})
