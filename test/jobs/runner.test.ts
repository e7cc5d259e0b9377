import { expect, test } from 'vitest'
import { Failure } from '../../src/failure/failure.ts'
import type { JobHandler } from '../../src/jobs/handler.ts'
import { recordEvent } from '../../src/domain/command/ledger.ts'
import { listEventsSince } from '../../src/store/command/events.ts'
import { gate, openWorkshop, untilStopped } from './workshop.ts'

const echo: JobHandler = { resume: 'rerun', run: async ({ payload }) => ({ got: payload }) }

test('a job that is written down is done, and its row has the result', async () => {
  const { add, end } = await openWorkshop({ work: echo })
  const id = await add({ payload: { n: 1 } })
  const job = await end(id)
  expect(job).toMatchObject({
    state: 'succeeded',
    result: { got: { n: 1 } },
    started_at: '2026-03-01T12:00:00.000Z',
    settled_at: '2026-03-01T12:00:00.000Z',
  })
})

test('jobs of one lane never overlap, and those of another do not wait for them', async () => {
  const held = gate()
  let inLane = 0
  let most = 0
  const { add, end, job } = await openWorkshop({
    held: { resume: 'rerun', run: () => held.passed },
    work: {
      resume: 'rerun',
      run: async () => {
        inLane += 1
        most = Math.max(most, inLane)
        await new Promise((resolve) => setTimeout(resolve, 2))
        inLane -= 1
      },
    },
  })
  const slow = await add({ kind: 'held', lane: 'slow' })
  const behind = await add({ lane: 'slow' })
  const others = await Promise.all(Array.from({ length: 10 }, () => add({ lane: 'quick' })))

  for (const id of others) expect((await end(id)).state).toBe('succeeded')
  expect(most).toBe(1)
  expect(job(behind)?.state).toBe('queued')

  held.open()
  expect((await end(slow)).state).toBe('succeeded')
  expect((await end(behind)).state).toBe('succeeded')
})

test('the higher priority goes first, and equals go in the order they came', async () => {
  const order: unknown[] = []
  const note: JobHandler = {
    resume: 'rerun',
    run: async ({ payload }) => {
      order.push(payload)
    },
  }
  const { addAll, end } = await openWorkshop({ work: note })
  const ids = await addAll([
    { payload: 'a' },
    { payload: 'b' },
    { payload: 'urgent', priority: 10 },
    { payload: 'late', priority: -1 },
    { payload: 'c' },
  ])
  for (const id of ids) await end(id)
  expect(order).toEqual(['urgent', 'a', 'b', 'c', 'late'])
})

test('a job waits for its time', async () => {
  const { add, end, job, clock, runner } = await openWorkshop({ work: echo })
  const id = await add({ run_after: '2026-03-01T13:00:00.000Z' })
  runner.look()
  expect(await runner.settled(id, 20)).toBeUndefined()
  expect(job(id)?.state).toBe('queued')

  clock.advance(3_600_000)
  runner.look()

  expect((await end(id)).state).toBe('succeeded')
})

test('a failure keeps its code, a fault is not told in detail', async () => {
  const { add, end } = await openWorkshop({
    refused: {
      resume: 'rerun',
      run: () => Promise.reject(new Failure('SHUTTING_DOWN', 'Not now.')),
    },
    broken: { resume: 'rerun', run: () => Promise.reject(new Error('at /secret/path')) },
  })
  expect(await end(await add({ kind: 'refused' }))).toMatchObject({
    state: 'failed',
    result: { error: { code: 'SHUTTING_DOWN', message: 'Not now.', retryable: true } },
  })
  const fault = await end(await add({ kind: 'broken' }))
  expect(fault).toMatchObject({ state: 'failed', result: { error: { code: 'INTERNAL_ERROR' } } })
  expect(JSON.stringify(fault)).not.toContain('/secret/path')
})

test('a waiting job that is cancelled is never begun', async () => {
  const held = gate()
  const begun: unknown[] = []
  const { add, end, runner } = await openWorkshop({
    work: {
      resume: 'rerun',
      run: async ({ payload }) => {
        begun.push(payload)
        await held.passed
      },
    },
  })
  const first = await add({ payload: 'first' })
  const second = await add({ payload: 'second' })

  expect(await runner.cancel(second)).toBe(true)
  held.open()

  expect((await end(second)).state).toBe('cancelled')
  expect((await end(first)).state).toBe('succeeded')
  expect(begun).toEqual(['first'])
  expect(await runner.cancel(second)).toBe(false)
  expect(await runner.cancel('unknown')).toBe(false)
})

test('a running job that is cancelled is told so and gives its lane free', async () => {
  const began = gate()
  const { add, end, runner } = await openWorkshop({
    endless: {
      resume: 'interrupt',
      run: (_job, signal) => {
        began.open()
        return untilStopped(signal)
      },
    },
    work: echo,
  })
  const id = await add({ kind: 'endless' })
  const next = await add({})
  await began.passed

  expect(await runner.cancel(id)).toBe(true)

  expect((await end(id)).state).toBe('cancelled')
  expect((await end(next)).state).toBe('succeeded')
})

test('a job that finishes in spite of being cancelled has succeeded', async () => {
  const began = gate()
  const { add, end, runner } = await openWorkshop({
    stubborn: {
      resume: 'rerun',
      run: async (_job, signal) => {
        began.open()
        await untilStopped(signal).catch(() => {})
        return 'done'
      },
    },
  })
  const id = await add({ kind: 'stubborn' })
  await began.passed
  await runner.cancel(id)
  expect(await end(id)).toMatchObject({ state: 'succeeded', result: 'done' })
})

test('a deadline ends a running job and one that still waits behind it', async () => {
  const { add, end, job } = await openWorkshop({
    endless: { resume: 'rerun', run: (_job, signal) => untilStopped(signal) },
    work: echo,
  })
  const running = await add({ kind: 'endless', deadline_at: '2026-03-01T12:00:00.200Z' })
  const waiting = await add({ deadline_at: '2026-03-01T12:00:00.050Z' })

  expect((await end(waiting)).state).toBe('expired')
  expect(job(running)?.state).toBe('running')
  expect((await end(running)).state).toBe('expired')
})

test('a job whose deadline has passed when its turn comes is not begun', async () => {
  let begun = 0
  const { add, end, clock, runner } = await openWorkshop({
    work: {
      resume: 'rerun',
      run: async () => {
        begun += 1
      },
    },
  })
  const id = await add({
    run_after: '2026-03-01T13:00:00.000Z',
    deadline_at: '2026-03-01T13:30:00.000Z',
  })
  clock.advance(7_200_000)
  runner.look()
  expect((await end(id)).state).toBe('expired')
  expect(begun).toBe(0)
})

test('a job of a kind nobody handles stays where it is', async () => {
  const { add, job, runner } = await openWorkshop({ work: echo })
  const id = await add({ kind: 'unheard-of' })
  expect(await runner.settled(id, 20)).toBeUndefined()
  expect(job(id)?.state).toBe('queued')
})

test('a second job of the same id is not taken', async () => {
  const { add, end, store } = await openWorkshop({ work: echo })
  const id = await add({ job_id: 'only-one', payload: 1 })
  await end(id)
  await add({ job_id: 'only-one', payload: 2 })
  const rows = store.read(({ db }) => db.prepare('SELECT payload FROM jobs').all())
  expect(rows).toEqual([{ payload: '1' }])
})

test('what a job leads to is written with its end, in one transaction', async () => {
  const { add, end, store } = await openWorkshop({
    work: {
      ...echo,
      started: (ctx) => recordEvent(ctx, 'job', 'learn.session.changed'),
      settled: (ctx, { state }) => recordEvent(ctx, 'job', 'learn.session.changed', { state }),
    },
  })
  await end(await add({}))
  const seen = store.read((reader) => listEventsSince(reader, 0, 10))
  expect(seen.map(({ payload }) => payload)).toEqual([{}, { state: 'succeeded' }])
})

test('a job whose end cannot be written down does not stay running', async () => {
  const { add, end } = await openWorkshop({
    work: {
      ...echo,
      settled: () => {
        throw new Error('no')
      },
    },
    next: echo,
  })
  expect((await end(await add({}))).state).toBe('failed')
  expect((await end(await add({ kind: 'next' }))).state).toBe('succeeded')
})

test('who waits for a job that takes longer is answered in time with nothing', async () => {
  const held = gate()
  const { add, end, runner } = await openWorkshop({
    work: { resume: 'rerun', run: () => held.passed },
  })
  const id = await add({})
  expect(await runner.settled(id, 10)).toBeUndefined()
  expect(await runner.settled('unknown', 10)).toBeUndefined()
  const waiting = [end(id), end(id)]
  held.open()
  for (const job of await Promise.all(waiting)) expect(job.state).toBe('succeeded')
})

test('handlers are named before the runner starts', async () => {
  const { runner } = await openWorkshop({})
  expect(() => runner.handle('late', echo)).toThrow('has started')
})
