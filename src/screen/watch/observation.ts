import type { Snapshot } from '@apprentice/contracts/devices/snapshot.ts'
import type { Hierarchy } from '../hierarchy.ts'

/** One good reading. */
export interface GoodReading {
  readonly status: 'ok'
  readonly snapshot: Snapshot
  readonly hierarchy: Hierarchy
}

/**
 * What came of looking at the screen. A failed look is not an empty screen, and a stale one (an older
 * dump, or one begun before the action ended) is not the present screen: neither decides anything.
 */
export type Observation =
  | GoodReading
  | { readonly status: 'failed'; readonly code: string; readonly message: string }
  | { readonly status: 'stale'; readonly message: string }

/** Everything a wait needs of the world. A lost device is thrown by `observe`, not observed. */
export interface Watch {
  observe(signal: AbortSignal): Promise<Observation>
  now(): number
  sleep(ms: number, signal: AbortSignal): Promise<void>
  readonly signal: AbortSignal
  /** When the last action ended; a reading begun before that is stale. */
  readonly action_ended_ms?: number | undefined
}
