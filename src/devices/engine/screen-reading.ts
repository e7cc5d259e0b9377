import type { Snapshot } from '@apprentice/contracts/devices/snapshot.ts'
import type { UiDump } from '../shell/dump-text.ts'
import { type Hierarchy, type UiNode, attribute, parseHierarchy } from '../../screen/hierarchy.ts'
import { printWithoutPasswords } from '../../screen/hierarchy-print.ts'
import { buildSnapshot } from '../../screen/snapshot.ts'

export interface DumpTimes {
  readonly serial: string
  readonly startedMs: number
  readonly finishedMs: number
}

/** One good look at a screen. What only some readers want is worked out when first asked for. */
export class ScreenReading {
  /** As dumped; it may hold what a password field shows. */
  readonly hierarchy: Hierarchy
  readonly times: DumpTimes
  readonly #removedCharacters: number
  #snapshot: Snapshot | undefined
  #xml: string | undefined

  constructor(hierarchy: Hierarchy, removedCharacters: number, times: DumpTimes) {
    this.hierarchy = hierarchy
    this.#removedCharacters = removedCharacters
    this.times = times
  }

  /** When the dump began: nothing in it is promised to be newer. */
  get captured_at(): string {
    return new Date(this.times.startedMs).toISOString()
  }

  /** The package the screen belongs to. */
  get package(): string {
    const [root] = this.hierarchy.roots
    return root === undefined ? '' : attribute(root, 'package')
  }

  /** The tree in the shape of a dump, without what password fields show. */
  get xml(): string {
    return (this.#xml ??= printWithoutPasswords(this.hierarchy))
  }

  /** By itself alone: the activity is not known, and the numbering starts anew. */
  get snapshot(): Snapshot {
    const { serial, startedMs, finishedMs } = this.times
    return (this.#snapshot ??= buildSnapshot(
      {
        hierarchy: this.hierarchy,
        removed_characters: this.#removedCharacters,
        serial,
        activity: null,
        resolution: null,
        dump_started_ms: startedMs,
        dump_finished_ms: finishedMs,
      },
      null,
    ))
  }

  get fingerprint(): string {
    return this.snapshot.fingerprint
  }
}

/** What came of one look. A failed look says why, and nothing about the screen. */
export type Look =
  | { readonly ok: true; readonly reading: ScreenReading }
  | { readonly ok: false; readonly kind: string; readonly text: string }

export function interpretLook(dump: UiDump, times: DumpTimes): Look {
  if (dump.outcome === 'failed') return { ok: false, kind: dump.kind, text: dump.text }
  const read = parseHierarchy(dump.xml)
  if (!read.ok) return { ok: false, kind: read.fault, text: read.message }
  return { ok: true, reading: new ScreenReading(read.hierarchy, read.removed_characters, times) }
}

/** A node that was found, with the reading it was found on. */
export interface FoundNode {
  readonly reading: ScreenReading
  readonly node: UiNode
  /** Which fallback of the matcher it was found by, from 1. */
  readonly fallback?: number | undefined
}
