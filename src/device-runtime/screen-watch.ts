import { pause } from '../devices/adb/call-limits.ts'
import type { Observation, Watch } from '../screen/watch/observation.ts'
import type { Snapshot } from '@apprentice/contracts/devices/snapshot.ts'
import type { CheckContext } from '../domain/devices/check-context.ts'
import { Failure } from '../failure/failure.ts'
import type { DeviceReader } from './devices/device-reader.ts'

export interface WatchOptions {
  readonly deviceReader: DeviceReader
  /** The time limit of the whole wait. */
  readonly budgetMs: number
  readonly onReading: (snapshot: Snapshot) => void
}

/** The code of a reading that did not leave the queue in time. */
export const DEVICE_BUSY = 'DEVICE_BUSY'
/** The time limit of one reading. A dump times out by itself after ten seconds. */
const READING_TIMEOUT_MS = 20_000
/** A reading may wait this long for the queue even if the budget is used up. */
const MIN_QUEUE_WAIT_MS = 1000

/**
 * Watches a device through its queue. Each reading enters the queue on its own, so executions can run between two
 * readings. A reading that did not leave the queue in time is a failed observation. If the device cannot be reached
 * or is leased to somebody else, the watch throws.
 */
export function watchThroughQueue(viewer: CheckContext, options: WatchOptions): Watch {
  const startedMs = Date.now()
  return {
    signal: viewer.signal,
    now: Date.now,
    sleep: async (ms, signal) => {
      try {
        await pause(ms, signal)
      } catch (error) {
        signal.throwIfAborted()
        throw error
      }
    },
    observe: async (signal) => {
      const remainingMs = options.budgetMs - (Date.now() - startedMs)
      try {
        return await readInQueue(viewer, options, Math.max(remainingMs, MIN_QUEUE_WAIT_MS))
      } catch (error) {
        signal.throwIfAborted()
        return toFailedObservation(error)
      }
    },
  }
}

class QueueTimeout extends Error {}

async function readInQueue(
  { serial, principal, signal, isActionSettled }: CheckContext,
  { deviceReader, onReading }: WatchOptions,
  queueWaitMs: number,
): Promise<Observation> {
  const queueWait = new AbortController()
  const timer = setTimeout(() => queueWait.abort(new QueueTimeout()), queueWaitMs)
  const access = {
    principal,
    timeoutMs: queueWaitMs + READING_TIMEOUT_MS,
    signal: AbortSignal.any([signal, queueWait.signal]),
  }
  try {
    return await deviceReader.withDriver(serial, access, async (driver, limits) => {
      clearTimeout(timer)
      // Checked inside the queue: no execution can start between this check and the reading.
      if (!isActionSettled()) return { status: 'stale', message: 'The action has not ended.' }
      const { snapshot, hierarchy } = await deviceReader.readScreen(driver, {
        timeoutMs: READING_TIMEOUT_MS,
        signal: limits.signal,
      })
      onReading(snapshot)
      return { status: 'ok', snapshot, hierarchy }
    })
  } finally {
    clearTimeout(timer)
  }
}

/** Rethrows errors of an unreachable device. */
function toFailedObservation(error: unknown): Observation {
  if (error instanceof QueueTimeout) {
    const message = 'The device was busy until the timeout.'
    return { status: 'failed', code: DEVICE_BUSY, message }
  }
  if (error instanceof Failure && error.code === 'SNAPSHOT_EXTRACTION_FAILED') {
    const kind = error.details?.['kind']
    const code = typeof kind === 'string' ? kind : error.code
    return { status: 'failed', code, message: error.message }
  }
  throw error
}
