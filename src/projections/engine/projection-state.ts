import { type Backoff, backoffMs } from '../../timing/backoff.ts'
import { dirname } from 'node:path/posix'
import type { Reader } from '../../store/db/db.ts'
import type { Changes } from './changes.ts'
import { findOwnedFolder } from './file-name.ts'
import type { Projection } from './projection.ts'

/** The progress of one projection. A projection that fails does not delay the others. */
export interface ProjectionState {
  readonly projection: Projection
  /** The key of its stored progress. */
  readonly name: string
  /** The folder that remains when all files are removed. */
  readonly keep: string
  /** The sequence number of the last event whose effect is on disk. */
  cursor: number
  /** The cursor in the database. */
  storedCursor: number
  /** Keys of files to update. The value says whether rows that were written may have been removed. */
  readonly dirty: Map<string, boolean>
  /** Keys of files that were not yet checked since the start. */
  unchecked: string[]
  /** Not updated before this time of `performance.now()`. */
  notBefore: number
  fault: Fault | undefined
}

export interface Fault {
  readonly code: string
  readonly tries: number
}

export const createProjectionState = (projection: Projection): ProjectionState => ({
  projection,
  name: `${projection.path}@${projection.version}`,
  keep: findOwnedFolder(projection.path) ?? dirname(projection.path),
  cursor: 0,
  storedCursor: 0,
  dirty: new Map(),
  unchecked: [],
  notBefore: 0,
  fault: undefined,
})

export function markChanged(state: ProjectionState, changes: Changes, reader: Reader): void {
  const { projection, dirty } = state
  const mayHaveLostRows = projection.form === 'log' && projection.shrinks(changes)
  for (const key of projection.touched(changes, reader)) dirty.set(key, mayHaveLostRows || dirty.get(key) === true)
}

/** Marks the next unchecked keys for an update. */
export function checkNextKeys(state: ProjectionState, count: number): void {
  for (const key of state.unchecked.splice(-count)) state.dirty.set(key, true)
}

/** Moves the failed key to the end, so that it does not delay the others, and sets the time of the next try. */
export function markFailed(state: ProjectionState, { key, code, now }: { key: string; code: string; now: number }) {
  const mayHaveLostRows = state.dirty.get(key) ?? true
  state.dirty.delete(key)
  state.dirty.set(key, mayHaveLostRows)
  const tries = (state.fault?.tries ?? 0) + 1
  state.fault = { code, tries }
  state.notBefore = now + backoffMs(WRITE_BACKOFF, tries)
}

export function markWritten(state: ProjectionState, now: number): void {
  state.fault = undefined
  const minIntervalMs = state.projection.form === 'document' ? (state.projection.minIntervalMs ?? 0) : 0
  state.notBefore = now + minIntervalMs
}

/** Says whether a healthy projection waits because its document is expensive to render. */
export const isDeferred = (state: ProjectionState, now: number): boolean =>
  state.fault === undefined && now < state.notBefore

/** The pauses after failed writes. */
export const WRITE_BACKOFF: Backoff = { firstMs: 125, maxMs: 30_000 }
