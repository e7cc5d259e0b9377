import { expect, test } from 'vitest'
import type { Job } from '../../src/store/command/jobs.ts'
import { createDatabaseFile, createGate, startRunner, waitForAbort } from './runner-setup.ts'

test('queued jobs are run after a restart', async () => {
  const file = createDatabaseFile()
  const before = await startRunner({}, { file })
  const [first = '', second = ''] = await before.addAll([{}, { lane: 'two' }])
  await before.stop()

  const after = await startRunner({ work: { resume: 'rerun', run: async () => 'ok' } }, { file })

  for (const id of [first, second]) {
    expect(await after.waitForEnd(id)).toMatchObject({ state: 'succeeded', result: 'ok' })
  }
})

test('a job that was running is run again only if its handler allows it', async () => {
  const file = createDatabaseFile()
  const before = await startRunner({}, { file })
  const [again = '', never = '', unknown = ''] = await before.addAll([
    { kind: 'again' },
    { kind: 'never' },
    { kind: 'unknown' },
  ])
  // As a killed process leaves them.
  await before.store.write((tx) => {
    tx.db.prepare("UPDATE jobs SET state = 'running', started_at = created_at").run()
  })
  await before.stop()
  const runs: string[] = []
  const told: Job[] = []
  const run = async ({ kind }: Job) => {
    runs.push(kind)
  }

  const after = await startRunner(
    {
      again: { resume: 'rerun', run },
      never: { resume: 'interrupt', run, onSettled: (_ctx, job) => told.push(job) },
    },
    { file },
  )

  expect((await after.waitForEnd(again)).state).toBe('succeeded')
  expect(after.job(never)).toMatchObject({ state: 'interrupted' })
  expect(after.job(unknown)).toMatchObject({ state: 'interrupted' })
  expect(runs).toEqual(['again'])
  expect(told).toMatchObject([{ job_id: never, state: 'interrupted' }])
})

test('a stop ends running jobs: repeatable ones run again after the next start, others are interrupted', async () => {
  const file = createDatabaseFile()
  const begun = [createGate(), createGate()]
  const endless = (n: number) => (_job: Job, signal: AbortSignal) => {
    begun[n]?.open()
    return waitForAbort(signal)
  }
  const before = await startRunner(
    {
      again: { resume: 'rerun', run: endless(0) },
      never: { resume: 'interrupt', run: endless(1) },
    },
    { file },
  )
  const [again = '', never = '', behind = ''] = await before.addAll([
    { kind: 'again', lane: 'a' },
    { kind: 'never', lane: 'b' },
    { kind: 'never', lane: 'b' },
  ])
  await Promise.all(begun.map(({ passed }) => passed))
  const waiting = before.runner.waitUntilSettled(again, 60_000)
  await before.stop()
  expect(await waiting).toBeUndefined()

  const after = await startRunner(
    {
      again: { resume: 'rerun', run: async () => 'second time' },
      never: { resume: 'interrupt', run: async () => 'first time' },
    },
    { file },
  )
  expect(await after.waitForEnd(again)).toMatchObject({ state: 'succeeded', result: 'second time' })
  expect(after.job(never)?.state).toBe('interrupted')
  expect(await after.waitForEnd(behind)).toMatchObject({ state: 'succeeded', result: 'first time' })
})
