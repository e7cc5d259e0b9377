import type { Snapshot } from '@apprentice/contracts/devices/snapshot.ts'
import type { Hierarchy } from '../tree/hierarchy.ts'

/** One successful reading of the screen. */
export interface GoodReading {
  readonly status: 'ok'
  readonly snapshot: Snapshot
  readonly hierarchy: Hierarchy
}

/**
 * The result of one attempt to read the screen. A failed reading does not mean an empty screen. A stale
 * reading (an old dump, or one started before the action ended) is not the current screen. Both are ignored.
 */
export type Observation =
  | GoodReading
  | { readonly status: 'failed'; readonly code: string; readonly message: string }
  | { readonly status: 'stale'; readonly message: string }

/** The dependencies of a wait. `observe` throws if the device is lost. */
export interface Watch {
  observe(signal: AbortSignal): Promise<Observation>
  now(): number
  sleep(ms: number, signal: AbortSignal): Promise<void>
  readonly signal: AbortSignal
  /** When the last action ended. A reading started before is stale. */
  readonly action_ended_ms?: number | undefined
}
