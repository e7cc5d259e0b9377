import type { RevisionReason, RevisionState, Snapshot } from '@apprentice/contracts/devices/snapshot.ts'
import type { Bounds } from './tree/bounds.ts'
import { buildElementsInParts } from './elements.ts'
import { computeContentHash, computeDigestsInParts, computeFingerprint, computeScreenId } from './fingerprint.ts'
import { type Hierarchy, readAppPackage } from './tree/hierarchy.ts'
import { detectLoading } from './loading.ts'
import { collectOnScreenNodes, findWindow } from './matcher.ts'
import { finishInTurns, finishNow, type Sliced } from './tree/slices.ts'

/** One successful reading of a screen. Failed readings do not produce a capture, so they cannot change the revision. */
export interface Capture {
  readonly hierarchy: Hierarchy
  readonly removed_characters: number
  readonly serial: string
  readonly activity: string | null
  /** The display size in its current rotation. If null, the window of the dump is used. */
  readonly resolution: { readonly width: number; readonly height: number } | null
  readonly dump_started_ms: number
  readonly dump_finished_ms: number
}

/** Builds the snapshot of a capture. `last` is the previous snapshot of the same device and session. */
export function buildSnapshot(capture: Capture, last: RevisionState | null): Snapshot {
  return finishNow(buildInParts(capture, last))
}

/** The same as `buildSnapshot`. A large screen does not keep the event loop from its turns. */
export function buildSnapshotInTurns(capture: Capture, last: RevisionState | null): Promise<Snapshot> {
  return finishInTurns(buildInParts(capture, last))
}

function* buildInParts(capture: Capture, last: RevisionState | null): Sliced<Snapshot> {
  const { hierarchy } = capture
  const window = resolveWindow(capture)
  const elements = yield* buildElementsInParts(hierarchy, window)
  const screen = {
    activity: capture.activity,
    package: readAppPackage(hierarchy) || null,
    rotation: hierarchy.rotation,
    resolution: capture.resolution ?? toResolution(window),
    elements,
  }
  const digests = yield* computeDigestsInParts(screen)
  const screen_id = computeScreenId(screen)
  yield
  const fingerprint = computeFingerprint(screen)
  yield
  return {
    ...computeRevision(last, digests),
    captured_at: new Date(capture.dump_started_ms).toISOString(),
    captured_at_ms: capture.dump_started_ms,
    dump_started_ms: capture.dump_started_ms,
    dump_finished_ms: capture.dump_finished_ms,
    serial: capture.serial,
    removed_characters: capture.removed_characters,
    loading_state: detectLoading(collectOnScreenNodes(hierarchy.roots, window)),
    fingerprint,
    screen_id,
    content_hash: computeContentHash(screen_id, digests),
    digests,
    ...screen,
  }
}

/** The state that the next snapshot is compared with. */
export function toRevisionState({ snapshot_revision, digests }: Snapshot): RevisionState {
  return { revision: snapshot_revision, digests }
}

export function resolveWindow({ resolution, hierarchy }: Pick<Capture, 'resolution' | 'hierarchy'>): Bounds | null {
  if (resolution === null) return findWindow(hierarchy)
  return { left: 0, top: 0, right: resolution.width, bottom: resolution.height }
}

function computeRevision(
  last: RevisionState | null,
  digests: Snapshot['digests'],
): Pick<Snapshot, 'snapshot_revision' | 'revision_reason'> {
  if (last === null) return { snapshot_revision: 1, revision_reason: 'first' }
  const reason = REASONS.find(([key]) => last.digests[key] !== digests[key])?.[1] ?? null
  const step = reason === null ? 0 : 1
  return { snapshot_revision: last.revision + step, revision_reason: reason }
}

/** The first difference names the change, because a new screen also has new text. */
const REASONS: readonly (readonly [keyof Snapshot['digests'], RevisionReason])[] = [
  ['screen', 'screen'],
  ['structure', 'structure'],
  ['masked_text', 'text'],
  ['state', 'state'],
]

/** Measured from the corner of the display, because the window of a dialog does not start there. */
function toResolution(window: Bounds | null): Capture['resolution'] {
  return window === null ? null : { width: window.right, height: window.bottom }
}
