import type { RevisionState, Snapshot } from '@apprentice/contracts/devices/snapshot.ts'
import type { CallLimits } from '../adb/call-limits.ts'
import type { Driver } from './driver.ts'
import type { Hierarchy } from '../../screen/tree/hierarchy.ts'
import { parseHierarchyInTurns } from '../../screen/tree/hierarchy.ts'
import { buildSnapshotInTurns } from '../../screen/snapshot.ts'

export interface ScreenSnapshot {
  readonly xml: string
  readonly hierarchy: Hierarchy
  readonly snapshot: Snapshot
}

/** The device was reached, but its screen could not be read. */
export class ScreenUnreadable extends Error {
  override readonly name = 'ScreenUnreadable'
  readonly kind: string

  constructor(kind: string, text: string) {
    super(`The screen could not be read: ${text}`)
    this.kind = kind
  }
}

/** Dumps the screen and builds a snapshot. Throws if the dump fails. */
export async function takeSnapshot(
  driver: Driver,
  limits: CallLimits,
  last: RevisionState | null,
): Promise<ScreenSnapshot> {
  const dump_started_ms = Date.now()
  const dump = await driver.dump(limits)
  const dump_finished_ms = Date.now()
  if (dump.outcome === 'failed') throw new ScreenUnreadable(dump.kind, dump.text)
  const read = await parseHierarchyInTurns(dump.xml)
  if (!read.ok) throw new ScreenUnreadable(read.fault, 'the tree is incomplete or invalid')
  const foreground = await driver.foreground(limits)
  const snapshot = await buildSnapshotInTurns(
    {
      hierarchy: read.hierarchy,
      removed_characters: read.removed_characters,
      serial: driver.serial,
      activity: foreground?.activity ?? null,
      resolution: null,
      dump_started_ms,
      dump_finished_ms,
    },
    last,
  )
  return { xml: dump.xml, hierarchy: read.hierarchy, snapshot }
}
