import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { nightlyJobId, nightOf } from '../../src/domain/command/nightly.ts'
import type { Job } from '../../src/store/command/jobs.ts'
import { appendObservation, countObservations } from '../../src/store/capture/observations.ts'
import type { Daemon } from '../kit/daemon.ts'

export const dayMs = 24 * 3_600_000

/** Lets the night's work be done, as the sweeper does it. */
export async function aNightPasses(daemon: Daemon): Promise<Job> {
  await daemon.system.sweeper.sweepNow()
  const id = nightlyJobId(nightOf(daemon.clock.now.toISOString()))
  const job = await daemon.system.jobs.settled(id, 20_000)
  expect(job?.state).toBe('succeeded')
  return job as Job
}

export async function observe(daemon: Daemon, sessionId: string, count: number): Promise<void> {
  const at = daemon.clock.now.toISOString()
  await daemon.system.store.write((tx) => {
    for (let n = 1; n <= count; n += 1) {
      appendObservation(tx, {
        event_id: randomUUID(),
        learn_session_id: sessionId,
        adapter_kind: 'wrapper_receipt',
        action_label: `tapped ${n}`,
        caused_state_change: true,
        redaction_mode: 'mask_text',
        created_at: at,
        ingest_seq: n,
        batch_id: sessionId,
        received_at: at,
        schema_version: 1,
      })
    }
  })
}

export const observed = (daemon: Daemon, sessionId: string): number =>
  daemon.system.store.read((reader) => countObservations(reader, sessionId))

/** What the night did to sessions and their records; that it also looks over abilities is another matter. */
export const learnEvents = (daemon: Daemon) =>
  daemon.events().filter(({ kind }) => !/^(?:ability|bridge|capability)\./.test(kind))

export const kindsOf = (daemon: Daemon): string[] => learnEvents(daemon).map(({ kind }) => kind)
