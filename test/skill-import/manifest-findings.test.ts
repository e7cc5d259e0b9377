import { expect, test } from 'vitest'
import type { ScanDeps } from '../../src/knowledge/bundle-scan/scan-deps.ts'
import { buildManifest, buildBundle, buildZip } from './zip-builder.ts'
import { openStorage, listCodes, scanArchive } from './scan-kit.ts'

const { storage } = openStorage()
const scanWithManifests = (manifests: readonly object[], deps: Partial<ScanDeps> = {}) =>
  scanArchive(
    storage,
    buildZip([
      ...buildBundle(),
      ...manifests.map((manifest, at) => ({
        name: `capabilities/${at}.json`,
        content: JSON.stringify(manifest),
      })),
    ]),
    deps,
  )
const toBinding = (target: string) => ({
  runtime_binding: { binding_kind: 'script', target },
})
const toProbe = (kind: string, target: string) => ({
  health_probe: { kind, target, timeout_ms: 1000 },
})

const FINDINGS: readonly (readonly [string, object])[] = [
  ['MANIFEST_ORIGIN_MISMATCH', { origin_skill: 'other-skill' }],
  ['MANIFEST_BINDING_TARGET_MISSING', toBinding('scripts/none.sh')],
  ['MANIFEST_BINDING_OUTSIDE_BUNDLE', toBinding('../../bin/sh')],
  ['MANIFEST_HEALTH_PROBE_UNSAFE', toProbe('command', 'ls')],
  ['MANIFEST_HEALTH_PROBE_UNSAFE', toProbe('browser', 'https://x.test/health')],
  ['MANIFEST_HEALTH_PROBE_UNSAFE', toProbe('tool', 'notes.delete all')],
  ['MANIFEST_LEGACY_SURFACE', { surface_order: ['structured_connector', 'raw_ui'] }],
  ['ADAPTER_REQUIRED', { surface_order: ['midi_binding', 'keyboard_shortcut'] }],
  ['ADAPTER_REQUIRED', { surface_order: ['shortcut'] }],
]

test('a valid manifest has no findings', async () => {
  const { report } = await scanWithManifests([buildManifest()])
  expect(report.bundle_summary?.capabilities).toEqual(['notes.tidy'])
  const found = listCodes(await scanWithManifests([buildManifest()]))
  expect(found.filter((code) => /^(?:MANIFEST|ADAPTER)/.test(code))).toEqual([])
})

test.each(FINDINGS)('%s in %j', async (code, changes) => {
  expect(listCodes(await scanWithManifests([buildManifest(changes)]))).toContain(code)
})

test('one supported control surface is enough to need no adapter', async () => {
  const some = await scanWithManifests([buildManifest({ surface_order: ['midi_binding', 'raw_ui'] })])
  expect(some.report).toMatchObject({ requires_adapter: false, portability_grade: 'direct' })
  const none = await scanWithManifests([buildManifest({ surface_order: ['midi_binding'] })])
  expect(none.report).toMatchObject({
    compatible: true,
    requires_adapter: true,
    portability_grade: 'adapter_required',
  })
})

test('a capability id used twice or already registered is a finding', async () => {
  expect(listCodes(await scanWithManifests([buildManifest(), buildManifest()]))).toContain('MANIFEST_ID_DUPLICATE')
  const taken = await scanWithManifests([buildManifest()], {
    capability_ids: new Set(['notes.tidy']),
  })
  expect(listCodes(taken)).toContain('MANIFEST_ID_COLLISION')
  expect(taken.collision).toBe(true)
})
