import type { Snapshot } from '@apprentice/contracts/devices/snapshot.ts'
import type { UiDump } from '../shell/dump-text.ts'
import { type Hierarchy, type UiNode, parseHierarchyInTurns, readAppPackage } from '../../screen/tree/hierarchy.ts'
import type { PageWords } from '../../screen/page-layout.ts'
import { printWithoutPasswordsInTurns } from '../../screen/hierarchy-print.ts'
import { buildSnapshot, buildSnapshotInTurns, type Capture } from '../../screen/snapshot.ts'

export interface DumpTimes {
  readonly serial: string
  readonly startedMs: number
  readonly finishedMs: number
}

/** From this number of nodes on, a snapshot takes longer than a turn of the event loop should. */
const LARGE_NODES = 500

/** One parsed screen. Derived values are computed on first use. */
export class ScreenReading {
  /** As dumped. May contain the text of password fields. */
  readonly hierarchy: Hierarchy
  readonly times: DumpTimes
  readonly #removedCharacters: number
  #snapshot: Snapshot | undefined
  #xml: Promise<string> | undefined

  constructor(hierarchy: Hierarchy, removedCharacters: number, times: DumpTimes) {
    this.hierarchy = hierarchy
    this.#removedCharacters = removedCharacters
    this.times = times
  }

  /** When the dump started. */
  get captured_at(): string {
    return new Date(this.times.startedMs).toISOString()
  }

  /** The package the screen belongs to. */
  get package(): string {
    return readAppPackage(this.hierarchy)
  }

  /** The tree as XML, without the text of password fields. */
  printXml(): Promise<string> {
    return (this.#xml ??= printWithoutPasswordsInTurns(this.hierarchy))
  }

  /** Computes what a large screen takes long for, in turns. A small one is computed when it is used. */
  async prepare(): Promise<this> {
    if (this.hierarchy.nodes.length > LARGE_NODES) this.#snapshot = await buildSnapshotInTurns(this.#capture, null)
    return this
  }

  /** Without activity. The revision is always 1. */
  get snapshot(): Snapshot {
    return (this.#snapshot ??= buildSnapshot(this.#capture, null))
  }

  get #capture(): Capture {
    const { serial, startedMs, finishedMs } = this.times
    return {
      hierarchy: this.hierarchy,
      removed_characters: this.#removedCharacters,
      serial,
      activity: null,
      resolution: null,
      dump_started_ms: startedMs,
      dump_finished_ms: finishedMs,
    }
  }

  get fingerprint(): string {
    return this.snapshot.fingerprint
  }
}

/** The result of one attempt to read the screen. */
export type ScreenReadResult =
  | { readonly ok: true; readonly reading: ScreenReading }
  | { readonly ok: false; readonly kind: string; readonly text: string }

export async function parseDump(dump: UiDump, times: DumpTimes): Promise<ScreenReadResult> {
  if (dump.outcome === 'failed') return { ok: false, kind: dump.kind, text: dump.text }
  const read = await parseHierarchyInTurns(dump.xml)
  if (!read.ok) return { ok: false, kind: read.fault, text: read.message }
  const reading = new ScreenReading(read.hierarchy, read.removed_characters, times)
  return { ok: true, reading: await reading.prepare() }
}

/** A node and the reading that contains it. */
export interface FoundNode {
  readonly reading: ScreenReading
  readonly node: UiNode
  /** The number of the fallback that matched, from 1. */
  readonly fallback?: number | undefined
  /** How many fallbacks found the node. */
  readonly votes?: number | undefined
  /** How the texts of the page compare with those of the demonstration, if they are known. */
  readonly page_words?: PageWords | undefined
}
