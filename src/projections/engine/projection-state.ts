import { dirname } from 'node:path/posix'
import type { Reader } from '../../store/db/db.ts'
import type { Changes } from './changes.ts'
import { ownedFolder } from './file-name.ts'
import type { Projection } from './projection.ts'

/** One mirror at work: what is still to be written, and how it fares. A lane that fails holds up no other. */
export interface ProjectionState {
  readonly mirror: Projection
  /** What its progress is kept under. */
  readonly name: string
  /** The folder that stays when its files go. */
  readonly keep: string
  /** The last event whose effect is on disk. */
  cursor: number
  /** Keys to bring up, and whether rows that were written may be gone. */
  readonly dirty: Map<string, boolean>
  /** Keys not yet looked at since the start. */
  unchecked: string[]
  /** On the clock of `performance.now()`. */
  notBefore: number
  fault: Fault | undefined
}

export interface Fault {
  readonly code: string
  readonly tries: number
}

export const makeProjectionState = (mirror: Projection): ProjectionState => ({
  mirror,
  name: `${mirror.path}@${mirror.version}`,
  keep: ownedFolder(mirror.path) ?? dirname(mirror.path),
  cursor: 0,
  dirty: new Map(),
  unchecked: [],
  notBefore: 0,
  fault: undefined,
})

export function touch(lane: ProjectionState, changes: Changes, reader: Reader): void {
  const { mirror, dirty } = lane
  const suspect = mirror.form === 'log' && mirror.shrinks(changes)
  for (const key of mirror.touched(changes, reader))
    dirty.set(key, suspect || dirty.get(key) === true)
}

/** Lets a lane look at some of what nobody has looked at since the start. */
export function checkSome(lane: ProjectionState, count: number): void {
  for (const key of lane.unchecked.splice(-count)) lane.dirty.set(key, true)
}

/** A key that fails goes to the end of its lane, so that the others are not kept waiting by it. */
export function markProjectionFailed(
  lane: ProjectionState,
  { key, code, now }: { key: string; code: string; now: number },
) {
  const suspect = lane.dirty.get(key) ?? true
  lane.dirty.delete(key)
  lane.dirty.set(key, suspect)
  const tries = (lane.fault?.tries ?? 0) + 1
  lane.fault = { code, tries }
  lane.notBefore = now + backoffMs(tries)
}

export function succeed(lane: ProjectionState, now: number): void {
  lane.fault = undefined
  const everyMs = lane.mirror.form === 'document' ? (lane.mirror.everyMs ?? 0) : 0
  lane.notBefore = now + everyMs
}

/** It is well, and only waits until its costly document may be made again. */
export const isBiding = (lane: ProjectionState, now: number): boolean =>
  lane.fault === undefined && now < lane.notBefore

export const backoffMs = (tries: number): number => Math.min(30_000, 125 * 2 ** Math.min(tries, 10))
