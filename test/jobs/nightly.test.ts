import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { formatNightlyJobId } from '../../src/domain/command/nightly.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { runNightlyJob, listEventKinds, addObservations, countStored } from '../capture/nightly.ts'

const nights = (daemon: Daemon) =>
  daemon.system.store
    .read(({ db }) => db.prepare('SELECT job_id, state FROM jobs ORDER BY job_id').all())
    .map((row) => row as { job_id: string; state: string })

function aHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'apprentice-night-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  return home
}

test('the nightly job runs once per night, however often the sweeper runs', async () => {
  const daemon = await startDaemon({ now: '2026-03-01T03:00:00.000Z' })
  await runNightlyJob(daemon)
  const first = nights(daemon)
  expect(first).toEqual([{ job_id: formatNightlyJobId('2026-03-01'), state: 'succeeded' }])

  for (let n = 0; n < 3; n += 1) {
    daemon.clock.advance(7 * 3_600_000)
    expect(await daemon.system.sweeper.sweepNow()).toMatchObject({ nightly: 0 })
  }
  expect(nights(daemon)).toEqual(first)

  daemon.clock.advance(3 * 3_600_000)
  await runNightlyJob(daemon)
  expect(nights(daemon)).toHaveLength(2)
})

test('before 03:00 UTC it is still the previous night', async () => {
  const daemon = await startDaemon({ now: '2026-03-01T02:59:59.999Z' })
  await runNightlyJob(daemon)
  expect(nights(daemon)).toMatchObject([{ job_id: formatNightlyJobId('2026-02-28') }])
})

test('after downtime only the last missed night is run', async () => {
  const home = aHome()
  const before = await startDaemon({ home })
  const id = await before.aSessionIn('cancelled', { terminal_at: '2026-03-01T12:00:00.000Z' })
  await addObservations(before, id, 2)
  await runNightlyJob(before)
  await before.stop()

  const after = await startDaemon({ home, now: '2026-03-20T01:00:00.000Z' })
  await runNightlyJob(after)

  expect(nights(after).map(({ job_id }) => job_id)).toEqual([
    formatNightlyJobId('2026-03-01'),
    formatNightlyJobId('2026-03-19'),
  ])
  expect(countStored(after, id)).toBe(0)
})

test('a nightly job interrupted by a crash is finished after the restart and not repeated', async () => {
  const home = aHome()
  const before = await startDaemon({ home })
  const old = { terminal_at: '2026-01-01T00:00:00.000Z' }
  const done = await before.aSessionIn('cancelled', {
    ...old,
    observations_purged_at: '2026-03-01T11:59:59.000Z',
    archived_at: '2026-03-01T11:59:59.000Z',
  })
  const half = await before.aSessionIn('rejected', old)
  await addObservations(before, half, 700)
  await before.system.store.write((tx) => {
    tx.db
      .prepare(
        `INSERT INTO jobs (job_id, kind, lane, state, principal, payload, run_after, started_at, correlation_id, created_at)
         VALUES (?, 'nightly.learning', 'nightly', 'running', 'system', '{}', @at, @at, 'c', @at)`,
      )
      .run(formatNightlyJobId('2026-03-01'), { at: before.clock.now.toISOString() })
  })
  await before.stop()

  const after = await startDaemon({ home })
  const job = await after.system.jobs.waitUntilSettled(formatNightlyJobId('2026-03-01'), 10_000)

  expect(job).toMatchObject({ state: 'succeeded', result: { purged: 701, archived_sessions: 1 } })
  expect(countStored(after, half)).toBe(0)
  expect(after.session(half)?.archived_at).toBeDefined()
  expect(after.session(done)?.archived_at).toBe('2026-03-01T11:59:59.000Z')
  expect(listEventKinds(after)).toEqual(['learn.observation.changed', 'learn.session.archived'])
  expect(await after.system.sweeper.sweepNow()).toMatchObject({ nightly: 0 })
})

test('a failing step does not stop the other steps, and the job fails', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('cancelled', { terminal_at: '2026-01-01T00:00:00.000Z' })
  await daemon.system.store.write((tx) => {
    tx.db.exec('ALTER TABLE checkpoint_receipts RENAME TO checkpoint_receipts_gone')
  })
  await daemon.system.sweeper.sweepNow()
  const job = await daemon.system.jobs.waitUntilSettled(formatNightlyJobId('2026-03-01'), 10_000)
  expect(job?.state).toBe('failed')
  expect(daemon.session(id)?.archived_at).toBeDefined()
})

test('requests are answered while a long nightly job runs', async () => {
  const daemon = await startDaemon()
  for (let n = 0; n < 6; n += 1) {
    const id = await daemon.aSessionIn('cancelled', { terminal_at: '2026-01-01T00:00:00.000Z' })
    await addObservations(daemon, id, 2000)
  }
  await daemon.system.sweeper.sweepNow()
  const night = daemon.system.jobs.waitUntilSettled(formatNightlyJobId('2026-03-01'), 20_000)
  const reply = await daemon.post('/api/categories', { title: 'Meanwhile' })
  const row = nights(daemon)[0]

  expect(reply.statusCode).toBe(201)
  expect(row?.state).toBe('running')
  expect((await night)?.result).toMatchObject({ purged: 12_006, archived_sessions: 6 })
})
