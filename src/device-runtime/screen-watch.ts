import { pause } from '../devices/adb/call-limits.ts'
import type { Observation, Watch } from '../screen/watch/observation.ts'
import type { Snapshot } from '@apprentice/contracts/devices/snapshot.ts'
import type { Looker } from '../domain/devices/looker.ts'
import { Failure } from '../failure/failure.ts'
import type { DeviceReader } from './devices/device-reader.ts'
import type { DeviceManager } from './devices/device-manager.ts'

export interface Watching {
  readonly eyes: DeviceReader
  readonly floor: DeviceManager
  /** How long the look as a whole may take. */
  readonly budgetMs: number
  readonly onReading: (snapshot: Snapshot) => void
}

/** The longest a single reading may take: a dump gives up by itself after ten seconds. */
const readingMs = 20_000
/** However little time is left, a reading may wait this long for its turn. */
const shortestTurnMs = 1000

/**
 * A device watched through its lane. Each reading takes a turn of its own, so executions go in between; a
 * reading that got no turn in time says nothing of the screen. A device that cannot be reached, or is leased
 * away meanwhile, ends the watch with its failure.
 */
export function watchThroughQueue(looker: Looker, watching: Watching): Watch {
  const startedMs = Date.now()
  return {
    signal: looker.signal,
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
      const leftMs = watching.budgetMs - (Date.now() - startedMs)
      try {
        return await readInTurn(looker, watching, Math.max(leftMs, shortestTurnMs))
      } catch (error) {
        signal.throwIfAborted()
        return unread(error)
      }
    },
  }
}

class NoTurn extends Error {}

async function readInTurn(
  { serial, principal, signal, actionEnded }: Looker,
  { eyes, floor, onReading }: Watching,
  turnMs: number,
): Promise<Observation> {
  const turn = new AbortController()
  const timer = setTimeout(() => turn.abort(new NoTurn()), turnMs)
  const looking = {
    principal,
    timeoutMs: turnMs + readingMs,
    signal: AbortSignal.any([signal, turn.signal]),
  }
  try {
    return await eyes.look(serial, looking, async (driver, limits) => {
      clearTimeout(timer)
      // Asked in the lane, where nothing else can begin before the reading does.
      if (!actionEnded()) return { status: 'stale', message: 'The action has not ended.' }
      const reading = await floor.snapshot(driver, { timeoutMs: readingMs, signal: limits.signal })
      onReading(reading.snapshot)
      return { status: 'ok', snapshot: reading.snapshot, hierarchy: reading.hierarchy }
    })
  } finally {
    clearTimeout(timer)
  }
}

/** A screen that could not be read is an observation; a device that could not be reached is not. */
function unread(error: unknown): Observation {
  if (error instanceof NoTurn) {
    return { status: 'failed', code: 'DEVICE_BUSY', message: 'The device was busy all the time.' }
  }
  if (error instanceof Failure && error.code === 'SNAPSHOT_EXTRACTION_FAILED') {
    const kind = error.details?.['kind']
    const code = typeof kind === 'string' ? kind : error.code
    return { status: 'failed', code, message: error.message }
  }
  throw error
}
