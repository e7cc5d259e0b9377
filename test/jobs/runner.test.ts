import { expect, test } from 'vitest'
import { Failure } from '../../src/failure/failure.ts'
import type { JobHandler } from '../../src/jobs/handler.ts'
import { recordEvent } from '../../src/domain/command/ledger.ts'
import { listEventsSince } from '../../src/store/command/events.ts'
import { findJob, insertJob } from '../../src/store/command/jobs.ts'
import { createGate, createJob, type RunnerSetup, startRunner, waitForAbort } from './runner-setup.ts'

const echo: JobHandler = { resume: 'rerun', run: async ({ payload }) => ({ got: payload }) }

test('a job in the table is run, and its row gets the result', async () => {
  const { add, waitForEnd } = await startRunner({ work: echo })
  const id = await add({ payload: { n: 1 } })
  const job = await waitForEnd(id)
  expect(job).toMatchObject({
    state: 'succeeded',
    result: { got: { n: 1 } },
    started_at: '2026-03-01T12:00:00.000Z',
    settled_at: '2026-03-01T12:00:00.000Z',
  })
})

test('jobs of one queue never overlap, and jobs of another queue do not wait for them', async () => {
  const held = createGate()
  let inLane = 0
  let most = 0
  const { add, waitForEnd, job } = await startRunner({
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

  for (const id of others) expect((await waitForEnd(id)).state).toBe('succeeded')
  expect(most).toBe(1)
  expect(job(behind)?.state).toBe('queued')

  held.open()
  expect((await waitForEnd(slow)).state).toBe('succeeded')
  expect((await waitForEnd(behind)).state).toBe('succeeded')
})

test('the higher priority goes first, and equal priorities keep their order', async () => {
  const order: unknown[] = []
  const note: JobHandler = {
    resume: 'rerun',
    run: async ({ payload }) => {
      order.push(payload)
    },
  }
  const { addAll, waitForEnd } = await startRunner({ work: note })
  const ids = await addAll([
    { payload: 'a' },
    { payload: 'b' },
    { payload: 'urgent', priority: 10 },
    { payload: 'late', priority: -1 },
    { payload: 'c' },
  ])
  for (const id of ids) await waitForEnd(id)
  expect(order).toEqual(['urgent', 'a', 'b', 'c', 'late'])
})

test('a job waits until its run_after', async () => {
  const { add, waitForEnd, job, clock, runner } = await startRunner({ work: echo })
  const id = await add({ run_after: '2026-03-01T13:00:00.000Z' })
  runner.dispatchDue()
  expect(await runner.waitUntilSettled(id, 20)).toBeUndefined()
  expect(job(id)?.state).toBe('queued')

  clock.advance(3_600_000)
  runner.dispatchDue()

  expect((await waitForEnd(id)).state).toBe('succeeded')
})

test('a failure keeps its code, an internal error shows no details', async () => {
  const { add, waitForEnd } = await startRunner({
    refused: {
      resume: 'rerun',
      run: () => Promise.reject(new Failure('SHUTTING_DOWN', 'Not now.')),
    },
    broken: { resume: 'rerun', run: () => Promise.reject(new Error('at /secret/path')) },
  })
  expect(await waitForEnd(await add({ kind: 'refused' }))).toMatchObject({
    state: 'failed',
    result: { error: { code: 'SHUTTING_DOWN', message: 'Not now.', retryable: true } },
  })
  const fault = await waitForEnd(await add({ kind: 'broken' }))
  expect(fault).toMatchObject({ state: 'failed', result: { error: { code: 'INTERNAL_ERROR' } } })
  expect(JSON.stringify(fault)).not.toContain('/secret/path')
})

test('a queued job that is cancelled is never started', async () => {
  const held = createGate()
  const started: unknown[] = []
  const { add, waitForEnd, runner } = await startRunner({
    work: {
      resume: 'rerun',
      run: async ({ payload }) => {
        started.push(payload)
        await held.passed
      },
    },
  })
  const first = await add({ payload: 'first' })
  const second = await add({ payload: 'second' })

  expect(await runner.cancel(second)).toBe(true)
  held.open()

  expect((await waitForEnd(second)).state).toBe('cancelled')
  expect((await waitForEnd(first)).state).toBe('succeeded')
  expect(started).toEqual(['first'])
  expect(await runner.cancel(second)).toBe(false)
  expect(await runner.cancel('unknown')).toBe(false)
})

test('a running job that is cancelled is aborted and frees its queue', async () => {
  const running = createGate()
  const { add, waitForEnd, runner } = await startRunner({
    endless: {
      resume: 'interrupt',
      run: (_job, signal) => {
        running.open()
        return waitForAbort(signal)
      },
    },
    work: echo,
  })
  const id = await add({ kind: 'endless' })
  const next = await add({})
  await running.passed

  expect(await runner.cancel(id)).toBe(true)

  expect((await waitForEnd(id)).state).toBe('cancelled')
  expect((await waitForEnd(next)).state).toBe('succeeded')
})

test('a job that finishes despite its cancellation has succeeded', async () => {
  const running = createGate()
  const { add, waitForEnd, runner } = await startRunner({
    stubborn: {
      resume: 'rerun',
      run: async (_job, signal) => {
        running.open()
        await waitForAbort(signal).catch(() => {})
        return 'done'
      },
    },
  })
  const id = await add({ kind: 'stubborn' })
  await running.passed
  await runner.cancel(id)
  expect(await waitForEnd(id)).toMatchObject({ state: 'succeeded', result: 'done' })
})

test('a deadline ends a running job and a job that waits behind it', async () => {
  const { add, waitForEnd, job } = await startRunner({
    endless: { resume: 'rerun', run: (_job, signal) => waitForAbort(signal) },
    work: echo,
  })
  const running = await add({ kind: 'endless', deadline_at: '2026-03-01T12:00:00.200Z' })
  const waiting = await add({ deadline_at: '2026-03-01T12:00:00.050Z' })

  expect((await waitForEnd(waiting)).state).toBe('expired')
  expect(job(running)?.state).toBe('running')
  expect((await waitForEnd(running)).state).toBe('expired')
})

test('a job whose deadline has passed when its turn comes is not started', async () => {
  let started = 0
  const { add, waitForEnd, clock, runner } = await startRunner({
    work: {
      resume: 'rerun',
      run: async () => {
        started += 1
      },
    },
  })
  const id = await add({
    run_after: '2026-03-01T13:00:00.000Z',
    deadline_at: '2026-03-01T13:30:00.000Z',
  })
  clock.advance(7_200_000)
  runner.dispatchDue()
  expect((await waitForEnd(id)).state).toBe('expired')
  expect(started).toBe(0)
})

test('a job without a handler stays queued', async () => {
  const { add, job, runner } = await startRunner({ work: echo })
  const id = await add({ kind: 'unheard-of' })
  expect(await runner.waitUntilSettled(id, 20)).toBeUndefined()
  expect(job(id)?.state).toBe('queued')
})

test('a second job with the same id is ignored', async () => {
  const { add, waitForEnd, store } = await startRunner({ work: echo })
  const id = await add({ job_id: 'only-one', payload: 1 })
  await waitForEnd(id)
  await add({ job_id: 'only-one', payload: 2 })
  const rows = store.read(({ db }) => db.prepare('SELECT payload FROM jobs').all())
  expect(rows).toEqual([{ payload: '1' }])
})

test('onStarted and onSettled write in the transactions that start and settle the job', async () => {
  const { add, waitForEnd, store } = await startRunner({
    work: {
      ...echo,
      onStarted: (ctx) => recordEvent(ctx, 'job', 'learn.session.changed'),
      onSettled: (ctx, { state }) => recordEvent(ctx, 'job', 'learn.session.changed', { state }),
    },
  })
  await waitForEnd(await add({}))
  const seen = store.read((reader) => listEventsSince(reader, 0, 10))
  expect(seen.map(({ payload }) => payload)).toEqual([{}, { state: 'succeeded' }])
})

test('a job writes as the daemon on behalf of the user who queued it', async () => {
  const actors: unknown[] = []
  const { add, waitForEnd } = await startRunner({
    work: {
      ...echo,
      onStarted: ({ actor, correlation_id }) => actors.push({ actor, correlation_id }),
      onSettled: ({ actor, correlation_id }) => actors.push({ actor, correlation_id }),
    },
  })
  await waitForEnd(await add({ principal: 'ann', correlation_id: 'request-1' }))
  const expected = { actor: { kind: 'system', user_id: 'ann' }, correlation_id: 'request-1' }
  expect(actors).toEqual([expected, expected])
})

test('a job whose onSettled fails does not stay running', async () => {
  const { add, waitForEnd } = await startRunner({
    work: {
      ...echo,
      onSettled: () => {
        throw new Error('no')
      },
    },
    next: echo,
  })
  expect((await waitForEnd(await add({}))).state).toBe('failed')
  expect((await waitForEnd(await add({ kind: 'next' }))).state).toBe('succeeded')
})

test('waiting for a job that takes longer resolves with undefined in time', async () => {
  const held = createGate()
  const { add, waitForEnd, runner } = await startRunner({
    work: { resume: 'rerun', run: () => held.passed },
  })
  const id = await add({})
  expect(await runner.waitUntilSettled(id, 10)).toBeUndefined()
  expect(await runner.waitUntilSettled('unknown', 10)).toBeUndefined()
  const waiting = [waitForEnd(id), waitForEnd(id)]
  held.open()
  for (const job of await Promise.all(waiting)) expect(job.state).toBe('succeeded')
})

/** Counts the commits until the queues are empty. */
async function countCommits({ store, addAll, waitForEnd }: RunnerSetup, count: number): Promise<number> {
  let commits = 0
  const stop = store.onCommit(() => {
    commits += 1
  })
  const ids = await addAll(Array.from({ length: count }, (_, n) => ({ payload: n })))
  for (const id of ids) expect((await waitForEnd(id)).state).toBe('succeeded')
  stop()
  return commits
}

test('a job that starts at once is started by the commit that queues it, unless its queue is in use', async () => {
  const held = createGate()
  const { addAll, add, job, waitForEnd } = await startRunner({
    work: { resume: 'rerun', startsAtOnce: true, run: () => held.passed },
    other: echo,
  })
  const [low = '', high = '', later = ''] = await addAll([
    { priority: 1 },
    { priority: 2 },
    { lane: 'two', run_after: '2026-03-01T13:00:00.000Z' },
  ])
  expect([low, high, later].map((id) => job(id)?.state)).toEqual(['queued', 'running', 'queued'])
  const other = await add({ kind: 'other', lane: 'three' })
  expect((await waitForEnd(other)).state).toBe('succeeded')
  held.open()
  for (const id of [low, high]) expect((await waitForEnd(id)).state).toBe('succeeded')
})

test('a job that was started by the commit that queued it can be cancelled', async () => {
  const { add, runner, waitForEnd } = await startRunner({
    work: { resume: 'rerun', startsAtOnce: true, run: (_job, signal) => waitForAbort(signal) },
  })
  const id = await add({})
  expect(await runner.cancel(id)).toBe(true)
  expect((await waitForEnd(id)).state).toBe('cancelled')
})

test('the next job of a queue is started by the commit that settles the previous one, if nothing may precede it', async () => {
  const quick = await startRunner({ work: { ...echo, startsAtOnce: true, mayContinue: () => false } })
  expect(await countCommits(quick, 5)).toBe(6)
  const slow = await startRunner({ work: { ...echo, startsAtOnce: true, mayContinue: () => true } })
  expect(await countCommits(slow, 5)).toBe(10)
})

test('a job that the end of another queues with a higher priority precedes those that wait', async () => {
  const order: unknown[] = []
  const { addAll, waitForEnd, store } = await startRunner({
    work: {
      resume: 'rerun',
      startsAtOnce: true,
      mayContinue: () => true,
      run: async ({ payload }) => {
        order.push(payload)
      },
      onSettled: ({ tx, now }, { payload }) => {
        if (payload === 'first')
          insertJob(tx, createJob(now, { job_id: 'continuation', payload: 'second', priority: 9 }))
      },
    },
  })
  const [, waiting = ''] = await addAll([{ payload: 'first' }, { payload: 'third' }])
  await waitForEnd(waiting)
  expect(order).toEqual(['first', 'second', 'third'])
  expect(store.read((reader) => findJob(reader, 'continuation'))?.state).toBe('succeeded')
})

test('handlers can only be registered before the runner starts', async () => {
  const { runner } = await startRunner({})
  expect(() => runner.handle('late', echo)).toThrow('has started')
})
