import type { KeptReading } from '@apprentice/contracts/devices/looks.ts'
import type { Snapshot } from '@apprentice/contracts/devices/snapshot.ts'

const keptReadings = 8

/** One viewer of one device. */
export interface Viewer {
  readonly serial: string
  readonly principal: string
}

interface Kept {
  readonly snapshot: Snapshot
  readonly at: string
}

interface Album {
  /** What the viewer was shown, or told that it had come. */
  shown: readonly Kept[]
  /** What waits saw on the way; known to the viewer by number at most. */
  glimpsed: readonly Kept[]
}

/**
 * The last readings each caller had of a device, to compare later ones with. What one caller saw is no
 * baseline for another. Nothing here outlives the daemon, and neither do the numbers of the readings.
 */
export class ScreenMemory {
  readonly #albums = new Map<string, Album>()

  keepShown(viewer: Viewer, snapshot: Snapshot, at: string): void {
    const album = this.#album(viewer)
    album.shown = added(album.shown, { snapshot, at })
  }

  keepGlimpsed(viewer: Viewer, snapshot: Snapshot, at: string): void {
    const album = this.#album(viewer)
    album.glimpsed = added(album.glimpsed, { snapshot, at })
  }

  byRevision(viewer: Viewer, revision: number): Snapshot | undefined {
    const { shown, glimpsed } = this.#album(viewer)
    const isIt = ({ snapshot }: Kept) => snapshot.snapshot_revision === revision
    return (shown.findLast(isIt) ?? glimpsed.findLast(isIt))?.snapshot
  }

  byFingerprint(viewer: Viewer, fingerprint: string): Snapshot | undefined {
    return this.#shown(viewer, ({ snapshot }) => snapshot.fingerprint === fingerprint)
  }

  /** The last the viewer was shown up to a moment of the daemon's time. */
  before(viewer: Viewer, moment: string): Snapshot | undefined {
    return this.#shown(viewer, ({ at }) => at <= moment)
  }

  newest(viewer: Viewer): Snapshot | undefined {
    return this.#shown(viewer, () => true)
  }

  /** The last with a smaller number. */
  previous(viewer: Viewer, { snapshot_revision }: Snapshot): Snapshot | undefined {
    return this.#shown(viewer, ({ snapshot }) => snapshot.snapshot_revision < snapshot_revision)
  }

  #shown(viewer: Viewer, fits: (kept: Kept) => boolean): Snapshot | undefined {
    return this.#album(viewer).shown.findLast(fits)?.snapshot
  }

  #album({ serial, principal }: Viewer): Album {
    const key = JSON.stringify([serial, principal])
    const album = this.#albums.get(key) ?? { shown: [], glimpsed: [] }
    this.#albums.set(key, album)
    return album
  }
}

export function noteOf({ snapshot_revision, fingerprint, captured_at }: Snapshot): KeptReading {
  return { snapshot_revision, fingerprint, captured_at }
}

/** Readings of one number differ in nothing but what ticks; the first is the one its viewer acted on. */
function added(list: readonly Kept[], kept: Kept): readonly Kept[] {
  const known = list.at(-1)?.snapshot.snapshot_revision === kept.snapshot.snapshot_revision
  return known ? list : [...list, kept].slice(-keptReadings)
}
