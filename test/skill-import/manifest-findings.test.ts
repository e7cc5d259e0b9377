import { expect, test } from 'vitest'
import type { ScanDeps } from '../../src/knowledge/bundle-scan/scan-deps.ts'
import { aManifest, goodBundle, makeZip } from './archive.ts'
import { aShelf, codes, lookThrough } from './scanning.ts'

const { shelf } = aShelf()
const withManifests = (manifests: readonly object[], around: Partial<ScanDeps> = {}) =>
  lookThrough(
    shelf(),
    makeZip([
      ...goodBundle(),
      ...manifests.map((manifest, at) => ({
        name: `capabilities/${at}.json`,
        content: JSON.stringify(manifest),
      })),
    ]),
    around,
  )
const binding = (target: string) => ({
  runtime_binding: { binding_kind: 'script', target },
})
const probe = (kind: string, target: string) => ({
  health_probe: { kind, target, timeout_ms: 1000 },
})

const faults: readonly (readonly [string, object])[] = [
  ['MANIFEST_ORIGIN_MISMATCH', { origin_skill: 'other-skill' }],
  ['MANIFEST_BINDING_TARGET_MISSING', binding('scripts/none.sh')],
  ['MANIFEST_BINDING_OUTSIDE_BUNDLE', binding('../../bin/sh')],
  ['MANIFEST_HEALTH_PROBE_UNSAFE', probe('command', 'ls')],
  ['MANIFEST_HEALTH_PROBE_UNSAFE', probe('browser', 'https://x.test/health')],
  ['MANIFEST_HEALTH_PROBE_UNSAFE', probe('tool', 'notes.delete all')],
  ['MANIFEST_LEGACY_SURFACE', { surface_order: ['structured_connector', 'raw_ui'] }],
  ['ADAPTER_REQUIRED', { surface_order: ['midi_binding', 'keyboard_shortcut'] }],
  ['ADAPTER_REQUIRED', { surface_order: ['shortcut'] }],
]

test('a manifest without fault is taken as it is', async () => {
  const { report } = await withManifests([aManifest()])
  expect(report.bundle_summary?.capabilities).toEqual(['notes.tidy'])
  const told = codes(await withManifests([aManifest()]))
  expect(told.filter((code) => /^(?:MANIFEST|ADAPTER)/.test(code))).toEqual([])
})

test.each(faults)('%s in %j', async (code, changes) => {
  expect(codes(await withManifests([aManifest(changes)]))).toContain(code)
})

test('one way that is open here is enough to need no adapter', async () => {
  const some = await withManifests([aManifest({ surface_order: ['midi_binding', 'raw_ui'] })])
  expect(some.report).toMatchObject({ requires_adapter: false, portability_grade: 'direct' })
  const none = await withManifests([aManifest({ surface_order: ['midi_binding'] })])
  expect(none.report).toMatchObject({
    compatible: true,
    requires_adapter: true,
    portability_grade: 'adapter_required',
  })
})

test('an id that is used twice, or by somebody else', async () => {
  expect(codes(await withManifests([aManifest(), aManifest()]))).toContain('MANIFEST_ID_DUPLICATE')
  const taken = await withManifests([aManifest()], { capability_ids: new Set(['notes.tidy']) })
  expect(codes(taken)).toContain('MANIFEST_ID_COLLISION')
  expect(taken.collision).toBe(true)
})
