import type { RevisionState, Snapshot } from '@apprentice/contracts/devices/snapshot.ts'
import { type Capture, buildSnapshot } from '../../src/screen/snapshot.ts'
import { type Sketch, screen } from './tree-builder.ts'

export function buildCapture(roots: readonly Sketch[], more: Partial<Capture> = {}): Capture {
  return {
    hierarchy: screen(...roots),
    removed_characters: 0,
    serial: 'phone-1',
    activity: 'com.example/.MainActivity',
    resolution: { width: 1080, height: 2200 },
    dump_started_ms: 1_000_000,
    dump_finished_ms: 1_001_500,
    ...more,
  }
}

export function buildTestSnapshot(root: Sketch, last: RevisionState | null = null): Snapshot {
  return buildSnapshot(buildCapture([root]), last)
}
