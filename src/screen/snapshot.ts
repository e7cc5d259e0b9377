import type {
  RevisionReason,
  RevisionState,
  Snapshot,
} from '@apprentice/contracts/devices/snapshot.ts'
import type { Bounds } from './bounds.ts'
import { buildElements } from './elements.ts'
import { contentHashOf, digestsOf, fingerprintOf, screenIdOf } from './fingerprint.ts'
import { type Hierarchy, attribute } from './hierarchy.ts'
import { loadingState } from './loading.ts'
import { onScreenNodes, windowOf } from './matcher.ts'

/** One good reading of a screen. A failed reading never gets here, so it cannot move a revision. */
export interface Capture {
  readonly hierarchy: Hierarchy
  readonly removed_characters: number
  readonly serial: string
  readonly activity: string | null
  /** The display in its present rotation; the window of the dump stands in when it is unknown. */
  readonly resolution: { readonly width: number; readonly height: number } | null
  readonly dump_started_ms: number
  readonly dump_finished_ms: number
}

/** The snapshot of a capture, numbered after the last good one of the same device and session. */
export function buildSnapshot(capture: Capture, last: RevisionState | null): Snapshot {
  const { hierarchy } = capture
  const window = windowFor(capture)
  const elements = buildElements(hierarchy, window)
  const screen = {
    activity: capture.activity,
    package: frontPackage(hierarchy),
    rotation: hierarchy.rotation,
    resolution: capture.resolution ?? sizeOf(window),
    elements,
  }
  const digests = digestsOf(screen)
  const screen_id = screenIdOf(screen)
  return {
    ...nextRevision(last, digests),
    captured_at: new Date(capture.dump_started_ms).toISOString(),
    captured_at_ms: capture.dump_started_ms,
    dump_started_ms: capture.dump_started_ms,
    dump_finished_ms: capture.dump_finished_ms,
    serial: capture.serial,
    removed_characters: capture.removed_characters,
    loading_state: loadingState(onScreenNodes(hierarchy.roots, window)),
    fingerprint: fingerprintOf(screen),
    screen_id,
    content_hash: contentHashOf(screen_id, digests),
    digests,
    ...screen,
  }
}

/** What the next snapshot is to be compared with. */
export function revisionState({ snapshot_revision, digests }: Snapshot): RevisionState {
  return { revision: snapshot_revision, digests }
}

export function windowFor({
  resolution,
  hierarchy,
}: Pick<Capture, 'resolution' | 'hierarchy'>): Bounds | null {
  if (resolution === null) return windowOf(hierarchy)
  return { left: 0, top: 0, right: resolution.width, bottom: resolution.height }
}

function nextRevision(
  last: RevisionState | null,
  digests: Snapshot['digests'],
): Pick<Snapshot, 'snapshot_revision' | 'revision_reason'> {
  if (last === null) return { snapshot_revision: 1, revision_reason: 'first' }
  const reason = REASONS.find(([key]) => last.digests[key] !== digests[key])?.[1] ?? null
  const step = reason === null ? 0 : 1
  return { snapshot_revision: last.revision + step, revision_reason: reason }
}

/** The first that differs names the change: a new screen also has new words. */
const REASONS: readonly (readonly [keyof Snapshot['digests'], RevisionReason])[] = [
  ['screen', 'screen'],
  ['structure', 'structure'],
  ['masked_text', 'text'],
  ['state', 'state'],
]

function frontPackage(hierarchy: Hierarchy): string | null {
  const [root] = hierarchy.roots
  const name = root === undefined ? '' : attribute(root, 'package')
  return name === '' ? null : name
}

/** From the display's corner to the far edge of the window: a dialog does not start at the corner. */
function sizeOf(window: Bounds | null): Capture['resolution'] {
  return window === null ? null : { width: window.right, height: window.bottom }
}
