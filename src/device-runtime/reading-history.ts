import type { ReadingRef } from '@apprentice/contracts/devices/checks.ts'
import type { Snapshot } from '@apprentice/contracts/devices/snapshot.ts'

const MAX_READINGS = 8

/** One client of one device. */
export interface Viewer {
  readonly serial: string
  readonly principal: string
}

interface StoredReading {
  readonly snapshot: Snapshot
  readonly at: string
}

interface ViewerReadings {
  /** Returned to the viewer, or the screen that satisfied one of its waits. */
  returned: readonly StoredReading[]
  /** Read while a wait polled the screen. The viewer can refer to them by revision only. */
  polled: readonly StoredReading[]
}

/**
 * The last readings of each viewer of a device, as baselines for later comparisons. Viewers do not share readings.
 * Readings and their revisions are lost when the daemon stops.
 */
export class ReadingHistory {
  readonly #viewers = new Map<string, ViewerReadings>()

  addReturned(viewer: Viewer, snapshot: Snapshot, at: string): void {
    const readings = this.#readings(viewer)
    readings.returned = append(readings.returned, { snapshot, at })
  }

  addPolled(viewer: Viewer, snapshot: Snapshot, at: string): void {
    const readings = this.#readings(viewer)
    readings.polled = append(readings.polled, { snapshot, at })
  }

  findByRevision(viewer: Viewer, revision: number): Snapshot | undefined {
    const { returned, polled } = this.#readings(viewer)
    const matches = ({ snapshot }: StoredReading) => snapshot.snapshot_revision === revision
    return (returned.findLast(matches) ?? polled.findLast(matches))?.snapshot
  }

  findByFingerprint(viewer: Viewer, fingerprint: string): Snapshot | undefined {
    return this.#findReturned(viewer, ({ snapshot }) => snapshot.fingerprint === fingerprint)
  }

  /** Finds the last reading returned up to `time`, an ISO time of the daemon's clock. */
  findLastUpTo(viewer: Viewer, time: string): Snapshot | undefined {
    return this.#findReturned(viewer, ({ at }) => at <= time)
  }

  findNewest(viewer: Viewer): Snapshot | undefined {
    return this.#findReturned(viewer, () => true)
  }

  /** Finds the last returned reading with a smaller revision. */
  findPrevious(viewer: Viewer, { snapshot_revision }: Snapshot): Snapshot | undefined {
    return this.#findReturned(viewer, ({ snapshot }) => snapshot.snapshot_revision < snapshot_revision)
  }

  #findReturned(viewer: Viewer, matches: (stored: StoredReading) => boolean): Snapshot | undefined {
    return this.#readings(viewer).returned.findLast(matches)?.snapshot
  }

  #readings({ serial, principal }: Viewer): ViewerReadings {
    const key = JSON.stringify([serial, principal])
    const readings = this.#viewers.get(key) ?? { returned: [], polled: [] }
    this.#viewers.set(key, readings)
    return readings
  }
}

export function toKeptReading({ snapshot_revision, fingerprint, captured_at }: Snapshot): ReadingRef {
  return { snapshot_revision, fingerprint, captured_at }
}

/** Readings with the same revision differ only in volatile text. The first one is what the viewer acted on. */
function append(list: readonly StoredReading[], stored: StoredReading): readonly StoredReading[] {
  const known = list.at(-1)?.snapshot.snapshot_revision === stored.snapshot.snapshot_revision
  return known ? list : [...list, stored].slice(-MAX_READINGS)
}
