import { expect, test } from 'vitest'
import type { Job } from '../../src/store/command/jobs.ts'
import { aFile, gate, openWorkshop, untilStopped } from './workshop.ts'

test('jobs that waited when the daemon went away are done after it comes back', async () => {
  const file = aFile()
  const before = await openWorkshop({}, { file })
  const [first = '', second = ''] = await before.addAll([{}, { lane: 'two' }])
  await before.stop()

  const after = await openWorkshop({ work: { resume: 'rerun', run: async () => 'ok' } }, { file })

  for (const id of [first, second]) {
    expect(await after.end(id)).toMatchObject({ state: 'succeeded', result: 'ok' })
  }
})

test('a job that was running is run again only if its kind may be', async () => {
  const file = aFile()
  const before = await openWorkshop({}, { file })
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

  const after = await openWorkshop(
    {
      again: { resume: 'rerun', run },
      never: { resume: 'interrupt', run, settled: (_act, job) => told.push(job) },
    },
    { file },
  )

  expect((await after.end(again)).state).toBe('succeeded')
  expect(after.job(never)).toMatchObject({ state: 'interrupted' })
  expect(after.job(unknown)).toMatchObject({ state: 'interrupted' })
  expect(runs).toEqual(['again'])
  expect(told).toMatchObject([{ job_id: never, state: 'interrupted' }])
})

test('a stop ends what runs: repeatable work goes on after the next start, other work is over', async () => {
  const file = aFile()
  const begun = [gate(), gate()]
  const endless = (n: number) => (_job: Job, signal: AbortSignal) => {
    begun[n]?.open()
    return untilStopped(signal)
  }
  const before = await openWorkshop(
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
  const waiting = before.runner.settled(again, 60_000)
  await before.stop()
  expect(await waiting).toBeUndefined()

  const after = await openWorkshop(
    {
      again: { resume: 'rerun', run: async () => 'second time' },
      never: { resume: 'interrupt', run: async () => 'first time' },
    },
    { file },
  )
  expect(await after.end(again)).toMatchObject({ state: 'succeeded', result: 'second time' })
  expect(after.job(never)?.state).toBe('interrupted')
  expect(await after.end(behind)).toMatchObject({ state: 'succeeded', result: 'first time' })
})
