import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { formatNightlyJobId, formatNight } from '../../src/domain/command/nightly.ts'
import type { Job } from '../../src/store/command/jobs.ts'
import { appendObservation, countObservations } from '../../src/store/capture/observations.ts'
import type { Daemon } from '../kit/daemon.ts'

export const DAY_MS = 24 * 3_600_000

/** Runs the nightly job through the sweeper and waits for it. */
export async function runNightlyJob(daemon: Daemon): Promise<Job> {
  await daemon.system.sweeper.sweepNow()
  const id = formatNightlyJobId(formatNight(daemon.clock.now.toISOString()))
  const job = await daemon.system.jobs.waitUntilSettled(id, 20_000)
  expect(job?.state).toBe('succeeded')
  return job as Job
}

export async function addObservations(daemon: Daemon, sessionId: string, count: number): Promise<void> {
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

export const countStored = (daemon: Daemon, sessionId: string): number =>
  daemon.system.store.read((reader) => countObservations(reader, sessionId))

/** The events without those the nightly job records for abilities, capabilities and the bridge. */
export const listLearnEvents = (daemon: Daemon) =>
  daemon.events().filter(({ kind }) => !/^(?:ability|bridge|capability)\./.test(kind))

export const listEventKinds = (daemon: Daemon): string[] => listLearnEvents(daemon).map(({ kind }) => kind)
