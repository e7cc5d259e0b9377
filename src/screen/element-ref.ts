import type { ElementRef, Snapshot, SnapshotElement } from '@apprentice/contracts/devices/snapshot.ts'

export type RefResolution =
  | {
      readonly ok: true
      readonly element: SnapshotElement
      /** The element is no longer at the path or bounds of the reference. */
      readonly re_resolved: boolean
      readonly drift_px: number
    }
  | {
      readonly ok: false
      readonly code: 'STALE_REFERENCE' | 'AMBIGUOUS_TARGET'
      readonly candidates: readonly string[]
    }

export function buildElementRef(element: SnapshotElement, snapshot: Snapshot): ElementRef {
  return {
    snapshot_revision: snapshot.snapshot_revision,
    node_path: element.node_path,
    stable_id: element.stable_id,
    role: element.matcher_role,
    label: element.label,
    bounds: element.bounds,
  }
}

/** Resolves by stable id, role and label. If several elements match, none is chosen. */
export function resolveRef(ref: ElementRef, snapshot: Snapshot): RefResolution {
  const alike = snapshot.elements.filter(
    (element) =>
      element.stable_id === ref.stable_id && element.matcher_role === ref.role && element.label === ref.label,
  )
  const unmoved = alike.find((element) => element.node_path === ref.node_path && distance(ref, element) === 0)
  if (unmoved !== undefined) return { ok: true, element: unmoved, re_resolved: false, drift_px: 0 }
  const nameless = ref.stable_id === null && ref.label === ''
  const [only, ...others] = nameless ? [] : alike
  if (only === undefined) return { ok: false, code: 'STALE_REFERENCE', candidates: [] }
  if (others.length > 0) {
    const candidates = alike.map(({ node_path }) => node_path)
    return { ok: false, code: 'AMBIGUOUS_TARGET', candidates }
  }
  return { ok: true, element: only, re_resolved: true, drift_px: distance(ref, only) }
}

function distance(ref: ElementRef, { bounds }: SnapshotElement): number {
  if (ref.bounds === null || bounds === null) return 0
  return Math.max(...ref.bounds.map((edge, at) => Math.abs(edge - (bounds[at] ?? 0))))
}
