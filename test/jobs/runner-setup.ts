import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import type { JobHandler } from '../../src/jobs/handler.ts'
import { JobRunner } from '../../src/jobs/runner.ts'
import { Store } from '../../src/store/db/db.ts'
import { findJob, insertJob, type Job, type NewJob } from '../../src/store/command/jobs.ts'
import { copyTemplateDatabase } from '../kit/template-database.ts'

export interface RunnerSetup {
  readonly runner: JobRunner
  readonly store: Store
  readonly clock: { now: Date; advance(ms: number): void }
  readonly add: (parts: Partial<NewJob>) => Promise<string>
  readonly addAll: (parts: readonly Partial<NewJob>[]) => Promise<string[]>
  readonly job: (id: string) => Job | undefined
  /** The job once it settled; fails the test when it does not. */
  readonly waitForEnd: (id: string) => Promise<Job>
  readonly stop: () => Promise<void>
}

/** A runner on a database file of its own; the clock stands still unless the test moves it. */
export async function startRunner(
  handlers: Readonly<Record<string, JobHandler>>,
  options: { file?: string; now?: string } = {},
): Promise<RunnerSetup> {
  const file = options.file ?? createDatabaseFile()
  copyTemplateDatabase(file)
  const store = Store.open(file, 'normal')
  const clock = {
    now: new Date(options.now ?? '2026-03-01T12:00:00.000Z'),
    advance: (ms: number) => {
      clock.now = new Date(clock.now.getTime() + ms)
    },
  }
  const runner = new JobRunner({
    store,
    clock: () => clock.now,
    newId: randomUUID,
    log: pino({ level: 'silent' }),
  })
  for (const [kind, handler] of Object.entries(handlers)) runner.handle(kind, handler)
  await runner.start()
  let stopped = false
  const stop = async () => {
    if (stopped) return
    stopped = true
    await runner.stop()
    store.close()
  }
  onTestFinished(stop)
  const job = (id: string) => store.read((reader) => findJob(reader, id))
  const addAll = async (all: readonly Partial<NewJob>[]) => {
    const jobs = all.map((parts) => createJob(clock.now.toISOString(), parts))
    await store.write((tx) => {
      for (const one of jobs) insertJob(tx, one)
    })
    return jobs.map(({ job_id }) => job_id)
  }
  return {
    runner,
    store,
    clock,
    job,
    stop,
    addAll,
    add: async (parts) => (await addAll([parts]))[0] ?? '',
    waitForEnd: async (id) => {
      const settled = await runner.waitUntilSettled(id, 5000)
      if (settled === undefined) throw new Error(`Job ${id} is still ${job(id)?.state}.`)
      return settled
    },
  }
}

export function createDatabaseFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'apprentice-jobs-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'jobs.db')
}

export const createJob = (now: string, parts: Partial<NewJob> = {}): NewJob => ({
  job_id: randomUUID(),
  kind: 'work',
  lane: 'one',
  principal: 'local',
  priority: 0,
  payload: {},
  run_after: now,
  correlation_id: 'test',
  created_at: now,
  ...parts,
})

/** Work that a test holds up and lets go. */
export function createGate(): { open(): void; passed: Promise<void> } {
  let open = () => {}
  const passed = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, passed }
}

/** Ends as soon as it is told to, with the reason. */
export const waitForAbort = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    const stop = () => reject(signal.reason as Error)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
